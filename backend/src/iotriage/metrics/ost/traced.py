"""How much of the traced bytes has a known OST."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN, LAYOUT
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.osts.traced_osts import files_in_log, traced_osts
from iotriage_parsers.evidence import DxtTrace

NOT_TRACED = Absent("no log has both the POSIX calls of DXT and the OSTs of their files", (DARSHAN, LAYOUT))


@metric(
    "ost.traced_bytes",
    "Traced bytes whose OST is known",
    "B",
    formula="bytes of the POSIX calls of DXT, laid over the stripes of their files, where these are known",
    needs="a Darshan log with a POSIX trace and LUSTRE records, or lfs getstripe of its files",
)
def traced_bytes(s: Selection) -> Outcome:
    found = traced_osts(s)
    if not found:
        return NOT_TRACED
    partial = any(t.partial for _, t in s.whole.of(DxtTrace) if t.layer == "POSIX")
    return Value(sum(t.known_of(files_in_log(s, t.source)) for t in found), bound="lower" if partial else None)


@metric(
    "ost.traced_share",
    "Share of the traced bytes whose OST is known",
    "share",
    about=About(time=False),
    formula="ost.traced_bytes / bytes of the POSIX calls of DXT",
    needs="a Darshan log with a POSIX trace and LUSTRE records, or lfs getstripe of its files",
)
def traced_share(s: Selection) -> Outcome:
    known = outcome(s, "ost.traced_bytes")
    every = Value(sum(t.moved_of(files_in_log(s, t.source)) for t in traced_osts(s)))
    return quotient(known, every, zero="the traced calls moved no bytes")
