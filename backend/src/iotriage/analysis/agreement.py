"""Where two sources state the same quantity: both figures, how far they are apart, and the known reason.

Sources of one job are joined by what they say about the job (id, ranks) and its files (base name, then bytes). What
does not fit together is shown here and never hidden: it may be another job's output.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Literal

import numpy as np

from iotriage.analysis.document.agreement import Agreement, StatedValue
from iotriage.metrics.core.metric import Unit, Where
from iotriage.metrics.core.selection import LogRows, Selection, StatsBlock, base_name, unique
from iotriage.metrics.core.selection_cache import cached_per_job
from iotriage.metrics.core.text_statements import (
    first_step,
    largest_launch,
    launched_program,
    places_of,
    program_of,
    time_in_steps,
)
from iotriage.metrics.tables.calls.collective_calls import collective_calls
from iotriage.metrics.tables.counters import is_partial, sum_counters
from iotriage.metrics.tables.rank_times import longest_possible
from iotriage.metrics.tables.texts.phases import blocks_by_file, least_run_of, totals_at
from iotriage_parsers.evidence import (
    AggregatorPlacement,
    BenchmarkRun,
    Counter,
    CrayPatReport,
    DarshanLog,
    DarshanSummary,
    DxtTrace,
    JobContext,
    Lines,
    MpiioStats,
    Part,
    StripeLayout,
)
from iotriage_parsers.evidence.job_context import program_steps
from iotriage_parsers.evidence.mpiio_stats import Direction

TOLERANCE = 0.01
"""Figures up to this far apart agree: CrayPAT prints MiB with six decimals, launchers take a little of the time."""

RUNTIME_TOLERANCE = 0.1

SUMMED_OVER_RANKS = "both count the calls of every rank"
BELOW_MPIIO = "STATS counts what the library wrote below the calls, Darshan's POSIX layer what it saw of that"
PARTIAL = "Darshan's module is partial: its figure is a lower bound"
OTHER_JOB = "the sources may be of different jobs, or of different runs of one"
MADE_AGAIN = "the file was made again with another striping since, or one of the sources is of another run"
PER_STREAM = "CrayPAT adds up what each rank moved, with 2^20 bytes to its MBytes"
FEWER_NODES = "a step may use fewer nodes than the job was given, or the sources are of different jobs"
STEP_TIME = "a Darshan log begins at MPI_Init and ends at MPI_Finalize"


def agreements(job: Selection) -> tuple[Agreement, ...]:
    """Every quantity of the case that two or more sources state; those that differ first."""
    if len(job.logs) == len(job.parts) == 1:
        # A log that stands alone is most of what is given, and says nothing twice.
        return ()
    found = [*_of_the_job(job), *_of_files(job)]
    return tuple(sorted(found, key=lambda a: (a.agrees, a.file is not None, a.quantity, a.file or "")))


def _compare(
    quantity: str,
    unit: Unit,
    statements: Iterable[StatedValue | None],
    *,
    file: str | None = None,
    tolerance: float = TOLERANCE,
    same: str | None = None,
    other: str | None = None,
    within: bool = False,
) -> list[Agreement]:
    """`within`: what one source says in different words is held against itself too, and told where it differs."""
    stated = tuple(s for s in statements if s is not None)
    one_source = len({s.source for s in stated}) < 2
    if one_source and not (within and len({s.says for s in stated}) > 1 and len({s.value for s in stated}) > 1):
        return []
    numbers = [s.value for s in stated if not isinstance(s.value, str)]
    if len(numbers) < len(stated):
        agrees = len({str(s.value) for s in stated}) == 1
        return [Agreement(quantity, unit, file, stated, agrees, None, same if agrees else other)]
    largest = max(abs(n) for n in numbers)
    apart = 0.0 if largest == 0 else (max(numbers) - min(numbers)) / largest
    agrees = apart <= tolerance
    return [Agreement(quantity, unit, file, stated, agrees, apart, same if agrees else other)]


def _of_the_job(job: Selection) -> list[Agreement]:
    """Several Darshan logs are several steps of a job: each has ranks and a run time of its own."""
    steps = len(job.logs) > 1
    of_step = [] if steps else _without_sizes_tried(_with_their_launch(job.parts))
    return [
        *_compare("ranks", "ranks", _of_all_ranks(of_step), tolerance=0.0, other=OTHER_JOB),
        *_compare("nodes", "nodes", _of_all_nodes(of_step), tolerance=0.0, other=FEWER_NODES),
        *_compare("job id", "word", (_job_id(i, p) for i, p in job.parts), other=OTHER_JOB),
        *_compare("program", "word", (_program(i, p) for i, p in of_step), other=OTHER_JOB),
        *_compare("run time", "s", _run_times(of_step), tolerance=RUNTIME_TOLERANCE, other=STEP_TIME),
        *_more_than_the_run(job, of_step),
    ]


def _more_than_the_run(job: Selection, parts: Sequence[tuple[int, Part]]) -> list[Agreement]:
    """The time in MPI-IO on one file beside the longest run that a source states, where that is shorter."""
    runs = [s for s in _run_times(parts) if not isinstance(s.value, str)]
    longest = max(runs, key=lambda s: float(s.value), default=None)
    found: list[Agreement] = []
    for file, blocks in blocks_by_file(job).items():
        took = least_run_of(blocks, job)
        if longest is None or took <= longest_possible(float(longest.value)):
            continue
        stated = StatedValue(blocks[0].source, "total of MPICH_MPIIO_TIMERS", took, totals_at(blocks))
        found += _compare("time for MPI-IO", "s", (longest, stated), file=base_name(file), other=OTHER_JOB)
    return found


def _without_sizes_tried(parts: Sequence[tuple[int, Part]]) -> list[tuple[int, Part]]:
    """Where a benchmark was run with several numbers of ranks or nodes, these are what it tries: they contradict
    nobody."""
    sizes = {(p.nprocs, p.nodes) for _, p in parts if isinstance(p, BenchmarkRun)}
    return [(i, p) for i, p in parts if not (len(sizes) > 1 and isinstance(p, BenchmarkRun))]


def _of_all_ranks(parts: Sequence[tuple[int, Part]]) -> list[StatedValue]:
    """What the sources say about the job's ranks. Some of them may open a file by themselves: a communicator that is
    smaller than what others state, or than another one where nobody else states them, contradicts nobody."""
    statements = [(isinstance(p, _PARTS_OF_ALL), s) for i, p in parts if (s := _ranks(i, p)) is not None]
    numbers = [(of_part, s.value) for of_part, s in statements if not isinstance(s.value, str)]
    of_all = [ranks for of_part, ranks in numbers if not of_part]
    most = max(of_all or [ranks for _, ranks in numbers], default=0)
    return [s for of_part, s in statements if not (of_part and not isinstance(s.value, str) and s.value < most)]


_PARTS_OF_ALL = MpiioStats | AggregatorPlacement
"""Sources that tell of a communicator, or of some of its ranks."""


def _of_all_nodes(parts: Sequence[tuple[int, Part]]) -> list[StatedValue]:
    """What the sources say about the job's nodes. A table of aggregators names some of them: it contradicts only those
    that state fewer."""
    found = [stated for i, p in parts if (stated := _nodes(i, p)) is not None]
    most = max((s.value for s in found if not isinstance(s.value, str)), default=inf)
    placed = [(i, p) for i, p in parts if isinstance(p, AggregatorPlacement) and len(p.nodes) > most]
    return [*found, *(StatedValue(i, "nodes of aggregators", len(p.nodes), _lines(i, p.lines)) for i, p in placed)]


def _with_their_launch(parts: Sequence[tuple[int, Part]]) -> list[tuple[int, Part]]:
    """Of a script that starts several programs, the launches of those that other sources tell of, where there are
    any."""
    programs = [(i, p, name) for i, p in parts for name in _programs(p)]
    found: list[tuple[int, Part]] = []
    for i, part in parts:
        if isinstance(part, JobContext) and len(part.launches) > 1:
            others = {name for _, p, name in programs if p is not part}
            mine = tuple(x for x in part.launches if x.program is not None and base_name(x.program) in others)
            part = replace(part, launches=mine) if mine else part
        found.append((i, part))
    return found


def _programs(part: Part) -> list[str]:
    match part:
        case DarshanLog() | DarshanSummary() if part.job.executable:
            return [base_name(part.job.executable)]
        case CrayPatReport() if (name := program_of(part)) is not None:
            return [base_name(name)]
        case JobContext():
            return [base_name(x.program) for x in part.launches if x.program is not None]
        case _:
            return []


def _ranks(source: int, part: Part) -> StatedValue | None:
    match part:
        case DarshanLog() | DarshanSummary() if part.job.nprocs is not None:
            return StatedValue(source, "nprocs", part.job.nprocs, ())
        case MpiioStats() if part.trusted and part.ranks_in_communicator is not None:
            return StatedValue(source, "ranks in communicator", part.ranks_in_communicator, _lines(source, part.lines))
        case AggregatorPlacement() if part.aggregators:
            last = max(part.aggregators, key=lambda a: a.rank)
            return StatedValue(source, "ranks up to the last aggregator", last.rank + 1, _lines(source, part.lines))
        case CrayPatReport() if part.ranks is not None:
            return StatedValue(source, "Number of PEs (MPI ranks)", part.ranks, _lines(source, part.lines))
        case DxtTrace() if part.job is not None and part.job.nprocs is not None:
            return StatedValue(source, "nprocs", part.job.nprocs, ())
        case BenchmarkRun() if part.nprocs is not None:
            return StatedValue(source, "tasks", part.nprocs, _lines(source, part.lines))
        case JobContext():
            return _ranks_of_context(source, part)
        case _:
            return None


def _ranks_of_context(source: int, part: JobContext) -> StatedValue | None:
    """A script's launch is taken before its request."""
    launch = largest_launch(part)
    ranks = None if launch is None else part.ranks_of(launch)
    if launch is not None and ranks is not None:
        return StatedValue(source, f"ranks of {launch.launcher}", ranks, places_of(source, launch.line, part.lines))
    if part.ntasks is None or (launch is not None and part.is_contradicted_by(launch)):
        return None
    return StatedValue(
        source, f"tasks by {part.source}", part.ntasks, places_of(source, part.line_of("ntasks"), part.lines)
    )


