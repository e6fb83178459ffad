"""A site's rates from measurements of its own: results of IOR and benchio as tables that jobs are held against.

Values of equal runs are pooled: from five on they make quartiles, from two on a maximum. A single value, and a read
that may have come from the memory of the node that wrote, make a range, which decides nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import quantiles

from iotriage.sites.site import (
    ALL_OSTS,
    Direction,
    DocumentedRates,
    FileSystem,
    RatedPattern,
    RateRow,
    SiteSource,
    Statistic,
)
from iotriage_parsers.evidence import BenchmarkLayer, BenchmarkResult, BenchmarkRun, Evidence, StripeLayout

LEAST_FOR_QUARTILES = 5
MIB = 2**20

PATTERNS: Mapping[BenchmarkLayer, RatedPattern] = {
    "serial": "serial",
    "proc": "file-per-process",
    "node": "file-per-node",
    "mpiio": "shared-collective",
    "hdf5": "shared-collective",
    "netcdf": "shared-collective",
    "adios2": "subfiling",
}
"""How each layer of benchio writes: https://github.com/davidhenty/benchio"""

STRIPINGS = {"unstriped": 1, "fullstriped": ALL_OSTS}
"""benchio's directories whose names say how many stripes they have; that of "striped" its user chose."""

# "no tasks offsets" in version 3, "sequential" rank order before: each rank reads what it wrote.
_READS_ITS_OWN = re.compile(r"no tasks offsets", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Settings:
    """What must be equal for two measurements to stand in one table."""

    pattern: RatedPattern
    direction: Direction
    file_system: str
    stripe_count: int | None
    stripe_size_bytes: int | None
    transfer_size_bytes: int | None
    interface: str | None


@dataclass(frozen=True, slots=True)
class Measurement:
    """One operation of one benchmark run, of all its repetitions: bytes per second. `result` is the file it stands in;
    `day` is YYYY-MM-DD where the output has the date."""

    settings: Settings
    processes: int
    bytes_per_process: int | None
    bytes_per_s: tuple[float, ...]
    may_be_cached: bool
    tool: str
    result: str
    day: str | None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A run, or a whole file, that is no measurement, and why."""

    result: str
    line: int | None
    why: str


def measurements(
    results: Sequence[tuple[str, Evidence]], systems: Sequence[FileSystem]
) -> Iterator[Measurement | LeftOut]:
    """What the files, each with its name, measured on these file systems. A layout among them tells the stripes of the
    directory that it is of."""
    layouts = [part for _, evidence in results for part in evidence.parts if isinstance(part, StripeLayout)]
    for name, evidence in results:
        runs = [part for part in evidence.parts if isinstance(part, BenchmarkRun)]
        if not runs and not any(isinstance(part, StripeLayout) for part in evidence.parts):
            yield LeftOut(name, None, "it is no result of IOR or benchio")
        for run in runs:
            yield from _of_run(name, run, layouts, systems)


def _of_run(
    name: str, run: BenchmarkRun, layouts: Sequence[StripeLayout], systems: Sequence[FileSystem]
) -> Iterator[Measurement | LeftOut]:
    if run.nprocs is None:
        yield LeftOut(name, run.lines.first, "it does not say how many processes took part")
        return
    for result in run.results:
        if result.operation not in ("write", "read"):
            continue
        path = result.file or run.file
        pattern = _pattern(run, result)
        system = _system_of(path, systems)
        values = _values(result)
        if pattern is None:
            yield LeftOut(name, result.line, "it does not say whether its calls were collective")
        elif system is None:
            yield LeftOut(name, result.line, f"it does not tell on which of the file systems {path or 'its file'} is")
        elif not values:
            yield LeftOut(name, result.line, "it has no bandwidth")
        else:
            count, size = _stripes(run, result, path, layouts)
            settings = Settings(
                pattern, result.operation, system.id, count, size, run.transfer_size_bytes, result.layer or run.api
            )
            processes = 1 if pattern == "serial" else run.nprocs
            yield Measurement(
                settings,
                processes,
                run.total_bytes // processes if run.total_bytes is not None else None,
                values,
                result.operation == "read" and _may_be_cached(run),
                run.tool,
                name,
                _day(run.began_local),
            )


def _system_of(path: str | None, systems: Sequence[FileSystem]) -> FileSystem | None:
    """A path from where the benchmark was started (benchio's) is on the file system that there is, if it is one."""
    if path is None or not path.startswith("/"):
        return systems[0] if len(systems) == 1 else None
    return next((fs for fs in systems if any(re.match(mount, path) for mount in fs.mounts)), None)


def _pattern(run: BenchmarkRun, result: BenchmarkResult) -> RatedPattern | None:
    if result.layer is not None:
        return PATTERNS[result.layer]
    if run.nprocs == 1:
        return "serial"
    if run.access == "file-per-process":
        return "file-per-process"
    if run.api is not None and run.api.upper().startswith("POSIX"):
        return "shared-independent"
    return None if run.collective is None else "shared-collective" if run.collective else "shared-independent"


def _values(result: BenchmarkResult) -> tuple[float, ...]:
    each = tuple(i.bytes_per_s for i in result.iterations if i.bytes_per_s is not None)
    summed = {v for v in (result.min_bytes_per_s, result.max_bytes_per_s) if v is not None}
    return each or tuple(sorted(summed))


def _stripes(
    run: BenchmarkRun, result: BenchmarkResult, path: str | None, layouts: Sequence[StripeLayout]
) -> tuple[int | None, int | None]:
    """Count and size: as the benchmark set them, as its directory's name says, or as `lfs getstripe` printed them."""
    if run.stripe_count is not None:
        return run.stripe_count, run.stripe_size_bytes
    if result.striping in STRIPINGS:
        return STRIPINGS[result.striping], None
    above = [
        layout
        for layout in layouts
        if layout.path is not None
        and path is not None
        and len(layout.components) == 1
        and f"{path}/".startswith(f"{layout.path.rstrip('/')}/")
    ]
    if not above:
        return None, None
    nearest = max(above, key=lambda layout: len(layout.path or "")).components[0]
    return ALL_OSTS if nearest.over_all_osts else nearest.stripe_count, nearest.stripe_size_bytes


def _may_be_cached(run: BenchmarkRun) -> bool:
    """Whether ranks read what they, or others on their node, have just written."""
    wrote = bool(run.of("write"))
    order = next((s.text for s in run.settings if s.key == "ordering inter file"), "")
    return wrote and (run.nodes == 1 or _READS_ITS_OWN.search(order) is not None)


def _day(began_local: str | None) -> str | None:
    """The day of IOR's "Wed Mar  5 10:11:11 2025"."""
    try:
        return datetime.strptime(began_local or "", "%a %b %d %H:%M:%S %Y").date().isoformat()
    except ValueError:
        return None


def tables(measured: Iterable[Measurement], document: str, checked: str) -> tuple[DocumentedRates, ...]:
    """The measurements as tables, one for each setting, cited as `document`."""
    by_settings: dict[Settings, list[Measurement]] = defaultdict(list)
    for measurement in measured:
        by_settings[measurement.settings].append(measurement)
    found = [_table(settings, runs, document, checked) for settings, runs in by_settings.items()]
    return tuple(replace(table, id=_unused(table.id, found[:i])) for i, table in enumerate(found))


def _unused(name: str, before: Sequence[DocumentedRates]) -> str:
    again = sum(table.id == name for table in before)
    return f"{name}-{again + 1}" if again else name


def _table(settings: Settings, runs: Sequence[Measurement], document: str, checked: str) -> DocumentedRates:
    by_count: dict[int, list[float]] = defaultdict(list)
    for run in runs:
        by_count[run.processes] += run.bytes_per_s
    fewest = min(map(len, by_count.values()))
    cached = any(run.may_be_cached for run in runs)
    statistic: Statistic = (
        "range" if cached or fewest == 1 else "quartiles" if fewest >= LEAST_FOR_QUARTILES else "maximum"
    )
    sizes = {run.bytes_per_process for run in runs}
    results = sorted({run.result for run in runs})
    tools = " and ".join(sorted({run.tool for run in runs}))
    counts = sorted(by_count)
    ranks = f"{counts[0]:,} to {counts[-1]:,} processes" if len(counts) > 1 else f"{counts[0]:,} processes"
    said = f"{tools}, {sum(map(len, by_count.values())):,} values at {ranks}"
    return DocumentedRates(
        id=_name(settings),
        title=_title(settings),
        file_systems=(settings.file_system,),
        pattern=settings.pattern,
        direction=settings.direction,
        statistic=statistic,
        unit="MiB/s",
        measured=_when(runs),
        rows=tuple(_row(count, values, statistic) for count, values in sorted(by_count.items())),
        source=SiteSource(
            document,
            ", ".join(results),
            f"{said}; each rank may have read from its node's memory." if cached else f"{said}.",
            checked,
        ),
        stripe_count=settings.stripe_count,
        stripe_size_bytes=settings.stripe_size_bytes,
        transfer_size_bytes=settings.transfer_size_bytes,
        bytes_per_process=sizes.pop() if len(sizes) == 1 else None,
        settings=settings.interface,
    )


def _row(processes: int, values: Sequence[float], statistic: Statistic) -> RateRow:
    if statistic == "quartiles":
        lower, median, upper = quantiles(values, n=4, method="inclusive")
        return RateRow(processes, median, lower, upper, max(values))
    if statistic == "range":
        return RateRow(processes, max(values), maximum=max(values), minimum=min(values))
    return RateRow(processes, max(values))


def _when(runs: Sequence[Measurement]) -> str:
    days = sorted({run.day for run in runs if run.day is not None})
    if not days:
        return "on a day that the results do not say"
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"


def _name(settings: Settings) -> str:
    parts = [settings.file_system, settings.pattern, settings.direction]
    if settings.stripe_count is not None:
        parts.append("all-osts" if settings.stripe_count == ALL_OSTS else f"{settings.stripe_count}-stripes")
    if settings.stripe_size_bytes is not None:
        parts.append(f"of-{settings.stripe_size_bytes // 1024}-kib")
    if settings.transfer_size_bytes is not None:
        parts.append(f"by-{_bytes(settings.transfer_size_bytes).lower().replace(' ', '-')}")
    if settings.interface is not None:
        parts.append(settings.interface.lower())
    return re.sub(r"[^a-z0-9]+", "-", "-".join(parts)).strip("-")


def _title(settings: Settings) -> str:
    of = {-1: "all OSTs", 1: "1 stripe", None: None}
    count = settings.stripe_count
    parts = [
        f"{settings.pattern.replace('-', ' ')}, {settings.direction}",
        of.get(count, f"{count} stripes"),
        f"accesses of {_bytes(settings.transfer_size_bytes)}" if settings.transfer_size_bytes is not None else None,
        settings.interface,
    ]
    said = ", ".join(part for part in parts if part is not None)
    return f"{said[0].upper()}{said[1:]}"


def _bytes(size: int) -> str:
    for unit, name in ((MIB, "MiB"), (1024, "KiB")):
        if size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B"
