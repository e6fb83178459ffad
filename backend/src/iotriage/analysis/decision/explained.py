"""Decides which finding explains which: the cause behind the one is what the other finding is about. Pure, and only
over what the case document carries; the page does the same (`explained.ts`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from iotriage.analysis.decision.allotment import claimed_seconds
from iotriage.analysis.decision.basis import DecisionBasis
from iotriage.analysis.decision.condition import answer
from iotriage.analysis.document import Finding
from iotriage.metrics.tables.account.cells import CELLS, Cell, Cells
from iotriage.rules.core.claim import claimed_by_both
from iotriage.rules.core.fixed_numbers import MOST_OF_THE_SECONDS


def explained_by(finding: Finding, findings: Sequence[Finding], basis: DecisionBasis) -> str | None:
    """The rule that explains this finding: of the rules whose triggered findings account for it, the one nearest to the
    root (smallest priority, then id).

    A finding accounts for another one about the same files, unless that one is by itself there (`Claim.by_itself`).
    Where one of the two is about the whole job, the files of the other must have most of its seconds. For a symptom of
    the job these are the seconds that it claims, and all groups of files in which the cause was found count together; a
    cause about the job that claims parts of cells must claim most of the group's.
    """
    if finding.verdict != "triggered":
        return None
    of_rules: dict[tuple[int, str], list[Finding]] = {}
    for cause in findings:
        if cause.rule != finding.rule and cause.verdict == "triggered":
            of_rules.setdefault((cause.priority, cause.rule), []).append(cause)
    explaining = (key for key in sorted(of_rules) if finding.rule in basis.rules[key[1]].explains)
    return next((rule for priority, rule in explaining if _explain(of_rules[priority, rule], finding, basis)), None)


def _is_by_itself(finding: Finding, basis: DecisionBasis) -> bool:
    metrics = basis.metrics_of(finding.scope.id)
    claims = (claim for claim in basis.rules[finding.rule].claims if claim.by_itself)
    return any(answer(claim.when, metrics, basis.thresholds) is True for claim in claims)


def _explain(causes: Sequence[Finding], finding: Finding, basis: DecisionBasis) -> bool:
    """Whether the findings of one rule explain `finding`. A rule is either about the job or about groups, so all of
    them have the same kind of scope."""
    if causes[0].scope.kind == finding.scope.kind:
        same = any(cause.scope.id == finding.scope.id for cause in causes)
        return same and not _is_by_itself(finding, basis)
    if finding.scope.kind == "job":
        return _explain_of_job(causes, finding, basis)
    return _explains_of_group(causes[0], finding, basis)


def _explain_of_job(causes: Sequence[Finding], finding: Finding, basis: DecisionBasis) -> bool:
    """Of each group the cells count of which the cause claims something there."""
    account = basis.account
    if account is None or any(cause.scope.id not in account.groups for cause in causes):
        return True
    both = _claimed_by_both(causes[0], finding, basis)
    inside: dict[Cell, float] = {}
    for cause in sorted(causes, key=lambda cause: cause.scope.id):
        of_group = account.groups[cause.scope.id]
        claimed = claimed_seconds(cause, of_group, basis)
        for cell in both & claimed.keys() if claimed else both:
            inside[cell] = inside.get(cell, 0.0) + of_group.of(cell)
    if both and not inside:
        return False
    within = {cell: min(seconds, account.cells.of(cell)) for cell, seconds in inside.items()}
    return _have_most(within, account.cells, claimed_seconds(finding, account.cells, basis))


def _explains_of_group(cause: Finding, finding: Finding, basis: DecisionBasis) -> bool:
    account = basis.account
    of_group = None if account is None else account.groups.get(finding.scope.id)
    if account is None or of_group is None:
        return True
    claimed, both = claimed_seconds(cause, account.cells, basis), _claimed_by_both(cause, finding, basis)
    shared = both & claimed.keys() if claimed else both
    if both and not shared:
        return False
    inside = _sum(of_group, shared)
    if inside < MOST_OF_THE_SECONDS * _sum(account.cells, shared):
        return False
    return not claimed or _claimed_of_group(claimed, of_group, account.cells, shared) >= MOST_OF_THE_SECONDS * inside


def _claimed_by_both(cause: Finding, finding: Finding, basis: DecisionBasis) -> frozenset[Cell]:
    return claimed_by_both(basis.rules[cause.rule].claims, basis.rules[finding.rule].claims)


def _have_most(of_groups: Mapping[Cell, float], of_job: Cells, claimed: Mapping[Cell, float]) -> bool:
    """Whether the groups have most of the job's seconds that are claimed, taken to be spread as those of their cells
    are: of a cell that is not claimed they need none. Of all seconds, where none of these cells is."""
    inside = whole = 0.0
    for cell in CELLS:
        seconds = claimed.get(cell, 0.0)
        if cell in of_groups and seconds > 0:
            inside += seconds * of_groups[cell] / of_job.of(cell)
            whole += seconds
    if whole <= 0:
        inside = sum(of_groups[cell] for cell in CELLS if cell in of_groups)
        whole = _sum(of_job, of_groups.keys())
    return inside >= MOST_OF_THE_SECONDS * whole


def _sum(cells: Cells, some: AbstractSet[Cell]) -> float:
    return sum(cells.of(cell) for cell in CELLS if cell in some)


def _claimed_of_group(claimed: dict[Cell, float], of_group: Cells, of_job: Cells, cells: AbstractSet[Cell]) -> float:
    """The group's seconds that are claimed even if all those of the job's other files are."""
    return sum(max(0.0, claimed[cell] + of_group.of(cell) - of_job.of(cell)) for cell in CELLS if cell in cells)
