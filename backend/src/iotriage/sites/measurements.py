"""What results of IOR, benchio, mdtest and IO500 measured on a site, one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from iotriage.sites.benchmark_use import rated_pattern, stated_stripes
from iotriage.sites.measured_path import stripes_of, system_of
from iotriage.sites.measurement import Excluded, Measurement, OperationSettings, Settings, day_of
from iotriage.sites.phase_measurements import measurements_of_phases
from iotriage.sites.site import FileSystem
from iotriage_parsers.evidence import (
    BenchmarkRates,
    BenchmarkResult,
    BenchmarkRun,
    Evidence,
    StripeLayout,
)

# "no tasks offsets" in version 3, "sequential" rank order before: each rank reads what it wrote.
_READS_ITS_OWN = re.compile(r"no tasks offsets", re.IGNORECASE)


def measurements(
    results: Sequence[tuple[str, Evidence]], systems: Sequence[FileSystem]
) -> Iterator[Measurement | Excluded]:
    """What the files, each with its name, measured on these file systems. A layout among them tells the stripes of the
    directory that it is of. What two files tell of one run counts once."""
    layouts = [part for _, evidence in results for part in evidence.parts if isinstance(part, StripeLayout)]
    once = tuple(_each_once(results))
    found = [m for result in once for m in _of_result(result, layouts, systems)]
    measured = [m for m in found if isinstance(m, Measurement) and m.tool != "IO500"]
    for one in found:
        if not isinstance(one, Measurement) or one.tool != "IO500":
            yield one
            continue
        other = next((m for m in measured if _same(one, m)), None)
        measured.append(one)
        yield one if other is None else Excluded(one.result, one.line, f"the same run stands in {other.result}")


def _each_once(results: Sequence[tuple[str, Evidence]]) -> Iterator[tuple[str, Evidence] | Excluded]:
    for i, (name, evidence) in enumerate(results):
        twin = next((other for other, before in results[:i] if before.parts and before.parts == evidence.parts), None)
        yield (name, evidence) if twin is None else Excluded(name, None, f"it says the same as {twin}")


def _of_result(
    result: tuple[str, Evidence] | Excluded, layouts: Sequence[StripeLayout], systems: Sequence[FileSystem]
) -> Iterator[Measurement | Excluded]:
    if isinstance(result, Excluded):
        yield result
        return
    name, evidence = result
    if not any(isinstance(part, BenchmarkRun | BenchmarkRates | StripeLayout) for part in evidence.parts):
        yield Excluded(name, None, "it is no result of IOR, benchio, mdtest or IO500")
    for part in evidence.parts:
        if isinstance(part, BenchmarkRun):
            yield from _of_run(name, part, layouts, systems)
        elif isinstance(part, BenchmarkRates):
            yield from measurements_of_phases(name, part, layouts, systems)


_PRINTED = 1e-4
"""IOR prints five digits or more of what IO500 prints six decimals of."""


def _same(phase: Measurement, other: Measurement) -> bool:
    """Whether IO500's figure of a phase is the one that IOR or mdtest printed of it, or another file of IO500."""
    (rate,) = phase.per_second
    alike = phase.processes == other.processes and _kind(phase.settings) == _kind(other.settings)
    return alike and any(abs(rate - value) <= _PRINTED * value for value in other.per_second)


def _kind(settings: Settings | OperationSettings) -> tuple[str, str]:
    if isinstance(settings, Settings):
        return settings.pattern, settings.direction
    return settings.operation, settings.directory


def _of_run(
    name: str, run: BenchmarkRun, layouts: Sequence[StripeLayout], systems: Sequence[FileSystem]
) -> Iterator[Measurement | Excluded]:
    if run.nprocs is None:
        yield Excluded(name, run.lines.first, "it does not say how many processes took part")
        return
    for result in run.results:
        if result.operation not in ("write", "read"):
            continue
        path = result.file or run.file
        pattern = rated_pattern(run, result)
        system = system_of(path, systems)
        values = _values(result)
        if pattern is None:
            yield Excluded(
                name, result.line, "it does not say how its ranks share files, or whether their calls were collective"
            )
        elif system is None:
            yield Excluded(name, result.line, f"it does not tell on which of the file systems {path or 'its file'} is")
        elif not values:
            yield Excluded(name, result.line, "it has no bandwidth")
        else:
            count, size = _stripes(run, result, path, layouts)
            settings = Settings(
                pattern, result.operation, system.id, count, size, run.transfer_size_bytes, result.layer or run.api
            )
            processes = 1 if pattern == "serial" else run.nprocs
            yield Measurement(
                settings=settings,
                processes=processes,
                bytes_per_process=run.total_bytes // processes or None if run.total_bytes is not None else None,
                per_second=values,
                may_be_cached=result.operation == "read" and _may_be_cached(run),
                tool=run.tool,
                result=name,
                line=result.line,
                day=day_of(run.began_local),
                nodes=run.nodes,
            )


def _values(result: BenchmarkResult) -> tuple[float, ...]:
    """Those above zero: what failed, or was too short for the benchmark's clock, was not measured."""
    each = tuple(i.bytes_per_s for i in result.iterations if i.bytes_per_s)
    summed = {v for v in (result.min_bytes_per_s, result.max_bytes_per_s) if v}
    return each or tuple(sorted(summed))


def _stripes(
    run: BenchmarkRun, result: BenchmarkResult, path: str | None, layouts: Sequence[StripeLayout]
) -> tuple[int | None, int | None]:
    """Count and size: as the benchmark says them, or as `lfs getstripe` printed them."""
    stated = stated_stripes(run, result)
    return stripes_of(path, layouts) if stated is None else (stated, run.stripe_size_bytes)


def _may_be_cached(run: BenchmarkRun) -> bool:
    """Whether ranks read what they, or others on their node, may have just written: on one node another test may have
    written it."""
    order = next((s.text for s in run.settings if s.key == "ordering inter file"), "")
    return run.nodes == 1 or (bool(run.of("write")) and _READS_ITS_OWN.search(order) is not None)
