"""The command line where the machine is not as one would like it: locales, full disks, places that may not be looked
at, variables that are no numbers."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import pwd
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from iotriage.cli import main
from iotriage.cli.bounds import MEMORY, SECONDS
from iotriage.cli.plain_spelling import SPELT_PLAINLY, spelt_plainly
from iotriage.diagnosis import source_at
from iotriage.reports.anonymous.key_of_names import SHORTEST_KEY
from iotriage.settings import Settings
from iotriage_parsers.evidence import Evidence

SAMPLES = Path(__file__).parents[2] / "sample-logs/darshan_log"
LOG = SAMPLES / "06-shared-indep-1000b-unaligned/06-shared-indep-1000b-unaligned.darshan"
SMALL = SAMPLES / "14-balanced/14-balanced.darshan"
_RUN = "import sys; from iotriage.cli import main; sys.exit(main())"
# What a shell starts in the background ignores that signal, and so does all that it starts.
_RUN_IN_FRONT = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler); {_RUN}"
TOO_LONG = "x" * 300


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", _RUN, *map(str, arguments)],
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
    )


def said(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(a) for a in arguments])
    printed = capsys.readouterr()
    return ended.value.code, printed.out, printed.err


def printed(monkeypatch: pytest.MonkeyPatch, encoding: str, *arguments: str | Path) -> bytes:
    """What a command that is done writes to a standard output of this encoding."""
    with io.BytesIO() as written, io.TextIOWrapper(written, encoding) as stdout, monkeypatch.context() as here:
        here.setattr(sys, "stdout", stdout)
        with pytest.raises(SystemExit, match=r"^0$"):
            main([str(a) for a in arguments])
        return written.getvalue()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_locale_with_fewer_characters_than_ours(
    encoding: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    people = printed(monkeypatch, encoding, "diagnose", LOG)
    assert b"Ranks access a shared file independently" in people
    shown = people.decode(encoding)
    assert "Independent share of MPI-IO writes: 100 %, threshold >= 50 % [" in shown
    assert "  -> Use the collective routines" in shown
    assert "?" not in shown
    programs = printed(monkeypatch, encoding, "diagnose", LOG, "--format", "json")
    status, everywhere, err = said(capsys, "diagnose", LOG, "--format", "json")
    assert (status, json.loads(programs), err) == (0, json.loads(everywhere), "")


def test_a_process_prints_what_its_locale_has() -> None:
    found = run("diagnose", SMALL, PYTHONIOENCODING="ascii")
    assert (found.returncode, found.stderr, found.stdout.isascii()) == (0, b"", True)


@given(st.text())
def test_what_a_terminal_cannot_show_takes_nothing_from_the_rest(text: str) -> None:
    shown = text.encode("ascii", SPELT_PLAINLY).decode("ascii")
    assert shown == spelt_plainly(text)
    assert text.isascii() <= (shown == text)


def test_every_comparison_is_told_from_its_contrary_in_ascii() -> None:
    assert spelt_plainly("≥ 1 GiB, ≤ 2, → 3 µs · é") == ">= 1 GiB, <= 2, -> 3 us - ?"


@pytest.mark.parametrize("command", [("diagnose", str(SMALL)), ("rules",), ("sites",)])
def test_a_full_disk_behind_standard_output(command: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", _RUN, *command], stdout=full, stderr=subprocess.PIPE, check=False, text=True
        )
    assert done.returncode == 2
    assert done.stderr == f"iotriage: the answer cannot be written: {os.strerror(errno.ENOSPC)}\n"


@pytest.mark.parametrize(("closed", "status"), [(">&-", 0), ("2>&-", 0), ("<&-", 3), ("<&- >&- 2>&-", 3)])
def test_a_standard_stream_that_is_closed_is_the_null_device(closed: str, status: int) -> None:
    source = "-" if "<" in closed else str(SMALL)
    words = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-c", _RUN, "diagnose", source]
    done = subprocess.run(words, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (status, b"")
    assert bool(done.stdout) is (">&-" not in closed.replace("2>&-", ""))


def test_an_end_from_the_keyboard_says_nothing_of_the_program(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "log")
    waiting = subprocess.Popen(
        [sys.executable, "-c", _RUN_IN_FRONT, "diagnose", tmp_path / "log"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    # It is at work once it has opened the pipe, and reads for as long as this one is open.
    with (tmp_path / "log").open("wb"):
        waiting.send_signal(signal.SIGINT)
        _, err = waiting.communicate()
    assert (waiting.returncode, err) == (130, b"")


def test_names_that_cannot_be_looked_at(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = said(capsys, "diagnose", TOO_LONG)
    assert (status, err) == (3, "")
    assert os.strerror(errno.ENAMETOOLONG) in " ".join(out.split())
    status, out, err = said(capsys, "compare", TOO_LONG, SMALL)
    assert (status, err) == (3, "")
    status, out, err = said(capsys, "submit", TOO_LONG, "--server", "http://127.0.0.1:9")
    assert (status, out) == (2, "")
    assert err.endswith("no file; of a folder, give an archive or its files\n")


def test_sites_that_cannot_be_looked_at(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IOTRIAGE_SITES", TOO_LONG)
    assert said(capsys, "rules") == (2, "", f"iotriage: {TOO_LONG}: IOTRIAGE_SITES: File name too long\n")


def test_a_folder_in_a_folder_that_may_not_be_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    listed = os.scandir

    def scandir(path: str | Path) -> object:
        # As for somebody who may not: the superuser, who runs tests in a container, may.
        if Path(path) == closed:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    told = f"iotriage diagnose: {closed} could not be listed: Permission denied\n"
    assert said(capsys, "diagnose", closed)[2].startswith(told)
    (tmp_path / "job.darshan").write_bytes(SMALL.read_bytes())
    status, _, err = said(capsys, "diagnose", tmp_path)
    assert status == 0
    assert err.startswith(told)


@pytest.mark.parametrize("said_of", ["abc", "-5", "nan", "1GiB", "inf"])
@pytest.mark.parametrize("variable", [MEMORY, SECONDS])
@pytest.mark.parametrize("command", ["diagnose", "compare"])
def test_bounds_that_are_none(
    command: str, variable: str, said_of: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, said_of)
    status, _, err = said(capsys, command, SMALL, SMALL)
    assert status == 2
    assert err.startswith(f"iotriage {command}: {variable}: {said_of!r} is not a number from 0 to ")


def test_a_pipe_with_a_name_is_read_as_the_file_is() -> None:
    reading, writing = os.pipe()
    os.write(writing, SMALL.read_bytes())
    os.close(writing)
    piped = source_at(Path(f"/dev/fd/{reading}"))
    os.close(reading)
    content = SMALL.read_bytes()
    assert (piped.sha256, piped.size_bytes) == (hashlib.sha256(content).hexdigest(), len(content))
    assert isinstance(piped.outcome, Evidence)
    assert piped.outcome.reader == "darshan_log"


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("WORKERS", "abc", "IOTRIAGE_WORKERS: Input should be a valid integer, unable to parse string as an integer"),
        ("TRUSTED_PROXIES", "x", "'x' does not appear to be an IPv4 or IPv6 network"),
        ("ANONYMISE_KEY", "secret", "Value should have at least 16 items after validation, not 6"),
        ("DATABASE_URL", "nonsense", "IOTRIAGE_DATABASE_URL is not the URL of a database"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", [("serve",), ("access", "tokens"), ("access", "open"), ("compare", "abcdef123456")])
def test_settings_that_are_none(
    command: tuple[str, ...],
    variable: str,
    value: str,
    words: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("IOTRIAGE_SITES", "")
    monkeypatch.setenv("IOTRIAGE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv(f"IOTRIAGE_{variable}", value)
    status, out, err = said(capsys, *command)
    assert (status, out) == (2, "")
    assert err.startswith("iotriage")
    assert err.endswith(f"{words}\n")


def test_a_page_of_one_file_needs_no_settings(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IOTRIAGE_WORKERS", "abc")
    assert said(capsys, "diagnose", SMALL, "--format", "html")[0] in (0, 2)


def test_a_variable_that_is_set_to_nothing_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Settings()
    for name in Settings.model_fields:
        if f"IOTRIAGE_{name.upper()}" not in os.environ:
            monkeypatch.setenv(f"IOTRIAGE_{name.upper()}", "")
    assert Settings() == before


@pytest.mark.parametrize(
    "command",
    [
        ("diagnose", ""),
        ("diagnose", SMALL, "-o", ""),
        ("compare", SMALL, ""),
        ("verify", ""),
        ("submit", "", "--server", "http://127.0.0.1:1"),
        ("ingest", "", "--warehouse", "w"),
        ("report", "--warehouse", ""),
    ],
)
def test_an_empty_name_is_not_the_folder_that_one_is_in(
    command: tuple[str | Path, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = said(capsys, *command)
    assert (status, out) == (2, "")
    assert err.splitlines()[-1].endswith(": an empty name is no file or folder; is a variable not set?")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("port", ["0", "-1", "65536", "http"])
def test_a_server_that_runs_has_a_port(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = said(capsys, "access", "open", f"--port={port}")
    assert (status, out) == (2, "")
    assert err.endswith(f"error: argument --port: {port!r} is not a port: a number from 1 to 65535\n")


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        ((), "usage: iotriage [-h]"),
        (("rules", "x"), "usage: iotriage rules "),
        (("access", "end", "a", "b"), "usage: iotriage access end "),
    ],
)
def test_who_does_not_know_the_words_is_told_those_that_there_are(
    command: tuple[str, ...], usage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = said(capsys, *command)
    assert (status, out) == (2, "")
    assert err.startswith(usage)
    assert err.splitlines()[-1].endswith(f"unrecognized arguments: {command[-1]}" if command else "from the keyboard")


def test_who_has_no_name_in_a_container_makes_a_token(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def getpwuid(uid: int) -> object:
        raise KeyError(f"getpwuid(): uid not found: {uid}")

    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", getpwuid)
    monkeypatch.setenv("IOTRIAGE_DATA_DIR", str(tmp_path))
    status, out, err = said(capsys, "access", "token", "laptop")
    assert (status, err) == (0, "")
    assert out.startswith("iotriage_")


def test_a_key_that_can_be_guessed_hides_nobody(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IOTRIAGE_ANONYMISE_KEY", "x" * (SHORTEST_KEY - 1))
    told = f"IOTRIAGE_ANONYMISE_KEY has {SHORTEST_KEY} characters at least: who guesses it can try names"
    assert said(capsys, "diagnose", SMALL, "--anonymise") == (2, "", f"iotriage diagnose: {told}\n")
    with pytest.raises(ValidationError, match=f"at least {SHORTEST_KEY} "):
        Settings()
    assert said(capsys, "diagnose", SMALL)[0] == 0
    monkeypatch.setenv("IOTRIAGE_ANONYMISE_KEY", "x" * SHORTEST_KEY)
    assert said(capsys, "diagnose", SMALL, "--anonymise")[0] == 0


@pytest.mark.parametrize("form", ["json", "html", "markdown", "jira"])
@pytest.mark.parametrize("instead", ["--next-run", "--triage"])
def test_text_is_not_given_for_another_format(instead: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = said(capsys, "diagnose", SMALL, instead, "--format", form)
    assert (status, out) == (2, "")
    assert err == f"iotriage diagnose: {instead} prints text: leave out --format {form}, or {instead}\n"
    assert said(capsys, "diagnose", SMALL, instead, "--format", "plain")[0] == 0


def test_the_access_of_nobody_is_not_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IOTRIAGE_DATA_DIR", str(tmp_path))
    assert said(capsys, "access", "token", "laptop")[0] == 0
    refused = "iotriage access: nobody called 'lcoal' has logged in yet\n"
    assert said(capsys, "access", "end", "lcoal") == (2, "", refused)
    assert said(capsys, "access", "end", "local") == (0, "log-ins ended: 0; tokens revoked: 1; links revoked: 0\n", "")
    assert said(capsys, "access", "end", "local")[0] == 0


@pytest.mark.parametrize("command", [("diagnose",), ("compare", SMALL)])
def test_a_pipe_in_a_folder_is_read_by_a_process_that_gave_up_other_files(
    command: tuple[str | Path, ...], tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "log")
    # Who writes waits until somebody reads, for ever where nobody may.
    writing = subprocess.Popen(["/bin/sh", "-c", 'exec cat "$0" > "$1"', SMALL, tmp_path / "log"])
    try:
        done = run(*command, tmp_path / "log")
    finally:
        writing.kill()
        writing.wait()
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"could not be opened" not in done.stdout
