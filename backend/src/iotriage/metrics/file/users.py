"""How many ranks wrote and read one file."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection, unique
from iotriage.metrics.tables.counters import no_table
from iotriage.metrics.tables.files.shared import EVEN, NEARLY_ALL, effective_ranks, largest_shared_file
from iotriage.metrics.tables.texts.profiled import other_files


def _profiled_users(s: Selection, *, writing: bool, word: str) -> Outcome:
    counts = [(n, f) for f in other_files(s) if (n := f.writers if writing else f.readers) is not None]
    if not counts:
        return Absent(f"no source says which ranks {word}", (DARSHAN,))
    most, file = max(counts, key=lambda c: c[0])
    return Value(most, where=file.where)


def _users(s: Selection, counter: str, word: str) -> Outcome:
    if not s.logs:
        return _profiled_users(s, writing=counter == "BYTES_WRITTEN", word=word)
    best: Value | None = None
    for rows in s.logs:
        for table in rows.highest:
            name = f"{PREFIX[table.module]}_{counter}"
            if bool(((table.ranks < 0) & (table.count(name) > 0)).any()):
                return Absent(f"a record reduced over all ranks does not say who {word}")
            acting = table.by_id.index[table.count(name) > 0]
            if len(acting):
                most = int(np.bincount(acting).max())
                if best is None or (isinstance(best.value, int) and most > best.value):
                    best = Value(most, where=rows.where(table, name))
    return best or Absent(f"no rank {word}")


@metric(
    "file.writers",
    "Ranks that wrote to the most shared file",
    "ranks",
    about=About(direction="write"),
    formula="distinct ranks with bytes written in the records of one file; a reduced record does not say; else the "
    "writer ranks of CrayPAT",
    needs="a Darshan log with one record a rank, or a CrayPAT report",
)
def writers(s: Selection) -> Outcome:
    return _users(s, "BYTES_WRITTEN", "wrote")


@metric(
    "file.readers",
    "Ranks that read from the most shared file",
    "ranks",
    about=About(direction="read"),
    formula="distinct ranks with bytes read in the records of one file; a reduced record does not say; else the "
    "reader ranks of CrayPAT",
    needs="a Darshan log with one record a rank, or a CrayPAT report",
)
def readers(s: Selection) -> Outcome:
    return _users(s, "BYTES_READ", "read")


@metric(
    "file.writing_ranks",
    "Ranks that wrote to the largest shared file",
    "ranks",
    about=About(direction="write"),
    formula="ranks with POSIX_BYTES_WRITTEN in the records of the shared file that moved most bytes; of a record "
    "reduced over all ranks, among how many its bytes were shared by POSIX_F_VARIANCE_RANK_BYTES (all, from "
    f"{EVEN:.0%} of them on), which is less where the shares are unequal; absent where more than "
    f"{1 - NEARLY_ALL:.0%} of them was read",
    needs="a Darshan log with a shared POSIX record that was written",
)
def writing_ranks(s: Selection) -> Outcome:
    if not s.tables("POSIX"):
        return no_table(s, "POSIX")
    file = largest_shared_file(s)
    if file is None:
        return Absent("no file was shared by several ranks")
    written = file.records.count("POSIX_BYTES_WRITTEN") > 0
    if not bool(written.any()):
        return Absent("the largest shared file was not written")
    if bool((file.records.ranks < 0).any()):
        if int(file.records.total("POSIX_BYTES_WRITTEN") or 0) < NEARLY_ALL * file.moved:
            return Absent("the variance of the ranks' bytes is that of what they read and wrote")
        return _by_variance(effective_ranks(file), file.rows.nprocs)
    where = file.rows.where(file.records, "POSIX_BYTES_WRITTEN", record=file.record)
    return Value(len(unique(file.records.ranks[written])), where=where)


def _by_variance(among: Outcome, nprocs: int | None) -> Outcome:
    if isinstance(among, Absent) or isinstance(among.value, str):
        return among
    all_of_them = nprocs is not None and among.value >= EVEN * nprocs
    return Value(nprocs if all_of_them and nprocs else max(1, round(among.value)), "inferred", among.where)
