"""What a package of others is: the names of its programs, and what its users can set of its I/O."""

from __future__ import annotations

import re
from re import Pattern
from typing import Literal

from iotriage.rules.core import Citation
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.frozen import frozen

Change = Literal["amount", "files", "movers", "calls", "syncs", "asks", "memory", "prints"]
"""What a setting changes: how much is moved, and how often; how many files there are; which ranks move it; the size,
order or kind of their calls on a file of several ranks; how often it is forced out; how often it is asked whether files
have changed; whether temporaries are kept in memory; how much is printed to standard output."""

WITHOUT_WAY: frozenset[Change] = frozenset(("asks", "memory"))
"""Who asks moves nothing, and temporaries go both ways."""


@frozen
class Setting:
    """`says` is what a user sets, and what it does, with the name of the setting as it is typed. What is true in the
    opposite direction of two changes is two settings. `ways` are those of the data that it is of: with "read" beside
    "write" it is of files that the package reads as it wrote them. Where a path of the job matches `unless` it is set
    already, as where `typed` is found in the command line, and it is only said `where` one does, if that is given. What
    changes files `of` some names alone is not said of others. These four are regular expressions. What has all ranks
    write or read a file `together` is set already where they do so with collective calls. `cited` is where its
    documentation, or its source, says so."""

    says: str
    changes: frozenset[Change]
    cited: Citation
    ways: frozenset[Direction] = frozenset(("write",))
    where: str | None = None
    unless: str | None = None
    together: bool = False
    typed: str | None = None
    of: str | None = None

    def settles(self, about: frozenset[Change], way: Direction) -> bool:
        """Whether it changes some of that, of what goes that way."""
        changed = about & self.changes
        return bool(changed & WITHOUT_WAY) or (bool(changed) and way in self.ways)


@frozen
class IoRanks:
    """The settings of how many ranks do the I/O of all, and of how far apart these are, None where nothing says that.
    `where` they stand; `command` sets them, where one does."""

    number: str
    where: str
    stride: str | None = None
    command: str | None = None

    @property
    def number_phrase(self) -> str:
        return self._with_its_place(self.number)

    @property
    def stride_phrase(self) -> str | None:
        return None if self.stride is None else self._with_its_place(self.stride)

    def _with_its_place(self, name: str) -> str:
        return f"{name} {self.where}" if self.command is None else f"{self.command} {name}"


@frozen
class Package:
    """`programs` matches the names of its programs. `io_ranks` where some of its ranks do the I/O of all, in a number
    that is set."""

    name: str
    programs: Pattern[str]
    settings: tuple[Setting, ...]
    io_ranks: IoRanks | None = None


BOTH: frozenset[Direction] = frozenset(("read", "write"))
READ: frozenset[Direction] = frozenset(("read",))


def setting(
    says: str,
    *changes: Change,
    cited: Citation,
    ways: frozenset[Direction] = frozenset(("write",)),
    where: str | None = None,
    unless: str | None = None,
    together: bool = False,
    typed: str | None = None,
    of: str | None = None,
) -> Setting:
    return Setting(says, frozenset(changes), cited, ways, where, unless, together, typed, of)


def package(name: str, programs: str, *settings: Setting, io_ranks: IoRanks | None = None) -> Package:
    return Package(name, re.compile(programs, re.IGNORECASE), settings, io_ranks)
