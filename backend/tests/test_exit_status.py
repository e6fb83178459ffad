"""A program that calls ours tells a failure of it from findings by the exit status."""

from __future__ import annotations

import pytest

from iotriage import cli


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