def _nodes(source: int, part: Part) -> StatedValue | None:
    match part:
        case DarshanLog() if part.job.nnodes is not None:
            return StatedValue(source, "nodes", part.job.nnodes, ())
        case DarshanLog() if part.hostnames and len(part.hostnames) == part.job.nprocs:
            return StatedValue(source, "nodes of the ranks", len(set(part.hostnames.values())), ())
        case DxtTrace() if part.job is not None and part.hostnames and len(part.hostnames) == part.job.nprocs:
            return StatedValue(source, "nodes of the ranks", len(set(part.hostnames.values())), ())
        case CrayPatReport() if part.nodes is not None:
            line = part.line_of("Numbers of PEs per Node")
            return StatedValue(source, "Numbers of PEs per Node", part.nodes, places_of(source, line, part.lines))
        case BenchmarkRun() if part.nodes is not None:
            return StatedValue(source, "nodes", part.nodes, _lines(source, part.lines))
        case JobContext():
            return _nodes_of_context(source, part)
        case _:
            return None


def _nodes_of_context(source: int, part: JobContext) -> StatedValue | None:
    step = first_step(part)
    if step is not None and step.nnodes is not None:
        return StatedValue(source, f"nodes of step {step.step}", step.nnodes, places_of(source, step.line, part.lines))
    launch = largest_launch(part)
    nodes = None if launch is None else launch.all_nodes
    if launch is not None and nodes is not None:
        return StatedValue(source, f"nodes of {launch.launcher}", nodes, places_of(source, launch.line, part.lines))
    if part.nnodes is None:
        return None
    return StatedValue(
        source, f"nodes by {part.source}", part.nnodes, places_of(source, part.line_of("nnodes"), part.lines)
    )


