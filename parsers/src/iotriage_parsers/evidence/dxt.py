"""What Darshan's extended tracing (DXT) saw at one layer: every read and write call, in bulk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from iotriage_parsers.evidence.job import Job
from iotriage_parsers.evidence.lustre_layout import LustreLayout
from iotriage_parsers.frozen import frozen_identity

DxtLayer = Literal["POSIX", "MPIIO"]
LAYER_OF_MODULE: Final[Mapping[str, DxtLayer]] = {"DXT_POSIX": "POSIX", "DXT_MPIIO": "MPIIO"}

SEGMENT: Final = np.dtype(
    [
        ("record", np.uint64),
        ("rank", np.int64),
        ("write", np.bool_),
        ("offset", np.int64),
        ("length", np.int64),
        ("start", np.float64),
        ("end", np.float64),
        ("thread", np.uint64),
    ]
)
"""One call. `record` is Darshan's id of the file; `offset` and `length` are bytes, offset −1 where Darshan did not
record it (MPI-IO before 3.2); `start` and `end` are seconds from the start of the run; `thread` is 0 where no thread
id was recorded."""


def seconds_of_calls(segments: NDArray[np.void]) -> NDArray[np.float64]:
    """How long each call took. The columns have their types here: of two of an array of any type mypy tries each of
    NumPy's hundreds of subtractions, for seconds."""
    start: NDArray[np.float64] = segments["start"]
    end: NDArray[np.float64] = segments["end"]
    return end - start


@frozen_identity
class DxtTrace:
    """The calls of one layer: `segments` (n,) of dtype SEGMENT, in the order of the source (per file and rank: writes,
    then reads).

    `hostnames` says on which node a rank ran, `names` maps record ids to file names. `partial` is Darshan's own flag or
    damage: calls are missing. `job` is given where the source states it beside the trace and not in a `DarshanLog` of
    its own; `lustre` likewise the striping of the traced files.
    """

    layer: DxtLayer
    segments: NDArray[np.void]
    hostnames: Mapping[int, str]
    names: Mapping[int, str]
    partial: bool = False
    job: Job | None = None
    lustre: tuple[LustreLayout, ...] = ()
    kind: Literal["dxt"] = field(default="dxt")

    def __len__(self) -> int:
        return len(self.segments)
