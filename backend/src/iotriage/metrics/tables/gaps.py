"""What the evidence lacks, and why it was lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from iotriage.metrics.core.selection import LostData, Selection, unique_inverse
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.files.uses import STREAMS
from iotriage.metrics.tables.texts.printed_totals import totals_of
from iotriage_parsers.evidence import SHARED_RANK, CounterTable, DarshanLog
from iotriage_parsers.evidence.problem import ProblemCode
from iotriage_parsers.frozen import frozen

RECORDS_A_PROCESS = 1024
"""The number of records of one module that Darshan keeps in a process by default."""

Loss = Literal[
    "cut or damaged",
    "lines left out",
    "ended early",
    "lines mixed",
    "lines cut",
    "numbers changed",
    "letters changed",
    "impossible values",
    "one process",
    "not printed",
    "past our limits",
]

_BY_CODE: dict[ProblemCode, Loss] = {
    "truncated": "cut or damaged",
    "damaged": "cut or damaged",
    "unterminated": "ended early",
    "interleaved": "lines mixed",
    "cut-lines": "lines cut",
    "unrecognised-number": "numbers changed",
    "changed-letters": "letters changed",
    "out-of-range": "impossible values",
    "not-a-number": "impossible values",
    "limit": "past our limits",
    "line-too-long": "past our limits",
}


@frozen
class Gaps:
    """`losses` says how sources lost data. `overflowed` are modules for which Darshan ran out of memory; `full` are
    those of them in which a process has as many records as Darshan keeps. `unread` is the number of further modules
    that could be read in part or not at all. `printed_impossible` where the output of one of Darshan's parsers contains
    impossible values."""

    losses: tuple[Loss, ...] = ()
    overflowed: tuple[str, ...] = ()
    full: tuple[str, ...] = ()
    unread: int = 0
    printed_impossible: bool = False


NO_GAPS = Gaps()


def overflowed_modules(s: Selection) -> tuple[str, ...]:
    """The overflowed modules, each as often as a log or a text flags it."""
    of_logs = [m.name for rows in s.logs for m in rows.log.modules if m.partial]
    return (*of_logs, *(name for run in totals_of(s) for name in sorted(run.modules()) if run.partial(name)))


def number_of_unread_modules(s: Selection) -> int:
    """Modules that are damaged or could be read in part only, and that Darshan does not flag."""
    return sum(not m.partial and m.status in ("damaged", "partly-read") for rows in s.logs for m in rows.log.modules)


@cached_per_selection
def gaps_of(s: Selection) -> Gaps:
    overflowed, full = (tuple(dict.fromkeys(names)) for names in (overflowed_modules(s), _full_modules(s)))
    printed = any(lost.printed and "impossible values" in _of_source(lost) for lost in s.losses)
    return Gaps(_losses(s, none_flagged=not overflowed), overflowed, full, number_of_unread_modules(s), printed)


def _full_modules(s: Selection) -> list[str]:
    return [
        m.name
        for rows in s.logs
        for m in rows.log.modules
        if m.partial
        and (table := rows.log.tables.get(m.name)) is not None
        and _of_one_rank(table) + _dropped_streams(rows.log, table) >= RECORDS_A_PROCESS
    ]


def _of_one_rank(table: CounterTable) -> int:
    """The number of records of the fullest process: its own, and those of files that all ranks shared."""
    own = table.ranks[table.ranks != SHARED_RANK]
    most = int(np.bincount(unique_inverse(own)[1]).max()) if len(own) else 0
    return most + int((table.ranks == SHARED_RANK).sum())


def _dropped_streams(log: DarshanLog, table: CounterTable) -> int:
    """Standard streams without a record: Darshan begins one for each of the three, and drops those not used at the
    end. Their names stay."""
    if table.module != "STDIO":
        return 0
    kept = set(table.ids.tolist())
    return sum(name in STREAMS and record not in kept for record, name in log.names.items())


def _losses(s: Selection, *, none_flagged: bool) -> tuple[Loss, ...]:
    found: set[Loss] = {loss for lost in s.losses for loss in _of_source(lost)}
    if s.losses and any(_is_one_of_several(rows.log) for rows in s.logs):
        found.add("one process")
    if any("partial-module" in lost.codes for lost in s.losses) and not found and none_flagged:
        found.add("not printed")
    return tuple(sorted(found))


def _of_source(lost: LostData) -> Iterator[Loss]:
    for loss in (loss for code, loss in _BY_CODE.items() if code in lost.codes):
        yield "lines left out" if lost.printed and loss == "cut or damaged" else loss
    if "torn" in lost.codes and "unterminated" not in lost.codes:
        yield "lines mixed"


def _is_one_of_several(log: DarshanLog) -> bool:
    """Darshan writes uncompressed logs only as the memory-mapped log of one process."""
    ranks = {int(r) for t in log.tables.values() if len(t) for r in (t.ranks.min(), t.ranks.max())}
    return log.compression == "none" and (log.job.nprocs or 1) > 1 and len(ranks) == 1 and ranks != {SHARED_RANK}
