"""The job record: who ran what, when, on how many ranks, and the mount table."""

from __future__ import annotations

import struct

from iotriage_parsers.evidence import Job, Mount, Problem
from iotriage_parsers.frozen import frozen
from iotriage_parsers.readers.darshan_log.container import ByteOrder

RECORD_BYTES = 4096
"""The space that Darshan reserves for the record, the command line and the mount table; it drops what does not fit."""

METADATA_BYTES = 1024
MOST_RANKS = 2**31 - 1
"""MPI numbers ranks with a C int."""

_EARLIEST, _LATEST = 946_684_800, 4_102_444_800
"""Years 2000 to 2100: Darshan's first release is of 2009."""

_WHERE = "job record"


@frozen
class JobRecord:
    job: Job
    metadata: tuple[tuple[str, str], ...]
    problems: tuple[Problem, ...]


@frozen
class StatedJob:
    """The job as the log states it, before any check. Times are in seconds since the epoch."""

    uid: int | None = None
    job_id: int | None = None
    nprocs: int | None = None
    start: float | None = None
    end: float | None = None
    runtime_s: float | None = None
    command: str = ""
    mounts: tuple[Mount, ...] = ()


def job_of(stated: StatedJob, problems: list[Problem]) -> Job:
    """The job without impossible values; these are added to `problems`."""
    uid, job_id = stated.uid, stated.job_id
    start = None if stated.start is None else _time("start", stated.start, problems)
    end = None if stated.end is None else _time("end", stated.end, problems)
    # What follows from a start or an end that cannot be is no run time; that is said of those.
    believed = (start is None) == (stated.start is None) and (end is None) == (stated.end is None)
    runtime_s = _runtime(stated.runtime_s, problems) if believed and stated.runtime_s is not None else None
    job = Job(
        job_id=None if job_id is None or job_id < 0 else str(job_id),
        uid=None if uid is None or uid < 0 else uid,
        nprocs=None if stated.nprocs is None else _nprocs(stated.nprocs, problems),
        start_time=start,
        end_time=end,
        runtime_s=runtime_s if start is not None and end is not None else None,
        executable=next(iter(stated.command.split()), None),
        # Of a program without MPI it is what /proc says, where a blank stands behind each word. A text loses the last.
        command_line=stated.command.rstrip() or None,
        mounts=stated.mounts,
    )
    if (uid is not None and uid < 0) or (job_id is not None and job_id < 0):
        problems.append(Problem("out-of-range", f"The job's uid {uid} or id {job_id} is negative.", where=_WHERE))
    return job


def numbers_bytes(format_version: str) -> int:
    """How long the fixed part before the command line is."""
    return 8 * (7 if format_version >= "3.41" else 5) + METADATA_BYTES


def read_job(data: bytes, byte_order: ByteOrder, format_version: str) -> JobRecord:
    """`data` has at least `numbers_bytes` bytes. A value that cannot be true is None and reported."""
    problems: list[Problem] = []
    mark = "<" if byte_order == "little" else ">"
    if format_version >= "3.41":
        uid, start, start_ns, end, end_ns, nprocs, job_id = struct.unpack_from(f"{mark}7q", data)
        whole_seconds = False
    else:
        uid, start, end, nprocs, job_id = struct.unpack_from(f"{mark}5q", data)
        start_ns = end_ns = 0
        whole_seconds = True
    fixed = numbers_bytes(format_version)
    metadata = _metadata(data[fixed - METADATA_BYTES : fixed], problems)
    command, mounts = _command_and_mounts(data[fixed:], len(data) >= RECORD_BYTES, problems)
    start_ns = _nanoseconds("start", start_ns, problems)
    end_ns = _nanoseconds("end", end_ns, problems)
    seconds = (end - start) + (end_ns - start_ns) / 1e9 + (1 if whole_seconds else 0)
    stated = StatedJob(uid, job_id, nprocs, start + start_ns / 1e9, end + end_ns / 1e9, seconds, command, mounts)
    job = job_of(stated, problems)
    return JobRecord(job, metadata, tuple(problems))


def _nprocs(nprocs: int, problems: list[Problem]) -> int | None:
    if 0 < nprocs <= MOST_RANKS:
        return nprocs
    problems.append(
        Problem(
            "out-of-range",
            f"The log says the job had {nprocs} ranks, which cannot be; figures per rank are missing.",
            loses_data=True,
            where=_WHERE,
        )
    )
    return None


def _time(which: str, seconds: float, problems: list[Problem]) -> float | None:
    if 0 <= seconds < 1 and which == "end":
        problems.append(
            Problem(
                "out-of-range",
                "The log has no end time: the run was killed or did not finalise, so its run time is unknown.",
                where=_WHERE,
            )
        )
        return None
    if not _EARLIEST <= int(seconds) <= _LATEST:
        problems.append(
            Problem(
                "out-of-range",
                f"The {which} time of {int(seconds)} s since 1970 cannot be true and is left out.",
                loses_data=True,
                where=_WHERE,
            )
        )
        return None
    return float(seconds)


def _nanoseconds(which: str, nanoseconds: int, problems: list[Problem]) -> int:
    if 0 <= nanoseconds < 10**9:
        return nanoseconds
    problems.append(
        Problem(
            "out-of-range",
            f"The {which} time's {nanoseconds} nanoseconds cannot be true and are left out.",
            loses_data=True,
            where=_WHERE,
        )
    )
    return 0


def _runtime(seconds: float, problems: list[Problem]) -> float | None:
    """Before format 3.41 times are whole seconds, and the run time counts both ends, as libdarshan-util does."""
    if seconds >= 0:
        return seconds
    problems.append(
        Problem(
            "out-of-range",
            f"The run ends {-seconds:.0f} s before it begins, so its run time is unknown.",
            loses_data=True,
            where=_WHERE,
        )
    )
    return None


def _metadata(data: bytes, problems: list[Problem]) -> tuple[tuple[str, str], ...]:
    pairs = []
    for line in data.split(b"\0", 1)[0].split(b"\n"):
        key, equals, value = line.partition(b"=")
        if equals:
            pairs.append((_text(key), _text(value)))
        elif line:
            problems.append(
                Problem("damaged", f"A metadata line has no value and is left out: {_text(line)!r}.", where=_WHERE)
            )
    return tuple(pairs)


def _command_and_mounts(data: bytes, fills: bool, problems: list[Problem]) -> tuple[str, tuple[Mount, ...]]:
    """The command line up to the first newline, then one "type, tab, path" line a mount."""
    text, terminator, _ = data.partition(b"\0")
    command, *lines = text.split(b"\n")
    if not terminator and fills:
        problems.append(
            Problem(
                "note",
                "The command line and mount table fill the job record to its end; what did not fit is missing.",
                where=_WHERE,
            )
        )
    mounts = []
    for line in lines:
        kind, tab, path = line.partition(b"\t")
        if tab and kind and path:
            mounts.append(Mount(_text(path), _text(kind)))
        elif line:
            problems.append(
                Problem(
                    "damaged",
                    f"A line of the mount table has no type and path and is left out: {_text(line)[:80]!r}.",
                    where=_WHERE,
                )
            )
    return _text(command), tuple(mounts)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")