def _job_id(source: int, part: Part) -> StatedValue | None:
    match part:
        case DarshanLog() | DarshanSummary() if part.job.job_id is not None:
            return StatedValue(source, "jobid", part.job.job_id, ())
        case JobContext() if part.job_id is not None:
            return StatedValue(source, "job id", part.job_id, places_of(source, part.line_of("job_id"), part.lines))
        case _:
            return None


def _program(source: int, part: Part) -> StatedValue | None:
    match part:
        case DarshanLog() | DarshanSummary() if part.job.executable:
            return StatedValue(source, "exe", base_name(part.job.executable), ())
        case CrayPatReport() if (name := program_of(part)) is not None:
            return StatedValue(source, "Execute", base_name(name), _lines(source, part.lines))
        case JobContext() if (name := launched_program(part)) is not None:
            launch = next(x for x in part.launches if x.program == name)
            return StatedValue(source, launch.launcher, base_name(name), places_of(source, launch.line, part.lines))
        case _:
            return None


def _run_times(parts: Sequence[tuple[int, Part]]) -> list[StatedValue]:
    """A log, or a profiler's report, is of one run: of several steps alike it is held against the one that took nearest
    to its time, whichever that was."""
    of_one_run = [stated for i, p in parts if (stated := _time_of_one_run(i, p)) is not None]
    ran = next((s.value for s in of_one_run if not isinstance(s.value, str)), None)
    accounts = [stated for i, p in parts if isinstance(p, JobContext) and (stated := _time_of_job(i, p, ran))]
    return [*of_one_run, *accounts]


