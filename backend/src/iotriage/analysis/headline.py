"""The sentence on top: what is wrong, what to do, and which finding says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iotriage.analysis.document import Finding, Headline, SourceReport
from iotriage.metrics.metric import Metric
from iotriage.metrics.settle import DARSHAN, EVIDENCE, STATS

NOTHING_READ = "None of the sources could be read."
NO_IO = "This run did no I/O that the evidence shows."
CHECK_DARSHAN = "If that surprises you, check that the program that did the I/O ran with Darshan loaded."
NOTHING_WRONG = "Nothing wrong was found with this job's I/O."
NOTHING_TO_JUDGE = "These sources hold nothing to judge I/O by."
NOT_ENOUGH = "These sources show that there was I/O, but too little of how it was done to judge it."
ADD_EVIDENCE = "Add a Darshan log of the run, or its standard error with MPICH_MPIIO_STATS=1."
NOTHING_SURE = "Nothing wrong was found in what could be read; some questions stay open."

TIMES = ("job.io_time", "timers.")
"""What the ids of metrics begin with that show I/O where nothing counts it."""


def headline_of(
    findings: Sequence[Finding], sources: Sequence[SourceReport], metrics: Mapping[str, Metric]
) -> Headline:
    """`findings` in reading order. The first that is triggered speaks, the one about incomplete evidence last."""
    if all(s.status in ("failed", "nothing") for s in sources):
        step = next((s.next_step for s in sources if s.next_step), None)
        return Headline(NOTHING_READ, step, None, "unknown", None)
    triggered = [f for f in findings if f.verdict == "triggered" and f.headline is not None]
    about_io = [f for f in triggered if _judges_io(f)]
    if not _did_io(metrics):
        return Headline(
            NO_IO, "If that surprises you, check that the program was run with Darshan loaded.", None, "clear", None
        )
    for finding in about_io or triggered:
        advice = finding.advice[0] if finding.advice else None
        return Headline(
            finding.headline or finding.title,
            advice.text if advice else None,
            advice.command if advice else None,
            finding.severity,
            finding.rule,
        )
    counted = metrics["io.bytes"].value is not None
    if not counted or not any(f.matters is not None and f.verdict == "clear" for f in findings):
        lines = (*EVIDENCE[DARSHAN].lines, *EVIDENCE[STATS].lines)
        seen = counted or any(m.value is not None for m in metrics.values() if m.id.startswith(TIMES))
        return Headline(NOT_ENOUGH if seen else NOTHING_TO_JUDGE, ADD_EVIDENCE, "\n".join(lines), "unknown", None)
    share = _share_that_matters(findings, metrics)
    if share is not None:
        return Headline(
            f"I/O takes {share:.0%} of the run, but none of the known causes was found.", None, None, "clear", None
        )
    unsettled = any(f.verdict == "unknown" for f in findings)
    return Headline(NOTHING_SURE if unsettled else NOTHING_WRONG, None, None, "clear", None)


def _judges_io(finding: Finding) -> bool:
    """Whether the rule is about the I/O, and not about warnings in a text or about the case itself."""
    return finding.matters is not None or finding.leads


def _share_that_matters(findings: Sequence[Finding], metrics: Mapping[str, Metric]) -> float | None:
    """The share of the run in I/O where the job's I/O is enough to matter."""
    matters = any(f.matters is not None and f.matters.answer is True for f in findings)
    share = metrics["job.io_time_fraction"].value if "job.io_time_fraction" in metrics else None
    return share if matters and isinstance(share, float) else None


def _did_io(metrics: Mapping[str, Metric]) -> bool:
    """False only where whole evidence shows that nothing was opened and no byte moved."""
    moved, opened = metrics["io.bytes"], metrics["posix.opens"].value
    return moved.value != 0 or moved.bound is not None or opened not in (None, 0)
