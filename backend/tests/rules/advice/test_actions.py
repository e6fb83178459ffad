"""Advice as actions: what is pasted does what the action says and nothing else, and nobody reads it back."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import unicodedata
from pathlib import Path

import pytest
from declared import context
from hypothesis import given
from hypothesis import strategies as st

import iotriage
from iotriage.rules.advice.calls import hints
from iotriage.rules.advice.striping import Stripes, default_sentence, set_stripe
from iotriage.rules.core import Citation, advice
from iotriage.rules.core.action import (
    AskFor,
    ChangeDirectory,
    EditCode,
    Export,
    FileHint,
    FillIn,
    Matching,
    ModuleLoad,
    MpiioHint,
    Named,
    RunCommand,
    SetHint,
    SetStripe,
    Unset,
)
from iotriage.rules.core.commands import command_of, line
from iotriage.rules.core.launching import of_one_rank
from iotriage.rules.core.words import UNPRINTABLE

MIB = 2**20
HOSTILE = [
    "/lus/fs/a b/$(touch pwned)",
    "/lus/fs/`touch pwned`;touch pwned",
    '/lus/pro\'ject/"run"',
    "/lus/new\nline\r/run",
    "/lus/\x1b[2Jclear\u202e/\u2028run",
    "/lus/back\\slash/$HOME/${x}/!!",
    "-rf",
    "--pool=x",
    "/lus/*/?[a]{b,c}~",
    "/lus/#comment && touch pwned",
]


def pasted(text, tmp_path, *called):
    """The words that each of the commands named was called with, where `text` is pasted into bash."""
    stubs = "".join(f'{name}() {{ printf "%s\\0" {name} "$@"; }}\n' for name in called)
    done = subprocess.run(["bash", "-c", stubs + text], cwd=tmp_path, capture_output=True, check=True, timeout=60)
    assert list(tmp_path.iterdir()) == []
    return done.stdout.decode("utf-8").split("\0")[:-1]


def as_a_file(name):
    return f"./{name}" if name.startswith("-") else name


@pytest.mark.parametrize("name", HOSTILE)
def test_a_striping_names_its_directory_and_does_nothing_else(name, tmp_path):
    text = line(SetStripe(Named(name), 4, 8 * MIB, pool=name, first_ost=-1))
    words = ["lfs", "setstripe", "-c", "4", "-S", "8M", "-i", "-1", "-p", as_a_file(name), as_a_file(name)]
    assert pasted(text, tmp_path, "lfs") == words
    assert len(text.splitlines()) == 1


@pytest.mark.parametrize("value", HOSTILE)
def test_a_variable_has_the_value_and_no_other(value, tmp_path):
    text = line(Export("VALUE", value))
    assert pasted(f'{text}\nprintf "%s\\0" "$VALUE"', tmp_path) == [value]
    assert len(text.splitlines()) == 1


@pytest.mark.parametrize("pattern", HOSTILE)
def test_hints_cannot_break_out_of_their_variable(pattern, tmp_path):
    text = line(SetHint(pattern, (MpiioHint("cb_nodes", "$(touch pwned)"), MpiioHint("striping_unit", '"'))))
    (value,) = pasted(f'{text}\nprintf "%s\\0" "$MPICH_MPIIO_HINTS"', tmp_path)
    names = pattern if pattern.isprintable() else "*"
    assert value == f'{names}:cb_nodes=$(touch pwned):striping_unit="'


@pytest.mark.parametrize(
    ("pattern", "asked", "written"),
    [
        ("$WORK/*.nc", "*.dat", "/w/*.nc:cb_nodes=4,*.dat:romio_cb_write=enable"),
        ("${WORK}/o.*", "${WORK}/o.*", "/w/o.*:cb_nodes=4:romio_cb_write=enable"),
        ("$(touch pwned)/*", "*.dat", "$(touch pwned)/*:cb_nodes=4,*.dat:romio_cb_write=enable"),
        ("*", "*$WORK.dat", "*:cb_nodes=4,*$WORK.dat:romio_cb_write=enable"),
    ],
)
def test_variables_in_a_pattern_of_the_job_stay_such(pattern, asked, written, tmp_path):
    beside = (FileHint(pattern, "cb_nodes", "4"),)
    text = line(SetHint(asked, (MpiioHint("romio_cb_write", "enable"),), beside=beside))
    (value,) = pasted(f'WORK=/w\n{text}\nprintf "%s\\0" "$MPICH_MPIIO_HINTS"', tmp_path)
    assert value == written


@pytest.mark.parametrize("name", HOSTILE)
def test_a_command_has_its_words_and_places(name, tmp_path):
    action = RunCommand(("cp", "-r", Named(name), FillIn("NEW", "a new folder"), Matching("*.darshan")))
    words = ["cp", "-r", as_a_file(name), "new $(x)", "*.darshan"]
    assert pasted(f"NEW='new $(x)'\n{line(action)}", tmp_path, "cp") == words


def test_a_line_with_something_left_to_fill_in_does_nothing_and_says_what(tmp_path):
    new = FillIn("NEW", "a new folder")
    text = advice("Copy.", RunCommand(("mkdir", new)), SetStripe(new, 1, MIB), RunCommand(("cp", "x", new))).command
    done = subprocess.run(["bash"], input=text, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert done.stderr.endswith("NEW: a new folder\n")
    assert list(tmp_path.iterdir()) == []


def modules_with(*words: str):
    """Modules of the program by name with their trees: those that have one of the words, as few have."""
    root = Path(iotriage.__file__).parent
    for path in root.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        if any(word in source for word in words):
            yield path.relative_to(root).as_posix(), ast.parse(source)


def test_what_is_to_be_filled_in_is_said_in_words_that_mean_nothing_to_a_shell():
    said = [
        [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
        for _, tree in modules_with("FillIn")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "FillIn"
    ]
    assert len(said) > 10
    assert [words for words in said if not words or not NOTHING_TO_A_SHELL.fullmatch(str(words[-1]))] == []


NOTHING_TO_A_SHELL = re.compile(r"[A-Za-z, ]+(, as [A-Z]+=\(\./program (input|--option)\))?")
"""Within double quotes."""


STRACE = '#!/bin/sh\n[ "$1 $2 $3" = "-c -o calls.txt" ] && shift 3 && echo watched && exec "$@"\n'
SRUN = 'srun() { shift; for rank in 0 1; do SLURM_PROCID=$rank "$@"; done; }'


@pytest.mark.parametrize(("start", "ranks"), [((), 1), (("srun", "--ntasks=2"), 2)])
def test_the_first_rank_is_watched_with_all_its_arguments(start, ranks, tmp_path):
    strace = tmp_path / "strace"
    strace.write_text(STRACE, encoding="utf-8")
    strace.chmod(0o700)
    watched = line(of_one_rank(start, ("strace", "-c"), "calls.txt"))
    program = "PROGRAM=(printf '<%s>\\n' 'a b' '$(touch pwned)')"
    done = subprocess.run(
        ["bash", "-c", f"{SRUN}; PATH=$PWD:$PATH; {program}; {watched}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == "watched\n" + "<a b>\n<$(touch pwned)>\n" * ranks
    assert list(tmp_path.iterdir()) == [strace]


@given(st.text())
def test_whatever_the_name_it_stays_on_one_line(name):
    for action in (
        SetStripe(Named(name), 1, MIB),
        Export("X", name),
        SetHint(name, (MpiioHint("k", "v"),)),
        ChangeDirectory(Named(name), "there"),
        ModuleLoad(name),
        RunCommand(("cp", Named(name)), into=name),
        RunCommand(("lfs", Matching(name))),
    ):
        written = line(action)
        assert not any(unicodedata.category(c) in UNPRINTABLE for c in written)
        assert len(written.splitlines()) == 1


@pytest.mark.parametrize(
    ("size_bytes", "typed"), [(MIB, "1M"), (8 * MIB, "8M"), (65536, "64K"), (1536 * 1024, "1536K"), (1000, "1000")]
)
def test_a_stripe_size_in_the_largest_unit_that_divides_it(size_bytes, typed):
    assert (
        line(SetStripe(FillIn("OUT", "a folder"), -1, size_bytes))
        == f'lfs setstripe -c -1 -S {typed} "${{OUT:?a folder}}"'
    )


def test_commands_wait_for_one_another_and_lines_of_a_job_script_stand_alone():
    new = FillIn("NEW", "a new folder")
    copied = advice("Copy.", RunCommand(("mkdir", new)), SetStripe(new, 1, MIB), RunCommand(("cp", "FILES", new)))
    assert copied.command == 'mkdir "${NEW:?a new folder}" && lfs setstripe -c 1 -S 1M "$NEW" && cp FILES "$NEW"'
    assert copied.kind == "shell"
    script = advice("Set.", Export("A", "1"), Unset("B"), AskFor("MPICH_MPIIO_STATS"))
    assert (script.command, script.kind) == ("export A=1\nunset B\nexport MPICH_MPIIO_STATS=1", "job-script")


@pytest.mark.parametrize("given", ["out", "two words"])
def test_a_new_directory_is_made_before_it_is_striped(given, tmp_path):
    """Of a name that is not there `lfs setstripe` makes a file."""
    striped = SetStripe(FillIn("NEW", "a new folder"), 4, MIB, new=True)
    calls = 'lfs() { [ -d "$6" ] && printf "%s" "$6"; }'
    done = subprocess.run(
        ["bash", "-c", f"{calls}; NEW={shlex.quote(given)}; {line(striped)}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, given)


def test_what_is_filled_in_is_asked_for_once_where_nothing_goes_on_without_it():
    new, line_alone = FillIn("NEW", "a new folder"), RunCommand(("ls", FillIn("NEW", "a new folder")))
    assert advice("Look.", line_alone, line_alone).command == 'ls "${NEW:?a new folder}" && ls "$NEW"'
    script = advice("Look.", ChangeDirectory(new, "there"), line_alone).command
    assert script.count("${NEW:?a new folder}") == 2


def test_code_is_in_both_languages_and_nothing_else_stands_beside_it():
    both = advice(
        "Edit.", EditCode("a();", "call a()"), EditCode("b();", "call b()"), citation=Citation("drishti", "x")
    )
    assert (both.command, both.fortran, both.kind) == ("a();\nb();", "call a()\ncall b()", "code")
    with pytest.raises(ValueError, match="two pieces of advice"):
        command_of((EditCode("a();", "call a()"), Export("A", "1")))
    nothing = advice("Wait.")
    assert (nothing.command, nothing.kind, nothing.fortran) == (None, "none", None)


def test_hints_for_cray_mpich_and_for_any_other_library_are_the_same():
    script, code = hints(context({}, api="PnetCDF"), "Do it.", Citation("drishti", "x"), ("cb_nodes", "8"))
    assert script.command == 'export MPICH_MPIIO_HINTS="*out.dat:cb_nodes=8"'
    assert 'MPI_Info_set(info, "cb_nodes", "8");\nncmpi_create(' in code.command
    assert "call MPI_Info_set(info, 'cb_nodes', '8', ierror)\nstatus = nf90mpi_create(" in code.fortran
    assert script.actions[0].hints == code.actions[0].hints


@pytest.mark.parametrize(
    ("values", "wanted", "count", "size_bytes", "kept", "said"),
    [
        ({"file.stripe_count": 4, "file.stripe_size": 8 * MIB}, Stripes(count=12), 12, 8 * MIB, ("size",), ""),
        ({"file.stripe_count": 4, "file.stripe_size": 8 * MIB}, Stripes(size_bytes=MIB), 4, MIB, ("count",), ""),
        ({"file.stripe_count": 4}, Stripes(count=12), 12, MIB, ("size",), "stripes of 1 MiB"),
        ({}, Stripes(size_bytes=8 * MIB), 1, 8 * MIB, ("count",), "one stripe"),
        ({}, Stripes(first_ost=-1), 1, MIB, ("count", "size"), "one stripe and stripes of 1 MiB"),
        ({}, Stripes(count=2, size_bytes=MIB), 2, MIB, (), ""),
    ],
)
def test_a_striping_is_whole_and_says_what_is_only_a_default(values, wanted, count, size_bytes, kept, said):
    found = set_stripe(context(values), FillIn("OUT", "a folder"), wanted)
    assert (found.count, found.size_bytes, found.kept) == (count, size_bytes, kept)
    assert default_sentence(context(values), wanted) == (
        f" Lustre's default stands for what is not known here: {said}." if said else ""
    )


def _reads_commands(node):
    """`x.command` or `x.fortran` taken apart: split, searched, compared with a beginning."""
    taken_apart = {
        "split",
        "rsplit",
        "partition",
        "rpartition",
        "startswith",
        "removeprefix",
        "find",
        "index",
        "replace",
    }
    if not isinstance(node, ast.Call):
        return False
    named = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    inside = [node.func.value] if named in taken_apart else []
    if named in ("fullmatch", "match", "search", "findall", "split") and isinstance(node.func, ast.Attribute):
        inside += node.args
    return any(
        isinstance(n, ast.Attribute) and n.attr in ("command", "fortran") for each in inside for n in ast.walk(each)
    )


def test_no_module_takes_a_command_apart_that_another_wrote():
    parts = ("rules/", "analysis/", "reports/")
    trees = {name: tree for name, tree in modules_with(".command", ".fortran", "shlex.split") if name.startswith(parts)}
    assert trees
    assert [name for name, tree in trees.items() if any(map(_reads_commands, ast.walk(tree)))] == []
    # Only what reads the job's own script and command line knows the words of a shell.
    splitting = {
        name
        for name, tree in trees.items()
        if any(
            isinstance(n, ast.Attribute)
            and n.attr == "split"
            and isinstance(n.value, ast.Name)
            and n.value.id == "shlex"
            for n in ast.walk(tree)
        )
    }
    assert splitting <= {"analysis/run_sets/command_line.py"}
