"""What a metric is about, so that a view of the page opens where a finding is to be seen that it decides: on seconds or
bytes, on one direction, at one layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from iotriage.metrics.core.metric import Unit
from iotriage_parsers.frozen import frozen

CLOCKED: frozenset[Unit] = frozenset({"s", "B/s"})
PARTS: frozenset[Unit] = frozenset({"share", "ratio"})
"""Whose unit does not say of what."""


@frozen
class About:
    """What the unit and the id of a metric do not say of it; `@metric` takes it.

    `time`, of a share or a ratio, is whether it is one of seconds, and not of bytes, calls, ranks or files; how often
    something is read is none, nor who takes turns: each of those is short. `direction` is whether it is of reads or of
    writes alone; "both" holds one against the other, or reads in order to write. `seen_below`: in a collective call all
    ranks look alike, and which of them move the bytes is seen below MPI-IO.
    """

    time: bool | None = None
    direction: Literal["read", "write", "both"] | None = None
    seen_below: bool = False


NOTHING_MORE = About()

Layer = Literal["MPI-IO", "POSIX", "STDIO"]
LAYERS: Mapping[str, Layer] = {"posix": "POSIX", "stdio": "STDIO", "mpiio": "MPI-IO", "ost": "POSIX"}
"""By the prefix of the id, of what is not seen below; `balance` is seen at whatever layer the program calls."""
