"""Follows each finding to the cause at the end of its chain of explanations, and adds up the seconds that a cause loses
with all that follows from it.

Each finding follows from one cause at most, so that causes together never lose more than all findings take. The page
does the same (`following.ts`), and so do the queries over a warehouse (`iotriage.centre.report.following`).
"""

from __future__ import annotations

from collections.abc import Iterator

from iotriage.analysis.decision.order import is_a_cause
from iotriage.analysis.document import Finding, Findings, RuledOut


def alike(finding: Finding, findings: Findings) -> Iterator[Finding | RuledOut]:
    """Findings of the same rule about other groups of files that have no other cause."""
    return (f for f in findings if f is not finding and f.rule == finding.rule and is_a_cause(f))


def seconds_of_alike(finding: Finding, findings: Findings) -> tuple[float, int]:
    """The seconds of a finding and those alike, and the number of groups of files that they are about."""
    others = [f.takes_s for f in alike(finding, findings) if f.takes_s]
    return (finding.takes_s or 0.0) + sum(others), len(others) + 1


def seconds_that_follow(finding: Finding, findings: Findings) -> float:
    """What those take that it explains, or its rule in other groups of files, and those that these explain."""
    causes = [finding, *alike(finding, findings)]
    timed = [f for f in findings if f.takes_s and not any(f is cause for cause in causes)]
    followed = ((f, cause_of(f, findings)) for f in timed)
    return sum(f.takes_s or 0.0 for f, found in followed if any(found is cause for cause in causes))


def seconds_lost(finding: Finding, findings: Findings) -> float | None:
    """What the run loses by a cause in all groups of files, with what follows from it; None where it is not known how
    much the cause takes."""
    if finding.takes_s is None:
        return None
    return seconds_of_alike(finding, findings)[0] + seconds_that_follow(finding, findings)


def cause_of(finding: Finding | RuledOut, findings: Findings) -> Finding | RuledOut | None:
    """The cause at the end of the finding's chain of explanations; the finding itself where nothing explains it. None
    for a finding that is not triggered, and where the chain is a circle."""
    met: list[Finding | RuledOut] = []
    one: Finding | RuledOut | None = finding
    while one is not None and one.verdict == "triggered" and not any(one is other for other in met):
        if is_a_cause(one):
            return one
        met.append(one)
        one = _explaining(one, findings)
    return None


def _explaining(finding: Finding | RuledOut, findings: Findings) -> Finding | RuledOut | None:
    """The finding about the same files that explains it: of the same group before one of the job or of a part of it, a
    cause before what follows itself, and then the one that is read first."""
    may = [f for f in findings if f.verdict == "triggered" and _accounts_for(f, finding)]
    return min(may, key=lambda f: (f.scope.id != finding.scope.id, not is_a_cause(f)), default=None)


def _accounts_for(cause: Finding | RuledOut, finding: Finding | RuledOut) -> bool:
    """Elsewhere a rule that it names is another matter."""
    same_files = finding.scope.id == cause.scope.id or finding.scope.kind != cause.scope.kind
    return finding.explained_by == cause.rule and same_files
