"""Writes the text that darshan-parser 3.5.0 and darshan-dxt-parser print, from evidence: a tool for tests and samples.

`python parsers/tests/darshan_parser_export.py LOG [--dxt | --total] > TEXT`. What evidence does not hold is not there:
modules that have no reader, the components of a composite layout but the widest, the sizes of the log's unnamed regions
(which may be given), the words that explain the counters of HDF5, PnetCDF and DAOS, and the variances of APMPI.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import numpy as np
from darshan_parser_words import COLUMNS, COUNTERS, FILE_WORDS

from iotriage_parsers.detect import read
from iotriage_parsers.evidence import CounterTable, DarshanLog, DxtTrace, Evidence, LustreLayout, Mount

HEADING = "#<module>\t<rank>\t<record id>\t<counter>\t<value>\t<file name>\t<mount pt>\t<fs type>\n"
STARS = "# " + "*" * 55 + "\n"
DXT_STARS = "# " + "*" * 51 + "\n"
HEATMAP_IDS = {
    "POSIX": 16592106915301738621,
    "MPIIO": 3668870418325792824,
    "STDIO": 3989511027826779520,
    "DFS": 1597927878319380788,
    "DAOS": 4131494093108637317,
}


def parser_text(log: DarshanLog, job_bytes: int = 0, names_bytes: int = 0) -> str:
    """The default text (`--base`) of a log."""
    out = [*_header(log, job_bytes, names_bytes), "\n", COLUMNS]
    sections = {m.name: m for m in log.modules if not m.name.startswith("DXT_")}
    if not sections:
        out.append("\n# no module data available.\n")
    for name, module in sections.items():
        out += ["\n", STARS, f"# {name} module data\n", STARS]
        if module.partial:
            out.append(_incomplete(name))
        if name in COUNTERS:
            out += ["\n", COUNTERS[name]]
        if name in COUNTERS or name in log.tables or name == "APMPI":
            out += ["\n", HEADING]
        out += _rows(log, name)
    return "".join(out)


def summary_text(log: DarshanLog) -> str:
    """The text of `--total --file --perf` of a log whose modules have one record each, shared by all ranks: there the
    total of a counter is its value. Only of variances Darshan makes no total."""
    out = [*_header(log)]
    for table in (log.posix, log.mpiio, log.stdio):
        if table is None:
            continue
        if table.ranks.tolist() != [-1]:
            raise ValueError(f"{table.module} has other records than one of all ranks")
        out += ["\n", STARS, f"# {table.module} module data\n", STARS, "\n", COUNTERS[table.module], "\n"]
        out += [f"total_{n}: {v}\n" for n, v in zip(table.int_names, table.ints[0].tolist(), strict=True)]
        for name, value in zip(table.float_names, table.floats[0].tolist(), strict=True):
            out.append(f"total_{name}: {0.0 if 'VARIANCE' in name else value:.6f}\n")
        out += [FILE_WORDS, *_files(table), *_perf(table)]
    return "".join(out)


def _files(table: CounterTable) -> Iterator[str]:
    """Of one file that all ranks share: the categories that it is in, and those that it is not in."""
    read, written = _moved(table)
    prefix = table.int_names[0].split("_", 1)[0]
    offsets = [name for name in (f"{prefix}_MAX_BYTE_READ", f"{prefix}_MAX_BYTE_WRITTEN") if name in table.int_names]
    offset = max((int(table.count(name)[0]) for name in offsets), default=-1)
    categories = {
        "total": True,
        "read_only": read > 0 and not written,
        "write_only": written > 0 and not read,
        "read_write": read > 0 and written > 0,
        "unique": False,
        "shared": True,
    }
    for name, holds in categories.items():
        yield f"# {name}: 1 {read + written} {offset}\n" if holds else f"# {name}: 0 0 0\n"


def _perf(table: CounterTable) -> Iterator[str]:
    """Of one file that all ranks share: its slowest rank's time is all there is."""
    total = sum(_moved(table))
    slowest = float(table.seconds(f"{table.int_names[0].split('_', 1)[0]}_F_SLOWEST_RANK_TIME")[0])
    seconds = slowest if slowest > 0 else 0.0
    yield f"\n# performance\n# -----------\n# total_bytes: {total}\n#\n"
    yield "# I/O timing for unique files (seconds):\n# ...........................\n"
    yield f"# unique files: slowest_rank_io_time: {0.0:.6f}\n"
    yield f"# unique files: slowest_rank_meta_only_time: {0.0:.6f}\n"
    yield f"# unique files: slowest_rank_rw_only_time: {0.0:.6f}\n"
    yield "# unique files: slowest_rank: 0\n#\n"
    yield "# I/O timing for shared files (seconds):\n# ...........................\n"
    yield f"# shared files: time_by_slowest: {seconds:.6f}\n#\n"
    yield "# Aggregate performance, including both shared and unique files:\n# ...........................\n"
    yield f"# agg_time_by_slowest: {seconds:.6f} # seconds\n"
    yield f"# agg_perf_by_slowest: {(total / seconds if seconds else 0.0) / 2**20:.6f} # MiB/s\n"


