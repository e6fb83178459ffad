"""The environment that a launch gives its processes by options: `srun --export=ALL,NAME=value`, `mpirun -x NAME=value`,
`mpiexec -genv NAME value`, `aprun -e NAME=value`, `flux run --env=NAME=value`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from iotriage_parsers.evidence.job_context import Launcher
from iotriage_parsers.readers.job_context.shell import unquoted

_ASSIGNED: Final = re.compile(r"([A-Za-z_]\w{0,80})=(.{0,4000})")
_NAME: Final = re.compile(r"[A-Za-z_]\w{0,80}")
_OPTIONS: Final[dict[Launcher, tuple[str, ...]]] = {
    "srun": ("--export",),
    "aprun": ("-e", "--environment-override"),
    "mpiexec": ("-x", "-env", "--env", "-genv", "--genv"),
    "mpirun": ("-x", "-env", "--env", "-genv", "--genv"),
    "jsrun": ("-E", "--env"),
    "flux": ("--env",),
}
_LISTS: Final = "--export"
"""Its value is a list, parted by commas."""


def launched_with(launcher: Launcher, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Names and values. One that has the value that it has already (`-x NAME`) is none of them."""
    options = _OPTIONS[launcher]
    for at, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option not in options:
            continue
        given = unquoted(value if equals else next(iter(words[at + 1 : at + 2]), ""))
        for one in given.split(",") if option == _LISTS else (given,):
            assigned = _ASSIGNED.fullmatch(one)
            if assigned is not None:
                yield assigned[1], unquoted(assigned[2])
            elif not equals and option != _LISTS and _NAME.fullmatch(one) and at + 2 < len(words) and "env" in option:
                yield one, unquoted(words[at + 2])
