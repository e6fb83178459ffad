"""HDF5 as the program calls it, and what its files cost at the MPI-IO layer below.

A dataset's access may become none, one or several MPI-IO calls. HDF5's own metadata (superblock, object headers,
B-trees) is read and written beside the data, by each rank on its own unless the program asks otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.prefix import access_counters
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection, StatsBlock, isin, of_files, select_rows
from iotriage.metrics.core.selection_cache import cached_per_job, cached_per_selection
from iotriage.metrics.tables.calls.collective_calls import with_rank_calls
from iotriage.metrics.tables.calls.single_calls import bins, small, small_independent
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.counters import no_records_of, no_table, not_recorded, sum_counters, sum_timers, total
from iotriage.metrics.tables.files.names_as_text import END, names_as_text
from iotriage.metrics.tables.selecting import file_ids
from iotriage.metrics.tables.texts.printed_totals import totals_of
from iotriage.metrics.tables.texts.stats_fields import place
from iotriage_parsers.evidence import CounterTable, MpiioStats
from iotriage_parsers.evidence.mpiio_stats import Direction

NAMED_HDF5 = (".h5", ".hdf", ".hdf5", ".he5", ".h5part", ".nc4", ".cgns")
"""What people name HDF5 files. `.nc` is left out: so are PnetCDF's files named, which have no such metadata."""


@cached_per_selection
def files_below_hdf5(s: Selection) -> tuple[tuple[LogRows, CounterTable], ...] | Absent:
    """The MPI-IO records of the HDF5 files, with their logs; by the names of files where no module of HDF5 was on."""
    found = []
    for rows, table in s.tables("MPI-IO"):
        files = rows.table("H5F")
        ids = _named_hdf5(s)[rows.source] if files is None else files.ids
        mine = select_rows(table, of_files(table, ids))
        if len(mine):
            found.append((rows, mine))
    if found:
        return not_recorded(found, "MPIIO_INDEP_READS", "MPIIO_INDEP_WRITES") or tuple(found)
    return Absent("the HDF5 files were not opened through MPI-IO") if s.tables("H5F") else no_table(s, "H5F")


@cached_per_job
def _named_hdf5(s: Selection) -> Mapping[int, NDArray[np.uint64]]:
    """The records of the files that are named as HDF5's, by log."""
    return {rows.source: np.array(_records_named_hdf5(rows), dtype=np.uint64) for rows in s.logs}


def _records_named_hdf5(rows: LogRows) -> list[int]:
    names = names_as_text(rows).lower()
    if not any(f"{ending}{END}" in names for ending in NAMED_HDF5):
        return []
    return [record for record, name in rows.log.names.items() if name.lower().endswith(NAMED_HDF5)]


PAGE = 4096
"""Of what the MPI-IO library counts: an independent call of more than a page has a stripe, or more than a page of what
is left of the bytes beside whole stripes."""


@cached_per_selection
def _printed(s: Selection) -> tuple[StatsBlock, ...]:
    """The STATS blocks of the files with such a name, where no log counts their calls."""
    if s.tables("MPI-IO") or s.tables("H5F") or totals_of(s):
        return ()
    blocks = tuple(b for b in s.stats if b.block.file.lower().endswith(NAMED_HDF5))
    return with_rank_calls(s, blocks) if all(_small_at_least(b.block) is not None for b in blocks) else ()


