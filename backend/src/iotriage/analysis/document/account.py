"""Where the I/O seconds go, and what no finding accounts for."""

from __future__ import annotations

from typing import Literal

from iotriage.metrics.tables.account.cells import Basis, Cells, SlowestRank, UnknownCell
from iotriage_parsers.frozen import frozen


@frozen
class Account:
    """`cells` are the job's, `groups` those of the groups of files by id. `basis` is the source of the times; `partial`
    where it lacks records, and the seconds are lower bounds. Of `unknown` cells it tells nothing; `slowest_reason` says
    why there is no slowest rank."""

    basis: Basis
    runtime_s: float | None
    cells: Cells
    groups: dict[str, Cells]
    slowest: SlowestRank | None
    partial: bool
    unknown: tuple[UnknownCell, ...] = ()
    slowest_reason: str | None = None


@frozen
class Rate:
    """The job's rate for each of `count` ranks, nodes or OSTs."""

    of: Literal["rank", "node", "OST"]
    count: float
    bytes_per_s: float


@frozen
class Unexplained:
    """What no triggered finding takes: `seconds` of `cells`, which is a `share` of the time that could be split. Where
    it is enough to matter, `experiment` says what would tell, and `command` are its lines."""

    seconds: float
    share: float
    cells: Cells
    rates: tuple[Rate, ...]
    experiment: str | None
    command: str | None
