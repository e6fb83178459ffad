"""One module's region: inflate, check that it is whole, read. Whatever is wrong with it stays in this module."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

import numpy as np

from iotriage_parsers.evidence import CounterTable, DxtTrace, Heatmap, Job, LustreLayout, ModuleInfo, Problem
from iotriage_parsers.evidence.darshan import ModuleStatus
from iotriage_parsers.frozen import frozen_identity
from iotriage_parsers.readers.darshan_log import apmpi, apxc, dxt, heatmap, lustre
from iotriage_parsers.readers.darshan_log.checks import checked
from iotriage_parsers.readers.darshan_log.container import ByteOrder, Compression, Entry, Region
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


def read_module(
    source: Source, region: Region, byte_order: ByteOrder, compression: Compression, job: Job, names: Mapping[int, str]
) -> ModuleContent:
    """Reads the modules that we know; others are listed as unsupported, with their size."""
    entry = region.entry
    versions = _KNOWN_VERSIONS.get(entry.name)
    if region.start == region.end and region.problem is not None:
        return ModuleContent(_info(entry, "damaged", region.problem.message), (region.problem,))
    if versions is None and region.problem is not None:
        return ModuleContent(_info(entry, "damaged", region.problem.message), (region.problem,))
    if versions is None:
        unread = (
            f"{entry.name}: there is no reader for this module; {region.end - region.start:,} compressed bytes of "
            "records were not read."
        )
        problem = Problem("unsupported", unread, loses_data=True, where=entry.name)
        return ModuleContent(_info(entry, "unsupported", unread), (problem,))
    if entry.version not in versions:
        reason = (
            f"{entry.name}: module version {entry.version} is not known (known: {', '.join(map(str, versions))}); "
            "its records were not read."
        )
        problem = Problem("unsupported", reason, loses_data=True, where=entry.name)
        return ModuleContent(_info(entry, "unsupported", reason), (problem,))
    run = Run(job.nprocs, job.runtime_s)
    inflated = source.inflated(region.start, region.end, compression)
    problems = _region_problems(region, inflated)
    if inflated.stop is not None and not inflated.data:
        return ModuleContent(_info(entry, "damaged", problems[0].message), problems)
    if entry.name == "LUSTRE":
        layouts, complaints = lustre.read_lustre(inflated.data, entry.version, byte_order)
        problems = _joined(problems, complaints, inflated)
        return ModuleContent(_finished(entry, problems, len(layouts)), problems, lustre=layouts)
    if entry.name == "HEATMAP":
        heatmaps, rows, complaints = heatmap.read_heatmaps(inflated.data, byte_order, names, run)
        problems = _joined(problems, complaints, inflated)
        return ModuleContent(_finished(entry, problems, rows), problems, heatmaps=heatmaps)
    if entry.name == apmpi.MODULE:
        calls = apmpi.read_calls(inflated.data, byte_order, run, partial=entry.partial)
        problems = _joined(problems, calls.problems, inflated)
        records = 0 if calls.table is None else len(calls.table)
        return ModuleContent(_finished(entry, problems, records), problems, table=calls.table, nodes=calls.nodes)
    if entry.name == apxc.MODULE:
        routers = apxc.read_routers(inflated.data, byte_order, run, partial=entry.partial)
        problems = _joined(problems, routers.problems, inflated)
        records = 0 if routers.table is None else len(routers.table)
        return ModuleContent(_finished(entry, problems, records), problems, table=routers.table)
    if entry.name in dxt.LAYERS:
        most = source.grant_records(len(inflated.data) // dxt.SHORTEST_SEGMENT_BYTES)
        result = dxt.read_dxt(
            entry.name,
            inflated.data,
            entry.version,
            byte_order,
            names,
            run,
            partial=entry.partial,
            cut=inflated.stop is not None,
            most=most,
        )
        problems = (*problems, *result.problems)
        return ModuleContent(_finished(entry, problems, result.records), problems, dxt=result.trace)
    return _counters(source, entry, inflated, problems, byte_order, job, names)


def _counters(
    source: Source,
    entry: Entry,
    inflated: Inflated,
    problems: tuple[Problem, ...],
    byte_order: ByteOrder,
    job: Job,
    names: Mapping[int, str],
) -> ModuleContent:
    shape = SHAPES[entry.name][entry.version]
    rest = len(inflated.data) % shape.record_bytes
    if rest and inflated.stop is None:
        problem = Problem(
            "damaged",
            f"{entry.name}: {len(inflated.data)} bytes are not a whole number "
            f"of records of {shape.record_bytes} bytes.",
            loses_data=True,
            where=entry.name,
        )
        problems = (*problems, problem)
        if not _ids_are_known(inflated.data, shape, byte_order, names):
            return ModuleContent(_info(entry, "damaged", problem.message), problems)
    count = len(inflated.data) // shape.record_bytes
    granted = source.grant_records(count)
    if granted < count:
        problems = (*problems, _limit(entry, f"{granted} of {count} records were read"))
    rows = shape.to_current(read_rows(inflated.data[: granted * shape.record_bytes], shape, byte_order))
    result = checked(entry.name, rows, job.nprocs, job.runtime_s, names)
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
    name = region.entry.name
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
    return (Problem("damaged", f"{name}: {reason}", loses_data=True, where=name),)


def _limit(entry: Entry, what: str) -> Problem:
    return Problem(
        "limit", f"{entry.name}: inflates to more than is allowed; {what}.", loses_data=True, where=entry.name
    )


def _joined(problems: tuple[Problem, ...], complaints: tuple[Problem, ...], inflated: Inflated) -> tuple[Problem, ...]:
    """A region that was cut ends inside a record as a matter of course: that is not said twice."""
    return problems if inflated.stop is not None and problems else (*problems, *complaints)


def _info(entry: Entry, status: ModuleStatus, reason: str | None = None, records: int | None = None) -> ModuleInfo:
    return ModuleInfo(entry.name, entry.version, entry.length, entry.partial, status, records, reason)


def _finished(entry: Entry, problems: tuple[Problem, ...], records: int) -> ModuleInfo:
    losses = [problem.message for problem in problems if problem.loses_data]
    if losses:
        return _info(entry, "partly-read" if records else "damaged", losses[0], records)
    return _info(entry, "read" if records else "empty", records=records)
