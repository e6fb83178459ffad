"""What became of findings from one run to another, and whether that bears out that they took the time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from iotriage.analysis.run_sets.finding_changes import FindingChange
from iotriage.analysis.run_sets.speed import Speed
from iotriage.analysis.run_sets.step import CauseAnswer, CauseVerdict

STILL_THERE = "The finding is still there: what was changed did not touch it."
NOT_DECIDED_THERE = "The other run's sources do not show whether it is still there."
NO_TIMES = "It is gone, but the times of the two runs cannot be compared."
ENDED_EARLY = (
    "It is gone, but the other run was ended before it had moved as much: what was to come may have brought it back."
)
TOO_SHORT = "It is gone, but both runs spend under a second in I/O: caches and start-up decide such times."
GONE_AND_FASTER = "It is gone, and the I/O is faster by more than equal runs usually differ."
GONE_BY_SEVERAL_CHANGES = (
    "It is gone, and the I/O is faster by more than equal runs usually differ; which of the settings that were changed "
    "took it away is not told."
)
GONE_WITH_OTHERS = (
    "It is gone, and the I/O is faster, but other findings went with it: which of them did it cannot be told."
)
GONE_BY_ONE_CHANGE = (
    "It is gone, and the I/O is faster; other findings went with it, by the one setting that was changed: together "
    "they took the time."
)
TIME_AGAINST_RATE = (
    "It is gone, and the I/O takes less time or more, but of other bytes, and their rate says the opposite."
)
ANOTHER_CAME = (
    "It is gone, and the I/O is no faster, but another cause came: that may take the time that this one took."
)
OTHERS_MAY_COST = (
    "It is gone, and the I/O is no faster, but more than one setting was changed: another may cost what this one saves."
)
GONE_NOT_FASTER = "It is gone, and the I/O is no faster: it was not what took the time."


class Fates(NamedTuple):
    """The findings that are gone in the other run, that came, that stayed, and that one of the two does not decide."""

    gone: Sequence[FindingChange]
    came: Sequence[FindingChange]
    stayed: Sequence[FindingChange]
    undecided: Sequence[FindingChange]


def fates_of(findings: Sequence[FindingChange], against: int, index: int) -> Fates:
    """What became of each finding from the run `against` to the run `index`."""
    states = [(f, f.states[against].verdict, f.states[index].verdict) for f in findings]
    not_there = ("clear", "not_applicable")
    gone = [f for f, before, after in states if before == "triggered" and after in not_there]
    came = [f for f, before, after in states if after == "triggered" and before in not_there]
    stayed = [f for f, before, after in states if before == after == "triggered"]
    decided = (*gone, *came, *stayed)
    undecided = [f for f, before, after in states if "triggered" in (before, after) and f not in decided]
    return Fates(gone, came, stayed, undecided)


def cause_verdict(
    finding: FindingChange,
    speed: Speed,
    fates: Fates,
    against: int,
    *,
    changes: int,
    another_came: bool,
    ended: bool,
) -> CauseVerdict:
    """Confirmed where the finding is gone, alone or with others by one change, and the I/O is faster beyond the usual;
    refuted where it is gone and the I/O is no faster, though no other cause came; else undecided, as where several
    settings were changed, where times and rates disagree, or where the other run was `ended` before it was done."""
    if finding in fates.stayed:
        answer: CauseAnswer = "undecided"
        because = STILL_THERE
    elif finding not in fates.gone:
        answer, because = "undecided", NOT_DECIDED_THERE
    elif ended:
        answer, because = "undecided", ENDED_EARLY
    elif speed.timed == "unknown":
        answer, because = "undecided", NO_TIMES
    elif speed.outcome == "mixed" and speed.basis == "rate":
        answer, because = "undecided", TIME_AGAINST_RATE
    elif speed.short:
        answer, because = "undecided", TOO_SHORT
    elif speed.timed == "better":
        answer, because = _of_faster(sum(f.states[against].cause for f in fates.gone) > 1, changes)
    elif another_came:
        answer, because = "undecided", ANOTHER_CAME
    elif changes > 1:
        answer, because = "undecided", OTHERS_MAY_COST
    else:
        answer, because = "refuted", GONE_NOT_FASTER
    return CauseVerdict(finding.rule, finding.title, answer, because)


def _of_faster(with_others: bool, changes: int) -> tuple[CauseAnswer, str]:
    if with_others:
        return ("confirmed", GONE_BY_ONE_CHANGE) if changes == 1 else ("undecided", GONE_WITH_OTHERS)
    return "confirmed", GONE_BY_SEVERAL_CHANGES if changes > 1 else GONE_AND_FASTER
