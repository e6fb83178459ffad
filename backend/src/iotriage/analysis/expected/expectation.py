"""Where the job stands in what its site's documents measured: the curves of its pattern, its own point, and the point
that the best striping reaches at the same number of processes.

Pure. Between two documented process counts both the count and the bandwidth are taken on logarithmic scales; beyond the
first and the last nothing is said. A file system that no document measured gets no figure and no verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import log
from typing import Literal

from iotriage.analysis.document.expectation import Expectation, ExpectedCurve, PlacedPoint
from iotriage.analysis.expected.documented_opens import documented_opens
from iotriage.analysis.expected.interpolation import row_at
from iotriage.metrics import outcome
from iotriage.metrics.core.documented import Documented, DocumentedRate
from iotriage.metrics.core.metric import Metric, Outcome, Value
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.file.stripe_use import stripes_in_use
from iotriage.metrics.iobuf.shared_files import buffers
from iotriage.metrics.tables.grouping import Group
from iotriage.metrics.tables.layouts import ALL_OSTS
from iotriage.rules.core.words import number, stripes_phrase
from iotriage.sites.benchmark_use import rated_pattern, stated_stripes
from iotriage.sites.site import (
    BANDWIDTH_UNITS,
    DocumentedRates,
    FileSystem,
    RateRow,
    Site,
)
from iotriage_parsers.evidence import BenchmarkResult, BenchmarkRun, JobContext
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.frozen import frozen

ONE_FILE = ("serial", "shared-independent", "shared-collective")
ALIKE = 0.05
"""Two sizes that differ by less are the same setting: 8 MB and 8 MiB."""

DIRECTIONS: tuple[Direction, ...] = ("write", "read")
USERS: Mapping[Direction, str] = {"write": "writers", "read": "readers"}


@frozen
class FileUsePattern:
    """How files were used, as far as a documented table asks; `osts` is how many the file system has, `iobuf` whether
    Cray's IOBUF is known to buffer the files."""

    pattern: str | None
    direction: Direction
    processes: int | None
    stripe_count: int | None = None
    stripe_size_bytes: int | None = None
    transfer_size_bytes: float | None = None
    osts: int | None = None
    iobuf: bool = False


@frozen
class NoFigure:
    """Why no table was measured with the settings of a use: `unsettled` where it is the evidence that lacks them."""

    reason: str
    unsettled: bool = False


@frozen
class FoundRates:
    """What the tables say about one use: the rate, the ids of the tables it is from, and that of the best striping."""

    rate: DocumentedRate
    own: tuple[str, ...] = ()
    best: str | None = None


def with_documented(groups: Sequence[Group], job: Selection, site: Site) -> tuple[Group, ...]:
    """The groups as parts of `job`, whose answers they ask for, each told what the site's documents measured for files
    like its own."""
    return tuple(
        _with_documented_rates(replace(group, selection=replace(group.selection, job=job)), site) for group in groups
    )


def _with_documented_rates(group: Group, site: Site) -> Group:
    """What it was asked to know how its files are used stays answered: nothing of that is the documents'."""
    found = replace(group.selection, documented=_documented(group, site))
    found.outcomes.update(group.selection.outcomes)
    return replace(group, selection=found)


def _documented(group: Group, site: Site) -> Documented | None:
    system = site.file_system_of(group.largest.path)
    if system is None:
        return None
    write, read = (use_of(group, way, system) for way in DIRECTIONS)
    return Documented(
        found_in(site, system, write).rate,
        found_in(site, system, read).rate,
        documented_opens(group, site, system),
        _ceiling(group, site, system, write),
        _ceiling(group, site, system, read),
    )


def use_of(group: Group, direction: Direction, system: FileSystem) -> FileUsePattern:
    """How the group's files are used, in the terms by which documents tell what was measured."""
    s = group.selection
    return FileUsePattern(
        pattern=group.pattern,
        direction=direction,
        processes=1 if group.pattern == "serial" else _int_or_none(outcome(s, f"io.{USERS[direction]}")) or s.nprocs,
        stripe_count=_stripes(group),
        stripe_size_bytes=_int_or_none(outcome(s, "file.stripe_size")) or group.largest.stripe_size_bytes,
        transfer_size_bytes=_access_size(s, direction),
        osts=_int_or_none(outcome(s, "file.stripes_possible")) or system.osts,
        iobuf=buffers(s, group.largest.path),
    )


