"""What a reader found in one source."""

from __future__ import annotations

from typing import Literal, TypeVar

from iotriage_parsers.evidence.aggregator_placement import AggregatorPlacement
from iotriage_parsers.evidence.benchmark_rates import BenchmarkRates
from iotriage_parsers.evidence.craypat import CrayPatReport
from iotriage_parsers.evidence.darshan import DarshanLog
from iotriage_parsers.evidence.darshan_summary import DarshanSummary
from iotriage_parsers.evidence.dxt import DxtTrace
from iotriage_parsers.evidence.job_context import JobContext
from iotriage_parsers.evidence.mpich_environment import MpichEnvironment
from iotriage_parsers.evidence.mpiio_hints import MpiioHints
from iotriage_parsers.evidence.mpiio_stats import MpiioStats
from iotriage_parsers.evidence.mpiio_timers import MpiioTimers
from iotriage_parsers.evidence.mpiio_warnings import DvsStripeWarning, InternalError, IoError, MpichAbort, SystemErrors
from iotriage_parsers.evidence.problem import Problem
from iotriage_parsers.evidence.run_result import BenchmarkRun
from iotriage_parsers.evidence.storage_layout import StorageLayout
from iotriage_parsers.evidence.stripe_layout import OstUsage, StripeLayout
from iotriage_parsers.evidence.used_up import QuotaRoom, UsedUp
from iotriage_parsers.frozen import frozen, frozen_identity

Part = (
    DarshanLog
    | MpiioStats
    | MpiioTimers
    | DarshanSummary
    | DxtTrace
    | CrayPatReport
    | MpiioHints
    | MpichEnvironment
    | DvsStripeWarning
    | IoError
    | SystemErrors
    | InternalError
    | MpichAbort
    | AggregatorPlacement
    | StripeLayout
    | OstUsage
    | UsedUp
    | QuotaRoom
    | StorageLayout
    | BenchmarkRun
    | BenchmarkRates
    | JobContext
)
"""Everything that can be found in a source. A new kind of evidence is one more frozen type in this union."""

P = TypeVar("P", bound=Part)


@frozen_identity
class Evidence:
    """`reader` is the id of the reader that recognised the source; `parts` is empty where it held nothing."""

    reader: str
    parts: tuple[Part, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def status(self) -> Literal["complete", "partial", "nothing"]:
        if any(p.loses_data for p in self.problems):
            return "partial"
        return "complete" if self.parts else "nothing"

    def of(self, kind: type[P]) -> tuple[P, ...]:
        """The parts of one type, in the order in which they stand in the source."""
        return tuple(p for p in self.parts if isinstance(p, kind))


@frozen
class Failure:
    """A source that could not be read at all. `next_step` is what the person can do about it."""

    code: Literal["unrecognised", "empty", "damaged", "too-large", "timed-out", "crashed", "unsupported"]
    message: str
    next_step: str
