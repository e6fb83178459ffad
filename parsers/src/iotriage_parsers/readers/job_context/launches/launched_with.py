"""The environment that a launch, or a directive, gives its processes by options: `srun --export=ALL,NAME=value`,
`mpirun -x NAME=value`, `mpiexec -genv NAME value`, `aprun -e NAME=value`, `flux run --env=NAME=value`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from iotriage_parsers.evidence.job_context import Launcher
from iotriage_parsers.readers.job_context.shell import VARIABLE_NAME, commands, unquoted

_ASSIGNED: Final = re.compile(r"([A-Za-z_]\w{0,80})=(.{0,4000})")
_OPTIONS: Final[dict[Launcher, tuple[str, ...]]] = {
    "srun": ("--export",),
    "aprun": ("-e", "--environment-override"),
    "mpiexec": ("-x", "-env", "--env", "-genv", "--genv"),
    "mpirun": ("-x", "-env", "--env", "-genv", "--genv"),
    "jsrun": ("-E", "--env"),
    "lrun": ("-E", "--env"),
    "flux": ("--env",),
}
_LISTS: Final = "--export"
"""Its value is a list, parted by commas."""


_OF_DIRECTIVES: Final = {"SBATCH": ("--export",), "PBS": ("-v",), "BSUB": ("-env",)}
"""Of each the options that give a job its environment, as a list."""


def directed_with(word: str, arguments: str) -> Iterator[tuple[str, str]]:
    """Variables that a directive sets: `#SBATCH --export=ALL,NAME=value`, `#PBS -v NAME=value`."""
    words = next(commands(arguments), [])
    for at, given in enumerate(words):
        option, equals, value = given.partition("=")
        if option in _OF_DIRECTIVES.get(word, ()):
            yield from _listed(unquoted(value if equals else next(iter(words[at + 1 : at + 2]), "")))


def _listed(text: str) -> Iterator[tuple[str, str]]:
    for one in text.split(","):
        assigned = _ASSIGNED.fullmatch(one.strip())
        if assigned is not None:
            yield assigned[1], unquoted(assigned[2])


def launched_with(launcher: Launcher, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Names and values. One that has the value that it has already (`-x NAME`) is none of them."""
    options = _OPTIONS.get(launcher, ())
    for at, word in enumerate(words):
        option, equals, value = word.partition("=")
        if word[:2] in options and word[2:3].isalpha() and option not in options:
            option, equals, value = word[:2], "=", word[2:]
        if option not in options:
            continue
        given = unquoted(value if equals else next(iter(words[at + 1 : at + 2]), ""))
        assigned = _ASSIGNED.fullmatch(given)
        if option == _LISTS:
            yield from _listed(given)
        elif assigned is not None:
            yield assigned[1], unquoted(assigned[2])
        elif not equals and "env" in option and VARIABLE_NAME.fullmatch(given) and at + 2 < len(words):
            yield given, unquoted(words[at + 2])