def _small_at_least(block: MpiioStats) -> int | None:
    """Independent calls of at most a page, as many as counts and bytes leave no doubt of."""
    alone, moved = block.independent_accesses, block.total_bytes
    if alone is None or moved is None or block.collective_accesses is None:
        return None
    stripes, stripe = block.stripe_sized_accesses or 0, block.stripe_size_bytes or 0
    return max(0, alone - stripes - max(0, moved - stripes * stripe) // PAGE)


MOST_OF_METADATA = 0.1
"""Of the bytes that the library moves in a file, up to which they may all be of HDF5 itself. Ours."""


def _metadata_printed(blocks: tuple[StatsBlock, ...], *directions: Direction) -> int:
    """In both directions, or these. Where small calls alone move more of a file than its metadata can be, data is among
    them."""
    moved: dict[str, int] = {}
    for b in blocks:
        moved[b.block.file] = moved.get(b.block.file, 0) + (b.block.total_bytes or 0)

    def is_data(block: MpiioStats) -> bool:
        others = block.collective_accesses or block.stripe_sized_accesses
        return not others and (block.total_bytes or 0) > MOST_OF_METADATA * moved[block.file]

    asked = [b.block for b in blocks if b.block.direction in (directions or DIRECTIONS)]
    return sum(_small_at_least(b) or 0 for b in asked if not is_data(b))


def _calls_printed(blocks: tuple[StatsBlock, ...]) -> int:
    return sum((b.block.independent_accesses or 0) + (b.block.collective_accesses or 0) for b in blocks)


def _printed_at(blocks: tuple[StatsBlock, ...]) -> tuple[Where, ...]:
    return joined(*(place(b, label) for b in blocks for label in ("independent accesses", "collective accesses")))


def metadata_of(rows: LogRows, table: CounterTable, direction: Direction) -> int:
    """Accesses of HDF5 itself, of all files."""
    return int(metadata_by_file(rows, table, direction).sum())


def metadata_by_file(rows: LogRows, table: CounterTable, direction: Direction) -> NDArray[np.int64]:
    """Accesses of HDF5 itself, of each file in the order of `table.by_id`: the small independent ones, less those that
    ask for a little data of a dataset."""
    known = table.by_id
    found = np.zeros(len(known.ids), np.int64)
    np.add.at(found, known.index, small_independent(table, direction))
    datasets = rows.table("H5D")
    if datasets is None:
        return found
    independent = select_rows(datasets, datasets.count("H5D_USE_MPIIO_COLLECTIVE") <= 0)
    files = file_ids(independent, rows.log)
    mine = isin(files, known.ids)
    of_data = small(independent, "H5D", direction)[mine]
    np.subtract.at(found, np.searchsorted(known.ids, files[mine]), of_data)
    return np.maximum(found, 0)


@metric(
    "hdf5.metadata_accesses",
    "HDF5 metadata accesses by single ranks",
    "calls",
    formula="of each HDF5 file and direction: independent MPI-IO calls, at most as many as accesses of up to 1 KiB "
    "(MPIIO_SIZE_*_AGG_0_100 + _100_1K), less independent dataset accesses of that size (H5D_SIZE_*_AGG). Without a "
    f"log, those of up to {PAGE // 1024} KiB that the STATS blocks leave no doubt of: independent accesses − stripe "
    f"sized ones − (total bytes − stripe sized accesses × stripe size) / {PAGE}; none of a direction that has no other "
    f"calls and more than {MOST_OF_METADATA:.0%} of the file's bytes, which are of data",
    needs="a Darshan log with HDF5 and MPI-IO records, or MPICH_MPIIO_STATS",
)
def metadata_accesses(s: Selection) -> Outcome:
    printed = _printed(s)
    if printed:
        return Value(_metadata_printed(printed), "inferred", _printed_at(printed), "lower")
    below = files_below_hdf5(s)
    if isinstance(below, Absent):
        return below
    found = sum(metadata_of(rows, table, direction) for rows, table in below for direction in DIRECTIONS)
    counters = ("MPIIO_INDEP_READS", "MPIIO_INDEP_WRITES", *bins("MPIIO", "read"), *bins("MPIIO", "write"))
    return Value(found, "inferred", joined(*(rows.where(table, *counters) for rows, table in below)))


MOSTLY = 0.9
"""Of the metadata accesses, in one direction, from which they are called by it."""


@metric(
    "hdf5.metadata_way",
    "Whether HDF5 metadata is read or written by single ranks",
    "word",
    formula=f"reads or writes where at least {MOSTLY:.0%} of hdf5.metadata_accesses are of that direction; else reads "
    "and writes",
    needs="a Darshan log with HDF5 and MPI-IO records, or MPICH_MPIIO_STATS",
)
def metadata_way(s: Selection) -> Outcome:
    every = outcome(s, "hdf5.metadata_accesses")
    if isinstance(every, Absent) or isinstance(every.value, str):
        return every
    if not every.value:
        return Absent("no metadata accesses by single ranks were made")
    reads, writes = (_of_direction(s, way) for way in DIRECTIONS)
    mostly = MOSTLY * every.value
    way = "reads" if reads >= mostly else "writes" if writes >= mostly else "reads and writes"
    return Value(way, "inferred", every.where)


def _of_direction(s: Selection, direction: Direction) -> int:
    """Those of hdf5.metadata_accesses, where it is known."""
    printed, below = _printed(s), files_below_hdf5(s)
    if printed:
        return _metadata_printed(printed, direction)
    return 0 if isinstance(below, Absent) else sum(metadata_of(rows, table, direction) for rows, table in below)


def _calls(s: Selection, *kinds: str) -> Outcome:
    below = files_below_hdf5(s)
    if isinstance(below, Absent):
        return below
    counters = tuple(f"MPIIO_{kind}_{way}S" for kind in kinds for way in ("READ", "WRITE"))
    return Value(
        sum(sum_counters(table, *counters) for _, table in below),
        where=joined(*(rows.where(table, *counters) for rows, table in below)),
    )


def _calls_or_printed(s: Selection, printed_calls: Callable[[MpiioStats], int | None], *kinds: str) -> Outcome:
    printed = _printed(s)
    if not printed:
        return _calls(s, *kinds)
    return Value(sum(printed_calls(b.block) or 0 for b in printed), where=_printed_at(printed))


@metric(
    "hdf5.collective_calls",
    "Collective MPI-IO calls on HDF5 files",
    "calls",
    formula="MPIIO_COLL_* and MPIIO_SPLIT_* of the HDF5 files, summed over ranks; without a log, those of their STATS "
    "blocks",
    needs="a Darshan log with HDF5 and MPI-IO records, or MPICH_MPIIO_STATS",
)
def collective_calls(s: Selection) -> Outcome:
    return _calls_or_printed(s, lambda block: block.collective_accesses, "COLL", "SPLIT")


@metric(
    "hdf5.independent_calls",
    "Independent MPI-IO calls on HDF5 files",
    "calls",
    formula="MPIIO_INDEP_* of the HDF5 files, summed over ranks; without a log, those of their STATS blocks. No more "
    "of them are hdf5.metadata_accesses",
    needs="a Darshan log with HDF5 and MPI-IO records, or MPICH_MPIIO_STATS",
)
def independent_calls(s: Selection) -> Outcome:
    return _calls_or_printed(s, lambda block: block.independent_accesses, "INDEP")


@metric(
    "hdf5.metadata_to_data_calls",
    "HDF5 metadata accesses per other MPI-IO call",
    "ratio",
    about=About(time=False),
    formula="hdf5.metadata_accesses / (all MPI-IO reads and writes of the HDF5 files − hdf5.metadata_accesses)",
    needs="a Darshan log with HDF5 and MPI-IO records, or MPICH_MPIIO_STATS",
)
def metadata_to_data_calls(s: Selection) -> Outcome:
    own, printed = outcome(s, "hdf5.metadata_accesses"), _printed(s)
    if printed:
        made: Outcome = Value(_calls_printed(printed), where=_printed_at(printed))
    else:
        made = _calls(s, "INDEP", "COLL", "SPLIT", "NB")
    if isinstance(own, Absent) or isinstance(made, Absent):
        return own if isinstance(own, Absent) else made
    others = Value(int(made.value) - int(own.value), where=made.where)
    found = quotient(own, others, zero="the HDF5 files have no other MPI-IO calls than small independent ones")
    # All calls are counted: where more of them are small, fewer are others.
    return found if isinstance(found, Absent) else replace(found, bound=own.bound)


def _below(rows: LogRows, table: CounterTable, direction: Direction, otherwise: float) -> float:
    """POSIX seconds of a direction in the files of `table`; `otherwise` where POSIX has not all of them."""
    posix = rows.posix
    if posix is None or posix.module in rows.cut:
        return otherwise
    files = select_rows(posix, of_files(posix, table.ids))
    return sum_timers(files, f"POSIX_F_{direction.upper()}_TIME") if len(files) else otherwise


@metric(
    "hdf5.metadata_time_fraction",
    "Share of the time in HDF5 metadata accesses, at most",
    "share",
    about=About(time=True),
    formula="of the MPI-IO seconds in reads and writes of the HDF5 files, all ranks together, those of each direction "
    "times the metadata accesses among its calls, and no more than the POSIX seconds in it; an access of HDF5 itself "
    "takes no longer than one of data, and its rank waits for the storage alone. Without a log, the metadata accesses "
    "among all calls of the STATS blocks",
    needs="a Darshan log with HDF5 and MPI-IO records, or MPICH_MPIIO_STATS",
)
def metadata_time_fraction(s: Selection) -> Outcome:
    printed = _printed(s)
    if printed:
        made = Value(_calls_printed(printed), where=_printed_at(printed))
        return quotient(outcome(s, "hdf5.metadata_accesses"), made, zero="no MPI-IO calls were made")
    below = files_below_hdf5(s)
    if isinstance(below, Absent):
        return below
    own = every = 0.0
    for rows, table in below:
        for direction in DIRECTIONS:
            took = sum_timers(table, f"MPIIO_F_{direction.upper()}_TIME")
            calls = sum_counters(table, *access_counters("MPI-IO", direction))
            every += took
            of_calls = took * metadata_of(rows, table, direction) / calls if calls else 0.0
            own += min(of_calls, _below(rows, table, direction, took))
        every += sum_timers(table, "MPIIO_F_META_TIME")
    return Value(min(1.0, own / every), "inferred") if every else Absent("the timers show no time")


@metric(
    "hdf5.metadata_accesses_a_second",
    "HDF5 metadata accesses of a rank for each second of I/O",
    "calls/s",
    formula="hdf5.metadata_accesses / ranks / seconds of the slowest rank in I/O",
    needs="a Darshan log with HDF5 and MPI-IO records, and its times",
)
def metadata_accesses_a_second(s: Selection) -> Outcome:
    own, time = outcome(s, "hdf5.metadata_accesses"), outcome(s, "job.io_time")
    if isinstance(own, Absent):
        return own
    if s.nprocs is None:
        return Absent("the log does not state the number of ranks")
    found = quotient(own, time, zero="the timers show no I/O time")
    if isinstance(found, Absent) or isinstance(found.value, str):
        return found
    return Value(found.value / max(1, s.nprocs), "inferred", found.where, own.bound)


@metric(
    "hdf5.metadata_accesses_untimed",
    "HDF5 metadata accesses of a rank, where nothing times the I/O",
    "calls",
    formula="hdf5.metadata_accesses of the STATS blocks / ranks; absent where a log counts them, or the time is known",
    needs="MPICH_MPIIO_STATS",
)
def metadata_accesses_untimed(s: Selection) -> Outcome:
    own, printed = outcome(s, "hdf5.metadata_accesses"), _printed(s)
    if isinstance(own, Absent):
        return own
    if not printed or isinstance(outcome(s, "job.io_time"), Value):
        return Absent("the accesses are judged by the time in I/O, which is known")
    if s.nprocs is None or isinstance(own.value, str):
        return Absent("no source states the number of ranks")
    return Value(own.value / max(1, s.nprocs), "inferred", own.where, own.bound)


SMALL_ON_AVERAGE = 2**16
"""Bytes: below this the few larger accesses of a direction do not carry its time."""


@metric(
    "hdf5.small_direction_time_fraction",
    "Share of the time in the direction in which nearly all accesses are HDF5's own",
    "share",
    about=About(time=True),
    formula="of the MPI-IO seconds of the HDF5 files, all ranks together, those of reading, or of writing, where nine "
    f"in ten of its calls are metadata accesses and a call moves less than {SMALL_ON_AVERAGE // 1024} KiB on average",
    needs="a Darshan log with HDF5 and MPI-IO records",
    of=files_below_hdf5,
)
def small_direction_time_fraction(below: tuple[tuple[LogRows, CounterTable], ...]) -> Outcome:
    own = every = 0.0
    for rows, table in below:
        every += sum_timers(table, "MPIIO_F_META_TIME")
        for direction in DIRECTIONS:
            way = direction.upper()
            took = sum_timers(table, f"MPIIO_F_{way}_TIME")
            calls = sum_counters(table, *access_counters("MPI-IO", direction))
            moved = sum_counters(table, "MPIIO_BYTES_WRITTEN" if direction == "write" else "MPIIO_BYTES_READ")
            every += took
            if calls and metadata_of(rows, table, direction) >= 0.9 * calls and moved < SMALL_ON_AVERAGE * calls:
                own += took
    return Value(own / every, "inferred") if every else Absent("the timers show no time")


def _collective_fraction(s: Selection, counter: str) -> Outcome:
    tables = s.tables("H5D")
    if not tables:
        return no_table(s, "H5D")
    moved = sum(sum_counters(t, counter) for _, t in tables)
    together = sum(sum_counters(select_rows(t, t.count("H5D_USE_MPIIO_COLLECTIVE") > 0), counter) for _, t in tables)
    if not moved:
        return Absent("no bytes of this direction moved at the HDF5 layer")
    where = joined(*(rows.where(t, "H5D_USE_MPIIO_COLLECTIVE", counter) for rows, t in tables))
    return Value(together / moved, "inferred", where)


def _declare(direction: Direction) -> None:
    counter = "H5D_BYTES_WRITTEN" if direction == "write" else "H5D_BYTES_READ"
    moved = "written" if direction == "write" else "read"

    @metric(
        f"hdf5.collective_{direction}_fraction",
        f"Share of the HDF5 bytes {moved} that went to datasets with collective transfers",
        "share",
        about=About(time=False, direction=direction),
        formula=f"{counter} of datasets whose H5D_USE_MPIIO_COLLECTIVE is set / {counter} of all. The flag says that a "
        "collective transfer was asked for at least once on the dataset, in either direction, not that it was done",
        needs="a Darshan log with HDF5 dataset records (Darshan 3.2 or later)",
        unless=no_records_of("H5D"),
    )
    def fraction(s: Selection) -> Outcome:
        return _collective_fraction(s, counter)

    @metric(
        f"hdf5.dataset_{direction}s",
        f"HDF5 dataset {direction}s",
        "calls",
        about=About(direction=direction),
        formula=f"H5D_{direction.upper()}S summed over ranks",
        needs="a Darshan log with HDF5 dataset records",
        unless=no_records_of("H5D"),
    )
    def accesses(s: Selection) -> Outcome:
        return total(s, "H5D", f"H5D_{direction.upper()}S")

    @metric(
        f"hdf5.bytes_{moved}",
        f"Bytes {moved} at the HDF5 layer",
        "B",
        about=About(direction=direction),
        formula=f"{counter} summed over datasets; the same bytes stand at MPI-IO or POSIX below",
        needs="a Darshan log with HDF5 dataset records",
        unless=no_records_of("H5D"),
    )
    def moved_bytes(s: Selection) -> Outcome:
        return total(s, "H5D", counter)


for _direction in DIRECTIONS:
    _declare(_direction)


@metric(
    "hdf5.written_over_given",
    "Bytes that HDF5 writes per byte that the program gives it",
    "ratio",
    about=About(time=False, direction="write"),
    formula="MPIIO_BYTES_WRITTEN of the HDF5 files / H5D_BYTES_WRITTEN of their data sets: metadata, and values that "
    "data sets are filled with, stand in the first alone",
    needs="a Darshan log with HDF5 dataset records",
    unless=no_records_of("H5D"),
)
def written_over_given(s: Selection) -> Outcome:
    files = files_below_hdf5(s)
    if isinstance(files, Absent):
        return files
    written = sum(sum_counters(table, "MPIIO_BYTES_WRITTEN") for _, table in files)
    where = joined(*(rows.where(table, "MPIIO_BYTES_WRITTEN") for rows, table in files))
    given = outcome(s, "hdf5.bytes_written")
    if isinstance(given, Value):
        given = replace(given, value=sum(_given(rows, table.ids) for rows, table in files))
    return quotient(Value(written, "measured", where), given, zero="the program wrote no data sets")


def _given(rows: LogRows, files: NDArray[np.uint64]) -> int:
    """Bytes written to the data sets of these files; one whose file is not known may be of them."""
    datasets = rows.table("H5D")
    if datasets is None:
        return 0
    of = file_ids(datasets, rows.log)
    return sum_counters(select_rows(datasets, isin(of, files) | (of == 0)), "H5D_BYTES_WRITTEN")
