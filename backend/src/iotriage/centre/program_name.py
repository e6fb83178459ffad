"""What a job is called by in a centre's tables: its executable, and what that runs where it is an interpreter, a shell
or a container, as of many users' jobs it is. Three versions of Python that run one script are one program.

Darshan has the words of the command line without their quotes: what stands in one (`bash -c`, `python -c`) has no name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from iotriage_parsers.frozen import frozen
from iotriage_parsers.readers.job_context.launches.container_options import VALUED


@frozen
class _Runner:
    """Runs what the first word names that is no option, and none of those in `ahead`. Options in `valued` take the next
    word, or what is written behind their letter; what follows one in `inline` is the program itself. What fits
    `named_by` names it by its own end, else by the next word."""

    name: re.Pattern[str]
    called: str
    valued: frozenset[str] = frozenset()
    inline: frozenset[str] = frozenset()
    named_by: re.Pattern[str] | None = None
    ahead: frozenset[str] = frozenset()


def _runner(
    name: str, called: str, valued: str = "", inline: str = "", named_by: str | None = None, ahead: str = ""
) -> _Runner:
    naming = None if named_by is None else re.compile(named_by)
    return _Runner(re.compile(name), called, _listed(valued), _listed(inline), naming, _listed(ahead))


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_RUNNERS: Final = (
    _runner(
        r"i?python[\d.]*|pypy[\d.]*", "python", "-W -X --check-hash-based-pycs", "-c -", r"-[bBdEiIOPqsSuvx]*m(.*)"
    ),
    _runner(r"bash|sh|dash|ksh|zsh|csh|tcsh", "", "-o +o -O +O --rcfile --init-file", "-c -s"),
    _runner(r"Rscript|R", "R", "-g --gui --encoding", "-e", r"(?:-f|--file=(.*))", "CMD BATCH"),
    _runner(r"julia", "julia", "-t -p -J -C -H -L -O -g --threads --procs --sysimage", "-e -E"),
    _runner(
        r"java", "java", "-cp -classpath --class-path -p --module-path --add-modules", "", r"(?:-jar|-m|--module)()"
    ),
    _runner(r"perl[\d.]*", "perl", "-I -M", "-e -E"),
    _runner(r"ruby[\d.]*", "ruby", "-I -r -C", "-e"),
    _runner(r"node", "node", "-r --require --import", "-e --eval -p --print"),
    _runner(r"octave[\d.]*(-cli)?", "octave", "", "--eval"),
)
_NAME_THE_START: Final = ("singularity", "apptainer", "podman", "podman-hpc", "sarus")
_RUN_THE_IMAGE: Final = ("singularity", "apptainer")
_STARTS: Final = ("exec", "run")


def program_name(executable: str | None, command_line: str | None) -> str | None:
    """The name without folders; None for a job that states no program."""
    words: Sequence[str] = (command_line or "").split() or (executable or "").split()
    name = None
    while words:
        name = PurePosixPath(words[0]).name
        if name not in VALUED:
            return _with_script(name, words[1:])
        image = _image_run(name, words[1:])
        if image is not None:
            return f"{name} {image}"
        words = _inside(name, words[1:])
    return name


def _image_run(name: str, words: Sequence[str]) -> str | None:
    """The image whose own program is run: to that Singularity gives all that follows `run`, and no word says what it
    is. None where a command is named."""
    at = next((i for i, word in enumerate(words) if word in _STARTS), None)
    if name not in _RUN_THE_IMAGE or at is None or words[at] != "run":
        return None
    rest = _without_options(list(words[at + 1 :]), VALUED[name])
    return PurePosixPath(rest[0]).name or None if rest else None


def _with_script(name: str, words: Sequence[str]) -> str:
    runner = next((one for one in _RUNNERS if one.name.fullmatch(name)), None)
    script = None if runner is None else _script(runner, words)
    return name if runner is None or script is None else f"{runner.called or name} {script}"


def _script(runner: _Runner, words: Sequence[str]) -> str | None:
    rest = iter(words)
    for word in rest:
        named = None if runner.named_by is None else runner.named_by.fullmatch(word)
        if named is not None:
            return PurePosixPath(named[1] or next(rest, "")).name or None
        if word in runner.valued:
            next(rest, None)
        elif word[:2] in runner.valued or word in runner.ahead:
            continue
        elif _is_inline(word, runner.inline):
            return None
        elif not word.startswith(("-", "+")):
            return PurePosixPath(word).name or None
    return None


def _is_inline(word: str, inline: frozenset[str]) -> bool:
    """Whether the option is followed by the program itself; also as the last of several letters, as in `bash -lc` and
    `perl -ne`."""
    return word in inline or (word[:1] == "-" and word[:2] != "--" and f"-{word[-1]}" in inline)


def _inside(name: str, words: Sequence[str]) -> Sequence[str]:
    """The command that the container runs; nothing where the command line does not tell."""
    rest = list(words)
    if name in _NAME_THE_START:
        at = next((i for i, word in enumerate(rest) if word in _STARTS), None)
        if at is None or (rest[at] == "run" and name in _RUN_THE_IMAGE):
            return ()
        rest = rest[at + 1 :]
    rest = _without_options(rest, VALUED[name])
    # Shifter's image is an option; the others name theirs before the command.
    command = rest if name == "shifter" else rest[1:]
    return command[1:] if command[:1] == ["--"] else command


def _without_options(words: list[str], valued: frozenset[str]) -> list[str]:
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "--":
        at += 2 if words[at] in valued else 1
    return words[at + 1 :] if words[at : at + 1] == ["--"] else words[at:]
