"""What the product says of one log, and whether that is right: nothing here knows how it was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .draws import Drawn
from .faults import NEUTRAL

COSTLIER = 1.5
"""Costs that differ by less have no order."""


@dataclass(frozen=True)
class Named:
    """A finding above info: its rule, and the seconds that it says a fix saves, at least and at most."""

    rule: str
    severity: str
    at_least_s: float | None = None
    at_most_s: float | None = None


@dataclass(frozen=True)
class Answer:
    """Findings above info in their order; the rules that ask for the stripes of files, "unexplained" where what is left
    does."""

    named: Sequence[Named]
    headline: str
    asks: frozenset[str] = frozenset()

    @property
    def lead(self) -> str:
        return self.named[0].rule if self.named else "nothing"


@dataclass(frozen=True)
class Judged:
    """`leads`: the costliest fault is named first (for two, None where costs are near); `named`: every fault is.
    `savings`: for each fault that is named with a figure, whether the truth is inside, and how wide the interval is."""

    name: str
    kind: str
    family: str
    lead: str
    all_named: Sequence[str]
    leads: bool | None
    named: bool
    savings: Sequence[tuple[bool, float]] = ()
    stated: int = 0
    faults: int = 0
    headline: str = ""
    asks: Sequence[str] = ()


def judged(drawn: Drawn, answer: Answer) -> Judged:
    rules = [named.rule for named in answer.named]
    family = "+".join(fault.id for fault in drawn.faults) or "faultless"

    def verdict(leads: bool | None, named: bool, savings: Sequence[tuple[bool, float]] = (), stated: int = 0) -> Judged:
        return Judged(
            drawn.name,
            drawn.kind,
            family,
            answer.lead,
            rules,
            leads,
            named,
            savings,
            stated,
            len(drawn.faults),
            answer.headline,
            sorted(answer.asks),
        )

    if drawn.kind == "faultless":
        return verdict(not rules, not rules)
    if drawn.kind == "unknown":
        allowed = NEUTRAL | drawn.faults[0].also
        right = all(rule in allowed for rule in rules)
        return verdict(right, right)
    order = sorted(range(len(drawn.faults)), key=lambda i: -drawn.cost_s[i])
    costly = drawn.faults[order[0]]
    near = len(order) == 2 and drawn.cost_s[order[0]] < COSTLIER * drawn.cost_s[order[1]]
    known = [fault.rules | fault.also for fault in drawn.faults]
    asked = [bool(fault.told_by & answer.asks) for fault in drawn.faults]
    savings, stated = _savings(drawn, answer)
    return verdict(
        None if near else answer.lead in costly.rules | costly.also or (_by_stripes(answer) and asked[order[0]]),
        all(any(rule in given for rule in rules) or told for given, told in zip(known, asked, strict=True)),
        savings,
        stated,
    )


def _by_stripes(answer: Answer) -> bool:
    """Whether what leads asks for the stripes."""
    return (answer.lead if answer.named else "unexplained") in answer.asks


def _savings(drawn: Drawn, answer: Answer) -> tuple[list[tuple[bool, float]], int]:
    found: list[tuple[bool, float]] = []
    stated = 0
    for fault, cost in zip(drawn.faults, drawn.cost_s, strict=True):
        first = next((named for named in answer.named if named.rule in fault.rules), None)
        if first is None or first.at_most_s is None:
            continue
        stated += 1
        low = first.at_least_s or 0.0
        width = first.at_most_s / low if low > 0 else float("inf")
        found.append((low <= cost <= first.at_most_s, width))
    return found, stated
