"""How whole the evidence is, and what it was lost by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection, unique_inverse
from iotriage.metrics.tables.files.uses import STREAMS
from iotriage.metrics.tables.texts.printed_totals import totals_of
from iotriage_parsers.evidence import SHARED_RANK, CounterTable, DarshanLog, DarshanSummary
from iotriage_parsers.evidence.problem import ProblemCode

RECORDS_A_PROCESS = 1024
"""The most records that Darshan keeps of one module in one process, unless it is told otherwise."""

Loss = Literal[
    "cut or damaged",
    "ended early",
    "lines mixed",
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
    "unrecognised-number": "numbers changed",
    "changed-letters": "letters changed",
    "out-of-range": "impossible values",
    "not-a-number": "impossible values",
    "limit": "past our limits",
    "line-too-long": "past our limits",
}


@metric(
    "evidence.partial_modules",
    "Modules with missing records",
    "1",
    formula="modules whose partial flag is set, and modules that are damaged or could be read in part only",
    needs="any source",
    scopes=["job"],
)
def partial_modules(s: Selection) -> Outcome:
    lost = sum(m.partial or m.status in ("damaged", "partly-read") for rows in s.logs for m in rows.log.modules)
    return Value(lost + sum(run.partial(module) for run in totals_of(s) for module in run.modules()))


@metric(
    "evidence.overflowed_modules",
    "Modules that Darshan had no memory for",
    "word",
    formula="modules whose partial flag is set: the run had more records than Darshan keeps",
    needs="a Darshan log, or a text that was made from one",
    scopes=["job"],
)
def overflowed_modules(s: Selection) -> Outcome:
    names = [m.name for rows in s.logs for m in rows.log.modules if m.partial]
    names += [module for run in totals_of(s) for module in sorted(run.modules()) if run.partial(module)]
    return _listed(names) or Absent("Darshan flags no module as out of memory")


@metric(
    "evidence.full_modules",
    "Modules with as many records as Darshan keeps",
    "word",
    formula=f"modules whose partial flag is set, of which a process has {RECORDS_A_PROCESS:,} records or more, "
    "standard streams that were not used among them: the count is the limit, not the memory",
    needs="a Darshan log",
    scopes=["job"],
)
def full_modules(s: Selection) -> Outcome:
    names = [
        m.name
        for rows in s.logs
        for m in rows.log.modules
        if m.partial
        and (table := rows.log.tables.get(m.name)) is not None
        and _of_one_rank(table) + _dropped_streams(rows.log, table) >= RECORDS_A_PROCESS
    ]
    return _listed(names) or Absent("no module that is out of memory is known to have reached Darshan's count")


def _of_one_rank(table: CounterTable) -> int:
    """Records that the fullest process held: its own, and the files that all ranks shared."""
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


@metric(
    "evidence.darshan",
    "Version of Darshan",
    "word",
    formula="lib_ver of the log's metadata",
    needs="a Darshan log, or a text that was made from one",
    scopes=["job"],
)
def darshan_version(s: Selection) -> Outcome:
    metadata = [rows.log.metadata for rows in s.logs] + [text.metadata for _, text in s.of(DarshanSummary)]
    stated = [dict(pairs).get("lib_ver") for pairs in metadata]
    return _listed([v for v in stated if v]) or Absent("no log states the version of Darshan that wrote it")


@metric(
    "evidence.losses",
    "What data was lost by",
    "word",
    formula="of the sources that lost data: cut or damaged, ended early, lines mixed (torn lines among them, where the "
    "job did not end early), numbers or letters changed, impossible values, one process of several, not printed by "
    "darshan-parser, past our limits",
    needs="any source",
    scopes=["job"],
)
def losses(s: Selection) -> Outcome:
    found: set[str] = {loss for codes in s.losses for loss in _losses(codes)}
    found |= {"one process" for rows in s.logs if _is_one_of_several(rows.log)} if s.losses else set()
    if any("partial-module" in codes for codes in s.losses) and not found and _no_flags(s):
        found.add("not printed")
    return _listed(sorted(found)) or Absent("no source lost data in a way that has a name")


def _losses(codes: frozenset[ProblemCode]) -> Iterator[Loss]:
    yield from (loss for code, loss in _BY_CODE.items() if code in codes)
    if "torn" in codes and "unterminated" not in codes:
        yield "lines mixed"


def _is_one_of_several(log: DarshanLog) -> bool:
    """Darshan writes uncompressed logs only as the memory-mapped log of one process."""
    ranks = {int(r) for t in log.tables.values() if len(t) for r in (t.ranks.min(), t.ranks.max())}
    return log.compression == "none" and (log.job.nprocs or 1) > 1 and len(ranks) == 1 and ranks != {SHARED_RANK}


def _no_flags(s: Selection) -> bool:
    return isinstance(outcome(s, "evidence.overflowed_modules"), Absent)


def _listed(names: list[str]) -> Value | None:
    return Value(", ".join(dict.fromkeys(names))) if names else None


@metric(
    "evidence.lower_bound",
    "Sources that lost data",
    "1",
    formula="sources that are truncated, damaged, cut off or flagged partial",
    needs="any source",
    scopes=["job"],
)
def lower_bound(s: Selection) -> Outcome:
    return Value(len(s.losses))
