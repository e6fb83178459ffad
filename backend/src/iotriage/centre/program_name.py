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


@frozen
class _Runner:
    """Runs what the first word names that is no option. Options in `valued` take the next word, and what follows one
    in `inline` is the program itself; the word after one in `names` names it, and so does what follows `file`."""

    name: re.Pattern[str]
    called: str
    valued: frozenset[str] = frozenset()
    inline: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    file: str | None = None


def _runner(name: str, called: str, valued: str = "", inline: str = "", names: str = "", file: str = "") -> _Runner:
    valued_options, inline_options, naming = (frozenset(options.split()) for options in (valued, inline, names))
    return _Runner(re.compile(name), called, valued_options, inline_options, naming, file or None)


_RUNNERS: Final = (
    _runner(r"i?python[\d.]*|pypy[\d.]*", "python", "-W -X --check-hash-based-pycs", "-c -", "-m"),
    _runner(r"bash|sh|dash|ksh|zsh|csh|tcsh", "", "-o +o -O +O --rcfile --init-file", "-c -s"),
    _runner(r"Rscript|R", "R", "-g --gui --encoding", "-e", "-f", "--file="),
    _runner(r"julia", "julia", "-t -p -J -C -H -L -O -g --threads --procs --sysimage", "-e -E"),
    _runner(r"java", "java", "-cp -classpath --class-path -p --module-path --add-modules", "", "-jar -m --module"),
    _runner(r"perl[\d.]*", "perl", "-I -M", "-e -E"),
    _runner(r"ruby[\d.]*", "ruby", "-I -r -C", "-e"),
    _runner(r"node", "node", "-r --require --import", "-e --eval -p --print"),
    _runner(r"octave[\d.]*(-cli)?", "octave", "", "--eval"),
)
_CONTAINERS: Final = re.compile(r"singularity|apptainer|shifter|ch-run|podman-hpc|sarus")
_VALUED_BY_CONTAINERS: Final = re.compile(
    "-[BHWSbV]|--(bind|mount|home|pwd|cwd|workdir|env|env-file|overlay|scratch|app|volume|image|set-env|cd)"
)
"""Their options that take the next word. Of those that are another program's switch none is here."""
_NAME_THE_START: Final = ("singularity", "apptainer", "podman-hpc", "sarus")
_STARTS: Final = ("exec", "run")


def program_name(executable: str | None, command_line: str | None) -> str | None:
    """Without folders; None of a job that names no program."""
    words: Sequence[str] = (command_line or "").split() or (executable or "").split()
    name = None
    while words:
        name = PurePosixPath(words[0]).name
        if _CONTAINERS.fullmatch(name) is None:
            return _with_script(name, words[1:])
        words = _inside(name, words[1:])
    return name


def _with_script(name: str, words: Sequence[str]) -> str:
    runner = next((one for one in _RUNNERS if one.name.fullmatch(name)), None)
    script = None if runner is None else _script(runner, words)
    return name if runner is None or script is None else f"{runner.called or name} {script}"


def _script(runner: _Runner, words: Sequence[str]) -> str | None:
    rest = iter(words)
    for word in rest:
        if _is_inline(word, runner.inline):
            return None
        if word in runner.names:
            named = next(rest, None)
            return None if named is None else PurePosixPath(named).name
        if runner.file is not None and word.startswith(runner.file):
            return PurePosixPath(word.removeprefix(runner.file)).name or None
        if word in runner.valued:
            next(rest, None)
        elif not word.startswith(("-", "+")):
            return PurePosixPath(word).name or None
    return None


def _is_inline(word: str, inline: frozenset[str]) -> bool:
    """Also as the last of several letters: `bash -lc`, `perl -ne`."""
    return word in inline or (word[:1] == "-" and word[:2] != "--" and f"-{word[-1]}" in inline)


def _inside(name: str, words: Sequence[str]) -> Sequence[str]:
    """The command that the container runs; nothing where the words do not say. What follows `run` Singularity gives to
    the image's own program."""
    rest = list(words)
    if name in _NAME_THE_START:
        at = next((i for i, word in enumerate(rest) if word in _STARTS), None)
        if at is None:
            return ()
        if rest[at] == "run" and name in ("singularity", "apptainer"):
            return ()
        rest = rest[at + 1 :]
    rest = _without_options(rest)
    # Shifter's image is an option; the others name theirs before the command.
    command = rest if name == "shifter" else rest[1:]
    return command[1:] if command[:1] == ["--"] else command


def _without_options(words: list[str]) -> list[str]:
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "--":
        at += 2 if _VALUED_BY_CONTAINERS.fullmatch(words[at]) else 1
    return words[at + 1 :] if words[at : at + 1] == ["--"] else words[at:]
