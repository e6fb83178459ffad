"""Which finding explains which: what is told of the one is the cause of what is told of the other.

Pure, and only over what the case document carries; the page does the same (`explained.ts`).
"""

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
    """The rule nearest to the root (smallest priority, then id) among the triggered findings that account for
    this one: on the same files, unless it is by itself there, or where one of the two is about the whole job and the
    other's files have most of its seconds: of a symptom's those that it claims, and a cause that claims a part must
    claim most of these files'."""
    if finding.verdict != "triggered":
        return None
    causes = (g for g in findings if g.rule != finding.rule and _explains(g, finding, basis))
    return min(((g.priority, g.rule) for g in causes), default=(0, None))[1]


def _is_by_itself(finding: Finding, basis: DecisionBasis) -> bool:
    metrics = basis.metrics_of(finding.scope.id)
    claims = (claim for claim in basis.rules[finding.rule].claims if claim.by_itself)
    return any(answer(claim.when, metrics, basis.thresholds) is True for claim in claims)


def _explains(cause: Finding, finding: Finding, basis: DecisionBasis) -> bool:
    if cause.verdict != "triggered" or finding.rule not in basis.rules[cause.rule].explains:
        return False
    if cause.scope.kind == finding.scope.kind:
        return cause.scope.id == finding.scope.id and not _is_by_itself(finding, basis)
    of_job, account = finding.scope.kind == "job", basis.account
    of_group = None if account is None else account.groups.get((cause if of_job else finding).scope.id)
    if account is None or of_group is None:
        return True
    claimed = claimed_seconds(cause, of_group if of_job else account.cells, basis)
    both = claimed_by_both(basis.rules[cause.rule].claims, basis.rules[finding.rule].claims)
    shared = both & claimed.keys() if claimed else both
    if both and not shared:
        return False
    if of_job:
        return _has_most(of_group, account.cells, claimed_seconds(finding, account.cells, basis), shared)
    inside = _sum(of_group, shared)
    if inside < MOST_OF_THE_SECONDS * _sum(account.cells, shared):
        return False
    return not claimed or _claimed_of_group(claimed, of_group, account.cells, shared) >= MOST_OF_THE_SECONDS * inside


def _has_most(of_group: Cells, of_job: Cells, claimed: Mapping[Cell, float], cells: AbstractSet[Cell]) -> bool:
    """Whether the group has most of the job's seconds that are claimed, taken to be spread as those of their cells are:
    of a cell that is not claimed it needs none. Of all seconds, where none of these cells is."""
    inside = whole = 0.0
    for cell in CELLS:
        seconds = claimed.get(cell, 0.0)
        if cell in cells and seconds > 0:
            inside += seconds * of_group.of(cell) / of_job.of(cell)
            whole += seconds
    if whole <= 0:
        inside, whole = _sum(of_group, cells), _sum(of_job, cells)
    return inside >= MOST_OF_THE_SECONDS * whole


def _sum(cells: Cells, some: AbstractSet[Cell]) -> float:
    return sum(cells.of(cell) for cell in CELLS if cell in some)


def _claimed_of_group(claimed: dict[Cell, float], of_group: Cells, of_job: Cells, cells: AbstractSet[Cell]) -> float:
    """The group's seconds that are claimed even if all those of the job's other files are."""
    return sum(max(0.0, claimed[cell] + of_group.of(cell) - of_job.of(cell)) for cell in CELLS if cell in cells)
