"""Metrics that have something in common, which is then stated once: what they are about, or why they are absent."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Generic, Protocol, TypeVar

from iotriage.metrics.core.about import NOTHING_MORE, About
from iotriage.metrics.core.lacking import WhereLacking
from iotriage.metrics.core.metric import Absent, Outcome, Scope, Unit
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage_parsers.frozen import frozen

F = TypeVar("F")

JOB_AND_GROUP: tuple[Scope, ...] = ("job", "group")


@frozen
class MetricsOf(Generic[F]):
    """`metric` for several metrics of what `find` finds, say the slowest OST. What they need and their scopes are
    stated once; a metric that needs more than the others states that itself. All are absent where `find` answers
    `Absent`.

    A formula that takes several statements is a function, decorated as by `metric`. One that is a single expression is
    given to `value` instead."""

    find: Callable[[Selection], F | Absent]
    needs: str
    scopes: Iterable[Scope] = JOB_AND_GROUP

    def __call__(
        self,
        id: str,
        title: str,
        unit: Unit,
        *,
        formula: str,
        needs: str | None = None,
        about: About = NOTHING_MORE,
        where_lacking: WhereLacking = "absent",
    ) -> Callable[[Callable[[F], Outcome]], Callable[[F], Outcome]]:
        return metric(
            id,
            title,
            unit,
            formula=formula,
            needs=self.needs if needs is None else needs,
            about=about,
            where_lacking=where_lacking,
            scopes=self.scopes,
            of=self.find,
        )

    def value(
        self,
        id: str,
        title: str,
        unit: Unit,
        compute: Callable[[F], Outcome],
        *,
        formula: str,
        needs: str | None = None,
        about: About = NOTHING_MORE,
        where_lacking: WhereLacking = "absent",
    ) -> None:
        """Declares the metric that `compute` answers for what was found."""
        self(id, title, unit, formula=formula, needs=needs, about=about, where_lacking=where_lacking)(compute)


class MetricUnless(Protocol):
    """`metric`, for metrics that are absent for the same reason."""

    def __call__(
        self,
        id: str,
        title: str,
        unit: Unit,
        *,
        formula: str,
        about: About = ...,
        where_lacking: WhereLacking = ...,
        needs: str = ...,
    ) -> Callable[[Callable[[Selection], Outcome]], Callable[[Selection], Outcome]]: ...


def metrics_unless(
    missing: Callable[[Selection], Absent | None], *, needs: str, scopes: Iterable[Scope] = JOB_AND_GROUP
) -> MetricUnless:
    """`metric` for several metrics that are absent for the same reason, which `missing` says."""
    return partial(metric, unless=missing, needs=needs, scopes=scopes)
