"""Why our reading of a log and pydarshan's differ where they are known to: defects of libdarshan-util 3.5.0, what its
reduction and its up-conversion of old records do, and what we keep out because it cannot be."""

from __future__ import annotations

import math
from typing import Final

from iotriage_parsers.evidence import NOT_AVAILABLE, DarshanLog

NO_MOUNTS: Final = "libdarshan-util gives no command line where the log has no mount table"
CUT: Final = "the log is damaged or cut here: each side gives what it can still read"
NO_WIDE_SEGMENTS: Final = "libdarshan-util 3.5.0 does not read the 40-byte segments that newer Darshan releases write"

_SUMMED: Final = "Darshan's reduction over ranks added up −1, its mark for not available; here it stays not available"
_NOT_TAKEN: Final = "AUTOPERF was built without timing of the wait in collectives: the zeros of its records say nothing"
_LOST_VARIANCE: Final = "libdarshan-util loses both variances when it converts POSIX records of version 3"
_SWAPPED: Final = (
    "libdarshan-util leaves three timers of big-endian POSIX records before version 4 in the wrong byte order"
)
_NO_TIME: Final = "no such time or size can be: it is kept out here, and the log's warnings say so"

_VARIANCES: Final = ("POSIX_F_VARIANCE_RANK_TIME", "POSIX_F_VARIANCE_RANK_BYTES")
_UNSWAPPED: Final = ("POSIX_F_META_TIME", "POSIX_F_MAX_READ_TIME", "POSIX_F_MAX_WRITE_TIME")


def reason_for_counter(log: DarshanLog, module: str, name: str, ours: float, theirs: float) -> str | None:
    """Why a counter of a record is `ours` here and `theirs` in pydarshan; None where nobody knows."""
    info = log.module(module)
    version = info.version if info is not None and info.version is not None else 0
    if module == "POSIX" and version == 3 and name in _VARIANCES:
        return _LOST_VARIANCE
    if module == "POSIX" and version < 4 and log.byte_order == "big" and name in _UNSWAPPED:
        return _SWAPPED
    if ours == NOT_AVAILABLE and -(log.job.nprocs or 0) <= theirs < NOT_AVAILABLE:
        return _SUMMED
    if math.isnan(ours) and module == "APMPI" and name.endswith("_SYNC_TIME"):
        return _NOT_TAKEN
    if math.isnan(ours) or (ours == NOT_AVAILABLE and theirs < NOT_AVAILABLE):
        return _NO_TIME
    return None
