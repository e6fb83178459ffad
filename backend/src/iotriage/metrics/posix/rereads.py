"""Bytes of files that were read more than once."""

from __future__ import annotations

from collections.abc import Callable

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.calls.rereads import (
    by_reach,
    rank_times_read,
    read_by_steps,
    read_volume,
    read_whole,
    times_read,
)
from iotriage.metrics.tables.counters import no_table, sum_counters


@metric(
    "posix.times_read",
    "How many times over the files were read",
    "ratio",
    about=About(time=False, direction="read"),
    formula="POSIX_BYTES_READ of all ranks / (POSIX_MAX_BYTE_READ + 1), or POSIX_BYTES_WRITTEN where that is more, "
    "over the files that the run reads, those that it writes only where they are read more than once; less than the "
    "truth where only a part of each file was read",
    needs="a Darshan log with POSIX records by file",
)
def posix_times_read(s: Selection) -> Outcome:
    return times_read(s, "POSIX")


@metric(
    "posix.reread_fraction",
    "Share of the bytes moved that were read again",
    "share",
    about=About(time=False, direction="read"),
    formula="POSIX_BYTES_READ beyond POSIX_MAX_BYTE_READ + 1, or beyond POSIX_BYTES_WRITTEN where that is more / "
    "(POSIX_BYTES_READ + POSIX_BYTES_WRITTEN) of all files",
    needs="a Darshan log with POSIX records by file",
)
def reread_fraction(s: Selection) -> Outcome:
    return _share_of_moved(s, lambda: sum(read_volume(t, "POSIX").again for _, t in s.tables("POSIX")))


def _share_of_moved(s: Selection, bytes_again: Callable[[], int]) -> Outcome:
    """`bytes_again` over the bytes that POSIX read and wrote; counted only where any were."""
    tables = s.tables("POSIX")
    if not tables:
        return no_table(s, "POSIX")
    moved = sum(sum_counters(t, "POSIX_BYTES_READ", "POSIX_BYTES_WRITTEN") for _, t in tables)
    if not moved:
        return Absent("no bytes were moved through POSIX")
    return by_reach(bytes_again() / moved, s, "POSIX")


@metric(
    "posix.read_whole_fraction",
    "Share of the bytes read by ranks that read a whole file once",
    "share",
    about=About(time=False, direction="read"),
    formula="POSIX_BYTES_READ of the records in which a rank reads within a tenth of what the file holds, and up to "
    "its end / POSIX_BYTES_READ; of a record reduced over all ranks, where the mean rank does and "
    "POSIX_F_VARIANCE_RANK_BYTES shows the others alike",
    needs="a Darshan log with POSIX records by file",
)
def read_whole_fraction(s: Selection) -> Outcome:
    return read_whole(s, "POSIX")


@metric(
    "posix.rank_times_read",
    "How many times over a rank reads its files",
    "ratio",
    about=About(time=False, direction="read"),
    formula="POSIX_BYTES_READ / (POSIX_MAX_BYTE_READ + 1 of the file, over the records with bytes read; of a record "
    "reduced over all ranks, for each rank)",
    needs="a Darshan log with POSIX records by file",
)
def posix_rank_times_read(s: Selection) -> Outcome:
    return rank_times_read(s)


@metric(
    "posix.steps_times_read",
    "How many times over the steps of a job read the same files",
    "ratio",
    about=About(time=False, direction="read"),
    formula="POSIX_BYTES_READ of all steps / the same, but of files that several steps read as a whole, each once and "
    "none of which writes them, one reading",
    needs="Darshan logs of several steps, with POSIX records by file",
)
def posix_steps_times_read(s: Selection) -> Outcome:
    tables, found = s.tables("POSIX"), read_by_steps(s)
    if not tables:
        return no_table(s, "POSIX")
    if len(tables) < 2 or not found.once:
        return Absent("no two steps of the job read anything")
    return by_reach(found.read / found.once, s, "POSIX")


@metric(
    "posix.steps_reread_fraction",
    "Share of the bytes moved that steps read again which others had read",
    "share",
    about=About(time=False, direction="read"),
    formula="POSIX_BYTES_READ beyond one reading of the files of posix.steps_times_read / (POSIX_BYTES_READ + "
    "POSIX_BYTES_WRITTEN) of all files",
    needs="a Darshan log with POSIX records by file",
)
def steps_reread_fraction(s: Selection) -> Outcome:
    return _share_of_moved(s, lambda: read_by_steps(s).again)
