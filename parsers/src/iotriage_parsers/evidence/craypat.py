"""A CrayPAT text report: what perftools-lite prints at the end of a job, and what `pat_report` prints later.

Megabytes are 2^20 bytes in every version: CrayPat up to 7.0.0 prints "MBytes" for what 7.0.2 and later call "MiBytes".
Rates are bytes over the summed time of the ranks' own calls, that is the mean rate of one rank's stream. They are no
bandwidth of the job: 32 ranks that write side by side at 30 MiB/s show 30.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from iotriage_parsers.evidence.locator import Lines
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.frozen import frozen

PatForm = Literal["lite", "pat_report", "fragment"]
"""`fragment`: tables or observations pasted without the header of their report."""

PatAggregation = Literal["sum-over-ranks", "average-per-rank", "one-rank"]
"""What a row's printed figures are: up to CrayPat 6.5 sums over all ranks, from 7.0.2 averages over the ranks that did
such a call. A row of one rank (`pat_report -s pe=ALL`) is that rank's own."""

PatNoise = Literal[
    "kernel", "device", "standard-stream", "pipe", "unnamed", "shared-library", "system", "instrumentation"
]
"""Why a row is no file I/O of the application: /proc and /sys; /dev; stdin, stdout, stderr; pipes; `_UnknownFile_`,
CrayPat's label for what has no name (sockets, unnamed pipes); *.so; installed software and configuration (/etc, /usr,
/opt, /lib); CrayPat's own experiment files."""

MIB = 2**20


@frozen
class PatField:
    """One `key: value` line of the header or of the additional details, as it stands."""

    key: str
    text: str
    line: int


@frozen
class PatIoRow:
    """One row of an I/O table: all ranks' I/O on `file`, or with `rank` that rank's; both None for the Total row.

    `printed_…` are the figures as printed: what they are a sum or an average of, `aggregation` says. Whoever adds or
    compares rows takes the properties. `ranks` is how many ranks did such a call (not known up to CrayPat 6.5).
    `texts` are the cells as they stand, one for each of the table's `columns`. A figure is None where the cell has no
    number or one that cannot be used.
    """

    file: str | None
    rank: int | None
    noise: PatNoise | None
    aggregation: PatAggregation
    line: int
    printed_time_s: float | None
    printed_mib: float | None
    printed_calls: float | None
    rate_per_rank_stream_mib_s: float | None
    bytes_per_call: float | None
    ranks: int | None
    texts: tuple[str, ...]

    @property
    def time_summed_over_ranks_s(self) -> float | None:
        """Seconds in such calls, added over the ranks. Ranks work side by side: no elapsed time."""
        return self._summed(self.printed_time_s)

    @property
    def bytes_summed_over_ranks(self) -> int | None:
        """Bytes, to the precision of the print (1e-6 MiB, times the ranks where averages are printed)."""
        mib = self._summed(self.printed_mib)
        return None if mib is None else round(mib * MIB)

    @property
    def calls_summed_over_ranks(self) -> float | None:
        """Calls; not whole where an average rounded to one decimal was multiplied."""
        return self._summed(self.printed_calls)

    def _summed(self, printed: float | None) -> float | None:
        if printed is None or self.aggregation != "average-per-rank":
            return printed
        return None if self.ranks is None else printed * self.ranks


@frozen
class PatIoTable:
    """File Input Stats (read) or File Output Stats (write) by Filename.

    `rows` are the files, all ranks together, as printed: longest time first. `rank_rows` are the rows of single ranks;
    `rank_selection` says which ranks have one: "ALL", "[mmm]" (slowest, median, fastest), "HIDE" (none), or None where
    the table does not say. `excluded` is CrayPat's pattern for files it left out; `row_limit` the most files it prints.
    """

    direction: Direction
    title: str
    lines: Lines
    complete: bool
    aggregation: PatAggregation
    columns: tuple[str, ...]
    rows: tuple[PatIoRow, ...]
    rank_rows: tuple[PatIoRow, ...] = ()
    total: PatIoRow | None = None
    rank_selection: str | None = None
    excluded: str | None = None
    row_limit: int | None = None
    limited: bool = False
    """Whether files may be missing: the title says so, or there are as many rows as `row_limit`."""


