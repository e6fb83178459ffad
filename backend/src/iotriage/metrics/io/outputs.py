"""What the job writes at regular intervals, as checkpoints and fields are."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.registry import metrics_of
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.regular_outputs import (
    ALIKE,
    FEWEST,
    LEAST_INTERVAL_S,
    LIGHT,
    MOST_ALIKE,
    RegularOutputs,
    regular_outputs,
)
from iotriage.metrics.tables.steps import main_step

_FORMULA = (
    "the times of writes (of the heatmap, else DXT, else the first and last write of files), parted by pauses half as "
    f"long as the longest; without those of less than {LIGHT:.0%} of the largest's bytes; {FEWEST} or more, of which "
    f"{MOST_ALIKE:.0%} differ by at most {ALIKE:.0%} in interval and bytes, and begin {LEAST_INTERVAL_S:.0f} s or more "
    "one after the other"
)


def _outputs(s: Selection) -> RegularOutputs | Absent:
    if not s.logs:
        return Absent("no Darshan log was given", (DARSHAN,))
    if main_step(s) is None:
        return Absent("of several logs none has nearly all of the I/O: each has its own times")
    return regular_outputs(s) or Absent("no outputs at regular intervals are seen")


_metric_of_outputs = metrics_of(
    _outputs,
    needs="a Darshan log with a heatmap, a trace, or files that are written one after the other",
    scopes=["job"],
)


@_metric_of_outputs("io.outputs", "Outputs at regular intervals", "1", formula=_FORMULA)
def outputs(found: RegularOutputs) -> Outcome:
    return Value(found.count, "inferred")


@_metric_of_outputs(
    "io.output_interval",
    "Time from one output to the next",
    "s",
    formula=f"the mean of the intervals that are alike, from begin to begin: {_FORMULA}",
)
def output_interval(found: RegularOutputs) -> Outcome:
    return Value(found.every_s, "inferred")


@_metric_of_outputs(
    "io.output_bytes",
    "Bytes of one output",
    "B",
    formula=f"the median of the outputs: {_FORMULA}",
)
def output_bytes(found: RegularOutputs) -> Outcome:
    return Value(round(found.bytes), "inferred")
