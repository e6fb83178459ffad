"""How a run of IOR or benchio used its files: pattern and stripes, as documents rate them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from iotriage.metrics.core.pattern import Pattern
from iotriage.metrics.tables.layouts import ALL_OSTS
from iotriage_parsers.evidence import BenchmarkLayer, BenchmarkResult, BenchmarkRun
from iotriage_parsers.evidence.run_result import FileAccess

PATTERNS: Final[Mapping[BenchmarkLayer, Pattern]] = {
    "serial": "serial",
    "proc": "file-per-process",
    "node": "file-per-node",
    "mpiio": "shared-collective",
    "hdf5": "shared-collective",
    "netcdf": "shared-collective",
    "adios2": "subfiling",
}
"""How each layer of benchio writes: https://github.com/davidhenty/benchio"""

STRIPES_OF_DIRECTORIES: Final[Mapping[str, int]] = {"unstriped": 1, "fullstriped": ALL_OSTS}
"""benchio's directories whose names say how many stripes they have; that of "striped" its user chose."""


def rated_pattern(run: BenchmarkRun, result: BenchmarkResult) -> Pattern | None:
    """The pattern, in the words of documented tables; None where the output does not say how ranks shared the files, or
    whether their calls were collective."""
    if result.layer is not None:
        return PATTERNS[result.layer]
    if run.nprocs == 1:
        return "serial"
    collective = False if _of_posix(run.api) or run.access == "file-per-process" else run.collective
    if run.access is None or collective is None:
        return None
    return pattern_of_ior(run.nprocs, run.access, run.api, collective=collective)


def pattern_of_ior(nprocs: int | None, access: FileAccess, api: str | None, *, collective: bool) -> Pattern:
    """How a run of IOR with these options does; POSIX has no collective calls, whatever is asked for."""
    if nprocs == 1:
        return "serial"
    if access == "file-per-process":
        return access
    return "shared-collective" if collective and not _of_posix(api) else "shared-independent"


def _of_posix(api: str | None) -> bool:
    return api is not None and api.upper().startswith("POSIX")


def stated_stripes(run: BenchmarkRun, result: BenchmarkResult) -> int | None:
    """The stripe count as the benchmark set it, or as its directory's name says, −1 for all OSTs."""
    if run.stripe_count is not None or result.striping is None:
        return run.stripe_count
    return STRIPES_OF_DIRECTORIES.get(result.striping)
