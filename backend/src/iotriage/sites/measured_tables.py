"""Measurements of a site as tables that jobs are held against.

Values of equal runs are pooled: from five on they make quartiles, from two on a maximum. A single value, and what may
have come from the memory of the node that wrote, make a range, which decides nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from statistics import quantiles
from typing import TypeVar

from iotriage.metrics.tables.layouts import ALL_OSTS
from iotriage.sites.measurement import Measurement, OperationSettings, Settings
from iotriage.sites.site import DocumentedRates, OperationRates, RateRow, SiteSource, Statistic
from iotriage_parsers.frozen import frozen

LEAST_FOR_QUARTILES = 5
MIB = 2**20

Table = TypeVar("Table", DocumentedRates, OperationRates)
_WORDS = {"create": "created", "stat": "looked up", "read": "read", "remove": "removed"}


@frozen
class MeasuredTables:
    rates: tuple[DocumentedRates, ...]
    operation_rates: tuple[OperationRates, ...]

    def __bool__(self) -> bool:
        return bool(self.rates or self.operation_rates)


def tables(measured: Iterable[Measurement], document: str, checked: str) -> MeasuredTables:
    """The measurements as tables, one for each setting, cited as `document`."""
    bandwidths: dict[Settings, list[Measurement]] = defaultdict(list)
    operations: dict[OperationSettings, list[Measurement]] = defaultdict(list)
    for one in measured:
        if isinstance(one.settings, Settings):
            bandwidths[one.settings].append(one)
        else:
            operations[one.settings].append(one)
    return MeasuredTables(
        _named_apart([_bandwidths(s, runs, document, checked) for s, runs in bandwidths.items()]),
        _named_apart([_operations(s, runs, document, checked) for s, runs in operations.items()]),
    )


def _named_apart(found: Sequence[Table]) -> tuple[Table, ...]:
    apart: list[Table] = []
    for table in found:
        apart.append(replace(table, id=_unused(table.id, [t.id for t in apart])))
    return tuple(apart)


def _unused(name: str, before: Sequence[str]) -> str:
    others = (f"{name}-{i}" for i in count(2))
    return next(free for free in chain((name,), others) if free not in before)


def extended(before: Sequence[Table], new: Sequence[Table]) -> tuple[tuple[Table, ...], frozenset[str]]:
    """The tables of a profile that change with the new ones, and the ids of those that go. A row takes the place of the
    one for as many processes; rows of the same statistic stand in one table, others in one with a name apart."""
    now = {table.id: table for table in before}
    for table in new:
        family = re.compile(rf"{re.escape(table.id)}(-\d+)?")
        counts = {row.processes for row in table.rows}
        for old in [t for t in now.values() if family.fullmatch(t.id)]:
            now[old.id] = replace(old, rows=tuple(row for row in old.rows if row.processes not in counts))
        same = next((t for t in now.values() if family.fullmatch(t.id) and t.statistic == table.statistic), None)
        name = same.id if same is not None else _unused(table.id, [t.id for t in now.values() if t.rows])
        joined = _merged(same, table) if same is not None and same.rows else table
        now[name] = replace(joined, id=name)
    changed = tuple(t for t in now.values() if t.rows and t not in before)
    return changed, frozenset(t.id for t in now.values() if not t.rows)


def _merged(old: Table, new: Table) -> Table:
    first, *others = dict.fromkeys((*old.source.sections, *new.source.sections))
    says = f"{old.source.says} {new.source.says}"
    source = replace(new.source, section=first, says=says, also=tuple(others))
    measured = new.measured if old.measured == new.measured else f"{old.measured}; {new.measured}"
    rows = sorted((*old.rows, *new.rows), key=lambda row: row.processes)
    return replace(new, rows=tuple(rows), source=source, measured=measured)


def _bandwidths(settings: Settings, runs: Sequence[Measurement], document: str, checked: str) -> DocumentedRates:
    statistic, rows = _rows(runs)
    sizes = {run.bytes_per_process for run in runs}
    return DocumentedRates(
        id=_bandwidth_id(settings),
        title=_bandwidth_title(settings),
        file_systems=(settings.file_system,),
        pattern=settings.pattern,
        direction=settings.direction,
        statistic=statistic,
        unit="MiB/s",
        measured=_days_phrase(runs),
        rows=rows,
        source=_source(runs, document, checked),
        stripe_count=settings.stripe_count,
        stripe_size_bytes=settings.stripe_size_bytes,
        transfer_size_bytes=settings.transfer_size_bytes,
        bytes_per_process=sizes.pop() if len(sizes) == 1 else None,
        settings=settings.interface,
    )


def _operations(
    settings: OperationSettings, runs: Sequence[Measurement], document: str, checked: str
) -> OperationRates:
    statistic, rows = _rows(runs)
    return OperationRates(
        id=_operation_id(settings),
        title=_operation_title(settings),
        file_systems=(settings.file_system,),
        operation=settings.operation,
        directory=settings.directory,
        statistic=statistic,
        measured=_days_phrase(runs),
        rows=rows,
        source=_source(runs, document, checked),
        file_size_bytes=settings.file_size_bytes,
        settings=settings.interface,
    )


def _rows(runs: Sequence[Measurement]) -> tuple[Statistic, tuple[RateRow, ...]]:
    by_count = _by_count(runs)
    fewest = min(map(len, by_count.values()))
    cached = any(run.may_be_cached for run in runs)
    statistic: Statistic = (
        "range" if cached or fewest == 1 else "quartiles" if fewest >= LEAST_FOR_QUARTILES else "maximum"
    )
    return statistic, tuple(_row(ranks, values, statistic) for ranks, values in sorted(by_count.items()))


def _by_count(runs: Sequence[Measurement]) -> Mapping[int, Sequence[float]]:
    found: dict[int, list[float]] = defaultdict(list)
    for run in runs:
        found[run.processes] += run.per_second
    return found


def _row(processes: int, values: Sequence[float], statistic: Statistic) -> RateRow:
    if statistic == "quartiles":
        lower, median, upper = quantiles(values, n=4, method="inclusive")
        return RateRow(processes, median, lower, upper, max(values))
    if statistic == "range":
        return RateRow(processes, max(values), maximum=max(values), minimum=min(values))
    return RateRow(processes, max(values))


def _source(runs: Sequence[Measurement], document: str, checked: str) -> SiteSource:
    """The files, and what was done in them."""
    counts = sorted({run.processes for run in runs})
    nodes = sorted({run.nodes for run in runs if run.nodes is not None})
    tools = " and ".join(sorted({run.tool for run in runs}))
    values = sum(len(run.per_second) for run in runs)
    text = f"{tools}, {values:,} {'value' if values == 1 else 'values'} at {_span(counts, 'process', 'processes')}"
    text += f" on {_span(nodes, 'node', 'nodes')}" if nodes else ""
    cached = any(run.may_be_cached for run in runs)
    says = f"{text}; each rank may have read from its node's memory." if cached else f"{text}."
    first, *others = sorted({run.result for run in runs})
    return SiteSource(document, first, says, checked, tuple(others))


def _span(counts: Sequence[int], one: str, many: str) -> str:
    if len(counts) > 1:
        return f"{counts[0]:,} to {counts[-1]:,} {many}"
    return f"{counts[0]:,} {one if counts[0] == 1 else many}"


def _days_phrase(runs: Sequence[Measurement]) -> str:
    days = sorted({run.day for run in runs if run.day is not None})
    if not days:
        return "on a day that the results do not say"
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def _bandwidth_id(settings: Settings) -> str:
    parts = [settings.file_system, settings.pattern, settings.direction]
    if settings.stripe_count is not None:
        parts.append("all-osts" if settings.stripe_count == ALL_OSTS else f"{settings.stripe_count}-stripes")
    if settings.stripe_size_bytes is not None:
        parts.append(f"of-{settings.stripe_size_bytes // 1024}-kib")
    if settings.transfer_size_bytes is not None:
        parts.append(f"by-{_bytes(settings.transfer_size_bytes)}")
    return _id([*parts, settings.interface])


def _operation_id(settings: OperationSettings) -> str:
    size = settings.file_size_bytes
    of = f"of-{_bytes(size)}" if size else None
    return _id([settings.file_system, settings.operation, settings.directory, of, settings.interface])


def _id(parts: Sequence[str | None]) -> str:
    return re.sub(r"[^a-z0-9]+", "-", "-".join(part for part in parts if part).lower()).strip("-")


def _bandwidth_title(settings: Settings) -> str:
    of = {ALL_OSTS: "all OSTs", 1: "1 stripe", None: None}
    stripes = settings.stripe_count
    return _title(
        [
            f"{settings.pattern.replace('-', ' ')}, {settings.direction}",
            of.get(stripes, f"{stripes} stripes"),
            f"accesses of {_bytes(settings.transfer_size_bytes)}" if settings.transfer_size_bytes is not None else None,
            settings.interface,
        ]
    )


def _operation_title(settings: OperationSettings) -> str:
    size = settings.file_size_bytes
    where = "a directory for each process" if settings.directory == "own" else "all in one directory"
    holding = None if size is None else "empty files" if size == 0 else f"files of {_bytes(size)}"
    return _title([f"files {_WORDS[settings.operation]}", where, holding, settings.interface])


def _title(parts: Sequence[str | None]) -> str:
    title = ", ".join(part for part in parts if part is not None)
    return f"{title[0].upper()}{title[1:]}"


def _bytes(size: int) -> str:
    for unit, name in ((MIB, "MiB"), (1024, "KiB")):
        if size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B"
