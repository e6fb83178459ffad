"""What a metric measures beyond its unit: seconds or bytes, reads or writes, and at which layer. A view of the page
uses it to open where a finding decided by that metric can be seen."""

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
    """What the unit and the id of a metric do not state; `@metric` takes it.

    `time` is set for shares and ratios: true where they are of seconds, false where they are of bytes, calls, ranks or
    files. How often something is read, and which ranks take turns, are not about time. `direction` says whether the
    metric is about reads or writes alone; "both" compares the two, or is about reads that are made in order to write.
    `seen_below` marks metrics of collective calls whose evidence is below MPI-IO: in the call itself all ranks look
    alike, and only the layers below show which of them move the bytes.
    """

    time: bool | None = None
    direction: Literal["read", "write", "both"] | None = None
    seen_below: bool = False


NOTHING_MORE = About()

Layer = Literal["MPI-IO", "POSIX", "STDIO"]
LAYERS: Mapping[str, Layer] = {"posix": "POSIX", "stdio": "STDIO", "mpiio": "MPI-IO", "ost": "POSIX"}
"""The layer by the prefix of the metric's id, unless `seen_below` is set. `balance` has none: it is measured at
whatever layer the program calls."""
