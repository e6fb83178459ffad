"""What a query needs of the rules, and the thresholds in force by site."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Literal

from iotriage.analysis.decision.significance import FLOORS
from iotriage.centre.judging.conditions import number
from iotriage.centre.warehouse.literal import literal
from iotriage.digests import program_digests
from iotriage.rules import all_rules
from iotriage.rules.core.claim import Claim, metrics_of_claim
from iotriage.rules.core.condition import Condition, metrics_of
from iotriage.rules.core.rule import Severity, Threshold
from iotriage.sites import all_sites
from iotriage_parsers.frozen import frozen


@frozen
class JudgedRule:
    """The data of a rule (`iotriage.rules.core.rule.Rule`), its words and advice left out."""

    id: str
    scope: Literal["job", "group"]
    severity: Severity
    priority: int
    leads: bool
    weighed: bool
    explains: tuple[str, ...]
    requires: Condition
    condition: Condition
    claims: tuple[Claim, ...]

    @property
    def looks_at(self) -> frozenset[str]:
        """The metrics that its verdict and its seconds are made of."""
        return metrics_of(self.requires).union(metrics_of(self.condition), *map(metrics_of_claim, self.claims))


@cache
def judged_rules() -> tuple[JudgedRule, ...]:
    """All about one case, by priority and id: the order in which causes are named."""
    found = (
        JudgedRule(
            id=r.id,
            scope=r.scope,
            severity=r.severity,
            priority=r.priority,
            leads=r.leads,
            weighed=r.weighed,
            explains=r.explains,
            requires=r.requires,
            condition=r.condition,
            claims=r.claims,
        )
        for r in all_rules().values()
        if r.scope != "run-set"
    )
    return in_order(found)


def in_order(rules: Iterable[JudgedRule]) -> tuple[JudgedRule, ...]:
    return tuple(sorted(rules, key=lambda rule: (rule.priority, rule.id)))


@frozen
class InForce:
    """Thresholds by id, and what sites have instead."""

    default: Mapping[str, float]
    of_sites: Mapping[str, Mapping[str, float]]

    def sql(self, threshold: str, site: str) -> str:
        """The number as a query writes it, where `site` is the column of the site's id. KeyError for what is none."""
        others = [(id, of[threshold]) for id, of in self.of_sites.items() if threshold in of]
        default = number(self.default[threshold])
        if not others:
            return default
        cases = " ".join(f"WHEN {literal(id)} THEN {number(value)}" for id, value in others)
        return f"CASE {site} {cases} ELSE {default} END"

    def value(self, threshold: str, site: str) -> float:
        return self.of_sites.get(site, {}).get(threshold, self.default[threshold])

    def moved(self, moves: Mapping[str, float]) -> InForce:
        """With other numbers, at every site."""
        of_sites = {
            id: {threshold: value for threshold, value in of.items() if threshold not in moves}
            for id, of in self.of_sites.items()
        }
        return InForce({**self.default, **moves}, of_sites)


def in_force() -> InForce:
    """By the rules and the profiles of today, whatever they were when a log was taken in."""
    of_sites = {site.id: {o.threshold: o.value for o in site.thresholds} for site in all_sites().values()}
    return InForce({id: t.default for id, t in declared().items()}, {id: of for id, of in of_sites.items() if of})


def judged_by() -> str:
    """What tells findings of today from those by other readers, metrics, rules or thresholds: digits."""
    program = program_digests()
    return hashlib.sha256(f"{program.readers} {program.decides} {in_force()!r}".encode()).hexdigest()[:12]


@cache
def declared() -> Mapping[str, Threshold]:
    """The thresholds of the rules about one case, and of significance."""
    rules = (rule for rule in all_rules().values() if rule.scope != "run-set")
    return {t.id: t for t in (*(t for rule in rules for t in rule.thresholds), *FLOORS)}
