"""The sources of a case: what was given, what could be read of it, and what its texts say."""

from __future__ import annotations

from typing import Annotated, Literal

from iotriage.by_type import ByType
from iotriage_parsers.evidence import (
    AggregatorPlacement,
    BenchmarkRates,
    BenchmarkRun,
    CrayPatReport,
    DarshanSummary,
    DvsStripeWarning,
    InternalError,
    IoError,
    JobContext,
    MpichAbort,
    MpichEnvironment,
    MpiioHints,
    MpiioStats,
    MpiioTimers,
    OstUsage,
    Problem,
    QuotaRoom,
    StorageLayout,
    StripeLayout,
    SystemErrors,
    UsedUp,
)
from iotriage_parsers.frozen import frozen


@frozen
class SourceReport:
    """One file given to us, or one of the files of an archive. `kind` is the id of the reader, None where no reader
    knew it; `status` "failed" means that nothing could be read of it, and then `failure` and `next_step` say why and
    what to do. `given` is the index of the file among those given, `member` the index of the source in it where that
    is an archive, named "archive › file": with both, its lines and records can be asked for."""

    name: str
    sha256: str
    size_bytes: int
    kind: str | None
    status: Literal["complete", "partial", "nothing", "failed"]
    title: str | None
    holds: tuple[str, ...]
    warnings: tuple[Problem, ...]
    failure: str | None = None
    next_step: str | None = None
    given: int = 0
    member: int | None = None

    @property
    def of_another_job(self) -> bool:
        """Whether it was left out whole, since all that it holds is of other jobs than the case's."""
        return self.status == "nothing" and any(problem.code == "other-job" for problem in self.warnings)


TextPart = (
    MpiioStats
    | MpiioTimers
    | MpiioHints
    | MpichEnvironment
    | AggregatorPlacement
    | DvsStripeWarning
    | IoError
    | SystemErrors
    | InternalError
    | MpichAbort
    | CrayPatReport
    | DarshanSummary
    | StripeLayout
    | OstUsage
    | UsedUp
    | QuotaRoom
    | StorageLayout
    | BenchmarkRun
    | BenchmarkRates
    | JobContext
)
"""Evidence that is small enough to stand in the document as it was read; logs and traces are told of in figures."""


@frozen
class TextEvidence:
    """One thing that a text said, and which source it was; its lines are those of that source."""

    source: int
    part: Annotated[TextPart, ByType()]
