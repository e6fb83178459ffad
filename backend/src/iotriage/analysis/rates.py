"""The job's rate, for each rank, node and OST."""

from __future__ import annotations

from typing import Literal, Protocol

from iotriage.analysis.decision.condition import Metrics
from iotriage.analysis.document.account import Rate
from iotriage.rules.core.words import number, size

SEVERAL = 2.0
"""Ranks for each that moves the bytes, from which the rate is that of those that do."""
AT_ONCE = "file.stripes_at_once"
"""OSTs that files which are written one after the other have in use, where `file.osts` has all of them."""
EACH: tuple[tuple[Literal["rank", "node", "OST"], tuple[str, ...]], ...] = (
    ("rank", ("job.nprocs",)),
    ("node", ("job.nnodes",)),
    ("OST", (AT_ONCE, "file.osts")),
)


def rates_of(metrics: Metrics) -> tuple[Rate, ...]:
    """The job's rate for each rank, node and OST that is known: for each rank that moves the bytes, where others move
    none."""
    rate, ranks, movers = (known_number(metrics, metric) for metric in ("io.bandwidth", "job.nprocs", "balance.movers"))
    if rate is None:
        return ()
    few = movers is not None and ranks is not None and 0 < movers <= ranks / SEVERAL
    of_ost = rate_of_an_ost(metrics)
    known = ((of, movers if few and of == "rank" else _first(metrics, names)) for of, names in EACH)
    each = ((of, n, of_ost if of == "OST" else rate / n) for of, n in known if n is not None and n > 0)
    return tuple(Rate(of, n, bytes_per_s) for of, n, bytes_per_s in each if bytes_per_s is not None)


def _first(metrics: Metrics, names: tuple[str, ...]) -> float | None:
    """The first of them that is known."""
    return next((known for name in names if (known := known_number(metrics, name)) is not None), None)


def rates_text(rates: tuple[Rate, ...], nprocs: int | None) -> tuple[str, ...]:
    """ "6.69 MiB/s for each rank", or for each of those that move the bytes, of `nprocs`."""
    return tuple(f"{size(rate.bytes_per_s)}/s for each {_whom(rate, nprocs)}" for rate in rates)


def _whom(rate: Rate, nprocs: int | None) -> str:
    if rate.of != "rank" or nprocs is None or rate.count >= nprocs:
        return rate.of
    return f"rank that moves the bytes ({number(int(rate.count + 0.5))} of {number(nprocs)})"


def rate_of_an_ost(metrics: Metrics) -> float | None:
    """Bytes a second of each OST that is in use at once; None where they are those of other file systems too."""
    if "file.ost_rate" in metrics:
        return known_number(metrics, "file.ost_rate")
    rate, at_once = known_number(metrics, "io.bandwidth"), known_number(metrics, AT_ONCE)
    used = at_once if at_once is not None else known_number(metrics, "file.osts")
    return rate / used if rate and used else None


class Bounded(Protocol):
    """A metric, as it is worked out or as a document has it."""

    @property
    def bound(self) -> Literal["lower"] | None: ...


def rate_said(
    rate: str, moved: Bounded | None, time: Literal["at least ", "at most ", ""], *, after_at: bool = False
) -> str:
    """The rate of what is `moved`, whose `time` has this bound: of a log that lacks records it is that of the others,
    and neither more nor less than that of all; by the most that its time can be it is the least that it is.
    `after_at` where "at" stands before it."""
    if moved is not None and moved.bound == "lower":
        return f"{rate} in what is recorded"
    if time != "at most ":
        return rate
    return f"{rate} or more" if after_at else f"at least {rate}"


def known_number(metrics: Metrics, metric: str) -> float | None:
    found = metrics.get(metric)
    return float(found.value) if found is not None and isinstance(found.value, int | float) else None


def known_word(metrics: Metrics, metric: str) -> str | None:
    found = metrics.get(metric)
    return found.value if found is not None and isinstance(found.value, str) else None
