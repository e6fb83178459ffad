"""The process that reads with pydarshan: whatever it does, the answer is a reading or a reason."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from iotriage.cli import main
from iotriage.confinement.scratch import ScratchFolder
from iotriage.verification import second_reader
from iotriage.verification.second_reader import NoSecondOpinionError, NotInstalledError
from iotriage.verification.verify import NotALogError, verify

SAMPLES = Path(__file__).parents[3] / "sample-logs" / "darshan_log"
LOG = SAMPLES / "01-serial-gather" / "01-serial-gather.darshan"


def child(program):
    return (sys.executable, "-I", "-c", program)


def test_a_sample_is_read():
    found = verify(LOG).found
    assert found.pydarshan.startswith("3.5")
    assert (found.agreed > 0, found.differing) == (True, 0)
    assert "POSIX" in [part.part for part in found.parts]


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("import os; os.abort()", "SIGABRT"),
        ("import sys; sys.exit('libdarshan: \\x1b[1mno\\n')", "status 1: libdarshan: �[1mno"),
        ("print('not json')", "another form"),
        ("print('{}')", "another form"),
        ("print('{\"error\": 7}')", "another form"),
        ('print(\'{"kind": "cannot-open", "reason": "no bzip2"}\')', "no bzip2"),
        ("import time; time.sleep(60)", "stopped after 1 s"),
        ("import sys\nwhile True: sys.stdout.write('x' * 65536)", "more than 1 MiB"),
        ("import sys, time\nfor _ in range(99): sys.stderr.write('x' * 65536)\ntime.sleep(60)", "stopped after 1 s"),
    ],
)
def test_a_process_that_fails_gives_a_reason(program, reason):
    with pytest.raises(NoSecondOpinionError) as refused:
        verify(LOG, seconds=1, answer_bytes=1 << 20, child=child(program))
    assert reason in str(refused.value)


def test_what_the_process_started_dies_with_it(tmp_path):
    started = tmp_path / "pid"
    program = f"""
