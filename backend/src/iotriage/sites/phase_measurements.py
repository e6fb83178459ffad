"""What the phases of IO500 and mdtest measured: bandwidths of ior-easy and ior-hard, and file operations per second.

Each phase is one value: IO500 runs it once, and of several iterations mdtest prints the fastest and the slowest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from iotriage.sites.benchmark_options import ior_options, mdtest_options
from iotriage.sites.benchmark_use import pattern_of_ior
from iotriage.sites.measured_path import stripes_of, system_of
from iotriage.sites.measurement import Excluded, Measurement, OperationSettings, Settings, day_of
from iotriage.sites.site import FileOperation, FileSystem
from iotriage_parsers.evidence import BenchmarkRates, PhaseRate, StripeLayout
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.evidence.run_result import FileAccess

_BANDWIDTHS: Final[Mapping[str, Direction]] = {"write": "write", "read": "read"}
_OF_IO500: Final[Mapping[str, FileOperation]] = {"write": "create", "stat": "stat", "read": "read", "delete": "remove"}
_OF_MDTEST: Final[Mapping[str, FileOperation]] = {
    "file creation": "create",
    "file stat": "stat",
    "file read": "read",
    "file removal": "remove",
}


def measurements_of_phases(
    name: str, run: BenchmarkRates, layouts: Sequence[StripeLayout], systems: Sequence[FileSystem]
) -> Iterator[Measurement | Excluded]:
    """Of one run in the file `name`. Scores, directories and `find` are no figures that a job is held against."""
    if run.tool not in ("IO500", "mdtest"):
        yield Excluded(name, run.lines.first, f"results of {run.tool} do not say how ranks share files and storage")
        return
    phases = [phase for phase in run.rates if _is_measured(run, phase)]
    if run.nprocs is None:
        hint = "; the result.txt of the run does" if run.tool == "IO500" else ""
        yield Excluded(name, run.lines.first, f"it does not say how many processes took part{hint}")
        return
    for phase in phases:
        if not phase.valid:
            yield Excluded(name, phase.line, f"the benchmark says that its {phase.phase} does not count")
        elif phase.phase.startswith("ior-"):
            yield _bandwidth(name, run, run.nprocs, phase, layouts, systems)
        else:
            yield _operation(name, run, run.nprocs, phase, systems)


def paths_of(run: BenchmarkRates) -> Iterator[str]:
    """The paths on which the phases ran."""
    for command in (p.command_line for p in run.rates if p.command_line is not None):
        words = ior_options(command)
        yield from (path for path in (words.file, mdtest_options(command).directory) if path is not None)
    if run.file is not None:
        yield run.file


def _is_measured(run: BenchmarkRates, phase: PhaseRate) -> bool:
    if run.tool == "mdtest":
        return phase.phase in _OF_MDTEST
    kind, _, what = phase.phase.partition("-")
    last = what.rpartition("-")[2]
    return (kind == "ior" and last in _BANDWIDTHS) or (kind == "mdtest" and last in _OF_IO500)


def _bandwidth(
    name: str,
    run: BenchmarkRates,
    nprocs: int,
    phase: PhaseRate,
    layouts: Sequence[StripeLayout],
    systems: Sequence[FileSystem],
) -> Measurement | Excluded:
    if phase.command_line is None:
        return Excluded(name, phase.line, f"it does not say how {phase.phase} was run")
    if not phase.mean:
        return Excluded(name, phase.line, f"it has no bandwidth of {phase.phase}")
    asked = ior_options(phase.command_line)
    system = system_of(asked.file, systems)
    if system is None:
        return _nowhere(name, phase, asked.file)
    access: FileAccess = "file-per-process" if asked.file_per_process else "single-shared-file"
    pattern = pattern_of_ior(nprocs, access, asked.api, collective=asked.collective)
    way = _BANDWIDTHS[phase.phase.rpartition("-")[2]]
    count, size = stripes_of(asked.file, layouts)
    return Measurement(
        settings=Settings(pattern, way, system.id, count, size, asked.transfer_size_bytes, asked.api),
        processes=nprocs,
        bytes_per_process=None,
        per_second=(phase.mean,),
        may_be_cached=way == "read" and _may_be_cached(run, reads_others=asked.reads_others),
        tool=run.tool,
        result=name,
        line=phase.line,
        day=day_of(run.began_local),
        nodes=run.nodes,
    )


def _operation(
    name: str, run: BenchmarkRates, nprocs: int, phase: PhaseRate, systems: Sequence[FileSystem]
) -> Measurement | Excluded:
    command = phase.command_line or run.command_line
    if command is None:
        return Excluded(name, phase.line, f"it does not say how {phase.phase} was run")
    asked = mdtest_options(command)
    path = asked.directory or run.file
    system = system_of(path, systems)
    if system is None:
        return _nowhere(name, phase, path)
    operation = _OF_MDTEST[phase.phase] if run.tool == "mdtest" else _OF_IO500[phase.phase.rpartition("-")[2]]
    printed = (phase.minimum, phase.maximum) if asked.iterations > 1 else (phase.mean,)
    values = tuple(value for value in printed if value)
    if not values:
        return Excluded(name, phase.line, f"it has no rate of {phase.phase}")
    return Measurement(
        settings=OperationSettings(
            operation, "own" if asked.own_directories else "shared", system.id, asked.file_size_bytes, asked.api
        ),
        processes=nprocs,
        bytes_per_process=None,
        per_second=values,
        may_be_cached=operation in ("stat", "read") and _may_be_cached(run, reads_others=asked.reads_others),
        tool=run.tool,
        result=name,
        line=phase.line,
        day=day_of(run.began_local),
        nodes=run.nodes,
    )


def _may_be_cached(run: BenchmarkRates, *, reads_others: bool) -> bool:
    """Whether processes may have read what their own node remembers: surely not only where there are others."""
    return not reads_others or run.nodes is None or run.nodes == 1


def _nowhere(name: str, phase: PhaseRate, path: str | None) -> Excluded:
    return Excluded(name, phase.line, f"it does not tell on which of the file systems {path or phase.phase} is")
