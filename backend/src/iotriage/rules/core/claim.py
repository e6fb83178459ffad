"""Claims: which part of the job's I/O time a finding takes, as data (cells of the time account, and a fraction of
each).

Every part is a fraction of the cells' seconds, worked out of metrics of the finding's scope, so that the page can work
it out again, and a database could.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from iotriage.by_type import ByType
from iotriage.metrics.tables.account.cells import Cell
from iotriage.rules.core.condition import ALWAYS, Condition, IsOneOf, all_of, metrics_of
from iotriage_parsers.frozen import frozen

STORAGE: tuple[Cell, ...] = ("reads", "writes")

SHARED_FILE: tuple[Cell, ...] = ("reads", "writes", "exchange", "imbalance")
"""The cells that depend on how ranks share a file."""

EVERYTHING: tuple[Cell, ...] = ("reads", "writes", "metadata", "exchange", "streams", "library", "imbalance")
"""All cells but what is not split."""


@frozen
class Whole:
    """All of the cell."""

    kind: Literal["whole"] = "whole"


@frozen
class ShareOf:
    """The share that the metric states, at most 1; 0 where the metric is absent, as for all parts below."""

    metric: str
    kind: Literal["share"] = "share"


@frozen
class ShortOf:
    """1 minus the metric, which is a share."""

    metric: str
    kind: Literal["short"] = "short"


@frozen
class BeyondOnce:
    """1 − 1 / n of a metric that counts n times: all times but one."""

    metric: str
    kind: Literal["beyond"] = "beyond"


@frozen
class SecondsOf:
    """The seconds that the metric states, at most all of the cell."""

    metric: str
    kind: Literal["seconds"] = "seconds"


@frozen
class LargestOf:
    """The largest of several parts."""

    of: tuple[Part, ...]
    kind: Literal["largest"] = "largest"


@frozen
class ProductOf:
    """The product of several parts."""

    of: tuple[Part, ...]
    kind: Literal["product"] = "product"


Part = Annotated[Whole | ShareOf | ShortOf | BeyondOnce | SecondsOf | LargestOf | ProductOf, ByType()]


@frozen
class Claim:
    """The finding takes `part` of the seconds of `cells`, where `when` is true.

    `apart`: these seconds were measured separately from all others, and are given out before any share of the same
    cells, unless another finding explains this one. `by_itself`: where such a claim counts, no finding about the same
    files explains this one. `up_to`: this claim only adds what the finding's earlier claims of a cell lack to `part` of
    it, since two figures for one loss are not two losses.
    """

    cells: tuple[Cell, ...]
    part: Part = Whole()
    when: Condition = ALWAYS
    apart: bool = False
    by_itself: bool = False
    up_to: bool = False


ALL = Whole()


def waited_for_storage(part: Part = ALL, when: Condition = ALWAYS) -> tuple[Claim, Claim]:
    """A claim of time beyond the calls to storage in which a rank waits for other ranks that make such calls: no more
    than those calls take, where they are not most of it. `part` of it is claimed where `when` is true."""
    storage, library = (
        IsOneOf("mpiio.waited_for", those) if when == ALWAYS else all_of(when, IsOneOf("mpiio.waited_for", those))
        for those in (("storage", "unknown"), ("library",))
    )
    return (
        Claim(("exchange",), part, storage),
        Claim(("exchange",), ProductOf((part, ShareOf("mpiio.storage_fraction"))), library),
    )


READS_OF_FEW = SecondsOf("balance.reads_beyond_mean")
"""The part of the imbalance that comes from some ranks reading and others not."""
WRITES_OF_FEW = SecondsOf("balance.writes_beyond_mean")
"""The part of the imbalance that comes from some ranks writing and others not."""
STORAGE_OF_FEW = tuple(Claim(("imbalance",), part) for part in (READS_OF_FEW, WRITES_OF_FEW))


def claimed_by_both(one: Iterable[Claim], other: Iterable[Claim]) -> frozenset[Cell]:
    """The cells of which both rules claim a part."""
    first, second = ({cell for claim in claims for cell in claim.cells} for claims in (one, other))
    return frozenset(first & second)


def metrics_of_claim(claim: Claim) -> frozenset[str]:
    """The ids of the metrics that the claim looks at."""
    return frozenset(_metrics(claim.part)) | metrics_of(claim.when)


def _metrics(part: Part) -> Iterator[str]:
    match part:
        case LargestOf() | ProductOf():
            for one in part.of:
                yield from _metrics(one)
        case Whole():
            return
        case _:
            yield part.metric