def _time_of_one_run(source: int, part: Part) -> StatedValue | None:
    match part:
        case DarshanLog() | DarshanSummary() if part.job.runtime_s is not None:
            return StatedValue(source, "run time", part.job.runtime_s, ())
        case CrayPatReport() if part.process_time_average_s is not None:
            line = part.process_time_line
            where = part.lines if line is None else Lines(line, line)
            return StatedValue(source, "Avg Process Time", part.process_time_average_s, _lines(source, where))
        case _:
            return None


def _time_of_job(source: int, part: JobContext, ran: float | None) -> StatedValue | None:
    """What the steps took that ran the program: the nearest to what one run took, where that is known, else all."""
    took = [(seconds, step) for step in program_steps(part.steps) if (seconds := step.took_s) is not None]
    if ran is not None and took:
        seconds, step = min(took, key=lambda one: abs(one[0] - ran))
        others = f", the nearest of {len(took)} alike" if len(took) > 1 else ""
        return StatedValue(
            source, f"elapsed, step {step.step}{others}", seconds, places_of(source, step.line, part.lines)
        )
    together = time_in_steps(part)
    if together is not None:
        step = took[0][1]
        others = " and those like it" if len(took) > 1 else ""
        return StatedValue(
            source, f"elapsed, step {step.step}{others}", together, places_of(source, step.line, part.lines)
        )
    if part.took_s is not None and part.source != "time":
        return StatedValue(source, "elapsed", part.took_s, places_of(source, part.line_of("elapsed_s"), part.lines))
    return None


def _of_files(job: Selection) -> list[Agreement]:
    of_stats: dict[str, list[tuple[int, MpiioStats]]] = {}
    for b in job.stats:
        of_stats.setdefault(base_name(b.block.file), []).append((b.source, b.block))
    of_craypat, of_lfs = _rows_by_name(job), _layouts_by_name(job)
    found = []
    for name in dict.fromkeys([*of_stats, *of_craypat, *of_lfs]):
        found += _striping(job, name, of_stats.get(name, ()), of_lfs.get(name, ()))
        if name in of_stats:
            found += _stats_and_log(job, name, of_stats[name])
        if name in of_craypat:
            found += _craypat_and_log(job, name, of_craypat[name])
    return found


