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
"""What the way in which ranks share a file decides."""

EVERYTHING: tuple[Cell, ...] = ("reads", "writes", "metadata", "exchange", "streams", "library", "imbalance")
"""All cells but what is not split."""


@frozen
class Whole:
    """All of it."""

    kind: Literal["whole"] = "whole"


@frozen
class ShareOf:
    """As large a share as the metric is, at most all; nothing where it is absent, and so below."""

    metric: str
    kind: Literal["share"] = "share"


@frozen
class ShortOf:
    """What the metric, a share, lacks to 1."""

    metric: str
    kind: Literal["short"] = "short"


@frozen
class BeyondOnce:
    """What is beyond one of the metric's times: 1 − 1 / n of n times."""

    metric: str
    kind: Literal["beyond"] = "beyond"


@frozen
class SecondsOf:
    """As many seconds as the metric has, at most all."""

    metric: str
    kind: Literal["seconds"] = "seconds"


@frozen
class LargestOf:
    """The largest of several."""

    of: tuple[Part, ...]
    kind: Literal["largest"] = "largest"


@frozen
class ProductOf:
    """One part of another."""

    of: tuple[Part, ...]
    kind: Literal["product"] = "product"


Part = Annotated[Whole | ShareOf | ShortOf | BeyondOnce | SecondsOf | LargestOf | ProductOf, ByType()]


@frozen
class Claim:
    """`part` of the seconds of `cells`, where `when` is true. What is `apart` was told apart from all else by what was
    measured, and is given before anybody's share of the same cells, unless another finding explains this one. None
    about the same files does where a claim counts that is `by_itself`. Of what is `up_to` its part no more is claimed
    of a cell than the finding's claims before it lack to that: two figures of one loss are no two losses."""

    cells: tuple[Cell, ...]
    part: Part = Whole()
    when: Condition = ALWAYS
    apart: bool = False
    by_itself: bool = False
    up_to: bool = False


ALL = Whole()


def waited_for_storage(part: Part = ALL, when: Condition = ALWAYS) -> tuple[Claim, Claim]:
    """Of the time beyond the calls to storage, that in which other ranks make these: no more than these take, where
    they are not most of it. Whoever claims it claims `part` of it, where `when` is true."""
    storage, library = (
        IsOneOf("mpiio.waited_for", those) if when == ALWAYS else all_of(when, IsOneOf("mpiio.waited_for", those))
        for those in (("storage", "unknown"), ("library",))
    )
    return (
        Claim(("exchange",), part, storage),
        Claim(("exchange",), ProductOf((part, ShareOf("mpiio.storage_fraction"))), library),
    )


READS_OF_FEW = SecondsOf("balance.reads_beyond_mean")
"""Of the imbalance, what ranks that do no I/O lack to those that read."""
WRITES_OF_FEW = SecondsOf("balance.writes_beyond_mean")
"""The same of those that write."""
STORAGE_OF_FEW = tuple(Claim(("imbalance",), part) for part in (READS_OF_FEW, WRITES_OF_FEW))


def claimed_by_both(one: Iterable[Claim], other: Iterable[Claim]) -> frozenset[Cell]:
    """The cells that two rules both claim something of."""
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
