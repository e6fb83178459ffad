"""How many ranks wrote and read one file."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection, unique_inverse
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
            if not len(table):
                continue
            name = f"{PREFIX[table.module]}_{counter}"
            if bool(((table.ranks < 0) & (table.count(name) > 0)).any()):
                return Absent(f"a record reduced over all ranks does not say who {word}")
            acting = table.ids[table.count(name) > 0]
            if len(acting):
                most = int(np.bincount(unique_inverse(acting)[1]).max())
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
