"""A program that calls ours tells a failure of it from findings by the exit status."""

from __future__ import annotations

from pathlib import Path

import pytest

from iotriage import cli, sites


def test_a_failure_of_the_program_is_no_finding(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(cli, "_own_sites_refused", fails)
    with pytest.raises(SystemExit) as ended:
        cli.main(["rules"])
    assert ended.value.code == cli.FAILED == 70
    assert "RuntimeError: a defect" in capsys.readouterr().err


@pytest.mark.parametrize("key", ["title", "status", "checked"])
def test_a_profile_of_the_program_that_is_damaged_is_named_in_one_line(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shipped = Path(sites.__file__).parent / "mahuika.toml"
    lines = shipped.read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / shipped.name).write_text("".join(line for line in lines if not line.startswith(f"{key} =")))
    monkeypatch.setattr(sites, "__file__", str(tmp_path / "__init__.py"))
    sites.reload_profiles()
    try:
        with pytest.raises(SystemExit) as ended:
            cli.main(["sites"])
    finally:
        sites.reload_profiles()
    assert ended.value.code == cli.FAILED
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"iotriage: {tmp_path / shipped.name}:1: {key}: is missing")