import subprocess, sys, time
other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open({str(started)!r}, "w").write(str(other.pid))
time.sleep(60)
"""
    with pytest.raises(NoSecondOpinionError, match="stopped after 2 s"):
        verify(LOG, seconds=2, child=child(program))
    pid = int(started.read_text())
    # Killed it is when the error is raised, and ended when the kernel next comes to it.
    with contextlib.suppress(ProcessLookupError):
        process = os.pidfd_open(pid)
        assert select.select([process], [], [], 30)[0], "it did not end"
        os.close(process)


def test_the_process_gets_no_environment_of_ours(monkeypatch):
    monkeypatch.setenv("IOTRIAGE_SECRET", "x")
    program = (
        "import json, os; said = ' '.join(sorted(os.environ)) + ' in ' + os.getcwd();"
        "print(json.dumps({'kind': 'cannot-open', 'reason': said}))"
    )
    with pytest.raises(NoSecondOpinionError) as refused:
        verify(LOG, child=child(program))
    assert "IOTRIAGE_SECRET" not in str(refused.value)
    assert str(refused.value).endswith(" in /")


def test_without_the_extra_the_install_command_is_said(monkeypatch):
    monkeypatch.setattr(second_reader, "find_spec", lambda _: None)
    with pytest.raises(NotInstalledError, match=r"pip install 'iotriage\[pydarshan\]'"):
        verify(LOG)


@pytest.mark.parametrize("content", [b"", b"hello\n", bytes(range(256)) * 8])
def test_what_is_no_log_is_not_given_to_the_library(tmp_path, content):
    path = tmp_path / "x.darshan"
    path.write_bytes(content)
    with pytest.raises(NotALogError):
        verify(path)


def test_a_pipe_is_refused_before_anybody_waits_for_it(tmp_path):
    pipe = tmp_path / "x.darshan"
    os.mkfifo(pipe)
    with pytest.raises(NotALogError, match="write it to a file first"):
        verify(pipe)
    with pytest.raises(NotALogError, match="a pipe or a device"):
        verify(Path("/dev/zero"))


def test_a_name_commands_no_terminal_and_may_be_no_utf8(tmp_path, capsys):
    log = tmp_path / "x\x1b[31m.darshan"
    log.write_bytes(LOG.read_bytes())
    assert run(log) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("x�[31m.darshan: all ")
    assert "values agree with pydarshan 3.5" in printed
    other = tmp_path / os.fsdecode(b"\xff.darshan")
    other.write_bytes(LOG.read_bytes())
    with pytest.raises(NoSecondOpinionError, match="no UTF-8: give it another"):
        verify(other)


def unawaited(scratch, module, *arguments, stdin=subprocess.DEVNULL):
    """Runs a child whose answer nobody will read; `scratch` is its own."""
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-I", "-B", "-m", f"iotriage.verification.{module}", *map(str, arguments)]
    try:
        return subprocess.run(
            command, env={"TMPDIR": str(scratch)}, stdin=stdin, stdout=write, stderr=subprocess.PIPE, timeout=120
        )
    finally:
        os.close(write)


def test_a_child_whose_parent_has_gone_opens_no_log(tmp_path):
    # Who opened this pipe would wait for ever.
    pipe = tmp_path / "x.darshan"
    os.mkfifo(pipe)
    ended = unawaited(tmp_path, "verify_child", pipe)
    assert (ended.returncode, ended.stderr) == (1, b"")


def test_a_second_opinion_that_nobody_waits_for_reads_no_byte():
    scratch = ScratchFolder()
    with LOG.open("rb") as log, contextlib.ExitStack() as stack:
        stack.callback(scratch.remove)
        ended = unawaited(scratch.path, "opinion_child", 2 << 30, 60, 256 << 20, stdin=log)
        assert (ended.returncode, ended.stderr) == (1, b"")
        assert log.seek(0, os.SEEK_CUR) == 0


# The child interrupts whoever starts it before it is our program, and so in Popen or soon after. A shell has what it
# starts in the background ignore that signal, these tests too.
INTERRUPTED = """
import signal, sys
from iotriage.verification.second_reader import answer_of
signal.signal(signal.SIGINT, signal.default_int_handler)
child = 'echo $$ > "$2"; kill -INT $PPID; exec "$0" -I -B -m iotriage.verification.verify_child "$1"'
answer_of(["/bin/sh", "-c", child, sys.executable, *sys.argv[1:]], 300, 1 << 20)
"""


def test_who_is_interrupted_while_starting_a_child_leaves_none(tmp_path):
    pipe, started = tmp_path / "x.darshan", tmp_path / "pid"
    os.mkfifo(pipe)
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, pipe, started], stderr=subprocess.PIPE, text=True, timeout=120
    )
    assert ended.stderr.rstrip().endswith("KeyboardInterrupt")
    with contextlib.suppress(ProcessLookupError):
        process = os.pidfd_open(int(started.read_text()))
        assert select.select([process], [], [], 60)[0], "it did not end"
        os.close(process)


def run(*arguments):
    with pytest.raises(SystemExit) as ended:
        main(["verify", *map(str, arguments)])
    return ended.value.code


def test_the_command_says_what_differs_and_why(capsys):
    log = SAMPLES / "47-darshan-main-apmpi" / "47-darshan-main-apmpi.darshan"
    assert run(log) == 1
    printed = capsys.readouterr().out
    assert "DXT_MPIIO: 40 of segments" in printed
    assert "40-byte segments" in printed
    assert run(log, "--format", "json") == 1
    (one,) = json.loads(capsys.readouterr().out)
    assert (one["agreed"], one["differing"]) == (
        sum(part["agreed"] for part in one["parts"]),
        sum(d["values"] for part in one["parts"] for d in part["differences"]),
    )
    assert {part["part"] for part in one["parts"] if part["differences"]} == {"APMPI", "DXT_POSIX", "DXT_MPIIO"}


def test_the_command_says_what_could_not_be_compared(capsys, tmp_path):
    bzip2 = SAMPLES / "49-bzip2-heat2d-tuned" / "49-bzip2-heat2d-tuned.darshan"
    assert run(bzip2, tmp_path / "none.darshan", LOG) == 3
    printed = capsys.readouterr()
    assert "49-bzip2-heat2d-tuned.darshan: pydarshan cannot open the log: libdarshan-util cannot open it" in printed.err
    assert "none.darshan: No such file or directory" in printed.err
    assert "01-serial-gather.darshan: all" in printed.out


def test_the_command_without_the_extra(capsys, monkeypatch):
    monkeypatch.setattr(second_reader, "find_spec", lambda _: None)
    assert run(LOG) == 2
    assert "pip install 'iotriage[pydarshan]'" in capsys.readouterr().err


def test_diagnosing_imports_no_pydarshan_and_no_pandas():
    program = f"""
import contextlib, io, sys
from iotriage.cli import main
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
    main(["diagnose", {str(LOG)!r}])
print(*({{"darshan", "pandas", "matplotlib", "cffi", "pydantic", "tomlkit"}} & set(sys.modules)))
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout == "\n"
