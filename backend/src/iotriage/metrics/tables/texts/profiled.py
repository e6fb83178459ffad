"""The files of a CrayPAT report: who moved how many bytes. Its times are sums or averages over ranks that work side by
side, and its rates those of one rank's stream: neither gives an elapsed time or a bandwidth of the job."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.selection import Selection, base_name
from iotriage.metrics.core.selection_cache import cached_per_job, cached_per_selection
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.files.shared import participation, ranks_beside_the_busiest
from iotriage.metrics.tables.texts.phases import all_rank_blocks, seconds_of
from iotriage_parsers.evidence import CrayPatReport, Lines, PatIoRow, PatIoTable
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.frozen import frozen

MPIIO_CALL = re.compile(r"mpi_file_i?(read|write)(?:_at|_shared)?(_all|_ordered)?", re.IGNORECASE)

MOST = 0.5
"""Share of the bytes from which a file of one rank says something of the job's busiest rank."""


@frozen
class ProfiledFile:
    """One file, all ranks together. `bytes_…` are None where the report has no such row or figure; `writers` and
    `readers` count ranks, None where the layout does not give them. `of_rank` has the bytes of every rank that moved
    some, None where the report does not show all ranks one by one. `calls` are the MPI-IO calls that the profile shows
    in the file's leading direction, None where it shows none or both kinds. `rows` are the report's, by direction."""

    path: str
    bytes_read: int | None
    bytes_written: int | None
    readers: int | None
    writers: int | None
    of_rank: Mapping[int, int] | None
    calls: Literal["collective", "independent"] | None
    rows: Mapping[Direction, PatIoRow]
    where: tuple[Where, ...]

    @property
    def bytes(self) -> int:
        return (self.bytes_read or 0) + (self.bytes_written or 0)

    @property
    def ranks(self) -> int | None:
        """How many ranks used it: exact where they are shown one by one, else of the direction with more of them."""
        if self.of_rank is not None:
            return len(self.of_rank)
        return max((n for n in (self.readers, self.writers) if n is not None), default=None)


@frozen
class Profile:
    """The report of the job that shows most of its files; reports of one run repeat one another. `files` are those that
    no STATS block is about, by path. `limited` where files may be missing from its tables."""

    source: int
    report: CrayPatReport
    files: Mapping[str, ProfiledFile]
    limited: bool


@cached_per_job
def profile_of(s: Selection) -> Profile | None:
    """The profile of the job; None where there is no CrayPAT report, or a Darshan log has all files."""
    reports = () if s.logs else s.of(CrayPatReport)
    if not reports:
        return None
    source, report = max(reports, key=lambda r: _row_counts(r[1]))
    tables = {way: _Rows.of(t) for way in DIRECTIONS if (t := _table(report, way)) is not None}
    known = {base_name(b.block.file) for b in s.stats}
    paths = dict.fromkeys(path for t in tables.values() for path in t.of_file if base_name(path) not in known)
    files = {path: _file(source, report, tables, path) for path in paths}
    return Profile(source, report, files, any(t.table.limited or not t.table.complete for t in tables.values()))


@cached_per_selection
def other_files(s: Selection) -> tuple[ProfiledFile, ...]:
    """The profile's files of the selection that no STATS block is about."""
    profile = profile_of(s)
    if profile is None:
        return ()
    if s.scope == "job":
        return tuple(profile.files.values())
    return tuple(profile.files[path] for path in sorted(s.paths) if path in profile.files)


@frozen
class _Rows:
    """The rows of one table by file, all ranks together and of single ranks, without noise."""

    table: PatIoTable
    of_file: Mapping[str, PatIoRow]
    of_ranks: Mapping[str, Sequence[PatIoRow]]

    @classmethod
    def of(cls, table: PatIoTable) -> _Rows:
        of_file: dict[str, PatIoRow] = {}
        for row in table.rows:
            if row.file is not None and row.noise is None:
                of_file.setdefault(row.file, row)
        of_ranks: dict[str, list[PatIoRow]] = {}
        for row in table.rank_rows if table.rank_selection == "ALL" else ():
            if row.file is not None:
                of_ranks.setdefault(row.file, []).append(row)
        return cls(table, of_file, of_ranks)


def _row_counts(report: CrayPatReport) -> tuple[int, int, int]:
    tables = [t for way in DIRECTIONS if (t := _table(report, way)) is not None]
    return sum(len(t.rank_rows) for t in tables), sum(len(t.rows) for t in tables), len(report.table_titles)


def _table(report: CrayPatReport, direction: Direction) -> PatIoTable | None:
    return max(report.tables(direction), key=lambda t: (len(t.rank_rows), len(t.rows)), default=None)


