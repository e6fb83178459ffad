"""What the MPI library warns of."""

from __future__ import annotations

from iotriage.metrics.core.metric import Outcome
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.texts.complaints import complaints_counted, no_output
from iotriage_parsers.evidence import DvsStripeWarning


@metric(
    "warnings.dvs_stripe",
    "Warnings about the DVS stripe width",
    "calls",
    formula="`DVS stripe width of N was requested but DVS set it to M` lines",
    needs="the job's output",
    scopes=["job"],
    unless=no_output,
)
def dvs_stripe(s: Selection) -> Outcome:
    return complaints_counted(s, DvsStripeWarning)
