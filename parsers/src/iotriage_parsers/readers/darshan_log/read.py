"""Reads a Darshan 3.x log: header, job and names, then each module separately, so that a damaged module does not affect
the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from iotriage_parsers.evidence import DarshanLog, Evidence, Failure, Job, ModuleInfo, Problem
from iotriage_parsers.evidence.darshan import module_tables
from iotriage_parsers.reader import Limits
from iotriage_parsers.readers.darshan_log.container import (
    FORMATS,
    JOB_ROOM_BYTES,
    ByteOrder,
    Compression,
    Header,
    Region,
    byte_order_of,
    job_end,
    layout_of,
    parse_header,
    place,
    version_of,
)
from iotriage_parsers.readers.darshan_log.inflate import Inflated
from iotriage_parsers.readers.darshan_log.job import JobRecord, numbers_bytes, read_job
from iotriage_parsers.readers.darshan_log.modules import ModuleContent, read_module
from iotriage_parsers.readers.darshan_log.names import read_names
from iotriage_parsers.readers.darshan_log.source import Source

READER_ID = "darshan_log"

_JOB_REGION_BYTES = 4096
_COUNT_CALLS = ("POSIX", "MPI-IO", "STDIO")
_NEXT_STEP = (
    "Copy the log again from where Darshan wrote it and compare the sizes; "
    "a log that is still being written is not whole."
)


def read(stream: BinaryIO, limits: Limits) -> Evidence | Failure:
    """Reads a log from a seekable stream. Bad bytes raise nothing: what could not be read stands in `problems`."""
    source = Source(stream, limits)
    if source.size == 0:
        return Failure("empty", "The file is empty.", _NEXT_STEP)
    head = source.head(layout_of(FORMATS[-1]).header_bytes)
    version, byte_order = version_of(head), byte_order_of(head)
    if version is None or byte_order is None:
        what = "version" if version is None else "magic number"
        return Failure("damaged", f"The header's {what} is damaged, so nothing in the log can be found.", _NEXT_STEP)
    if version not in FORMATS:
        return Failure(
            "unsupported",
            f"The log says its format is {version}; the formats {', '.join(FORMATS)} can be read.",
            "Ask for a newer IOtriage, or write the log again with the darshan-convert of a Darshan release up to 3.5.",
        )
    if len(head) < layout_of(version).header_bytes:
        return Failure("damaged", f"The file is truncated inside its header, at byte {source.size}.", _NEXT_STEP)
    return _read(source, parse_header(head, version, byte_order))


def _read(source: Source, header: Header) -> Evidence | Failure:
    regions = place(header, source.size)
    inflated, compression = _job_region(source, header)
    record, job_problems = _job(inflated, header, compression)
    job_stop = header.header_bytes + inflated.consumed if record is not None else None
    job = record.job if record is not None else Job()
    names, name_problems = _names(source, header, regions, compression, job_stop)
    modules = [
        _module(source, region, header.byte_order, compression, job, names)
        for region in regions
        if region.entry is not header.names
    ]
    if record is None and (beyond := source.beyond_limit()) is not None:
        return beyond
    if record is None and not any(module.info.status in ("read", "partly-read") for module in modules):
        cut = inflated.stop == "cut" or any(_is_cut(region) for region in regions)
        why = ": the file is truncated." if cut else "."
        return Failure("damaged", "Neither the job record nor any module of the log can be read" + why, _NEXT_STEP)
    unmapped = _unmapped(source.size, regions, compression, job_stop or job_end(header, source.size))
    log = DarshanLog(
        log_version=header.version,
        byte_order=header.byte_order,
        compression=compression,
        job=job,
        metadata=record.metadata if record is not None else (),
        names=names,
        modules=(*(module.info for module in modules), *_perhaps_missing(modules, unmapped)),
        lustre=tuple(layout for module in modules for layout in module.lustre),
        heatmaps=tuple(one for module in modules for one in module.heatmaps),
        hostnames={rank: node for module in modules for rank, node in module.nodes.items()},
        **module_tables({module.info.name: module.table for module in modules}),
    )
    problems = (
        *_truncation(source.size, regions),
        *job_problems,
        *name_problems,
        *(problem for module in modules for problem in module.problems),
        *unmapped,
        *_partial_flags((module.info for module in modules), header.flagged_empty),
        *_single_process(compression, job.nprocs, modules),
    )
    traces = (module.dxt for module in modules if module.dxt is not None)
    return Evidence(READER_ID, (log, *traces), problems)


def _module(
    source: Source, region: Region, byte_order: ByteOrder, compression: Compression, job: Job, names: dict[int, str]
) -> ModuleContent:
    """The module, or that the process has no memory for it: what was read before it stays."""
    try:
        return read_module(source, region, byte_order, compression, job, names)
    except MemoryError:
        entry = region.entry
        reason = f"{entry.name}: needs more memory than this process may have; it was not read."
        info = ModuleInfo(entry.name, entry.version, entry.length, entry.partial, "damaged", None, reason)
        return ModuleContent(info, (Problem("limit", reason, loses_data=True, where=entry.name),))


def _job_region(source: Source, header: Header) -> tuple[Inflated, Compression]:
    """The job region and the log's compression, which the job region proves: the header's one byte may be damaged."""
    end = job_end(header, source.size)
    least = numbers_bytes(header.version)

    def attempt(compression: Compression) -> Inflated:
        stop = min(end, header.header_bytes + _JOB_REGION_BYTES) if compression == "none" else end
        first = source.inflated(header.header_bytes, stop, compression, only_first=True, room=JOB_ROOM_BYTES)
        if first.stop is None and len(first.data) < least and compression != "none":
            return source.inflated(header.header_bytes, stop, compression, room=JOB_ROOM_BYTES)
        return first

    stated = header.compression or "none"
    packed: list[Compression] = ["zlib", "bzip2"]
    for compression in sorted(packed, key=lambda c: c != stated):
        result = attempt(compression)
        if result.stop is None and len(result.data) >= least:
            return result, compression
    if stated == "none" and header.compression is not None:
        return attempt("none"), "none"
    fallback: Compression = stated if stated != "none" else "zlib"
    return attempt(fallback), fallback


def _job(inflated: Inflated, header: Header, compression: Compression) -> tuple[JobRecord | None, tuple[Problem, ...]]:
    where = "job record"
    problems: list[Problem] = []
    if compression != header.compression:
        problems.append(
            Problem(
                "damaged",
                f"The header's compression code is wrong; the log is compressed with {compression}.",
                loses_data=True,
                where="header",
            )
        )
    if inflated.stop == "corrupt" or len(inflated.data) < numbers_bytes(header.version):
        problems.append(
            Problem(
                "truncated" if inflated.stop == "cut" else "damaged",
                "The job record cannot be read"
                + (", the file is truncated inside it" if inflated.stop == "cut" else "")
                + ": number of ranks, times, command line and mounts are missing.",
                loses_data=True,
                where=where,
            )
        )
        return None, tuple(problems)
    if inflated.stop is not None:
        problems.append(
            Problem(
                "truncated" if inflated.stop == "cut" else "damaged",
                "The job record is "
                + ("truncated" if inflated.stop == "cut" else "longer than any job record")
                + ": the command line and the mount table may be cut.",
                loses_data=True,
                where=where,
            )
        )
    record = read_job(inflated.data, header.byte_order, header.version)
    return record, (*problems, *record.problems)


def _names(
    source: Source, header: Header, regions: tuple[Region, ...], compression: Compression, job_stop: int | None
) -> tuple[dict[int, str], tuple[Problem, ...]]:
    region = next((r for r in regions if r.entry is header.names), None)
    if region is None:
        return {}, ()
    problems = [region.problem] if region.problem is not None else []
    if job_stop is not None and header.header_bytes <= region.start < job_stop:
        reason = "the header's map points into the job record, so the names cannot be read."
        return {}, (*problems, Problem("damaged", f"Name table: {reason}", loses_data=True, where="name table"))
    if region.start == region.end:
        return {}, tuple(problems)
    inflated = source.inflated(region.start, region.end, compression)
    if inflated.stop is not None and not problems:
        problems.append(_stopped(inflated))
    try:
        names, complaints = read_names(inflated.data, header.byte_order, header.version)
    except MemoryError:
        return {}, (*problems, _too_many_names())
    if inflated.stop is not None:
        complaints = tuple(p for p in complaints if p.code != "damaged")
    return names, (*problems, *complaints)


def _stopped(inflated: Inflated) -> Problem:
    if inflated.stop == "over":
        return _too_many_names()
    why = "ends inside a compressed stream" if inflated.stop == "cut" else "fails its checksum or cannot be inflated"
    return Problem(
        "damaged",
        f"The name table {why}: files whose names are lost are known by their record ids only.",
        loses_data=True,
        where="name table",
    )


def _too_many_names() -> Problem:
    message = "The name table inflates to more than is allowed; files whose names are lost are known by their ids only."
    return Problem("limit", message, loses_data=True, where="name table")


def _is_cut(region: Region) -> bool:
    return region.problem is not None and region.problem.code == "truncated"


def _truncation(size: int, regions: tuple[Region, ...]) -> tuple[Problem, ...]:
    cut = [region.entry for region in regions if _is_cut(region)]
    if not cut:
        return ()
    needed = max(entry.offset + entry.length for entry in cut)
    names = ", ".join(entry.name for entry in cut)
    return (
        Problem(
            "truncated",
            f"The file is truncated: it has {size:,} bytes and the header's map needs {needed:,}. "
            f"Missing in whole or in part: {names}.",
            loses_data=True,
        ),
    )


def _unmapped(size: int, regions: tuple[Region, ...], compression: Compression, job_stop: int) -> tuple[Problem, ...]:
    """In a compressed log the regions follow one another without a gap: bytes that the map does not name belonged to
    a region whose entry is damaged. Memory-mapped logs have gaps by design."""
    if compression == "none":
        return ()
    gaps, reached = [], job_stop
    for region in sorted((r for r in regions if r.end > r.start), key=lambda r: r.start):
        if region.start > reached:
            gaps.append((reached, region.start))
        reached = max(reached, region.end)
    if size > reached:
        gaps.append((reached, size))
    return tuple(
        Problem(
            "damaged",
            f"{end - start} bytes at {start} belong to no region of the header's map; a module may be missing.",
            loses_data=True,
            where="header",
        )
        for start, end in gaps
    )


def _perhaps_missing(modules: Iterable[ModuleContent], unmapped: tuple[Problem, ...]) -> Iterator[ModuleInfo]:
    """The modules that count calls and that the map does not name, where bytes may be theirs: that they have no record
    does not mean that nothing was done."""
    named = {module.info.name for module in modules}
    for problem in unmapped[:1]:
        for name in _COUNT_CALLS:
            if name not in named:
                yield ModuleInfo(name, None, None, partial=False, status="damaged", reason=problem.message)


def _partial_flags(modules: Iterable[ModuleInfo], flagged_empty: tuple[str, ...]) -> tuple[Problem, ...]:
    problems = [
        Problem(
            "partial-module",
            f"{module.name}: Darshan ran out of memory for this module's records during the run; "
            "some are missing, and every total is a lower bound.",
            loses_data=True,
            where=module.name,
        )
        for module in modules
        if module.partial
    ]
    if flagged_empty:
        problems.append(
            Problem(
                "partial-module",
                f"Flagged as incomplete without a single record: {', '.join(flagged_empty)}.",
                loses_data=True,
            )
        )
    return tuple(problems)


def _single_process(compression: Compression, nprocs: int | None, modules: list[ModuleContent]) -> tuple[Problem, ...]:
    """Darshan writes uncompressed logs only as the memory-mapped log of one process; darshan-merge joins them."""
    if compression != "none" or nprocs is None or nprocs < 2:
        return ()
    ranks = {int(rank) for m in modules if m.table is not None for rank in (m.table.ranks.min(), m.table.ranks.max())}
    if len(ranks) != 1 or ranks == {-1}:
        return ()
    return (
        Problem(
            "partial-module",
            f"This is the memory-mapped log of rank {ranks.pop()} alone, one of {nprocs}: totals are of this "
            "rank only. darshan-merge joins the logs of all ranks.",
            loses_data=True,
        ),
    )
