"""Metrics that have something in common, which is then stated once: what they are about, or why they are absent."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Generic, Protocol, Required, TypedDict, TypeVar, Unpack

from iotriage.metrics.core.about import About
from iotriage.metrics.core.lacking import WhereLacking
from iotriage.metrics.core.metric import Absent, Outcome, Scope, Unit
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection

F = TypeVar("F")

JOB_AND_GROUP: tuple[Scope, ...] = ("job", "group")


class OwnOptions(TypedDict, total=False):
    """What a metric of a family states itself; `needs` only where it needs more than the others."""

    formula: Required[str]
    needs: str
    about: About
    where_lacking: WhereLacking


class FamilyDecorator(Protocol[F]):
    """`metric` with the options that all metrics of a family have in common already filled in."""

    def __call__(
        self, id: str, title: str, unit: Unit, **own: Unpack[OwnOptions]
    ) -> Callable[[Callable[[F], Outcome]], Callable[[F], Outcome]]: ...


class MetricsOf(Generic[F]):
    """`metric` for several metrics of what `find` finds, say the slowest OST. All are absent where `find` returns
    `Absent`; otherwise their formulas are given what it found.

    A formula of several statements is a function, decorated as by `metric`. One that is a single expression is given to
    `value` instead."""

    def __init__(
        self, find: Callable[[Selection], F | Absent], *, needs: str, scopes: Iterable[Scope] = JOB_AND_GROUP
    ) -> None:
        self._declare: FamilyDecorator[F] = partial(metric, of=find, needs=needs, scopes=scopes)

    def __call__(
        self, id: str, title: str, unit: Unit, **own: Unpack[OwnOptions]
    ) -> Callable[[Callable[[F], Outcome]], Callable[[F], Outcome]]:
        return self._declare(id, title, unit, **own)

    def value(
        self, id: str, title: str, unit: Unit, compute: Callable[[F], Outcome], **own: Unpack[OwnOptions]
    ) -> None:
        self._declare(id, title, unit, **own)(compute)


def metrics_unless(
    missing: Callable[[Selection], Absent | None], *, needs: str, scopes: Iterable[Scope] = JOB_AND_GROUP
) -> FamilyDecorator[Selection]:
    """`metric` for several metrics that are absent for the same reason, which `missing` returns."""
    return partial(metric, unless=missing, needs=needs, scopes=scopes)
