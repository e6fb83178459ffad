"""What the job writes at regular intervals, as checkpoints and fields are."""

from __future__ import annotations

from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import Absent, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
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


_metrics_of_outputs = MetricsOf(
    _outputs,
    needs="a Darshan log with a heatmap, a trace, or files that are written one after the other",
    scopes=["job"],
)
_metrics_of_outputs.value(
    "io.outputs", "Outputs at regular intervals", "1", lambda found: Value(found.count, "inferred"), formula=_FORMULA
)
_metrics_of_outputs.value(
    "io.output_interval",
    "Time from one output to the next",
    "s",
    lambda found: Value(found.every_s, "inferred"),
    formula=f"the mean of the intervals that are alike, from begin to begin: {_FORMULA}",
)
_metrics_of_outputs.value(
    "io.output_bytes",
    "Bytes of one output",
    "B",
    lambda found: Value(round(found.bytes), "inferred"),
    formula=f"the median of the outputs: {_FORMULA}",
)
