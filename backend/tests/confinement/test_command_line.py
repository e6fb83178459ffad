"""What a command can no longer do when it looks at the first source."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from iotriage.cli.output import opened
from iotriage.confinement.landlock import landlock_version
from iotriage.confinement.seccomp import seccomp_here

_TRIES = """
import json, os, socket, subprocess, sys
from pathlib import Path
from iotriage.cli.confined import restrict_reading
from iotriage_parsers.temporary_files import temporary_file

given, other, new = map(Path, sys.argv[1:])
out = os.dup(1)
restrict_reading([given, given.parent / "not there"])

def ends(act):
    try:
        act()
    except OSError:
        return "refused"
    return "done"

def unpack():
    with temporary_file() as file:
        file.write(b"x")

tries = {
    "a source": given.read_bytes,
    "a library": Path(os.__file__).read_bytes,
    "a temporary file": unpack,
    "another file": other.read_bytes,
    "a new file": lambda: new.write_text("x"),
    "a folder": lambda: os.listdir(given.parent),
    "a program": lambda: subprocess.run(["/bin/true"]),
    "a connection": lambda: socket.socket(socket.AF_INET),
}
os.write(out, json.dumps({what: ends(act) for what, act in tries.items()}).encode())
"""


@pytest.mark.skipif(landlock_version() == 0 or not seccomp_here(), reason="the kernel has not what confines")
def test_a_command_reads_its_sources_and_libraries_and_nothing_else(tmp_path: Path) -> None:
    given, other, new = tmp_path / "given", tmp_path / "other", tmp_path / "new"
    given.write_text("a log")
    other.write_text("a secret")
    command = [sys.executable, "-c", _TRIES, str(given), str(other), str(new)]
    ended = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    done = {what for what, how in ended.items() if how == "done"}
    assert done == {"a source", "a library", "a temporary file"}
    assert not new.exists()


_TAKEN_OVER = """
import sys
from importlib import import_module
from pathlib import Path

def taken_over(*_, **__):
    for act in (lambda: Path("other").read_bytes(), lambda: Path("new").write_text("x")):
        try:
            act()
        except OSError:
            continue
        sys.exit("something was done")
    sys.exit("all was refused")

_, where, names, *words = sys.argv
module = import_module(where)
for name in names.split():
    assert hasattr(module, name)
    setattr(module, name, taken_over)
if words[1:]:
    sys.argv[1:] = words
    import_module("iotriage.cli").main()
else:
    module.main(*words)
"""


@pytest.mark.skipif(landlock_version() == 0 or not seccomp_here(), reason="the kernel has not what confines")
@pytest.mark.parametrize(
    ("module", "reads", "command"),
    [
        ("cli.input_sources", "read_or_unpack source_at", ["diagnose", "log"]),
        ("cli.input_sources", "read_or_unpack source_at", ["compare", "log", "log"]),
        ("cli.sites", "read_or_unpack", ["sites", "measure", "x", "log"]),
        ("verification.verify_child", "compared", ["log"]),
    ],
)
def test_whoever_takes_a_reader_over_has_gained_nothing(
    module: str, reads: str, command: list[str], tmp_path: Path
) -> None:
    """Every command that reads sources; the last is the process of `verify`."""
    if command == ["log"]:
        pytest.importorskip("darshan")
    (tmp_path / "other").write_text("a secret")
    (tmp_path / "log").write_bytes(b"")
    program = [sys.executable, "-c", _TAKEN_OVER, f"iotriage.{module}", reads, *command]
    ended = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True)
    assert ended.stderr == "all was refused\n"
    assert not (tmp_path / "new").exists()


def test_a_log_is_diagnosed_where_there_is_no_place_for_temporary_files() -> None:
    log = Path(__file__).parents[3] / "sample-logs/darshan_log/39-heat2d-legacy/39-heat2d-legacy.darshan"
    code = "import sys, tempfile; tempfile.tempdir = '/not/there'; from iotriage.cli import main; main()"
    ended = subprocess.run([sys.executable, "-c", code, "diagnose", str(log)], capture_output=True)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_a_file_is_as_it_was_until_the_answer_is_known(tmp_path: Path) -> None:
    path = tmp_path / "answer"
    path.write_text("the answer of before")
    with opened(path) as output:
        assert path.read_text() == "the answer of before"
        assert output.write("new") is None
    assert path.read_text() == "new"
    with opened(tmp_path / "no folder" / "answer") as output:
        assert output.write("new") == output.refused == f"{tmp_path}/no folder/answer: No such file or directory"
