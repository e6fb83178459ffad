"""The schema of the JSON in which a child process reports what pydarshan read from a log. Numbers that are not finite
are None. Nothing in it is used before it has been checked against this schema."""

from __future__ import annotations

from pydantic import TypeAdapter

from iotriage_parsers.frozen import frozen


@frozen
class Job:
    uid: int
    jobid: int
    nprocs: int
    run_time: float
    log_ver: str
    start: float
    end: float | None


@frozen
class Module:
    name: str
    version: int
    compressed_bytes: int
    partial: bool


@frozen
class Table:
    """The records of one module; `ints` and `floats` have a row for each."""

    module: str
    int_names: tuple[str, ...]
    float_names: tuple[str, ...]
    ids: tuple[int, ...]
    ranks: tuple[int, ...]
    ints: tuple[tuple[int, ...], ...]
    floats: tuple[tuple[float | None, ...], ...]
    file_ids: tuple[int, ...] | None


@frozen
class Derived:
    """The figures that libdarshan-util's accumulator derives from a module's records. `agg_perf_by_slowest` is in
    MiB/s."""

    module: str
    total_bytes: int
    files: int
    bytes_read: int
    bytes_written: int
    agg_time_by_slowest_s: float | None
    agg_perf_by_slowest: float | None


@frozen
class HeatmapRow:
    record: int
    rank: int
    bin_width_s: float
    written: tuple[int, ...]
    read: tuple[int, ...]


@frozen
class Component:
    """`counters` begin with stripe size and stripe count."""

    counters: tuple[int, ...]
    osts: tuple[int, ...]


@frozen
class Layout:
    record: int
    components: tuple[Component, ...]


@frozen
class TraceRecord:
    """Segments are offset and length in bytes, start and end in seconds."""

    module: str
    record: int
    rank: int
    host: str
    writes: tuple[tuple[int, int, float, float], ...]
    reads: tuple[tuple[int, int, float, float], ...]


@frozen
class PydarshanReading:
    pydarshan: str
    job: Job
    metadata: tuple[tuple[str, str], ...]
    executable: str
    mounts: tuple[tuple[str, str], ...]
    names: tuple[tuple[int, str], ...]
    modules: tuple[Module, ...]
    tables: tuple[Table, ...]
    derived: tuple[Derived, ...]
    heatmaps: tuple[HeatmapRow, ...]
    layouts: tuple[Layout, ...]
    traces: tuple[TraceRecord, ...]
    nodes: tuple[tuple[int, str], ...]


@frozen
class CannotOpen:
    """`error` says what the library could not do."""

    error: str


READING: TypeAdapter[PydarshanReading | CannotOpen] = TypeAdapter(PydarshanReading | CannotOpen)