def _moved(table: CounterTable) -> tuple[int, int]:
    """Bytes read and written; what is not available counts as none."""
    prefix = table.int_names[0].split("_", 1)[0]
    return table.total(f"{prefix}_BYTES_READ") or 0, table.total(f"{prefix}_BYTES_WRITTEN") or 0


def dxt_text(log: DarshanLog, traces: tuple[DxtTrace, ...]) -> str:
    """The text of darshan-dxt-parser, in the layout with a column for threads."""
    out = [*_header(log)]
    if not traces:
        out.append("\n# no DXT module data available for this Darshan log.\n")
    for trace in traces:
        out += ["\n", DXT_STARS, f"# DXT_{trace.layer} module data\n", DXT_STARS]
        for (record, rank), group in groupby(trace.segments, key=lambda s: (int(s["record"]), int(s["rank"]))):
            out += _dxt_block(log, trace, record, rank, list(group))
    return "".join(out)


def _header(log: DarshanLog, job_bytes: int = 0, names_bytes: int = 0) -> Iterator[str]:
    job = log.job
    start, end = int(job.start_time or 0), int(job.end_time or 0)
    yield f"# darshan log version: {log.log_version}\n"
    yield f"# compression method: {(log.compression or 'unknown').upper()}\n"
    yield f"# exe: {job.command_line or ''}\n"
    yield f"# uid: {-1 if job.uid is None else job.uid}\n"
    yield f"# jobid: {job.job_id or -1}\n"
    yield f"# start_time: {start}\n# start_time_asci: {time.asctime(time.gmtime(start))}\n"
    yield f"# end_time: {end}\n# end_time_asci: {time.asctime(time.gmtime(end))}\n"
    yield f"# nprocs: {job.nprocs or 0}\n"
    yield f"# run time: {job.runtime_s or 0.0:.4f}\n"
    for key, value in log.metadata:
        yield f"# metadata: {key} = {value}\n"
    yield "\n# log file regions\n# -------------------------------------------------------\n"
    yield f"# header: 1328 bytes (uncompressed)\n# job data: {job_bytes} bytes (compressed)\n"
    yield f"# record table: {names_bytes} bytes (compressed)\n"
    for module in log.modules:
        yield f"# {module.name} module: {module.compressed_bytes} bytes (compressed), ver={module.version}\n"
    yield "\n# mounted file systems (mount point and fs type)\n"
    yield "# -------------------------------------------------------\n"
    for mount in _longest_first(log):
        yield f"# mount entry:\t{mount.path}\t{mount.fs_type}\n"


def _incomplete(name: str) -> str:
    return (
        f"\n# *WARNING*: The {name} module contains incomplete data!\n"
        "#            This happens when a module runs out of\n"
        "#            memory to store new record data.\n"
        "\n# To avoid this error, consult the darshan-runtime\n"
        "# documentation and consider setting the\n"
        "# DARSHAN_EXCLUDE_DIRS environment variable to prevent\n"
        "# Darshan from instrumenting unecessary files.\n"
    )


def _rows(log: DarshanLog, name: str) -> Iterator[str]:
    table = log.tables.get(name)
    if table is not None and name != "APMPI":
        yield from _table_rows(log, table)
    if name == "LUSTRE":
        for layout in log.lustre:
            yield from _lustre_rows(log, layout)
    if name == "APMPI":
        for i in range(0 if table is None else len(table)):
            one = table.rows(np.array([i]))
            head = f"APMPI\t{one.ranks[0]}\t{one.ids[0]}"
            yield f"{head}\tMPI_PROCESSOR_NAME\t{log.hostnames[int(one.ranks[0])]}\t\t\t\n"
            ints = zip(one.int_names, one.ints[0].tolist(), strict=True)
            yield from (f"{head}\t{counter}\t{count}\t\t\t\n" for counter, count in ints)
            times = zip(one.float_names, one.floats[0].tolist(), strict=True)
            yield from (f"{head}\t{counter}\t{t:.6f}\t\t\t\n" for counter, t in times if np.isfinite(t))
    if name == "HEATMAP":
        yield from _heatmap_rows(log)


def _table_rows(log: DarshanLog, table: CounterTable) -> Iterator[str]:
    for i in range(len(table)):
        head = f"{table.module}\t{table.ranks[i]}\t{table.ids[i]}\t"
        tail = _tail(log, int(table.ids[i]))
        for name, count in zip(table.int_names, table.ints[i].tolist(), strict=True):
            # Printed with PRIu64: the id of a record, 0 for none.
            shown = count % 2**64 if name == "POSIX_RENAMED_FROM" and count < -1 else count
            yield f"{head}{name}\t{shown}{tail}"
        for name, value in zip(table.float_names, table.floats[i].tolist(), strict=True):
            yield f"{head}{name}\t{value:.6f}{tail}"
        if table.file_ids is not None:
            yield f"{head}{table.module}_FILE_REC_ID\t{table.file_ids[i]}{tail}"


