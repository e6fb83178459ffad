"""Programs without MPI keep a log for each process: those of one program that ran at the same time are reported as the
ranks of one run.

A step that starts sixty-four Python processes leaves sixty-four logs of one rank. Added up like steps, which follow one
another, they would be one process that took sixty-four times as long.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from math import inf

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.tables.running import Span, at_the_same_time, span_of
from iotriage_parsers.evidence import (
    CounterTable,
    DarshanLog,
    DxtTrace,
    Heatmap,
    Job,
    LustreLayout,
    ModuleInfo,
    Part,
)
from iotriage_parsers.evidence.darshan import Int64s, module_tables
from iotriage_parsers.frozen import frozen_identity

MODULES = ("POSIX", "MPI-IO", "STDIO", "H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR", "DFS", "DAOS")
MOST_CELLS = 2**22
"""Bins of all ranks of a heatmap that is put together: a thousand ranks have some 4,000 each."""


@frozen_identity
class Process:
    """A log of one process."""

    source: int
    log: DarshanLog
    ran: Span


def merge_process_logs(
    parts: Sequence[tuple[int, Part]],
) -> tuple[Sequence[tuple[int, Part]], Mapping[int, Mapping[int, int]]]:
    """The parts with the logs and traces of processes of one program that ran at the same time as those of one run,
    under the first of their sources; and for each of these, which source has a record. Two processes that follow one
    another are one rank. A shell that waits for another program is no rank of it."""
    processes = [p for source, part in parts if (p := _process(source, part)) is not None]
    if len(processes) < 2:
        return parts, {}
    given, owners = list(parts), {}
    programs: dict[str | None, list[Process]] = {}
    for process in processes:
        programs.setdefault(process.log.job.executable, []).append(process)
    for run in (run for of_one in programs.values() for run in _runs(of_one)):
        members = {process.source for process in run}
        mine = [(source, part) for source, part in given if source in members]
        first = min(members)
        found = _Run.of(run)
        owners[first] = found.owners()
        rest = [
            (source, part)
            for source, part in given
            if source not in members or not isinstance(part, DarshanLog | DxtTrace)
        ]
        given = [*rest, (first, found.log()), *((first, trace) for trace in found.traces(mine))]
    return given, owners


def _process(source: int, part: Part) -> Process | None:
    if not isinstance(part, DarshanLog) or part.job.nprocs != 1:
        return None
    ran = span_of(part.job)
    return None if ran is None else Process(source, part, ran)


def _runs(processes: Iterable[Process]) -> Iterable[Sequence[Process]]:
    """Those that ran at the same time, in the order of their start; two or more each."""
    timed = [(p.ran, p) for p in sorted(processes, key=lambda p: (p.ran.start_s, p.source))]
    return [[p for _, p in together] for together in at_the_same_time(timed) if len(together) > 1]


@frozen_identity
class _Run:
    """Processes in the order of their start, and the rank that each is reported as."""

    processes: Sequence[Process]
    rank_of: Mapping[int, int]

    @classmethod
    def of(cls, processes: Sequence[Process]) -> _Run:
        """A process takes the lowest rank of those that are done, else a new one."""
        done: list[int] = []
        at_work: list[tuple[float, int]] = []
        ranks: dict[int, int] = {}
        for process in processes:
            while at_work and at_work[0][0] <= process.ran.start_s:
                heappush(done, heappop(at_work)[1])
            rank = heappop(done) if done else len(at_work)
            ranks[process.source] = rank
            heappush(at_work, (process.ran.surely_until_s, rank))
        return cls(processes, ranks)

    @property
    def start_s(self) -> float:
        return self.processes[0].ran.start_s

    def owners(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for process in self.processes:
            for record in process.log.names:
                found.setdefault(record, process.source)
        return found

    def log(self) -> DarshanLog:
        logs = [process.log for process in self.processes]
        first = logs[0]
        tables = {module: self._table(module) for module in MODULES if any(module in log.tables for log in logs)}
        return replace(
            first,
            job=self._job([log.job for log in logs]),
            names={record: name for log in reversed(logs) for record, name in log.names.items()},
            modules=_modules([log.modules for log in logs]),
            lustre=_layouts(logs),
            heatmaps=tuple(
                joined
                for layer in dict.fromkeys(h.layer for log in logs for h in log.heatmaps)
                if (joined := self._heatmap(layer)) is not None
            ),
            hostnames={self.rank_of[p.source]: node for p in self.processes for node in p.log.hostnames.values()},
            **module_tables({**first.tables, **tables}),
        )

    def _job(self, jobs: Sequence[Job]) -> Job:
        end_s = max(process.ran.end_s for process in self.processes)
        return replace(
            jobs[0],
            nprocs=max(self.rank_of.values()) + 1,
            nnodes=max((job.nnodes for job in jobs if job.nnodes is not None), default=None),
            start_time=self.start_s,
            end_time=end_s,
            runtime_s=end_s - self.start_s,
            mounts=tuple(dict.fromkeys(mount for job in jobs for mount in job.mounts)),
        )

    def _table(self, module: str) -> CounterTable:
        """Times of day in the seconds of the whole run."""
        found = [(p, table) for p in self.processes if (table := p.log.tables.get(module)) is not None]
        tables = [table for _, table in found]
        when = [i for i, name in enumerate(tables[0].float_names) if name.endswith("_TIMESTAMP")]
        ranks, floats = [], []
        for process, table in found:
            ranks.append(np.full(len(table), self.rank_of[process.source], np.int64))
            seconds = table.floats.copy()
            known = seconds[:, when] > 0
            seconds[:, when] += np.where(known, process.ran.start_s - self.start_s, 0.0)
            floats.append(seconds)
        return replace(
            tables[0],
            ids=np.concatenate([t.ids for t in tables]),
            ranks=np.concatenate(ranks),
            ints=np.concatenate([t.ints for t in tables]),
            floats=np.concatenate(floats),
            partial=any(t.partial for t in tables),
            file_ids=None if tables[0].file_ids is None else np.concatenate([_file_ids(t) for t in tables]),
        )

    def _heatmap(self, layer: str) -> Heatmap | None:
        """In the widest bins of any of the processes, each shifted by as many as it began later; None where that would
        be more than the logs hold: widths and starts are whatever a log states."""
        maps = [(p, h) for p in self.processes for h in p.log.heatmaps if h.layer == layer]
        width = max(h.bin_width_s for _, h in maps)
        ends = [
            (p.ran.start_s - self.start_s + h.read.shape[1] * h.bin_width_s) / width if h.bin_width_s > 0 else inf
            for p, h in maps
        ]
        if not max(ends) * sum(len(h.ranks) for _, h in maps) <= MOST_CELLS:
            return None
        begins = [round((p.ran.start_s - self.start_s) / width) for p, _ in maps]
        parts = [(_in_bins_of(h.read, h, width), _in_bins_of(h.written, h, width)) for _, h in maps]
        bins = max(begin + read.shape[1] for begin, (read, _) in zip(begins, parts, strict=True))
        read, written = (
            np.concatenate([_shifted(part[way], begin, bins) for begin, part in zip(begins, parts, strict=True)])
            for way in (0, 1)
        )
        ranks = np.concatenate([np.full(len(h.ranks), self.rank_of[p.source], np.int64) for p, h in maps])
        return Heatmap(layer, width, *_one_a_rank(ranks, read, written))

    def traces(self, parts: Sequence[tuple[int, Part]]) -> Iterable[DxtTrace]:
        start_of = {process.source: process.ran.start_s - self.start_s for process in self.processes}
        traces = [(source, part) for source, part in parts if isinstance(part, DxtTrace)]
        for layer in dict.fromkeys(t.layer for _, t in traces):
            mine = [(source, t) for source, t in traces if t.layer == layer]
            segments = []
            for source, trace in mine:
                calls = trace.segments.copy()
                calls["rank"] = self.rank_of[source]
                calls["start"] += start_of[source]
                calls["end"] += start_of[source]
                segments.append(calls)
            yield replace(
                mine[0][1],
                segments=np.concatenate(segments),
                hostnames={self.rank_of[source]: node for source, t in mine for node in t.hostnames.values()},
                names={record: name for _, t in mine for record, name in t.names.items()},
                partial=any(t.partial for _, t in mine),
                lustre=tuple({layout.record: layout for _, t in mine for layout in t.lustre}.values()),
            )


def _file_ids(table: CounterTable) -> NDArray[np.uint64]:
    return np.zeros(len(table), np.uint64) if table.file_ids is None else table.file_ids


def _modules(of_logs: Sequence[Sequence[ModuleInfo]]) -> tuple[ModuleInfo, ...]:
    found: dict[str, ModuleInfo] = {}
    for module in (module for modules in of_logs for module in modules):
        before = found.get(module.name)
        if before is None:
            found[module.name] = module
            continue
        records = None if before.records is None or module.records is None else before.records + module.records
        worse = before if before.status != "read" else module
        found[module.name] = replace(
            worse, records=records, compressed_bytes=None, partial=before.partial or module.partial
        )
    return tuple(found.values())


def _layouts(logs: Sequence[DarshanLog]) -> tuple[LustreLayout, ...]:
    """Those of a file as the first log has them."""
    found: dict[int, list[LustreLayout]] = {}
    for log in logs:
        own: dict[int, list[LustreLayout]] = {}
        for layout in log.lustre:
            own.setdefault(layout.record, []).append(layout)
        for record, layouts in own.items():
            found.setdefault(record, layouts)
    return tuple(layout for layouts in found.values() for layout in layouts)


def _in_bins_of(values: Int64s, heatmap: Heatmap, width_s: float) -> Int64s:
    """The same bytes in bins that are a whole number of times as wide: Darshan doubles them."""
    times = max(1, round(width_s / heatmap.bin_width_s))
    missing = -values.shape[1] % times
    if times > values.shape[1]:
        together: Int64s = values.sum(axis=1, keepdims=True)
        return together
    padded = np.pad(values, ((0, 0), (0, missing)))
    found: Int64s = padded.reshape(len(values), -1, times).sum(axis=2)
    return found


def _shifted(values: Int64s, begin: int, bins: int) -> Int64s:
    """The values moved on by `begin` bins, in `bins` bins altogether."""
    found: Int64s = np.pad(values, ((0, 0), (begin, bins - begin - values.shape[1])))
    return found


def _one_a_rank(ranks: Int64s, read: Int64s, written: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    every, index = np.unique(ranks, return_inverse=True)
    sums = [np.zeros((len(every), values.shape[1]), np.int64) for values in (read, written)]
    for into, values in zip(sums, (read, written), strict=True):
        np.add.at(into, index, values)
    return every, sums[0], sums[1]