Rows = dict[Direction, list[StatedValue]]


def _rows_by_name(job: Selection) -> Mapping[str, Rows]:
    """What CrayPAT's tables say about the bytes of each file, by base name and direction."""
    found: dict[str, Rows] = {}
    for source, report in job.of(CrayPatReport):
        for table in report.io_tables:
            for row in table.rows:
                moved = row.bytes_summed_over_ranks
                if row.file is None or row.noise is not None or moved is None:
                    continue
                value = StatedValue(
                    source, f"{table.title}: {row.file}", moved, places_of(source, row.line, table.lines)
                )
                found.setdefault(base_name(row.file), {}).setdefault(table.direction, []).append(value)
    return found


@cached_per_job
def _records_by_name(job: Selection) -> Mapping[int, Mapping[str, Sequence[int]]]:
    """The record ids of each log's files, by base name."""
    found: dict[int, dict[str, list[int]]] = {}
    for rows in job.logs:
        of_log = found.setdefault(rows.source, {})
        for record, path in rows.log.names.items():
            of_log.setdefault(base_name(path), []).append(record)
    return found


def _layouts_by_name(job: Selection) -> Mapping[str, Sequence[tuple[int, StripeLayout]]]:
    """The files that `lfs getstripe` shows in one piece, by base name."""
    found: dict[str, list[tuple[int, StripeLayout]]] = {}
    for source, layout in job.of(StripeLayout):
        if layout.form == "plain" and layout.path is not None:
            found.setdefault(base_name(layout.path), []).append((source, layout))
    return found


def _striping(
    job: Selection, name: str, blocks: Sequence[tuple[int, MpiioStats]], layouts: Sequence[tuple[int, StripeLayout]]
) -> list[Agreement]:
    """The stripes of one file, where each source has one number of them: of composite layouts it is that of a part."""
    statements = [stated for rows in job.logs if (stated := _stripes_of_log(job, rows, name)) is not None]
    if len({b.stripe_count for _, b in blocks}) == 1 and not any(b.pfl for _, b in blocks):
        (source, first), *_ = blocks
        if first.stripe_count:
            statements.append(
                StatedValue(source, "stripe count", first.stripe_count, _line(source, first, "stripe count"))
            )
    if len({layout.path for _, layout in layouts}) == 1:
        source, layout = layouts[-1]
        count = None if layout.only_component is None else layout.only_component.stripe_count
        if count is not None and count > 0:
            statements.append(StatedValue(source, "lmm_stripe_count", count, _lines(source, layout.lines)))
    return _compare("stripe count", "stripes", statements, file=name, tolerance=0.0, other=MADE_AGAIN, within=True)


def _stripes_of_log(job: Selection, rows: LogRows, name: str) -> StatedValue | None:
    named = _records_by_name(job)[rows.source].get(name, ())
    found = [layout for record in named if (layout := rows.layout_of(record)) is not None]
    counts = {layout.stripe_count for layout in found}
    if len(counts) != 1 or any(layout.composite for layout in found):
        return None
    (count,) = counts
    if not count:
        return None
    record = str(found[0].record) if len(found) == 1 else None
    where = Where(rows.source, Counter("LUSTRE", "LUSTRE_STRIPE_WIDTH", record, file=rows.name_of(found[0].record)))
    return StatedValue(rows.source, "LUSTRE_STRIPE_WIDTH", count, (where,))


