"""What could be chosen otherwise along a measured curve, and the time that would take: see
`iotriage.analysis.charts.what_if`."""

from __future__ import annotations

from typing import Literal

from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.frozen import frozen

Quantity = Literal["stripe_count", "stripe_size", "transfer_size", "processes"]


@frozen
class WhatIfChoice:
    """One value. `rate` is the document's figure, bytes per second, `most_rate` the most measured with it; `documented`
    is false between two values that were measured. `alike_s` is None where the job's own setting was not measured.
    `script` tries it against the job as it was, None where that needs another program."""

    value: int
    documented: bool
    rate: float
    most_rate: float
    least_s: float
    alike_s: float | None
    most_s: float
    script: str | None


@frozen
class WhatIf:
    """One quantity of one group's reads or writes: as it is now, and the choices by rising value. `documented_now` is
    the document's rate for its own setting, `fraction` the job's over that. `cost` is what the runs of a script take at
    full length."""

    quantity: Quantity
    group: str
    name: str
    direction: Direction
    bytes_moved: int
    now: int
    now_s: float
    documented_now: float | None
    fraction: float | None
    choices: tuple[WhatIfChoice, ...]
    site_title: str
    file_system_title: str
    retired: bool
    document: str
    section: str
    measured: str
    cost: str | None
