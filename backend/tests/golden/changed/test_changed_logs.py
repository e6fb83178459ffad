"""Logs changed in ways of which it is known what they do to the answer, though nobody knows whether it is right: who
ran the job, in which order its ranks and records stand, what little else it did, how long it took.

A few samples are changed here, the same ones each time; `make fuzz` changes all.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest
from budget import some
from numpy.typing import NDArray
from sample_documents import document_of, sources_of
from samples import Case, cases

from iotriage.analysis.document import CaseDocument, Finding
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.evidence import CounterTable, DarshanLog, Evidence, Job
from iotriage_parsers.readers.darshan_log.counters import STDIO_COUNTERS, STDIO_F_COUNTERS

Change = Callable[[DarshanLog], DarshanLog]
A_MOMENT_S = 0.01
AS_LONG = 0.02
"""Seconds, and the share of them, that a file which nobody notices may change."""


@dataclass(frozen=True)
class Changed:
    """The document of a sample, and that of the sample changed."""

    before: CaseDocument
    after: CaseDocument


# What a change does to a table.


def _table(table: CounterTable, **columns: NDArray[np.generic]) -> CounterTable:
    return replace(table, **columns)  # type: ignore[arg-type]


def _tables(log: DarshanLog, change: Callable[[CounterTable], CounterTable]) -> DarshanLog:
    """The log with every table changed that has records of files."""
    of_files = ("posix", "mpiio", "stdio", "h5f", "h5d", "pnetcdf_file", "pnetcdf_var", "dfs", "daos")
    found = {name: getattr(log, name) for name in of_files}
    return replace(log, **{name: change(table) for name, table in found.items() if table is not None})


def _rows(table: CounterTable, order: NDArray[np.int64]) -> CounterTable:
    ids, ranks, ints, floats = (column[order] for column in (table.ids, table.ranks, table.ints, table.floats))
    of_files = None if table.file_ids is None else table.file_ids[order]
    return replace(table, ids=ids, ranks=ranks, ints=ints, floats=floats, file_ids=of_files)


def _with_run(job: Job, seconds: float) -> Job:
    return replace(job, runtime_s=seconds, end_time=None if job.start_time is None else job.start_time + seconds)


# The changes.


def _others_job(log: DarshanLog) -> DarshanLog:
    """Somebody else's, another day."""
    job, days = log.job, 137 * 86400.0
    moved = {name: None if (at := getattr(job, name)) is None else at + days for name in ("start_time", "end_time")}
    return replace(log, job=replace(job, uid=4242, job_id="990017", **moved))


def _records_backwards(log: DarshanLog) -> DarshanLog:
    turned = _tables(log, lambda table: _rows(table, np.arange(len(table))[::-1]))
    return replace(turned, lustre=log.lustre[::-1], names=dict(reversed(log.names.items())))


