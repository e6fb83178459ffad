"""What a tool of others is: the names of its programs, and what its users can type about its I/O."""

from __future__ import annotations

import re
from re import Pattern

from iotriage_parsers.frozen import frozen


@frozen
class Typed:
    """Part of a sentence that says what a user can type. A command line that matches `unless` has it already. Where it
    is `of_node_disk`, it says what goes on a disk of the node."""

    says: str
    unless: str | None = None
    of_node_disk: bool = False


@frozen
class Tool:
    """A tool whose programs match `programs`. `writes` and `reads` are what its user can type about its files, and
    `prints` what makes it print less. `variable` names the folder of its temporary files; the advice points it to a
    disk of the node. Where it `measures`, its accesses are what it is started for."""

    name: str
    programs: Pattern[str]
    writes: tuple[Typed, ...]
    reads: tuple[Typed, ...]
    variable: str | None = None
    prints: str | None = None
    measures: bool = False

    def typed(self, *, reads: bool) -> tuple[Typed, ...]:
        """What is typed about files that it reads, or else writes."""
        return self.reads if reads else self.writes


Part = str | Typed
Said = Part | tuple[Part, ...]

IS = r"(?:=|\s+)['\"]?"
"""Separates an option from its value."""


def tool(
    name: str,
    programs: str,
    writes: Said,
    reads: Said | None = None,
    variable: str | None = None,
    prints: str | None = None,
    *,
    measures: bool = False,
) -> Tool:
    """A tool of which the same is typed of both ways, where only one is given."""
    written = _parts(writes)
    read = written if reads is None else _parts(reads)
    return Tool(name, re.compile(programs), written, read, variable, prints, measures)


def _parts(said: Said) -> tuple[Typed, ...]:
    each = said if isinstance(said, tuple) else (said,)
    return tuple(one if isinstance(one, Typed) else Typed(one) for one in each)


def option(says: str, unless: str) -> Typed:
    """`unless` begins at the beginning of a word, and ends at the end of one."""
    return Typed(says, rf"(?<!\S)(?:{unless})(?!\S)")


def on_node_disk(says: str) -> Typed:
    """What a user types so that files lie on a disk of the node."""
    return Typed(says, of_node_disk=True)
