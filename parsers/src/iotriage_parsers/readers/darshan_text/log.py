"""The rows of a text to the evidence that the log itself gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from iotriage_parsers.evidence import CounterTable, DarshanLog, Job, ModuleInfo, Problem
from iotriage_parsers.evidence.darshan import ModuleStatus, module_tables
from iotriage_parsers.frozen import frozen, frozen_identity
from iotriage_parsers.readers.darshan_log.checks import checked
from iotriage_parsers.readers.darshan_log.records import ALL_NAMES, Rows, as_table
from iotriage_parsers.readers.darshan_log.values import Run
from iotriage_parsers.readers.darshan_text import darshan2
from iotriage_parsers.readers.darshan_text.header import Header
from iotriage_parsers.readers.darshan_text.records import DARSHAN_2, Records

_TABLES: Final = tuple(ALL_NAMES)
_READ: Final = (*_TABLES, "LUSTRE", "HEATMAP")
_NO_MPIIO_BYTES: Final = "Darshan 2.x did not record how many bytes moved at the MPI-IO layer."


@frozen
class Sections:
    """`seen` are the modules whose heading or rows stand in the text, `flagged` those that Darshan itself calls
    incomplete, `refused` those that darshan-parser therefore did not print. `header_whole` is false where the text
    begins or ends inside its header. `no_files` where darshan-parser 2.x says that the job opened none."""

    seen: frozenset[str]
    flagged: frozenset[str]
    refused: frozenset[str]
    header_whole: bool
    no_files: bool


_NO_ROWS: Final = "No row of a counter is in the text: they were cut off, or are in a form that is not read."
"""The header of Darshan 2.x does not say what the log has, where that of 3.x lists its modules."""
_NO_LIST: Final = "The list of the log's modules, in the header of the text, is missing or cannot be read."
_NO_LINE: Final = "Its line in the list of the log's modules, in the header of the text, cannot be read."


@frozen_identity
class _Table:
    info: ModuleInfo
    problems: tuple[Problem, ...]
    table: CounterTable | None


def log_of(header: Header, records: Records, sections: Sections) -> tuple[DarshanLog, tuple[Problem, ...]]:
    """The log, and everything that is missing from the text or cannot be true in it."""
    problems: list[Problem] = []
    job = header.job(problems)
    rows, losses = _rows(records)
    tables = {m: _table(m, r, losses[m], header, job, records.names, sections) for m, r in rows.items()}
    heat: list[Problem] = []
    heatmaps = records.heatmaps(Run(job.nprocs, job.runtime_s), heat)
    counts = {m: 0 if t.table is None else len(t.table) for m, t in tables.items()}
    nodes = {r: n for r, n in records.nodes.items() if r >= 0 and (job.nprocs is None or r < job.nprocs)}
    heat_rows = sum(len(h.ranks) for h in heatmaps)
    counts |= {"LUSTRE": len(records.layouts), "HEATMAP": heat_rows}
    told = list(_module_problems(header, records, tables, heat, counts, sections))
    infos = [info for info, _ in told]
    problems += (problem for _, of_module in told for problem in of_module)
    lost = header.version.startswith("2.") and not records.seen and not sections.no_files
    unlisted = not infos and (bool(header.unread) or not sections.header_whole)
    unread = _unread(header, infos)
    unknown = darshan2.MODULES if lost or unlisted else unread
    reason = _NO_ROWS if lost else _NO_LIST if unlisted else _NO_LINE
    infos += [ModuleInfo(name, None, None, partial=False, status="damaged", reason=reason) for name in unknown]
    log = DarshanLog(
        log_version=header.version,
        byte_order=None,
        compression=header.compression,
        job=job,
        metadata=tuple(header.metadata),
        names=records.names,
        modules=tuple(infos),
        lustre=tuple(records.layouts),
        heatmaps=heatmaps,
        hostnames=nodes,
        **module_tables({m: t.table for m, t in tables.items()}),
    )
    problems += heat
    problems += (Problem("unrecognised-number", f"{m}: {_NO_LINE}", loses_data=True, where=m) for m in unread)
    problems += records.problems()
    problems += flag_problems(sections)
    if not sections.header_whole:
        problems.append(no_header(header))
    if DARSHAN_2 in records.columns:
        problems += _darshan_2_notes(rows, records)
    elif lost:
        problems.append(Problem("truncated", _NO_ROWS, loses_data=True))
    return log, tuple(problems)


def _module_problems(
    header: Header,
    records: Records,
    tables: Mapping[str, _Table],
    heat: Sequence[Problem],
    counts: Mapping[str, int],
    sections: Sections,
) -> Iterator[tuple[ModuleInfo, tuple[Problem, ...]]]:
    """Of each module what was read of it, and what is missing. A damaged row may name one that never was: beside the
    header's list only modules that we know are believed."""
    for name in dict.fromkeys((*header.modules, *tables, *(m for m in records.seen if m in _READ))):
        if name in tables and tables[name].table is not None:
            yield tables[name].info, tables[name].problems
        else:
            stated = header.modules.get(name, ModuleInfo(name, None, None, partial=False, status="unsupported"))
            yield _info(stated, counts.get(name, 0), heat if name == "HEATMAP" else (), sections)


