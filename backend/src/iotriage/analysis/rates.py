"""The job's rate, for each rank, node and OST."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol

from iotriage.analysis.decision.condition import Metrics
from iotriage.analysis.document.account import Rate
from iotriage.metrics.core.metric import MetricValue
from iotriage.rules.core.words import number, size

SEVERAL = 2.0
"""Number of ranks (or nodes) for each one that moves bytes from which the rate is stated for those that move them
only."""
MOVING, MOVING_BELOW = ("balance.movers",), ("mpiio.movers", "mpiio.effective_aggregators")
"""How many ranks move the bytes, and those of collective calls."""
AT_ONCE = "file.stripes_at_once"
"""The OSTs in use at a time by files that are written one after the other; `file.osts` counts all of them."""


def rates_of(metrics: Metrics) -> tuple[Rate, ...]:
    """The job's rate for each rank, node and OST whose number is known. Where most ranks or nodes move nothing, it is
    the rate for each of those that do."""
    rate = known_number(metrics, "io.bandwidth")
    if rate is None:
        return ()
    osts = known_number(metrics, AT_ONCE)
    counts: tuple[tuple[Literal["rank", "node", "OST"], float | None], ...] = (
        ("rank", _few_or_all(metrics, "balance.movers", "job.nprocs")),
        ("node", _moving_nodes(metrics)),
        ("OST", osts if osts is not None else known_number(metrics, "file.osts")),
    )
    of_ost = rate_of_an_ost(metrics)
    each = ((of, n, of_ost if of == "OST" else rate / n) for of, n in counts if n is not None and n > 0)
    return tuple(Rate(of, n, bytes_per_s) for of, n, bytes_per_s in each if bytes_per_s is not None)


def _few_or_all(metrics: Metrics, moving: str, of: str) -> float | None:
    """The number of those that move the bytes, where they are few of all."""
    few, every = known_number(metrics, moving), known_number(metrics, of)
    return few if few is not None and every is not None and 0 < few <= every / SEVERAL else every


def _moving_nodes(metrics: Metrics) -> float | None:
    """None where it is only known that some nodes move nothing, because fewer ranks move bytes than there are nodes."""
    nodes = known_number(metrics, "job.nnodes")
    if known_number(metrics, "balance.moving_nodes") is None and nodes is not None:
        of = (*MOVING, *(MOVING_BELOW if known_word(metrics, "io.pattern") == "shared-collective" else ()))
        if any(0 < n <= nodes / SEVERAL for metric in of if (n := known_number(metrics, metric)) is not None):
            return None
    return _few_or_all(metrics, "balance.moving_nodes", "job.nnodes")


def rates_text(rates: tuple[Rate, ...], nprocs: int | None, nnodes: int | None) -> tuple[str, ...]:
    """ "6.69 MiB/s for each rank", or for each of those that move the bytes, of `nprocs`; so of nodes."""
    every = {"rank": nprocs, "node": nnodes, "OST": None}
    return tuple(f"{size(rate.bytes_per_s)}/s for each {_whom(rate, every[rate.of])}" for rate in rates)


def _whom(rate: Rate, every: int | None) -> str:
    if every is None or rate.count >= every:
        return rate.of
    return f"{rate.of} that moves the bytes ({number(int(rate.count + 0.5))} of {number(every)})"


def rate_of_an_ost(metrics: Metrics) -> float | None:
    """Bytes per second of each OST in use at a time; None where part of the bytes went to other file systems."""
    if "file.ost_rate" in metrics:
        return known_number(metrics, "file.ost_rate")
    rate, at_once = known_number(metrics, "io.bandwidth"), known_number(metrics, AT_ONCE)
    used = at_once if at_once is not None else known_number(metrics, "file.osts")
    return rate / used if rate and used else None


class WithValue(Protocol):
    """A metric, as it is worked out or as a document has it; None where it is absent."""

    @property
    def value(self) -> MetricValue | None: ...


class Bounded(Protocol):
    """A metric, as it is worked out or as a document has it."""

    @property
    def bound(self) -> Literal["lower"] | None: ...


def bounded_rate_text(
    text: str,
    rate: Bounded | None,
    moved: Bounded | None,
    time: Literal["at least ", "at most ", ""],
    *,
    after_at: bool = False,
) -> str:
    """The `text` of a rate with its bound in words, given the bytes `moved` and the bound of the time. A log that lacks
    records gives the rate of the recorded ones, which is neither a lower nor an upper bound of the true rate; an upper
    bound of the time gives a lower bound of the rate. `after_at` where the word "at" stands before it."""
    if moved is not None and moved.bound == "lower":
        return f"{text} in what is recorded"
    if time != "at most " and (rate is None or rate.bound is None):
        return text
    return f"{text} or more" if after_at else f"at least {text}"


def known_number(metrics: Mapping[str, WithValue], metric: str) -> float | None:
    found = metrics.get(metric)
    return float(found.value) if found is not None and isinstance(found.value, int | float) else None


def known_word(metrics: Mapping[str, WithValue], metric: str) -> str | None:
    found = metrics.get(metric)
    return found.value if found is not None and isinstance(found.value, str) else None