def _ceiling(group: Group, site: Site, system: FileSystem, use: FileUsePattern) -> float | None:
    """The most that the file system gives, and where one file is written at a time, its OSTs: OST rates are those of
    writing, and rough. What was measured of files so used and so striped is within it."""
    of_storage = _of_storage(group, system, use.direction)
    if of_storage is None:
        return None
    tables, stripes = tables_of(site, system, group.pattern, use.direction), _counted(use)
    alike = [t for t in tables if t.pattern == group.pattern and t.stripe_count in (None, stripes)]
    measured = [row.maximum or row.rate for t in alike for row in t.rows]
    return max([of_storage, *measured])


def _of_storage(group: Group, system: FileSystem, direction: Direction) -> float | None:
    peak = system.peak(direction)
    if direction == "read" or group.pattern not in ONE_FILE or system.ost_bandwidth is None:
        return peak
    each = _stripes(group)
    if each is None:
        return peak
    of_stripes = stripes_in_use(group.selection, each, untimed_files=group.number) * system.ost_bandwidth
    return of_stripes if peak is None else min(peak, of_stripes)


def _access_size(s: Selection, direction: Direction) -> float | None:
    """Bytes of an average access at the POSIX layer: the transfers that the file system saw."""
    calls = moved = 0
    for _, table in s.tables("POSIX"):
        calls += int(table.total("POSIX_WRITES" if direction == "write" else "POSIX_READS") or 0)
        moved += int(table.total("POSIX_BYTES_WRITTEN" if direction == "write" else "POSIX_BYTES_READ") or 0)
    return moved / calls if calls else None


def _stripes(group: Group) -> int | None:
    """The stripe count of the largest file; a log without POSIX records has it beside the file alone."""
    return _int_or_none(outcome(group.selection, "file.stripe_count")) or group.largest.stripe_count


def _int_or_none(outcome: Outcome) -> int | None:
    return int(outcome.value) if isinstance(outcome, Value) and isinstance(outcome.value, int) else None


def found_in(site: Site, system: FileSystem, use: FileUsePattern) -> FoundRates:
    """What the site's documents measured on `system` for `use`; the reason where they did not."""
    tables = tables_of(site, system, use.pattern, use.direction)
    if not tables:
        return FoundRates(DocumentedRate())
    if use.processes is None:
        return FoundRates(DocumentedRate(reason="no source states the number of ranks"))
    processes = use.processes
    there = [(t, row) for t in tables if (row := row_at(t, processes)) is not None]
    if not there:
        fitting = own_tables(tables, use)
        if isinstance(fitting, NoFigure) and not fitting.unsettled:
            return FoundRates(DocumentedRate(reason=fitting.reason))
        nearest = tables if isinstance(fitting, NoFigure) else fitting
        return FoundRates(DocumentedRate(reason=_out_of_range(nearest, processes)))
    best_table, best_row = max(there, key=lambda found: found[1].rate)
    best = replace(DocumentedRate(best=best_row.rate), interpolated=_lies_between_rows(best_table, processes))
    mine = own_tables(tables, use)
    if isinstance(mine, NoFigure):
        statistic = tables[0].statistic if mine.unsettled else None
        why = replace(best, reason=mine.reason, unsettled=mine.unsettled, statistic=statistic)
        return FoundRates(why, best=best_table.id)
    own = [(t, row) for t, row in there if t in mine]
    if not own:
        return FoundRates(replace(best, reason=_out_of_range(mine, processes)), best=best_table.id)
    table, row = min(own, key=lambda found: found[1].rate)
    rate = DocumentedRate(
        rate=row.rate,
        statistic=table.statistic,
        lower_quartile=row.lower_quartile,
        best=best_row.rate,
        interpolated=_lies_between_rows(table, processes),
        several=len(own) > 1,
    )
    return FoundRates(rate, tuple(t.id for t, _ in own), best_table.id)


def tables_of(site: Site, system: FileSystem, pattern: str | None, direction: Direction) -> tuple[DocumentedRates, ...]:
    """The tables of the pattern on the file system. Independent accesses to a shared file stand beside the collective
    ones where the site has none of them: the collective rates are what they could be."""
    here = tuple(t for t in site.rates if system.id in t.file_systems and t.direction == direction)
    own = tuple(t for t in here if t.pattern == pattern)
    return own or tuple(t for t in here if pattern == "shared-independent" and t.pattern == "shared-collective")


