"""The command line of a job in words: its arguments by name, and which of them only say where it works."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath

from iotriage.metrics.job.program import INTERPRETERS
from iotriage.rules.core.words import printable

_KEY = re.compile(r"[A-Za-z_][\w.:-]*")
_OPTION = re.compile(r"--?[A-Za-z_][\w.:-]*")
_TAKES_A_PLACE = re.compile(
    r"file|path|dir|out|in|input|log|conf|config|name|prefix|data|mesh|restart|table|mask", re.IGNORECASE
)
_INPUT = re.compile(
    r"in\..+|.+\.(?:in|inp|input|nml|ya?ml|toml|json|xml|cfg|conf|config|ini|par|param|params|prm|mdp|tpr|lua|py)",
    re.IGNORECASE,
)
"""Names of files that say what a run is to do."""
_DIGITS = re.compile(r"\d+")
_WITH_VALUE: Mapping[str, Collection[str]] = {
    "python": ("-W", "-X", "-Q"),
    "julia": (
        "-t",
        "--threads",
        "-p",
        "--procs",
        "-L",
        "--load",
        "-J",
        "--sysimage",
        "-C",
        "--cpu-target",
        "-H",
        "--home",
    ),
    "java": ("-cp", "-classpath", "--class-path", "-p", "--module-path"),
    "perl": ("-I",),
    "ruby": ("-I", "-r"),
    "node": ("-r", "--require", "--import"),
    "matlab": ("-sd", "-logfile"),
    "octave": ("-p", "--path"),
}
"""Options of interpreters behind which a word of their own stands."""
_RUNS_CODE: Mapping[str, Collection[str]] = {
    "python": ("-c",),
    "julia": ("-e", "-E", "--eval", "--print"),
    "perl": ("-e", "-E"),
    "ruby": ("-e",),
    "node": ("-e", "-p", "--eval", "--print"),
    "R": ("-e",),
    "matlab": ("-r", "-batch"),
    "octave": ("--eval",),
}
"""Options behind which stands what is run."""
_RUNS_A_SCRIPT = frozenset({"mpi4py", "mpi4py.run", "mpi4py.futures"})
"""Modules of Python that run the script behind them."""
_VERSION = re.compile(r"[\d.]+$")
GIVEN = "given"
"""What stands for an option that has no value."""


def arguments_of(command_line: str | None) -> Mapping[str, str]:
    """The arguments of a command line: `key=value` by key, options by name with the word behind them where that is
    their value, the others by place among themselves ("argument 1"): an option put in front moves none of them. An
    option that stands there several times has its values in their order."""
    found: dict[str, str] = {}
    place = 0
    words = [*_from_program(words_of(command_line))[1:]]
    while words:
        word = words.pop(0)
        key, equals, value = word.lstrip("-").partition("=")
        if equals and _KEY.fullmatch(key):
            _add(found, printable(key), printable(value))
        elif _OPTION.fullmatch(word):
            taken = words.pop(0) if words and _is_value_of(word, words[0]) else GIVEN
            _add(found, printable(key), printable(taken))
        else:
            place += 1
            found[f"argument {place}"] = printable(word)
    return found


def _is_value_of(option: str, word: str) -> bool:
    """Whether the word behind an option is its value: behind a long one, a place is it only by the option's name."""
    if _OPTION.fullmatch(word) or "=" in word:
        return False
    if not option.startswith("--") or not is_path(word):
        return True
    return any(_TAKES_A_PLACE.fullmatch(part) for part in re.split(r"[-_.]", option.lstrip("-")))


def _add(found: dict[str, str], key: str, value: str) -> None:
    found[key] = f"{found[key]} {value}" if key in found else value


def words_of(command_line: str | None) -> list[str]:
    if not command_line:
        return []
    try:
        return shlex.split(command_line)
    except ValueError:
        return command_line.split()


def script_of(command_line: str | None) -> str | None:
    """What an interpreter runs, a file or a module of Python; None where the first word is no interpreter, or it runs
    what stands on its line."""
    words = words_of(command_line)
    program = _from_program(words)
    return None if program == words else program[0]


def _from_program(words: Sequence[str]) -> Sequence[str]:
    """The words from the script on, where an interpreter runs one; else all."""
    if not _is_interpreter(words):
        return words
    name = _VERSION.sub("", PurePosixPath(words[0]).name).lower()
    language = {"ipython": "python", "pypy": "python", "rscript": "R", "r": "R"}.get(name, name)
    with_value, code = (of.get(language, ()) for of in (_WITH_VALUE, _RUNS_CODE))
    at = 3 if [*words[1:3]] == ["CMD", "BATCH"] else 1
    while at < len(words) and words[at].startswith("-"):
        option, behind = words[at], words[at + 1 :]
        if option in code:
            return words
        if option == "-m" and behind and behind[0] not in _RUNS_A_SCRIPT:
            return behind
        at += 2 if option == "-m" or option in with_value else 1
    return words[at:] or words


def _is_interpreter(words: Sequence[str]) -> bool:
    return bool(words) and INTERPRETERS.fullmatch(PurePosixPath(words[0]).name) is not None


def names_places_alone(values: Collection[str]) -> bool:
    """Whether an argument only says where runs work. An input by another name says that they do something else; the
    numbers in it aside, by which the members of an ensemble are told apart."""
    names = [value.rpartition("/")[2] for value in values if is_path(value)]
    if len(names) < len(values):
        return False
    return not any(map(_INPUT.fullmatch, names)) or len({_DIGITS.sub("", name) for name in names}) < 2


def is_path(value: str) -> bool:
    """A name of a file or directory: where a run writes is not what it does."""
    return "/" in value or re.fullmatch(r"[\w.-]+\.[A-Za-z]\w{0,9}", value) is not None
