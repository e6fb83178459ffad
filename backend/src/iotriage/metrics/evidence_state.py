"""How whole the evidence is."""

from __future__ import annotations

from iotriage.metrics.metric import Outcome, Value
from iotriage.metrics.registry import metric
from iotriage.metrics.selection import Selection
from iotriage.metrics.summaries import totals_of


@metric(
    "evidence.partial_modules",
    "Modules with missing records",
    "1",
    formula="modules whose partial flag is set, and modules that are damaged or could be read in part only",
    needs="any source",
    scopes=["job"],
)
def partial_modules(s: Selection) -> Outcome:
    lost = sum(m.partial or m.status in ("damaged", "partly-read") for rows in s.logs for m in rows.log.modules)
    return Value(lost + sum(run.partial(module) for run in totals_of(s) for module in run.modules()))


@metric(
    "evidence.lower_bound",
    "Sources that lost data",
    "1",
    formula="sources that are truncated, damaged, cut off or flagged partial",
    needs="any source",
    scopes=["job"],
)
def lower_bound(s: Selection) -> Outcome:
    return Value(s.partial_sources)
