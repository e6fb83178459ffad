"""Where the I/O seconds go, and what no finding accounts for."""

from __future__ import annotations

from typing import Literal

from iotriage.metrics.tables.account.cells import Basis, Cell, Cells, SlowestRank, UnknownCell
from iotriage.rules.core.condition import ALWAYS, Condition
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


InvestigationKind = Literal["run", "look", "as-one-ost", "at-close", "perhaps-fine"]
"""Whether an investigation takes another run, or a look at the file alone (where the job's rate says what it will show:
"as-one-ost"), whether closes that send data may be what takes the time, so that the rate is what it is held against
("at-close"), or whether perhaps nothing is wrong."""


@frozen
class Investigation:
    """What would tell where unexplained seconds go, and its lines. It is meant where these are `least_s` or more, and
    where each rule of `if_hold` holds, and `when` does. `replied` is the sentence as the centre's support says it,
    where it sends the user to them."""

    sentence: str
    command: str | None
    kind: InvestigationKind = "run"
    least_s: float = 0.0
    if_hold: tuple[str, ...] = ()
    replied: str | None = None
    when: Condition = ALWAYS


@frozen
class Investigations:
    """Of each cell that has seconds, what would tell where they go: the first that is meant, if most of the unexplained
    seconds are of that cell; `otherwise` where too few are unexplained to say of which. `rates` are the job's."""

    of_cells: dict[Cell, tuple[Investigation, ...]]
    otherwise: Investigation
    rates: tuple[Rate, ...]


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
    kind: InvestigationKind | None = None
