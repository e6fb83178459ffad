"""Reads the region of one module: inflates it, checks that it is complete, and parses it. An error in it affects this
module only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final

import numpy as np

from iotriage_parsers.evidence import CounterTable, DxtTrace, Heatmap, Job, LustreLayout, ModuleInfo, Problem
from iotriage_parsers.evidence.darshan import ModuleStatus
from iotriage_parsers.evidence.dxt import LAYER_OF_MODULE
from iotriage_parsers.frozen import frozen_identity
from iotriage_parsers.readers.darshan_log import apmpi, apxc, dxt, heatmap, lustre
from iotriage_parsers.readers.darshan_log.checks import checked
from iotriage_parsers.readers.darshan_log.container import ByteOrder, Compression, Entry, Region
from iotriage_parsers.readers.darshan_log.damaged import damaged
from iotriage_parsers.readers.darshan_log.inflate import Inflated
from iotriage_parsers.readers.darshan_log.records import SHAPES, Shape, as_table, read_rows
from iotriage_parsers.readers.darshan_log.source import Source
from iotriage_parsers.readers.darshan_log.values import Run

_KNOWN_VERSIONS: Final[Mapping[str, tuple[int, ...]]] = {
    "LUSTRE": lustre.VERSIONS,
    "HEATMAP": heatmap.VERSIONS,
    apmpi.MODULE: apmpi.VERSIONS,
    apxc.MODULE: apxc.VERSIONS,
    **dxt.VERSIONS,
    **{module: tuple(versions) for module, versions in SHAPES.items()},
}


@frozen_identity
class ModuleContent:
    """What one module gave: its entry, what was wrong with it, and at most one kind of content."""

    info: ModuleInfo
    problems: tuple[Problem, ...] = ()
    table: CounterTable | None = None
    lustre: tuple[LustreLayout, ...] = ()
    heatmaps: tuple[Heatmap, ...] = ()
    dxt: DxtTrace | None = None
    nodes: Mapping[int, str] = field(default_factory=dict)


@frozen_identity
class _Module:
    """A module whose region was inflated, with what its reader needs: `problems` are those of the region."""

    source: Source
    entry: Entry
    inflated: Inflated
    problems: tuple[Problem, ...]
    byte_order: ByteOrder
    job: Job
    names: Mapping[int, str]

    @property
    def run(self) -> Run:
        return Run(self.job.nprocs, self.job.runtime_s)

    def with_problems(self, found: tuple[Problem, ...]) -> tuple[Problem, ...]:
        """Adds the problems of the region. A region that was cut usually ends within a record, which is not reported
        separately."""
        return self.problems if self.inflated.stop is not None and self.problems else (*self.problems, *found)


def read_module(
    source: Source, region: Region, byte_order: ByteOrder, compression: Compression, job: Job, names: Mapping[int, str]
) -> ModuleContent:
    """Reads the modules that we know; others are listed as unsupported, with their size."""
    entry = region.entry
    unread = _unreadable(region)
    if unread is not None:
        return unread
    inflated = source.inflated(region.start, region.end, compression)
    problems = _region_problems(region, inflated)
    if inflated.stop is not None and not inflated.data:
        return ModuleContent(_info(entry, "damaged", problems[0].message), problems)
    if not inflated.data and region.end > region.start:
        # Darshan compresses no region that has no record.
        empty = damaged(entry.name, f"its {region.end - region.start:,} bytes inflate to nothing.")
        return ModuleContent(_info(entry, "damaged", empty.message), (*problems, empty))
    read = _dxt if entry.name in LAYER_OF_MODULE else _READERS.get(entry.name, _counters)
    return read(_Module(source, entry, inflated, problems, byte_order, job, names))


def _unreadable(region: Region) -> ModuleContent | None:
    """The module, where nothing of its region can be read; else None."""
    entry, size = region.entry, region.end - region.start
    versions = _KNOWN_VERSIONS.get(entry.name)
    if region.problem is not None and (versions is None or size == 0):
        return ModuleContent(_info(entry, "damaged", region.problem.message), (region.problem,))
    if versions is None:
        reason = (
            f"{entry.name}: there is no reader for this module; {size:,} compressed bytes of records were not read."
        )
    elif entry.version not in versions:
        reason = (
            f"{entry.name}: module version {entry.version} is not known (known: {', '.join(map(str, versions))}); "
            "its records were not read."
        )
    else:
        return None
    problem = Problem("unsupported", reason, loses_data=True, where=entry.name)
    return ModuleContent(_info(entry, "unsupported", reason), (problem,))


def _lustre(module: _Module) -> ModuleContent:
    layouts, found = lustre.read_lustre(module.inflated.data, module.entry.version, module.byte_order)
    problems = module.with_problems(found)
    return ModuleContent(_finished(module.entry, problems, len(layouts)), problems, lustre=layouts)


def _heatmap(module: _Module) -> ModuleContent:
    heatmaps, rows, found = heatmap.read_heatmaps(module.inflated.data, module.byte_order, module.names, module.run)
    problems = module.with_problems(found)
    return ModuleContent(_finished(module.entry, problems, rows), problems, heatmaps=heatmaps)


def _mpi_calls(module: _Module) -> ModuleContent:
    entry = module.entry
    calls = apmpi.read_calls(module.inflated.data, module.byte_order, module.run, partial=entry.partial)
    problems = module.with_problems(calls.problems)
    records = 0 if calls.table is None else len(calls.table)
    return ModuleContent(_finished(entry, problems, records), problems, table=calls.table, nodes=calls.nodes)


def _routers(module: _Module) -> ModuleContent:
    entry = module.entry
    routers = apxc.read_routers(module.inflated.data, module.byte_order, module.run, partial=entry.partial)
    problems = module.with_problems(routers.problems)
    records = 0 if routers.table is None else len(routers.table)
    return ModuleContent(_finished(entry, problems, records), problems, table=routers.table)


def _dxt(module: _Module) -> ModuleContent:
    entry, data = module.entry, module.inflated.data
    result = dxt.read_dxt(
        entry.name,
        data,
        entry.version,
        module.byte_order,
        module.names,
        module.run,
        partial=entry.partial,
        cut=module.inflated.stop is not None,
        most=module.source.grant_records(len(data) // dxt.SHORTEST_SEGMENT_BYTES),
    )
    problems = (*module.problems, *result.problems)
    return ModuleContent(_finished(entry, problems, result.records), problems, dxt=result.trace)


_READERS: Final[Mapping[str, Callable[[_Module], ModuleContent]]] = {
    "LUSTRE": _lustre,
    "HEATMAP": _heatmap,
    apmpi.MODULE: _mpi_calls,
    apxc.MODULE: _routers,
}


def _counters(module: _Module) -> ModuleContent:
    entry, data, problems = module.entry, module.inflated.data, module.problems
    shape = SHAPES[entry.name][entry.version]
    if len(data) % shape.record_bytes and module.inflated.stop is None:
        problem = damaged(
            entry.name, f"{len(data)} bytes are not a whole number of records of {shape.record_bytes} bytes."
        )
        problems = (*problems, problem)
        if not _ids_are_known(data, shape, module.byte_order, module.names):
            return ModuleContent(_info(entry, "damaged", problem.message), problems)
    count = len(data) // shape.record_bytes
    granted = module.source.grant_records(count)
    if granted < count:
        problems = (*problems, _limit(entry, f"{granted} of {count} records were read"))
    rows = shape.to_current(read_rows(data[: granted * shape.record_bytes], shape, module.byte_order))
    result = checked(entry.name, rows, module.job.nprocs, module.job.runtime_s, module.names)
    rows = result.rows
    losses = (*problems, *result.problems) if result.records_lost else problems
    info = _finished(entry, losses, len(rows.ids))
    table = as_table(entry.name, rows, partial=entry.partial or bool(losses)) if len(rows.ids) else None
    return ModuleContent(info, (*problems, *result.problems), table=table)


def _ids_are_known(data: bytes, shape: Shape, byte_order: ByteOrder, names: Mapping[int, str]) -> bool:
    """Whether whole records of this shape make sense: with a wrong module version their ids would be noise."""
    ids = read_rows(data, shape, byte_order).ids
    return len(ids) > 0 and bool(np.isin(ids, np.fromiter(names, np.uint64, len(names))).all())


def _region_problems(region: Region, inflated: Inflated) -> tuple[Problem, ...]:
    if inflated.stop == "over":
        return (_limit(region.entry, "only its first part was read"),)
    if region.problem is not None:
        return (region.problem,)
    if inflated.stop == "cut":
        reason = "its region ends inside a compressed stream; only the records before that were read."
    elif inflated.stop == "corrupt":
        kept = (
            "only the streams before it were read." if inflated.data else "its records may be wrong and were not read."
        )
        reason = f"a compressed stream fails its checksum or cannot be inflated; {kept}"
    else:
        return ()
    return (damaged(region.entry.name, reason),)


def _limit(entry: Entry, what: str) -> Problem:
    return Problem(
        "limit", f"{entry.name}: inflates to more than is allowed; {what}.", loses_data=True, where=entry.name
    )


def _info(entry: Entry, status: ModuleStatus, reason: str | None = None, records: int | None = None) -> ModuleInfo:
    return ModuleInfo(entry.name, entry.version, entry.length, entry.partial, status, records, reason)


def _finished(entry: Entry, problems: tuple[Problem, ...], records: int) -> ModuleInfo:
    losses = [problem.message for problem in problems if problem.loses_data]
    if losses:
        return _info(entry, "partly-read" if records else "damaged", losses[0], records)
    return _info(entry, "read" if records else "empty", records=records)