def own_tables(tables: Sequence[DocumentedRates], use: FileUsePattern) -> tuple[DocumentedRates, ...] | NoFigure:
    """The tables measured with the settings of `use`, several where a size lies between two."""
    if tables[0].pattern != use.pattern:
        return NoFigure("the documents have no figures for independent accesses to a shared file")
    found = tuple(tables)
    if any(t.stripe_count is not None for t in found):
        if use.stripe_count is None:
            return NoFigure("the striping of the files is not known", unsettled=True)
        found = tuple(t for t in found if t.stripe_count == _counted(use))
        if not found:
            on_all = use.stripe_count == ALL_OSTS
            of = "" if use.osts is not None or on_all else ", and the number of OSTs is not known"
            return NoFigure(f"the documents have no figures for {stripes_phrase(use.stripe_count)}{of}")
    if use.stripe_count != 1:
        of_size = _nearest(found, "stripes", lambda t: t.stripe_size_bytes, use.stripe_size_bytes)
        if isinstance(of_size, NoFigure):
            return of_size
        found = of_size
    of_access = _nearest(found, "accesses", lambda t: t.transfer_size_bytes, use.transfer_size_bytes)
    if isinstance(of_access, NoFigure) or use.iobuf or not any(t.iobuf for t in of_access):
        return of_access
    with_iobuf = next(t.settings or "IOBUF" for t in of_access if t.iobuf)
    return NoFigure(f"the documents measured such accesses with {with_iobuf}; no source shows that IOBUF was in use")


def _counted(use: FileUsePattern) -> int | None:
    """The stripe count as the documents state it."""
    return ALL_OSTS if use.osts is not None and (use.stripe_count or 0) >= use.osts else use.stripe_count


def _nearest(
    tables: tuple[DocumentedRates, ...],
    what: str,
    size_of: Callable[[DocumentedRates], int | None],
    size: float | None,
) -> tuple[DocumentedRates, ...] | NoFigure:
    """The tables whose size is that of the files, or the two sizes around it; all where the size does not matter."""
    known = sorted({v for t in tables if (v := size_of(t)) is not None})
    if not known:
        return tables
    if size is None:
        return NoFigure(f"the size of the {what} is not known", unsettled=True)
    same = [v for v in known if abs(v - size) <= ALIKE * v]
    if not same:
        below, above = [v for v in known if v < size], [v for v in known if v > size]
        if not below or not above:
            return NoFigure(f"the documents have no figures for {what} of {round(size):,} bytes")
        same = [below[-1], above[0]]
    return tuple(t for t in tables if size_of(t) in same)


def _lies_between_rows(table: DocumentedRates, processes: int) -> bool:
    return all(row.processes != processes for row in table.rows)


def _out_of_range(tables: Sequence[DocumentedRates], processes: int) -> str:
    counts = sorted({row.processes for t in tables for row in t.rows})
    range_of_counts = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    nearest = min(counts, key=lambda count: abs(log(count / processes)))
    with_it = "" if len(counts) == 1 else f" with {nearest:,}"
    figure = _figure([(t, row) for t in tables for row in t.rows if row.processes == nearest])
    return f"the documents measured with {range_of_counts} processes, not with {processes:,}; it was {figure}{with_it}"


def _figure(rows: Sequence[tuple[DocumentedRates, RateRow]]) -> str:
    """What was measured at another scale, in the document's unit: half of all runs, all of them, or the best."""
    unit = rows[0][0].unit
    least = min(row.lower_quartile or row.minimum or row.rate for _, row in rows)
    most = max(row.upper_quartile or row.rate for _, row in rows)
    upper = f"{number(most / BANDWIDTH_UNITS[unit])} {unit}"
    if any(table.statistic == "maximum" for table, _ in rows):
        return f"at most {upper}"
    return upper if least == most else f"{number(least / BANDWIDTH_UNITS[unit])} to {upper}"