def _ranks_backwards(log: DarshanLog) -> DarshanLog:
    last = (log.job.nprocs or 1) - 1

    def turned(ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.where((ranks >= 0) & (ranks <= last), last - ranks, ranks)

    def change(table: CounterTable) -> CounterTable:
        ints = table.ints.copy()
        for column in (i for i, name in enumerate(table.int_names) if name.endswith(("FASTEST_RANK", "SLOWEST_RANK"))):
            ints[:, column] = np.where(table.ranks < 0, turned(ints[:, column]), ints[:, column])
        return replace(table, ranks=turned(table.ranks), ints=ints)

    heat = tuple(replace(one, ranks=turned(one.ranks)) for one in log.heatmaps)
    return replace(_tables(log, change), heatmaps=heat)


def _id(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")


def _other_ids(log: DarshanLog) -> DarshanLog:
    def other(record: int) -> int:
        return _id(str(record)) if record else 0

    def others(ids: NDArray[np.uint64]) -> NDArray[np.uint64]:
        return np.array([other(record) for record in ids.tolist()], np.uint64)

    def change(table: CounterTable) -> CounterTable:
        of_files = None if table.file_ids is None else others(table.file_ids)
        return replace(table, ids=others(table.ids), file_ids=of_files)

    names = {other(record): name for record, name in log.names.items()}
    return replace(
        _tables(log, change), names=names, lustre=tuple(replace(one, record=other(one.record)) for one in log.lustre)
    )


def _with_record(log: DarshanLog, table: CounterTable, name: str, counters: dict[str, float]) -> DarshanLog:
    """With one more record, of rank 0."""
    unknown = set(counters) - {*table.int_names, *table.float_names}
    assert not unknown, unknown
    row = replace(
        table,
        ids=np.array([_id(name)], np.uint64),
        ranks=np.zeros(1, np.int64),
        ints=np.array([[counters.get(n, 0) for n in table.int_names]], np.int64),
        floats=np.array([[counters.get(n, 0.0) for n in table.float_names]]),
        file_ids=None,
    )
    both = {
        name: np.concatenate((getattr(table, name), getattr(row, name))) for name in ("ids", "ranks", "ints", "floats")
    }
    field = {"POSIX": "posix", "STDIO": "stdio"}[table.module]
    return replace(log, names={**log.names, _id(name): name}, **{field: _table(table, **both)})


def _no_records(module: str, ints: tuple[str, ...], floats: tuple[str, ...]) -> CounterTable:
    ids, ranks = np.zeros(0, np.uint64), np.zeros(0, np.int64)
    return CounterTable(
        module, ints, floats, ids, ranks, np.zeros((0, len(ints)), np.int64), np.zeros((0, len(floats)))
    )


def _reads_a_configuration(log: DarshanLog) -> DarshanLog:
    """Rank 0, once, beside the largest file."""
    assert log.posix is not None
    times = {f"POSIX_F_{what}_START_TIMESTAMP": 0.001 for what in ("OPEN", "READ", "CLOSE")}
    times |= {f"POSIX_F_{what}_END_TIMESTAMP": 0.0012 for what in ("OPEN", "READ", "CLOSE")}
    reads = {"POSIX_OPENS": 1, "POSIX_STATS": 1, "POSIX_READS": 2, "POSIX_BYTES_READ": 812, "POSIX_MAX_BYTE_READ": 811}
    in_order = {"POSIX_SEQ_READS": 1, "POSIX_CONSEC_READS": 1, "POSIX_SIZE_READ_100_1K": 1, "POSIX_SIZE_READ_0_100": 1}
    seconds = {"POSIX_F_READ_TIME": 2e-5, "POSIX_F_META_TIME": 3e-5, "POSIX_F_MAX_READ_TIME": 1e-5}
    named = [name for record in log.posix.ids.tolist() if (name := log.names.get(record, "")).startswith("/")]
    beside = named[0].rpartition("/")[0] if named else "/tmp"
    return _with_record(log, log.posix, f"{beside}/zz_run.nml", reads | in_order | seconds | times)


def _prints(log: DarshanLog) -> DarshanLog:
    """40 lines, from its start to its end."""
    streams = log.stdio or _no_records("STDIO", STDIO_COUNTERS, STDIO_F_COUNTERS)
    writes = {"STDIO_OPENS": 1, "STDIO_WRITES": 40, "STDIO_BYTES_WRITTEN": 1600, "STDIO_MAX_BYTE_WRITTEN": 1599}
    until = {"STDIO_F_WRITE_START_TIMESTAMP": 0.01, "STDIO_F_WRITE_END_TIMESTAMP": 0.95 * (log.job.runtime_s or 1.0)}
    return _with_record(log, streams, "<STDOUT>", writes | until | {"STDIO_F_WRITE_TIME": 4e-5})


def _computes_longer(log: DarshanLog) -> DarshanLog:
    """Ten thousand times: next to no I/O is left of the run."""
    return replace(log, job=_with_run(log.job, 1e4 * (log.job.runtime_s or 0.0)))


def _twice_as_slow(log: DarshanLog) -> DarshanLog:
    """All of it: the run, its calls, and when they were."""

    def change(table: CounterTable) -> CounterTable:
        by = [4.0 if "VARIANCE_RANK_TIME" in n else 1.0 if "VARIANCE" in n else 2.0 for n in table.float_names]
        return replace(table, floats=table.floats * np.array(by))

    heat = tuple(replace(one, bin_width_s=2 * one.bin_width_s) for one in log.heatmaps)
    return replace(_tables(log, change), heatmaps=heat, job=_with_run(log.job, 2 * (log.job.runtime_s or 0.0)))


def _lacks_records(log: DarshanLog) -> DarshanLog:
    """Darshan's own flag: its memory for POSIX was full."""
    assert log.posix is not None
    modules = tuple(replace(one, partial=one.partial or one.name == "POSIX") for one in log.modules)
    return replace(log, posix=replace(log.posix, partial=True), modules=modules)


def _without_names(log: DarshanLog) -> DarshanLog:
    """As after darshan-convert --obfuscate."""
    return replace(log, names={record: str(_id(name)) for record, name in log.names.items()})


# What is asked of the samples.


def _evidence_of(case: Case) -> Evidence | None:
    """Of a sample that is one log without traces, whose records a change would have to change, too."""
    if len(case.sources) != 1:
        return None
    (source,) = sources_of(case.sources)
    found = source.outcome
    alone = isinstance(found, Evidence) and len(found.parts) == 1 and isinstance(found.parts[0], DarshanLog)
    return found if alone and isinstance(found, Evidence) else None


def _each(change: Change, applies: Callable[[DarshanLog], object]) -> Iterator[tuple[str, Changed]]:
    for case in some(cases()):
        evidence = _evidence_of(case)
        if evidence is None:
            continue
        (log,) = evidence.of(DarshanLog)
        if log.job.runtime_s and applies(log):
            changed = replace(evidence, parts=(change(log),))
            yield str(case), Changed(document_of(case.sources), diagnose([ReadSource("a.darshan", "0", 1, changed)]))


def _triggered(document: CaseDocument) -> list[Finding]:
    return [f for f in document.findings if isinstance(f, Finding) and f.verdict == "triggered"]


def _said(document: CaseDocument) -> list[tuple[object, ...]]:
    """What is triggered and explained by what, in its order, and what is said on top."""
    findings = [(f.key, f.severity, f.explained_by) for f in _triggered(document)]
    return [(document.headline.rule, document.headline.severity), *findings]


def _seconds(document: CaseDocument) -> dict[str, float]:
    """Of what each finding has, of what it could save, and what is unexplained."""
    found = {"unexplained": 0.0 if document.unexplained is None else document.unexplained.seconds}
    for finding in _triggered(document):
        kinds = {"takes": finding.takes_s, "saves": finding.could_save_s, "least": finding.could_save_at_least_s}
        found |= {f"{finding.key} {kind}": seconds for kind, seconds in kinds.items() if seconds is not None}
    return found


def _same(changed: Changed) -> object:
    """Nothing, where the same is said with the same seconds."""
    before, after = _said(changed.before), _said(changed.after)
    if before != after:
        return before, after
    before_s, after_s = _seconds(changed.before), _seconds(changed.after)
    if set(before_s) != set(after_s):
        return set(before_s) ^ set(after_s)
    near = {name: math.isclose(s, after_s[name], rel_tol=AS_LONG, abs_tol=A_MOMENT_S) for name, s in before_s.items()}
    return [name for name, is_near in near.items() if not is_near]


def _no_new_cause(changed: Changed) -> object:
    """Nothing, where no cause above info is named that was not there, and none where hardly any I/O is left."""
    before = {f.rule for f in _triggered(changed.before)}
    return [f.rule for f in _triggered(changed.after) if f.severity != "info" and (f.weighed or f.rule not in before)]


def _twice_the_seconds(changed: Changed) -> object:
    """Nothing, where what both name takes twice as long, but what a documented rate leaves of it."""
    before, after = _seconds(changed.before), _seconds(changed.after)
    both = [n for n in before if n in after and n.endswith(" takes") and not n.startswith("below-expectation")]
    return [name for name in both if not math.isclose(2 * before[name], after[name], rel_tol=AS_LONG, abs_tol=0.01)]


def _none_is_clear(changed: Changed) -> object:
    """Nothing, where no finding is clear that was there before, unless another centre judges otherwise."""
    if changed.before.site.id != changed.after.site.id:
        return []
    clear = {f.key for f in changed.after.findings if f.verdict == "clear"}
    return [f.key for f in _triggered(changed.before) if f.weighed and f.key in clear]


def _always(_: DarshanLog) -> bool:
    return True


CHANGES: dict[str, tuple[Change, Callable[[DarshanLog], object], Callable[[Changed], object]]] = {
    "somebody else's job": (_others_job, _always, _same),
    "records backwards": (_records_backwards, _always, _same),
    "ranks backwards": (_ranks_backwards, lambda log: log.job.nprocs and log.apmpi is None, _same),
    "other record ids": (_other_ids, _always, _same),
    "a configuration": (_reads_a_configuration, lambda log: log.posix is not None and not log.posix.partial, _same),
    "standard output": (_prints, lambda log: log.posix is not None and "<STDOUT>" not in log.names.values(), _same),
    "computes longer": (_computes_longer, lambda log: not any(one.partial for one in log.modules), _no_new_cause),
    "twice as slow": (_twice_as_slow, _always, _twice_the_seconds),
    "lacks records": (_lacks_records, lambda log: log.posix is not None, _none_is_clear),
    "without names": (_without_names, _always, _none_is_clear),
}


@pytest.mark.fuzz
@pytest.mark.parametrize("name", CHANGES)
def test_a_change_does_what_it_has_to(name: str) -> None:
    change, applies, differs = CHANGES[name]
    found = {sample: differs(changed) for sample, changed in _each(change, applies)}
    assert found
    assert {sample: what for sample, what in found.items() if what} == {}
