"""A job that does the same again in a second step has the same causes, each with twice the seconds.

A few logs do so here, the same ones each time; `make fuzz` has all of them.
"""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from budget import some
from sample_documents import document_of, sources_of
from samples import Case, cases

from iotriage.analysis.document import CaseDocument, Finding
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.evidence import DarshanLog, Evidence

BETWEEN_S = 10.0
NEAR = 0.05
"""Of the seconds, by which twice as many may differ: records of two steps are gathered otherwise than those of one."""
A_MOMENT_S = 0.5


def _again(log: DarshanLog) -> DarshanLog:
    """The same a while after its end, into files of another folder."""
    job, names = log.job, {}
    later = (job.runtime_s or 0.0) + BETWEEN_S
    for record, name in log.names.items():
        folder, slash, file = name.rpartition("/")
        names[record] = f"{folder}/again/{file}" if slash else name
    times = {of: None if (at := getattr(job, of)) is None else at + later for of in ("start_time", "end_time")}
    return replace(log, job=replace(job, **times), names=names)


def _once(case: Case) -> Evidence | None:
    """None where the sample is not one log without traces, or does not say how long it ran."""
    if not case.format.startswith("darshan_") or len(case.sources) != 1:
        return None
    (source,) = sources_of(case.sources)
    found = source.outcome
    if not isinstance(found, Evidence) or len(found.parts) != 1 or not isinstance(found.parts[0], DarshanLog):
        return None
    (job,) = (log.job for log in found.of(DarshanLog))
    return found if job.runtime_s and job.start_time is not None else None


def _twice(found: Evidence) -> CaseDocument:
    both = (found, replace(found, parts=tuple(map(_again, found.of(DarshanLog)))))
    return diagnose([ReadSource(f"{i}.darshan", f"{i:064}", 1, evidence) for i, evidence in enumerate(both)])


def _seconds(document: CaseDocument) -> dict[str, float]:
    """By rule, of all its groups of files, and of what is unexplained."""
    found = {"unexplained": 0.0 if document.unexplained is None else document.unexplained.seconds}
    for finding in document.findings:
        if isinstance(finding, Finding) and finding.verdict == "triggered":
            found[finding.rule] = found.get(finding.rule, 0.0) + (finding.takes_s or 0.0)
    return found


@pytest.mark.fuzz
@pytest.mark.parametrize("case", some(case for case in cases() if _once(case) is not None), ids=str)
def test_each_cause_has_twice_the_seconds(case: Case) -> None:
    once = _once(case)
    assert once is not None
    before, after = _seconds(document_of(case.sources)), _seconds(_twice(once))
    each = {rule: (before.get(rule, 0.0), after.get(rule, 0.0)) for rule in before | after}
    assert {
        rule: seconds
        for rule, seconds in each.items()
        if not math.isclose(2 * seconds[0], seconds[1], rel_tol=NEAR, abs_tol=A_MOMENT_S)
    } == {}
