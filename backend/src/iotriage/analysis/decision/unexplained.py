"""The I/O time that no finding accounts for: how much it is, at what rates it passed, and what would explain it.

Pure, and only over what the case document carries; the page does the same (`unexplained.ts`).
"""

from __future__ import annotations

from iotriage.analysis.decision.allotment import allot_seconds, shortest_ranked
from iotriage.analysis.decision.basis import DecisionBasis
from iotriage.analysis.decision.condition import answer
from iotriage.analysis.document import Findings
from iotriage.analysis.document.account import Account, Investigation, Unexplained
from iotriage.metrics.core.metric import NO_TIME
from iotriage.metrics.tables.account.cells import CELLS, Cell
from iotriage.rules.collective import ranks_in_turn
from iotriage.rules.evidence.io_not_the_bottleneck import FRACTION, TIME

SPLIT = tuple(cell for cell in CELLS if cell != "not_split")


def unexplained_of(findings: Findings, basis: DecisionBasis) -> Unexplained | None:
    """What is left when all findings have their seconds; None where there is no account."""
    found = allot_seconds(findings, basis)
    if found is None or basis.account is None:
        return None
    left = found.left
    seconds = sum(left.of(cell) for cell in SPLIT)
    of = sum(basis.account.cells.of(cell) for cell in SPLIT)
    share = seconds / of if of > NO_TIME else 0.0
    long_enough = basis.significant is True or (basis.significant is None and basis.account.runtime_s is None)
    meant = None
    if long_enough and seconds >= _least_seconds(basis.account, basis):
        meant = _investigation(max(SPLIT, key=left.of), seconds, findings, basis)
    # No rate is that of the storage where the ranks take turns.
    rates = () if _is_triggered(ranks_in_turn.rule.id, findings) else basis.investigations.rates
    if meant is None:
        return Unexplained(seconds, share, left, rates, None, None)
    return Unexplained(seconds, share, left, rates, meant.sentence, meant.command, meant.kind)


def _investigation(most: Cell, seconds: float, findings: Findings, basis: DecisionBasis) -> Investigation | None:
    """The investigation for `seconds` of which most are of this cell."""

    def is_meant(one: Investigation) -> bool:
        holds = answer(one.when, basis.metrics, basis.thresholds) is True
        return seconds >= one.least_s and holds and all(_is_triggered(rule, findings) for rule in one.if_hold)

    return next((one for one in basis.investigations.of_cells.get(most, ()) if is_meant(one)), None)


def _is_triggered(rule: str, findings: Findings) -> bool:
    return any(f.rule == rule and f.verdict == "triggered" for f in findings)


def _least_seconds(account: Account, basis: DecisionBasis) -> float:
    """Seconds from which somebody should look for their cause: those that rank, and the share of the run from which I/O
    is a bottleneck; where nobody says how long the run was, the time from which I/O is long in itself."""
    threshold = basis.thresholds.get(TIME.id if account.runtime_s is None else FRACTION.id)
    of = 1.0 if account.runtime_s is None else account.runtime_s
    return max(shortest_ranked(basis), 0.0 if threshold is None else threshold.value * of)