def _unread(header: Header, read: Sequence[ModuleInfo]) -> list[str]:
    """The modules that we know of which the list has no more than the name, and the text no row."""
    names = {module.name for module in read}
    return [name for name in dict.fromkeys(header.unread) if name in _READ and name not in names]


def modules_of(header: Header, sections: Sections) -> tuple[ModuleInfo, ...]:
    """The header's modules where their records are not in the text by intention."""
    reason = "The text has totals only, not the records."
    return tuple(replace(m, partial=m.name in sections.flagged, reason=reason) for m in header.modules.values())


def flag_problems(sections: Sections) -> list[Problem]:
    """Darshan's own word that records are missing from the log."""
    found = [
        Problem(
            "partial-module",
            f"{module}: Darshan ran out of memory for this module's records during the run; "
            "some are missing, and every total is a lower bound.",
            loses_data=True,
            where=module,
        )
        for module in sorted(sections.flagged)
    ]
    if sections.refused:
        names = ", ".join(sorted(sections.refused))
        found.append(
            Problem(
                "partial-module",
                f"darshan-parser stopped at {names}, which it calls incomplete, and printed neither its records nor "
                "what follows: run it again with --show-incomplete, or give the log itself.",
                loses_data=True,
            )
        )
    return found


def no_header(header: Header) -> Problem:
    """The text begins or ends inside its header."""
    if not header.version:
        message = "The header of the text is missing: number of ranks, times, command line and mounts are unknown."
    else:
        message = "The header of the text is not whole: what is known of the job is not all."
    return Problem("truncated", message, loses_data=True, where="header")


def _rows(records: Records) -> tuple[dict[str, Rows], dict[str, tuple[Problem, ...]]]:
    """The rows of each table, in the shape of today's module versions, and what was wrong with them."""
    rows: dict[str, Rows] = {}
    losses: dict[str, tuple[Problem, ...]] = {}
    for module, columns in records.columns.items():
        last = module == next(reversed(records.seen), None)
        problems = columns.problems(cut=last)
        if module == DARSHAN_2:
            layers = darshan2.layers(columns.rows())
            for name, found in (("POSIX", layers.posix), ("MPI-IO", layers.mpiio), ("STDIO", layers.stdio)):
                if len(found.ids):
                    rows[name], losses[name] = found, problems
                    problems = ()
        else:
            rows[module], losses[module] = columns.rows(), problems
    return rows, losses


def _table(
    module: str,
    rows: Rows,
    losses: tuple[Problem, ...],
    header: Header,
    job: Job,
    names: Mapping[int, str],
    sections: Sections,
) -> _Table:
    result = checked(module, rows, job.nprocs, job.runtime_s, names)
    problems = (*losses, *result.problems)
    lost = [p.message for p in (*losses, *(result.problems if result.records_lost else ())) if p.loses_data]
    if module == "MPI-IO" and not header.has_regions and header.version.startswith("2."):
        lost.append(_NO_MPIIO_BYTES)
    stated = header.modules.get(module, ModuleInfo(module, None, None, partial=False, status="unsupported"))
    count = len(result.rows.ids)
    partial = module in sections.flagged
    info = replace(
        stated,
        partial=partial,
        status=("partly-read" if count else "damaged") if lost else "read" if count else "empty",
        records=count,
        reason=lost[0] if lost else None,
    )
    table = as_table(module, result.rows, partial=partial or bool(lost)) if count else None
    return _Table(info, problems, table)


def _info(
    stated: ModuleInfo, count: int, heat: Sequence[Problem], sections: Sections
) -> tuple[ModuleInfo, tuple[Problem, ...]]:
    """A module without a table: read, unsupported, or not in the text though the header lists it."""
    name = stated.name
    partial = name in sections.flagged
    if name not in _READ:
        why = "darshan-dxt-parser prints it." if name.startswith("DXT_") else "No reader for this module."
        return replace(stated, partial=partial, reason=why), ()
    if name == "APMPI" and name not in sections.seen:
        why = "The darshan-parser that printed the text was built without this module."
        return replace(stated, partial=partial, reason=why), ()
    if count:
        lost = [p.message for p in heat if p.loses_data]
        status: ModuleStatus = "partly-read" if lost else "read"
        return replace(stated, partial=partial, status=status, records=count, reason=lost[0] if lost else None), ()
    if name in sections.seen and not stated.compressed_bytes:
        return replace(stated, partial=partial, status="empty", records=0), ()
    where = "has no records in the text" if name in sections.seen else "is not in the text"
    lists = f"{name}: the header lists it with {stated.compressed_bytes} bytes"
    message = f"{lists}, but it {where}: it was cut off or left out."
    problem = Problem("truncated", message, loses_data=True, where=name)
    return replace(stated, partial=partial, status="damaged", reason=message), (problem,)


def _darshan_2_notes(rows: Mapping[str, Rows], records: Records) -> list[Problem]:
    found = [
        Problem("note", "Darshan 2.x prints the last 15 characters of file names only; records are told by their ids.")
    ]
    if "MPI-IO" in rows:
        found.append(Problem("note", f"{_NO_MPIIO_BYTES} Figures of that layer are from its calls and times."))
    mixed = darshan2.layers(records.columns[DARSHAN_2].rows()).mixed
    if mixed:
        message = f"{mixed} files had POSIX and stdio calls, whose bytes Darshan 2.x adds up: they stand under POSIX."
        found.append(Problem("note", message))
    return found