def expectations(
    site: Site, groups: Sequence[Group], metrics: Mapping[str, Mapping[str, Metric]], job: Selection
) -> tuple[Expectation, ...]:
    """The curves that the job's groups of files and its benchmarks stand among, each with its points; `metrics` are
    those of the groups by id. Nothing where the site's documents measured nothing that fits."""
    placed = [*_of_groups(site, groups, metrics), *_of_benchmarks(site, job)]
    keys = dict.fromkeys((system.id, tables) for system, tables, _ in placed)
    by_id = {s.id: s for s in site.file_systems}
    return tuple(
        Expectation(
            file_system=system,
            file_system_title=by_id[system].title,
            site_title=site.title,
            retired=site.status == "retired",
            pattern=tables[0].pattern,
            direction=tables[0].direction,
            curves=tuple(_curve(t) for t in tables),
            points=tuple(p for s, t, p in placed if (s.id, t) == (system, tables)),
            peak_bytes_per_s=by_id[system].peak(tables[0].direction),
        )
        for system, tables in keys
    )


Placed = tuple[FileSystem, tuple[DocumentedRates, ...], PlacedPoint]


def _of_groups(site: Site, groups: Sequence[Group], metrics: Mapping[str, Mapping[str, Metric]]) -> Iterator[Placed]:
    for group in groups:
        system = site.file_system_of(group.largest.path)
        for way in DIRECTIONS if system is not None else ():
            rate = metrics[group.id][f"io.{way}_bandwidth"].value
            if system is None or not isinstance(rate, int | float):
                continue
            tables = tables_of(site, system, group.pattern, way)
            if tables and (use := use_of(group, way, system)).processes is not None:
                yield system, tables, replace(_point(group.label, "job", use, rate, site, system), group=group.id)


def _of_benchmarks(site: Site, job: Selection) -> Iterator[Placed]:
    folder = next((c.work_dir for _, c in job.of(JobContext) if c.work_dir is not None), None)
    for source, run in job.of(BenchmarkRun):
        for result in run.results:
            rate, pattern, way = result.best_bytes_per_s, rated_pattern(run, result), result.operation
            path = _absolute(result.file or run.file, folder)
            system = site.file_system_of(path) if path is not None else None
            if rate is None or system is None or run.nprocs is None or (way != "write" and way != "read"):
                continue
            use = FileUsePattern(
                pattern=pattern,
                direction=way,
                processes=1 if pattern == "serial" else run.nprocs,
                stripe_count=_benchmark_stripes(run, result, system),
                stripe_size_bytes=run.stripe_size_bytes,
                transfer_size_bytes=run.transfer_size_bytes,
                osts=system.osts,
            )
            tables = tables_of(site, system, pattern, way)
            if tables:
                named = " ".join(w for w in (run.tool, result.layer, result.striping) if w)
                yield system, tables, replace(_point(named, run.tool, use, rate, site, system), source=source)


def _absolute(path: str | None, folder: str | None) -> str | None:
    if path is None or path.startswith("/"):
        return path
    return None if folder is None else f"{folder.rstrip('/')}/{path}"


def _benchmark_stripes(run: BenchmarkRun, result: BenchmarkResult, system: FileSystem) -> int | None:
    """As many as the file system has OSTs where it is on all of them, if that number is known."""
    stated = stated_stripes(run, result)
    return system.osts or stated if stated == ALL_OSTS else stated


def _point(
    label: str, by: Literal["job", "IOR", "benchio"], use: FileUsePattern, rate: float, site: Site, system: FileSystem
) -> PlacedPoint:
    found = found_in(site, system, use)
    documented = found.rate.rate
    return PlacedPoint(
        label=label,
        by=by,
        pattern=use.pattern or "",
        processes=use.processes or 0,
        bytes_per_s=float(rate),
        stripe_count=use.stripe_count,
        stripe_size_bytes=use.stripe_size_bytes,
        own=found.own,
        documented=documented,
        fraction=None if documented is None else float(rate) / documented,
        interpolated=found.rate.interpolated,
        best=found.rate.best,
        best_curve=found.best,
        reason=found.rate.reason,
    )


def _curve(t: DocumentedRates) -> ExpectedCurve:
    return ExpectedCurve(
        id=t.id,
        title=t.title,
        statistic=t.statistic,
        unit=t.unit,
        measured=t.measured,
        document=t.source.document,
        section=t.source.place,
        rows=t.rows,
        stripe_count=t.stripe_count,
        stripe_size_bytes=t.stripe_size_bytes,
        transfer_size_bytes=t.transfer_size_bytes,
        bytes_per_process=t.bytes_per_process,
        settings=t.settings,
    )
