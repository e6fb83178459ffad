"""Distributes the seconds of the time account among the findings that claim them.

Claims of seconds that were measured separately (`Claim.apart`) come first. Then come the findings that no other
explains, and after these the rest; among equals, the one nearest to the root first. Each second is given once, both of
the job's cells and of the cells of its group of files. Seconds that no source divides are given to nobody.

A finding that another one explains on the same files is given at most as many seconds as its cause, because the rest
must have another cause; and of each cell only what it claims beyond the seconds that its cause was given there, because
those are the same seconds seen twice.

Pure, and only over what the case document carries; the page does the same (`allotment.ts`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, prod

from iotriage.analysis.decision.basis import DecisionBasis
from iotriage.analysis.decision.condition import Metrics, answer
from iotriage.analysis.document import Finding, Findings
from iotriage.metrics.tables.account.cells import CELLS, Cell, Cells
from iotriage.rules.core.claim import Claim, LargestOf, Part, ProductOf, SecondsOf, ShareOf, ShortOf, Whole
from iotriage_parsers.frozen import frozen

SHORTEST = "significance.seconds"
"""The threshold below which seconds count as start-up and caching: they do not order findings, and their cause is not
looked for."""


@frozen
class Allotment:
    """`takes` has the seconds given to each finding that claims any, by rule and scope, and `left` what remains of the
    job's cells. `reaches` has the seconds that a finding's cure can spare: all that it claims, whichever finding was
    given them, and what the slowest rank of its files takes beyond the mean and no finding claims."""

    takes: dict[tuple[str, str], float]
    reaches: dict[tuple[str, str], float]
    left: Cells


def allot_seconds(findings: Findings, basis: DecisionBasis) -> Allotment | None:
    """`findings` with verdict and cause, in any order; None where there is no account."""
    account = basis.account
    if account is None:
        return None
    job = {cell: account.cells.of(cell) for cell in CELLS}
    of_groups = {id: {cell: cells.of(cell) for cell in CELLS} for id, cells in account.groups.items()}
    takes: dict[tuple[str, str], float] = {}
    reaches: dict[tuple[str, str], float] = {}
    asked: dict[tuple[str, str], dict[Cell, float]] = {}
    by_cell: dict[tuple[str, str], dict[Cell, float]] = {}
    for finding, claims in _in_turn(findings, basis):
        whole = finding.scope.kind == "job"
        of_scope = account.cells if whole else account.groups.get(finding.scope.id)
        if of_scope is None:
            continue
        left = job if whole else of_groups[finding.scope.id]
        metrics, key = basis.metrics_of(finding.scope.id), (finding.rule, finding.scope.id)
        given = takes.get(key, 0.0)
        cause = finding.explained_by
        most = inf if cause is None else takes.get((cause, finding.scope.id), inf)
        same = {} if cause is None else dict(by_cell.get((cause, finding.scope.id), {}))
        mine = by_cell.setdefault(key, {})
        for claim, part in _counted(claims, of_scope, metrics, basis):
            for cell in claim.cells:
                more = _claims_more(claim, part, cell, of_scope, asked.setdefault(key, {}))
                of_cause = min(more, same.get(cell, 0.0))
                same[cell] = same.get(cell, 0.0) - of_cause
                seconds = min(more - of_cause, left[cell], job[cell], max(0.0, most - given))
                left[cell] -= seconds
                if left is not job:
                    job[cell] -= seconds
                mine[cell] = mine.get(cell, 0.0) + seconds
                given += seconds
        takes[key] = given
        claimed = claimed_seconds(finding, of_scope, basis)
        reaches[key] = sum(claimed.get(cell, 0.0) for cell in CELLS)
    waited = {scope: min(left["imbalance"], job["imbalance"]) for scope, left in of_groups.items()}
    reaches = {key: seconds + waited.get(key[1], job["imbalance"]) for key, seconds in reaches.items()}
    return Allotment(takes, reaches, Cells(*(job[cell] for cell in CELLS)))


def claimed_seconds(finding: Finding, of_scope: Cells, basis: DecisionBasis) -> dict[Cell, float]:
    """The seconds of each cell of its scope that the finding claims, whichever other findings claim them. Cells without
    a claim are left out."""
    metrics = basis.metrics_of(finding.scope.id)
    claimed: dict[Cell, float] = {}
    for claim, part in _counted(basis.rules[finding.rule].claims, of_scope, metrics, basis):
        for cell in claim.cells:
            _claims_more(claim, part, cell, of_scope, claimed)
    return claimed


def _claims_more(claim: Claim, part: float, cell: Cell, of_scope: Cells, asked: dict[Cell, float]) -> float:
    """The seconds of the cell that this claim adds to those that its finding has `asked` for already; records them
    there."""
    before, seconds = asked.get(cell, 0.0), part * of_scope.of(cell)
    more = max(0.0, seconds - before) if claim.up_to else seconds
    asked[cell] = min(before + more, of_scope.of(cell))
    return more


def _counted(
    claims: Sequence[Claim], of_scope: Cells, metrics: Metrics, basis: DecisionBasis
) -> Iterator[tuple[Claim, float]]:
    """The claims that count here, each with the part of its cells that it claims."""
    for claim in claims:
        if answer(claim.when, metrics, basis.thresholds) is True:
            yield claim, fraction(claim.part, metrics, sum(of_scope.of(cell) for cell in claim.cells))


def _in_turn(findings: Findings, basis: DecisionBasis) -> Iterator[tuple[Finding, Sequence[Claim]]]:
    """The triggered findings in the order in which they are given seconds, each with the claims whose turn it is: first
    the claims of what was measured separately, then all others, causes before symptoms."""
    triggered = sorted(
        (f for f in findings if f.verdict == "triggered" and f.rule in basis.rules), key=_nearest_to_the_root
    )
    of_rules = [(f, basis.rules[f.rule].claims) for f in triggered]
    for finding, claims in of_rules:
        if finding.explained_by is None and any(claim.apart for claim in claims):
            yield finding, [claim for claim in claims if claim.apart]
    for finding, claims in of_rules:
        if claims:
            yield finding, [claim for claim in claims if not (claim.apart and finding.explained_by is None)]


def fraction(part: Part, metrics: Metrics, seconds: float) -> float:
    """The part as a fraction of `seconds`, from 0 to 1."""
    match part:
        case Whole():
            return 1.0
        case LargestOf():
            return max(fraction(one, metrics, seconds) for one in part.of)
        case ProductOf():
            return prod(fraction(one, metrics, seconds) for one in part.of)
    metric = metrics.get(part.metric)
    value = None if metric is None else metric.value
    if value is None or isinstance(value, str):
        return 0.0
    match part:
        case ShareOf():
            found = value
        case ShortOf():
            found = 1.0 - value
        case SecondsOf():
            found = value / seconds if seconds > 0 else 0.0
        case _:
            found = 1.0 - 1.0 / value if value > 0 else 0.0
    return min(1.0, max(0.0, found))


def shortest_ranked(basis: DecisionBasis) -> float:
    """The seconds from which findings are ordered by the time they take."""
    threshold = basis.thresholds.get(SHORTEST)
    return 0.0 if threshold is None else threshold.value


def _nearest_to_the_root(finding: Finding) -> tuple[bool, int, str, str]:
    return (finding.explained_by is not None, finding.priority, finding.rule, finding.scope.id)
