"""The job as one source knows it. A quantity that the source does not state is None, never 0."""

from __future__ import annotations

from iotriage_parsers.frozen import frozen


@frozen
class Mount:
    """One line of the mount table: a path and its file-system type ("lustre", "gpfs", "xfs", …)."""

    path: str
    fs_type: str


@frozen
class Job:
    """Times are seconds since the epoch (UTC). `runtime_s` is None where the log has no usable end time."""

    job_id: str | None = None
    uid: int | None = None
    nprocs: int | None = None
    nnodes: int | None = None
    start_time: float | None = None
    end_time: float | None = None
    runtime_s: float | None = None
    executable: str | None = None
    command_line: str | None = None
    mounts: tuple[Mount, ...] = ()