def _file(source: int, report: CrayPatReport, tables: Mapping[Direction, _Rows], path: str) -> ProfiledFile:
    rows = {way: t.of_file[path] for way, t in tables.items() if path in t.of_file}
    moved = {way: row.bytes_summed_over_ranks for way, row in rows.items()}
    ranks = {way: row.ranks for way, row in rows.items()}
    leading: Direction = "write" if (moved.get("write") or 0) >= (moved.get("read") or 0) else "read"
    return ProfiledFile(
        path=path,
        bytes_read=moved.get("read"),
        bytes_written=moved.get("write"),
        readers=ranks.get("read"),
        writers=ranks.get("write"),
        of_rank=_by_rank([tables[way].of_ranks.get(path, ()) for way in rows]),
        calls=_calls(report, leading),
        rows=rows,
        where=tuple(Where(source, Lines(row.line, row.line)) for row in rows.values()),
    )


def _by_rank(of_tables: Sequence[Sequence[PatIoRow]]) -> Mapping[int, int] | None:
    found: dict[int, int] = {}
    for rows in of_tables:
        if not rows:
            return None
        for row in rows:
            moved = row.bytes_summed_over_ranks
            if row.rank is None or moved is None:
                return None
            found[row.rank] = found.get(row.rank, 0) + moved
    return found


def _calls(report: CrayPatReport, direction: Direction) -> Literal["collective", "independent"] | None:
    named = (MPIIO_CALL.match(row.function) for row in report.profile if row.function is not None)
    kinds = {call[2] is not None for call in named if call is not None and call[1].lower() == direction}
    if len(kinds) != 1:
        return None
    return "collective" if kinds.pop() else "independent"


def profiled_bytes(s: Selection, direction: Direction) -> Outcome | None:
    """Bytes of the files that no STATS block is about, summed over their ranks; None without a CrayPAT report. A lower
    bound where files may be missing; 0 where the tables are whole and have the terminal's streams alone, or the like:
    of the direction without a table inferred, as pat_report leaves out what has no data."""
    profile = profile_of(s)
    if profile is None:
        return None
    known = [(f, moved) for f in other_files(s) if (moved := _bytes_of(f, direction)) is not None]
    if not known and s.scope == "job" and _shows_no_file(s, profile):
        return Value(0, "inferred" if _table(profile.report, direction) is None else "measured")
    if not known:
        return _no_rows(profile.report, direction)
    table = _table(profile.report, direction)
    lower = profile.limited or (table is not None and any(_unreadable(r) for r in table.rows))
    where = tuple(w for f, _ in known for w in f.where)
    return Value(sum(moved for _, moved in known), where=where, bound="lower" if lower else None)


def _shows_no_file(s: Selection, profile: Profile) -> bool:
    rows = [row for t in profile.report.io_tables for row in t.rows]
    return bool(rows) and not profile.limited and not s.stats and all(row.noise is not None for row in rows)


def _unreadable(row: PatIoRow) -> bool:
    return row.noise is None and row.bytes_summed_over_ranks is None


def _bytes_of(file: ProfiledFile, direction: Direction) -> int | None:
    return file.bytes_written if direction == "write" else file.bytes_read


def _no_rows(report: CrayPatReport, direction: Direction) -> Absent:
    if report.io_tables_absent is not None:
        return Absent(report.io_tables_absent, (DARSHAN,))
    word = "Input" if direction == "read" else "Output"
    # pat_report leaves out a table that has no data.
    none = _table(report, direction) is None
    return Absent(f"the CrayPAT report has no row of these files under File {word} Stats by Filename", (DARSHAN,), none)


@cached_per_selection
def timed_rows(s: Selection, *directions: Direction) -> tuple[tuple[PatIoRow, Where], ...]:
    """The rows of the selection's files, but of those whose closes MPICH_MPIIO_TIMERS has the time of. A name without
    its directory joins a row only to what other texts say about the file: where the job knows the file by the row, one
    of that name elsewhere is another."""
    profile = profile_of(s)
    if profile is None:
        return ()
    names = {base_name(path) for path in s.paths}

    def is_mine(path: str) -> bool:
        return s.scope == "job" or (path in s.paths if path in profile.files else base_name(path) in names)

    tables = [t for way in directions if (t := _table(profile.report, way)) is not None]
    return tuple(
        (row, Where(profile.source, Lines(row.line, row.line)))
        for table in tables
        for path, row in _Rows.of(table).of_file.items()
        if is_mine(path) and base_name(path) not in _timed_by_mpich(s)
    )


@cached_per_job
def _timed_by_mpich(s: Selection) -> frozenset[str]:
    known = (t for t in all_rank_blocks(s) if not isinstance(seconds_of(t, s), Absent))
    return frozenset(base_name(t.file) for t in known)


def lacks_files(s: Selection) -> bool:
    """Whether the tables have no row of a file of which MPICH_MPIIO_STATS counts bytes, and no other text its time."""
    profile = profile_of(s)
    if profile is None or not profile.report.io_tables:
        return False
    rows = {base_name(row.file) for t in profile.report.io_tables for row in t.rows if row.file is not None}
    counted = {base_name(b.block.file) for b in s.stats if b.block.total_bytes}
    return bool(counted - rows - _timed_by_mpich(s))


def summed_seconds(rows: Collection[PatIoRow]) -> float | Absent:
    """Added up over files and ranks; absent where a row has no time."""
    known = [t for row in rows if (t := row.time_summed_over_ranks_s) is not None]
    return sum(known) if len(known) == len(rows) else Absent("a row of these files has no time", (DARSHAN,))