def _lustre_rows(log: DarshanLog, layout: LustreLayout) -> Iterator[str]:
    head, tail = f"LUSTRE\t-1\t{layout.record}\t", _tail(log, layout.record)
    size, count = layout.stripe_size or 0, layout.stripe_count or 0
    said = [
        ("LUSTRE_NUM_COMPONENTS", "1"),
        ("LUSTRE_NUM_STRIPES", str(len(layout.osts))),
        ("LUSTRE_COMP1_STRIPE_SIZE", str(size)),
        ("LUSTRE_COMP1_STRIPE_COUNT", str(count)),
        ("LUSTRE_COMP1_STRIPE_PATTERN", "raid0"),
        ("LUSTRE_COMP1_FLAGS", "0"),
        ("LUSTRE_COMP1_EXT_START", "0"),
        ("LUSTRE_COMP1_EXT_END", "-1"),
        ("LUSTRE_COMP1_MIRROR_ID", "0"),
        ("LUSTRE_COMP1_POOL_NAME", layout.pool or "N/A"),
        *((f"LUSTRE_COMP1_OST_ID_{k}", str(ost)) for k, ost in enumerate(layout.osts)),
    ]
    for name, value in said:
        yield f"{head}{name}\t{value}{tail}"


def _heatmap_rows(log: DarshanLog) -> Iterator[str]:
    """By rank, then layer: so the records of one rank stand together, as Darshan writes them."""
    rows = sorted((int(rank), order, i) for order, h in enumerate(log.heatmaps) for i, rank in enumerate(h.ranks))
    for rank, order, i in rows:
        heatmap = log.heatmaps[order]
        head = f"HEATMAP\t{rank}\t{HEATMAP_IDS[heatmap.layer]}\t"
        tail = f"\theatmap:{heatmap.layer}\tUNKNOWN\tUNKNOWN\n"
        yield f"{head}HEATMAP_F_BIN_WIDTH_SECONDS\t{heatmap.bin_width_s:.6f}{tail}"
        for way, cells in (("READ", heatmap.read[i]), ("WRITE", heatmap.written[i])):
            for b, moved in enumerate(cells.tolist()):
                yield f"{head}HEATMAP_{way}_BIN_{b}\t{moved}{tail}"


def _tail(log: DarshanLog, record: int) -> str:
    name = log.names.get(record, "(null)")
    path, kind = _mount(log, name)
    return f"\t{name}\t{path}\t{kind}\n"


def _mount(log: DarshanLog, name: str) -> tuple[str, str]:
    """As in Darshan: the first, so the longest, mount point that the name begins with, letter by letter."""
    found = next((m for m in _longest_first(log) if name.startswith(m.path)), None)
    return (found.path, found.fs_type) if found else ("UNKNOWN", "UNKNOWN")


def _longest_first(log: DarshanLog) -> list[Mount]:
    return sorted(log.job.mounts, key=lambda m: -len(m.path))


def _dxt_block(log: DarshanLog, trace: DxtTrace, record: int, rank: int, calls: list[np.void]) -> Iterator[str]:
    name = trace.names.get(record, "(null)")
    path, kind = _mount(log, name)
    writes = sum(bool(call["write"]) for call in calls)
    threads = len({int(call["thread"]) for call in calls})
    yield f"\n# DXT, file_id: {record}, file_name: {name}\n"
    yield f"# DXT, rank: {rank}, hostname: {trace.hostnames.get(rank, '')}\n"
    yield f"# DXT, number of threads: {threads}\n"
    yield f"# DXT, write_count: {writes}, read_count: {len(calls) - writes}\n"
    yield f"# DXT, mnt_pt: {path}, fs_type: {kind}\n"
    yield "# Module    Rank  Wt/Rd  Segment          Offset          Length    Start(s)      End(s)   Pthread-ID\n"
    numbers = {True: 0, False: 0}
    for call in calls:
        way = bool(call["write"])
        thread = str(call["thread"]) if call["thread"] else "N/A"
        yield (
            f" X_{trace.layer}{rank:>8} {'write' if way else 'read':>6} {numbers[way]:>8} {call['offset']:>15} "
            f"{call['length']:>15} {call['start']:>11.4f} {call['end']:>11.4f}   {thread}\n"
        )
        numbers[way] += 1


def main(arguments: list[str]) -> None:
    """Prints the text of the log that is named."""
    with Path(arguments[0]).open("rb") as stream:
        evidence = read(stream)
    assert isinstance(evidence, Evidence), evidence
    (log,) = evidence.of(DarshanLog)
    if "--dxt" in arguments:
        text = dxt_text(log, evidence.of(DxtTrace))
    else:
        text = summary_text(log) if "--total" in arguments else parser_text(log)
    sys.stdout.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
