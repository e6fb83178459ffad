"""A program that calls ours tells a failure of it from findings by the exit status."""

from __future__ import annotations

import os
import subprocess
import sys
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


FULL = Path("/dev/full")


def by_itself(*words: str, full: str) -> tuple[int, str]:
    """The status of a process of its own of which the stream `full` is a full disk, and what it says on the other."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with FULL.open("w") as disk:
        ended = subprocess.run(
            [sys.executable, "-c", "from iotriage.cli import main; main()", *words],
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=120,
            **{**streams, full: disk},
        )
    return ended.returncode, (ended.stdout or "") + (ended.stderr or "")


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("diagnose", "--help"), ("access", "open", "--help")])
def test_help_for_a_full_disk_ends_in_a_sentence(words: tuple[str, ...]) -> None:
    status, said = by_itself(*words, full="stdout")
    assert (status, said) == (cli.BAD_USE, "iotriage: the answer cannot be written: No space left on device\n")


def test_what_cannot_be_complained_of_has_its_status_all_the_same() -> None:
    assert by_itself("submit", "x", full="stderr")[0] == cli.BAD_USE
    assert by_itself("rules", "--nope", full="stderr")[0] == cli.BAD_USE


@pytest.mark.parametrize("words", [("verify",), ("submit", "--server", "http://127.0.0.1:9"), ("rules",), ()])
def test_no_name_commands_the_terminal(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main([*words, "x\x1b]0;y\x07\x9b2J"])
    said = capsys.readouterr()
    assert "\\x1b]0;y" in said.err
    assert not {"\x1b", "\x07", "\x9b"} & {*said.err, *said.out}


@pytest.mark.parametrize("words", [("diagnose",), ("compare", os.devnull), ("sites", "measure", "x")])
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full"])
def test_a_device_that_has_no_end_is_not_read(
    words: tuple[str, ...], device: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([*words, device])
    assert ended.value.code == cli.NOTHING_READ
    said = capsys.readouterr()
    assert "it is a device, and no file" in " ".join((said.out + said.err).split())


def test_a_file_that_cannot_be_read_is_no_failure_of_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    # It is a file, can be opened, and nothing of it can be read at its beginning.
    with pytest.raises(SystemExit) as ended:
        cli.main(["compare", "/proc/self/mem", "/proc/self/mem"])
    assert ended.value.code == cli.NOTHING_READ
    assert "Traceback" not in capsys.readouterr().err


NO_UTF8 = os.fsdecode(b"\xff")


@pytest.mark.parametrize(
    "words",
    [
        ("access", "token", NO_UTF8),
        ("access", "token", "x", "--person", NO_UTF8),
        ("access", "token", ""),
        ("access", "token", "x" * 201),
        ("access", "revoke", NO_UTF8),
        ("access", "end", NO_UTF8),
        ("submit", "x", "--ticket", NO_UTF8),
        ("submit", "x", "--server", f"http://127.0.0.1:9/{NO_UTF8}"),
        ("submit", __file__, "--server", "http://127.0.0.1:9/\u00e9"),
        ("submit", __file__, "--server", "http://127.0.0.1:9/a b"),
        ("submit", __file__, "--server", "http://127.0.0.1:x"),
        ("submit", __file__, "--server", "http://127.0.0.1:99999"),
        ("submit", __file__, "--server", "http://["),
        ("submit", __file__, "--server", "http://"),
        ("sites", "measure", "x", "y", "--title", NO_UTF8),
    ],
)
def test_words_that_cannot_be_kept_are_bad_use(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("IOTRIAGE_DATA_DIR", str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        cli.main(words)
    assert ended.value.code == cli.BAD_USE
    said = capsys.readouterr().err
    assert "is no UTF-8" in said or "is no address of a web service" in said or "a name has 1 to 200 characters" in said