@frozen
class SlowestAtLeast:
    """`seconds` that the slowest rank takes at least, or just so where `one_rank` alone used the files."""

    seconds: float
    one_rank: bool


def slowest_at_least(rows: Sequence[PatIoRow], nprocs: int | None) -> SlowestAtLeast | Absent:
    """Of these rows: the larger of the mean over the ranks that can have used the files, and the largest mean of one
    file over its own."""
    summed = summed_seconds(rows)
    if isinstance(summed, Absent):
        return summed
    counted = [row.ranks for row in rows if row.ranks is not None]
    users = min(
        [*([sum(counted)] if counted and len(counted) == len(rows) else []), *([nprocs] if nprocs else [])], default=0
    )
    if not users:
        return Absent("the CrayPAT report does not say how many ranks used these files", (DARSHAN,))
    means = [t / row.ranks for row in rows if row.ranks and (t := row.time_summed_over_ranks_s) is not None]
    return SlowestAtLeast(max([summed / users, *means]), one_rank=users == 1)


def shows_all_time(profile: Profile) -> bool:
    """Whether the report shows every file and its ranks, and, among the functions that took time, those beside reads
    and writes."""
    rows = [row for way in DIRECTIONS if (t := _table(profile.report, way)) is not None for row in t.rows]
    return bool(profile.report.profile) and not profile.limited and all(row.ranks is not None for row in rows)


def slowest_shown(report: CrayPatReport) -> float | None:
    """Seconds of the slowest rank where every table shows all ranks one by one (`pat_report -s pe=ALL`)."""
    tables = [t for way in DIRECTIONS if (t := _table(report, way)) is not None]
    if not tables or any(t.rank_selection != "ALL" or not t.rank_rows for t in tables):
        return None
    of_rank: dict[int, float] = {}
    for row in (row for t in tables for row in t.rank_rows if row.noise is None):
        if row.rank is None or row.time_summed_over_ranks_s is None:
            return None
        of_rank[row.rank] = of_rank.get(row.rank, 0.0) + row.time_summed_over_ranks_s
    return max(of_rank.values(), default=None)


def largest_shared(s: Selection) -> ProfiledFile | None:
    """The file that moved most bytes of those that several ranks used."""
    shared = [f for f in other_files(s) if f.ranks is not None and f.ranks > 1 and f.bytes]
    return max(shared, key=lambda f: f.bytes, default=None)


def movers(s: Selection) -> Outcome | None:
    """Among how many ranks the bytes of the largest shared file were shared; None where CrayPAT shows none."""
    file = largest_shared(s)
    if file is None or file.ranks is None:
        return None
    shared = participation(file.of_rank.values()) if file.of_rank else None
    return Value(file.ranks if shared is None else shared, where=file.where)


@frozen
class ProfiledSpread:
    """Bytes of the busiest rank and of all; `ranks` that shared them, those of the job where these are not known.
    `exact` where every rank is shown, `lower` where the busiest one may have moved more."""

    most: float
    all: int
    ranks: float | None
    exact: bool
    lower: bool
    where: tuple[Where, ...]


def spread(s: Selection) -> ProfiledSpread | Absent | None:
    """Bytes over the ranks; None without a CrayPAT report."""
    profile = profile_of(s)
    if profile is None:
        return None
    files = [f for f in other_files(s) if f.bytes]
    everything = sum(f.bytes for f in files)
    if not everything:
        return _no_rows(profile.report, "write")
    where = tuple(w for f in files for w in f.where)
    if all(f.of_rank is not None for f in files):
        of_rank: dict[int, int] = {}
        for f in files:
            for rank, moved in (f.of_rank or {}).items():
                of_rank[rank] = of_rank.get(rank, 0) + moved
        most, squares = max(of_rank.values()), float(sum(b * b for b in of_rank.values()))
        ranks = None if s.nprocs is None else ranks_beside_the_busiest(everything, squares, most, s.nprocs)
        return ProfiledSpread(most, everything, ranks, not profile.limited, lower=False, where=where)
    return _of_files(files, everything, s.nprocs, profile.limited, where)


def _of_files(
    files: list[ProfiledFile], everything: int, nprocs: int | None, limited: bool, where: tuple[Where, ...]
) -> ProfiledSpread | Absent:
    """Where ranks are not shown: a file each for every rank, or one rank's file that is most of the bytes."""
    lone = [f.bytes for f in files if f.ranks == 1]
    by_all = [f.bytes for f in files if f.ranks is not None and f.ranks == nprocs]
    if nprocs is not None and not limited and len(lone) == nprocs > 1 and len(lone) + len(by_all) == len(files):
        if sum(lone) >= MOST * everything:
            return ProfiledSpread(
                max(lone) + sum(by_all) / nprocs, everything, nprocs, exact=False, lower=False, where=where
            )
    elif lone and max(lone) >= MOST * everything and not limited:
        return ProfiledSpread(max(lone), everything, nprocs, exact=False, lower=True, where=where)
    return Absent("the CrayPAT report does not show the ranks one by one (pat_report -s pe=ALL does)", (DARSHAN,))
