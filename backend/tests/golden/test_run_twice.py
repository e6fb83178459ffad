"""A job that does the same again in a second step has the same causes, each with twice the seconds.

A few samples do so here, the same ones each time; `make fuzz` has all of them.
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


def _twice(case: Case) -> CaseDocument | None:
    """None where the sample is not one log without traces, or does not say how long it ran."""
    if len(case.sources) != 1:
        return None
    (source,) = sources_of(case.sources)
    found = source.outcome
    if not isinstance(found, Evidence) or len(found.parts) != 1 or not isinstance(found.parts[0], DarshanLog):
        return None
    (log,) = found.of(DarshanLog)
    if not log.job.runtime_s or log.job.start_time is None:
        return None
    both = (found, replace(found, parts=(_again(log),)))
    return diagnose([ReadSource(f"{i}.darshan", f"{i:064}", 1, evidence) for i, evidence in enumerate(both)])


def _seconds(document: CaseDocument) -> dict[str, float]:
    """By rule, of all its groups of files, and of what is unexplained."""
    found = {"unexplained": 0.0 if document.unexplained is None else document.unexplained.seconds}
    for finding in document.findings:
        if isinstance(finding, Finding) and finding.verdict == "triggered":
            found[finding.rule] = found.get(finding.rule, 0.0) + (finding.takes_s or 0.0)
    return found


@pytest.mark.fuzz
@pytest.mark.parametrize("case", some(cases()), ids=str)
def test_each_cause_has_twice_the_seconds(case: Case) -> None:
    twice = _twice(case)
    if twice is None:
        return
    before, after = _seconds(document_of(case.sources)), _seconds(twice)
    far = {
        rule: (took, after.get(rule, 0.0))
        for rule, took in before.items()
        if not math.isclose(2 * took, after.get(rule, 0.0), rel_tol=NEAR, abs_tol=A_MOMENT_S)
    }
    assert far == {}
