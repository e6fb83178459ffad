"""The stripes of a benchmark's file from `lfs getstripe`: IOR prints them only where it was built to ask Lustre."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from iotriage.analysis.document import CaseDocument
from iotriage.metrics.tables.layouts import ALL_OSTS, component_of
from iotriage_parsers.evidence import BenchmarkRun, StripeComponent, StripeLayout


def listed_component(document: CaseDocument, path: str | None, run: BenchmarkRun) -> StripeComponent | None:
    """That of the file itself as it was listed for the run, else that which its directory gives to new files. None
    where neither is listed; and of several components in a directory, which one is meant depends on the file's size."""
    if path is None:
        return None
    layouts = [(t.source, t.part) for t in document.texts if isinstance(t.part, StripeLayout)]
    own = [(i, x) for i, x in layouts if x.form != "directory-default" and x.path == path]
    if own:
        return component_of(_listed_for(run, own, document), None)
    parent = str(PurePosixPath(path).parent)
    given = [
        (i, x) for i, x in layouts if x.form == "directory-default" and x.path is not None and _plain(x.path) == parent
    ]
    found = _listed_for(run, given, document) if given else None
    return None if found is None else found.only_component


def _listed_for(run: BenchmarkRun, listed: Sequence[tuple[int, StripeLayout]], document: CaseDocument) -> StripeLayout:
    """Where a sweep lists the file anew beside each of its runs: the last one listed before the run, or where the first
    run stands before all of them, the first one after it. What another source lists is of no run of this one more than
    of another: the last."""
    runs = [(t.source, t.part) for t in document.texts if isinstance(t.part, BenchmarkRun)]
    source = next((i for i, part in runs if part is run), None)
    here = [layout for i, layout in listed if i == source]
    if not here:
        return listed[-1][1]
    first_run = min(part.lines.first for i, part in runs if i == source)
    at = run.lines.first
    before = [layout for layout in here if layout.lines.first < at]
    after = [layout for layout in here if layout.lines.first > at]
    listed_first = here[0].lines.first < first_run
    return before[-1] if listed_first and before else after[0] if after else here[-1]


def count_of(component: StripeComponent | None) -> int | None:
    """Its stripes; ALL_OSTS where no number is listed, and the OSTs are not either."""
    if component is None or component.on_mdt:
        return None
    if component.over_all_osts:
        return len(component.osts) or ALL_OSTS
    return component.stripe_count or None


def _plain(directory: str) -> str:
    return directory.rstrip("/") or "/"