@frozen
class PatLustreFile:
    """One row of Lustre File Information. `osts` lists the OST of each stripe; empty where the list could not be read
    as `stripe_count` numbers, and then `ost_text` has it. CrayPat's "Stripe offset" (`printed_stripe_offset`) is 0 in
    all reports seen, whatever the OST: it is not the first OST."""

    path: str
    stripe_size_bytes: int | None
    stripe_count: int | None
    printed_stripe_offset: int | None
    osts: tuple[int, ...]
    ost_text: str
    line: int

    @property
    def first_ost(self) -> int | None:
        return self.osts[0] if self.osts else None


@frozen
class PatRankTime:
    """A row of Wall Clock Time, Memory High Water Mark: a rank's, or with `rank` None the average over all ranks."""

    rank: int | None
    process_time_s: float | None
    high_memory_mib: float | None
    line: int


@frozen
class PatProfileRow:
    """A function group of the profile (`function` None), or a function that does I/O. Sampling experiments give
    `samples`, tracing ones `time_s` and `calls`, each an average over the ranks. `percent` is of the whole program."""

    group: str
    function: str | None
    percent: float | None
    time_s: float | None
    samples: float | None
    calls: float | None
    line: int


@frozen
class PatObservation:
    """CrayPat's own advice. None on I/O is known to exist; rank order and MPI utilisation bear on collective I/O."""

    title: str
    text: str
    lines: Lines


@frozen
class CrayPatReport:
    """A quantity that the report does not state is None. `complete` is false where the report's end was not seen.

    `start_time_local` is as printed, written YYYY-MM-DDThh:mm:ss: CrayPat gives no time zone. `nodes` is 1 where the
    report gives a bare number of PEs per node. `process_time_average_s` is the mean wall time of the ranks, and
    `process_time_line` where it stands. `traced_groups` are the groups given to `pat_build -g`, None where the report
    does not say. `pruned_groups` stayed below the profile's threshold. `io_tables_absent` says why there are no I/O
    tables where there are none; never that the program did no I/O.
    """

    form: PatForm
    lines: Lines
    complete: bool
    version: str | None = None
    experiment: str | None = None
    ranks: int | None = None
    ranks_per_node: int | None = None
    nodes: int | None = None
    threads_per_rank: int | None = None
    cores_per_socket: int | None = None
    start_time_local: str | None = None
    host: str | None = None
    executable: str | None = None
    command_line: str | None = None
    process_time_average_s: float | None = None
    process_time_line: int | None = None
    high_memory_mib: float | None = None
    read_rate_per_rank_stream_mib_s: float | None = None
    write_rate_per_rank_stream_mib_s: float | None = None
    io_tables: tuple[PatIoTable, ...] = ()
    io_tables_absent: str | None = None
    lustre: tuple[PatLustreFile, ...] = ()
    rank_times: tuple[PatRankTime, ...] = ()
    profile: tuple[PatProfileRow, ...] = ()
    pruned_groups: tuple[str, ...] = ()
    traced_groups: tuple[str, ...] | None = None
    observations: tuple[PatObservation, ...] = ()
    table_titles: tuple[str, ...] = ()
    fields: tuple[PatField, ...] = ()
    kind: Literal["craypat"] = field(default="craypat")

    def tables(self, direction: Direction) -> tuple[PatIoTable, ...]:
        """The I/O tables of one direction, as they stand."""
        return tuple(t for t in self.io_tables if t.direction == direction)

    def line_of(self, key: str) -> int | None:
        """The line on which the header has `key` ("I/O Read Rate", "Number of PEs (MPI ranks)", …)."""
        return next((f.line for f in self.fields if f.key == key), None)