def _stats_and_log(job: Selection, name: str, blocks: Sequence[tuple[int, MpiioStats]]) -> list[Agreement]:
    found = []
    for direction, way in (("write", "WRITE"), ("read", "READ")):
        mine = [(i, b) for i, b in blocks if b.direction == direction]
        if not mine:
            continue
        moved = "BYTES_WRITTEN" if way == "WRITE" else "BYTES_READ"
        calls: tuple[tuple[str, Literal["independent", "collective"], tuple[str, ...]], ...] = (
            (f"independent {direction}s", "independent", (f"MPIIO_INDEP_{way}S",)),
            (f"collective {direction}s", "collective", (f"MPIIO_COLL_{way}S", f"MPIIO_SPLIT_{way}S")),
        )
        for quantity, kind, counters in calls:
            statements = [_from_log(job, rows, "MPI-IO", name, *counters) for rows in job.logs]
            statements.append(_calls_of_stats(job, mine, quantity, kind))
            found += _compare(
                quantity,
                "calls",
                statements,
                file=name,
                tolerance=0.0,
                same=SUMMED_OVER_RANKS,
                other=_reason(job, "MPI-IO"),
            )
        stored = [_from_log(job, rows, "POSIX", name, f"POSIX_{moved}") for rows in job.logs]
        stored.append(_bytes_of_stats(mine, f"total bytes for {direction}s"))
        found += _compare(
            f"bytes {direction}", "B", stored, file=name, same=BELOW_MPIIO, other=_reason(job, "POSIX") or BELOW_MPIIO
        )
    return found


def _calls_of_stats(
    job: Selection, blocks: Sequence[tuple[int, MpiioStats]], says: str, kind: Literal["independent", "collective"]
) -> StatedValue | None:
    collective = kind == "collective"
    counts = [
        (i, b, collective_calls(job, StatsBlock(i, b)) if collective else b.independent_accesses) for i, b in blocks
    ]
    known = [(i, b, n) for i, b, n in counts if n is not None]
    if not known:
        return None
    where = tuple(w for i, b, _ in known for w in _line(i, b, f"{kind} accesses"))
    return StatedValue(known[0][0], says, sum(n for _, _, n in known), where)


def _bytes_of_stats(blocks: Sequence[tuple[int, MpiioStats]], says: str) -> StatedValue | None:
    known = [(i, b, b.total_bytes) for i, b in blocks if b.total_bytes is not None]
    if not known:
        return None
    where = tuple(w for i, b, _ in known for w in _line(i, b, "total bytes"))
    return StatedValue(known[0][0], says, sum(n for _, _, n in known), where)


def _craypat_and_log(job: Selection, name: str, rows_of: Rows) -> list[Agreement]:
    found = []
    counters: dict[Direction, str] = {"write": "POSIX_BYTES_WRITTEN", "read": "POSIX_BYTES_READ"}
    for direction, counter in counters.items():
        statements = [*(_from_log(job, rows, "POSIX", name, counter) for rows in job.logs), *rows_of.get(direction, [])]
        found += _compare(
            f"bytes {direction}", "B", statements, file=name, same=PER_STREAM, other=_reason(job, "POSIX") or PER_STREAM
        )
    return found


def _from_log(
    job: Selection, rows: LogRows, module: Literal["POSIX", "MPI-IO"], name: str, *counters: str
) -> StatedValue | None:
    """The sum of counters over the records of the files with this base name."""
    table = rows.posix if module == "POSIX" else rows.mpiio
    if table is None:
        return None
    named = _records_by_name(job)[rows.source].get(name, ())
    mine = table.rows(np.isin(table.ids, np.array(named, dtype=np.uint64)))
    ids = unique(mine.ids).tolist()
    if not ids or all(mine.total(c) is None for c in counters):
        return None
    record = str(ids[0]) if len(ids) == 1 else None
    where = tuple(Where(rows.source, Counter(module, c, record, file=rows.name_of(ids[0]))) for c in counters)
    return StatedValue(rows.source, " + ".join(counters), sum_counters(mine, *counters), where)


def _reason(job: Selection, module: str) -> str | None:
    return PARTIAL if any(is_partial(rows, module) for rows in job.logs) else None


def _lines(source: int, at: Lines) -> tuple[Where, ...]:
    return (Where(source, at),)


def _line(source: int, block: MpiioStats, label: str) -> tuple[Where, ...]:
    line = block.line_of(label)
    return (Where(source, block.lines if line is None else Lines(line, line)),)
