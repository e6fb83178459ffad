"""Headlines about the evidence itself, which no threshold decides: there is nothing to judge by, or the job did no
I/O."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from math import inf
from posixpath import dirname
from typing import Literal, NamedTuple, get_args

from iotriage.analysis.decision.condition import Metrics
from iotriage.analysis.decision.headline_figure import io_time_sentence
from iotriage.analysis.document import Headline, SourceReport
from iotriage.analysis.document.account import Account
from iotriage.analysis.document.finding import EndOfJob, EvidenceHeadlines
from iotriage.analysis.inputs import FROM_STANDARD_INPUT
from iotriage.analysis.job_settings import cray_prints
from iotriage.analysis.rates import known_number, known_word
from iotriage.metrics.core.missing_evidence import EVIDENCE, STATS
from iotriage.metrics.core.text_statements import largest_launch
from iotriage.rules.advice.striping import DEFAULT_SIZE_BYTES, NEW_DIRECTORY
from iotriage.rules.core.action import FillIn, Named, Place, RunCommand, SetStripe
from iotriage.rules.core.commands import command_of, line
from iotriage.rules.core.launching import PROGRAM_FILE, watched_by_darshan
from iotriage.rules.core.words import number, plural, printable, quantity
from iotriage.sites import all_sites
from iotriage.sites.site import Site
from iotriage_parsers.evidence import (
    BenchmarkRates,
    BenchmarkRun,
    DarshanLog,
    JobContext,
    JobEnd,
    OstUsage,
    Part,
    Problem,
    QuotaRoom,
    StripeLayout,
    UsedUp,
)
from iotriage_parsers.evidence.benchmark_rates import RatesTool
from iotriage_parsers.evidence.problem import EndedBy, ProblemCode
from iotriage_parsers.text.endings import LOST

NOTHING_READ = "None of the sources could be read."
NO_IO = "The evidence shows no I/O in this run."
CHECK_DARSHAN = "If that surprises you, check that the program that did the I/O ran with Darshan loaded."
CHECK_TEXT = (
    "If that surprises you, add a Darshan log: MPICH's texts count what went through MPI-IO alone, and CrayPAT what it "
    "traced."
)
NOTHING_TO_JUDGE = "Nothing in these sources shows how the job did its I/O."
MORE_QUOTA = "Make room, or ask for more quota."
HAS_ROOM = "By the list of quotas there is room for {}: it says nothing of a job's I/O."
GIVE_THE_ERROR = (
    "Where a write failed for a quota, give what the job printed. For how a job did its I/O, give its Darshan log."
)
ROOM = "Make room there. For how a job did its I/O, give its Darshan log."
FEWER = "Remove files that are not needed, or pack many into one; writing less to each does not help."
NOT_ENOUGH = "These sources show that there was I/O, but too little of how it was done to judge it."
BENCHMARK_ALONE = "This is a benchmark's result, not a job: it says what the file system gave."
OF_ONE_OST = "This is a benchmark's result of a file on one OST: it says what that OST gave, not the file system."
MORE_OSTS = "For what the file system gives, run it again in a new directory with more stripes, and compare the two."
STRIPING = (SetStripe(NEW_DIRECTORY, 8, DEFAULT_SIZE_BYTES, new=True),)
MEASURE = "Make it part of a site's profile, so that jobs there are judged by it, or compare it with another result."
_SITE, _RESULT = FillIn("SITE", "a short name of the centre"), FillIn("RESULT", "the file of the result")
_ANOTHER = FillIn("ANOTHER_RESULT", "the file of another result")
_MOST_NAMED = 8
"""Number of results that a command line names one by one."""
COMPARE = "Compare it with another result of the same benchmark."
MEASURED_BY = frozenset({"benchio", "io500", "ior", "mdtest"})
"""Readers of benchmarks from whose results a site's profile can be made."""
BENCHMARKS = MEASURED_BY.union(tool.lower() for tool in get_args(RatesTool))
"""Readers of benchmarks: those with rates by phase are named as their tools are."""
LAYOUT = "lfs_getstripe"
HEATMAP_ALONE = (
    "The Darshan log has a heatmap and no records: it shows when {}, and nothing of files, calls and seconds."
)
GIVE_RECORDS = (
    "Give the log as Darshan wrote it. If that is all it wrote, its modules POSIX, MPI-IO and STDIO were switched off, "
    "by DARSHAN_MOD_DISABLE or DARSHAN_MOD_ENABLE, or by these names in the file of DARSHAN_CONFIG_PATH: run again "
    "without."
)
WITH_RECORDS = "unset DARSHAN_MOD_DISABLE DARSHAN_MOD_ENABLE DARSHAN_CONFIG_PATH"
ADD_EVIDENCE = "Add a Darshan log of the run, or its standard error with MPICH_MPIIO_STATS=1."
ADD_WHOLE_RUN = "Add a Darshan log of a run that comes to its end, or its standard error with MPICH_MPIIO_STATS=1."
ANOTHER_RUN = "Give a run that comes to its end, even a short one: it shows the rest."
ADD_LOG = "Add a Darshan log of the run."
ADD_LOG_OF_WHOLE_RUN = "Add a Darshan log of a run that comes to its end."
LOG_DOES_NOT_TELL = "The Darshan log that was given does not tell how I/O was done"
ADD_ANOTHER_LOG = "Give that of another run."
ADD_ANOTHER_EVIDENCE = "Give that of another run, or its standard error with MPICH_MPIIO_STATS=1."
TRACE_IO = "Build the program with the group io traced too, and give the report of that run; or add a Darshan log."
IO_TRACED = line(RunCommand(("pat_build", "-w", "-g", "io", "-g", "mpi", PROGRAM_FILE)))

MORE_MEMORY = "Ask for more memory, or put fewer processes on a node."
MORE_TIME = "Ask for more time, or let the run do less."
ENDS: Mapping[EndedBy, tuple[str, str | None]] = {
    "memory": ("ran out of memory and was killed", MORE_MEMORY),
    "time-limit": ("ran into its time limit", MORE_TIME),
    "node": ("ended because a node failed", None),
    "preempted": ("was preempted by another job", None),
    "requeued": ("was put back into the queue", None),
    "aborted": ("was aborted, by a call of MPI_Abort", "What the program printed before that call says why."),
    "process": (
        "ended because one of its processes failed",
        "What that process printed says why; where it was killed (signal 9), memory is the first to ask about.",
    ),
}
"""How the job ended, and what to do about that. Who cancelled a job knows why, and what failed says it in words of its
own."""

SHOWING_IO = ("job.io_time", "timers.", "benchmark.write_bandwidth", "benchmark.read_bandwidth")
"""Prefixes of metrics that show that there was I/O, although nothing counts its calls."""


def headlines_of_evidence(
    sources: Sequence[SourceReport], parts: Iterable[Part], metrics: Metrics, account: Account | None
) -> EvidenceHeadlines:
    """What the sentence on top can say of the evidence itself, whatever the findings are."""
    end, parts = _end(sources), tuple(parts)
    ended = _ended(sources, end)
    has_log = any(isinstance(part, DarshanLog) for part in parts)
    to_add = _to_add(metrics, ended=ended is not None, has_log=has_log)
    if not has_log and (off := _darshan_is_off(parts)) is not None:
        to_add = (f"{to_add[0]} {off}", to_add[1])
    not_enough = _not_enough(sources, parts, metrics, account, to_add)
    return EvidenceHeadlines(_nothing_read(sources), _no_io(sources, metrics), not_enough, *to_add, ended, end)


def _ended(sources: Sequence[SourceReport], end: EndOfJob | None) -> str | None:
    """With where it is said; and how it was, unless `end` says that."""
    first = _reported_end(sources, ("ended",))
    if first is None:
        return None
    source, problem = first
    place = _place(source, problem, alone=len(sources) == 1)
    if end is None:
        sentence = f"{problem.message} ({place})" if place else problem.message
    else:
        sentence = f"{LOST}. How it ended stands on {place}" if place else LOST
    return f"{sentence[0].upper()}{sentence[1:]}. {ANOTHER_RUN}"


def _end(sources: Sequence[SourceReport]) -> EndOfJob | None:
    """How the job ended, from the first source that gives a reason."""
    first = _reported_end(sources, get_args(ProblemCode))
    end = None if first is None else first[1].end
    return None if end is None or end.by not in ENDS else _end_of_job(end)


def _reported_end(sources: Sequence[SourceReport], codes: Sequence[ProblemCode]) -> tuple[SourceReport, Problem] | None:
    """The first warning of how the job ended that gives a reason, with its source; else the first of them."""
    reports = [
        (s, p) for s in sources if not s.of_another_job for p in s.warnings if p.code in codes and p.end is not None
    ]
    with_reason = (one for one in reports if one[1].end is not None and one[1].end.by in ENDS)
    return next(with_reason, reports[0] if reports else None)


def _place(source: SourceReport, problem: Problem, *, alone: bool) -> str:
    line = None if problem.line is None else f"line {problem.line}"
    named = None if alone else printable(source.name)
    return " of ".join(part for part in (line, named) if part is not None)


def _end_of_job(end: JobEnd) -> EndOfJob:
    how, remedy = ENDS[end.by]
    who = "The job, or a step of it," if end.of_step else "The job"
    return EndOfJob(f"{who} {how}.", remedy, end.by == "memory")


def _nothing_read(sources: Sequence[SourceReport]) -> Headline | None:
    if not all(s.status in ("failed", "nothing") for s in sources):
        return None
    step = next((s.next_step for s in sources if s.next_step), None)
    return Headline(NOTHING_READ, step, None, "unknown", None)


def _no_io(sources: Sequence[SourceReport], metrics: Metrics) -> Headline | None:
    if _did_io(metrics):
        return None
    check = CHECK_DARSHAN if any((s.kind or "").startswith("darshan") for s in sources) else CHECK_TEXT
    return Headline(NO_IO, check, None, "clear", None)


def _did_io(metrics: Metrics) -> bool:
    """False only where complete evidence shows that nothing was opened, no byte was moved and no time was spent."""
    moved, opened = metrics["io.bytes"], metrics["posix.opens"].value
    took_time = bool(known_number(metrics, "job.io_time"))
    return moved.value != 0 or moved.bound is not None or opened not in (None, 0) or took_time


def _not_enough(
    sources: Sequence[SourceReport],
    parts: Sequence[Part],
    metrics: Metrics,
    account: Account | None,
    to_add: tuple[str, str],
) -> Headline:
    kinds = {s.kind for s in sources}
    if benchmark_alone(sources):
        if _of_one_ost(parts):
            return Headline(OF_ONE_OST, MORE_OSTS, _striping(parts, metrics), "info", None, _best_rates(parts))
        measures = kinds <= {*MEASURED_BY, LAYOUT} and any(_of_known_ranks(part) for part in parts)
        step, run = (MEASURE, _measuring(sources, metrics)) if measures else (COMPARE, _comparing(sources))
        return Headline(BENCHMARK_ALONE, step, line(run), "info", None, _best_rates(parts))
    seen = metrics["io.bytes"].value is not None or any(
        metrics[name].value is not None for name in metrics if name.startswith(SHOWING_IO)
    )
    used_up = [part for part in parts if isinstance(part, UsedUp)]
    if not seen and used_up:
        return _of_what_is_used_up(used_up)
    room = [part for part in parts if isinstance(part, QuotaRoom)]
    if room and kinds == {LAYOUT} and not any(isinstance(part, StripeLayout | OstUsage) for part in parts):
        names = ", ".join(dict.fromkeys(f"{printable(part.name)} on {printable(part.mount)}" for part in room))
        return Headline(HAS_ROOM.format(names), GIVE_THE_ERROR, None, "unknown", None)
    if not seen:
        wanted = (TRACE_IO, IO_TRACED) if kinds == {"craypat"} else to_add
        return Headline(NOTHING_TO_JUDGE, *wanted, "unknown", None)
    if any(isinstance(part, DarshanLog) and _heatmap_alone(part) for part in parts):
        return Headline(HEATMAP_ALONE.format(_moved_by(metrics)), GIVE_RECORDS, WITH_RECORDS, "unknown", None)
    return Headline(NOT_ENOUGH, *to_add, "unknown", None, io_time_sentence(metrics, account), gives_way=True)


def _heatmap_alone(log: DarshanLog) -> bool:
    counting = (log.posix, log.mpiio, log.stdio, log.dfs, log.daos)
    return bool(log.heatmaps) and not any(table is not None and len(table) for table in counting)


def _moved_by(metrics: Metrics) -> str:
    """ "1 of 64 ranks moved 70 GiB", as far as it is known."""
    movers, ranks, moved = (known_number(metrics, id) for id in ("balance.movers", "job.nprocs", "io.bytes"))
    least = "at least " if metrics["io.bytes"].bound == "lower" else ""
    bytes_ = "bytes" if moved is None else f"{least}{quantity(moved, 'B')}"
    if movers is None or ranks is None:
        return f"{bytes_} moved"
    return f"{number(round(movers))} of {plural(ranks, 'rank')} moved {bytes_}"


def _of_what_is_used_up(found: Sequence[UsedUp]) -> Headline:
    """The headline where only a list of quotas or of full targets was given."""
    first = found[0]
    mount, name = printable(first.mount), printable(first.name)
    if first.tool == "lfs df -i":
        return Headline(f"{name} on {mount} has no inodes left: no files can be made there.", FEWER, None, "high", None)
    if first.tool == "df":
        left = "inodes" if first.of == "files" else "space"
        step = FEWER if first.of == "files" else ROOM
        return Headline(f"{mount} has no {left} left, by df: writes there fail.", step, None, "high", None)
    kinds = {part.of for part in found if (part.mount, part.name) == (first.mount, first.name)}
    what = "the space and the files" if len(kinds) == 2 else f"the {first.of}"
    fails = "no files can be made there" if first.of == "files" else "writes there fail"
    sentence = f"{name} has used up {what} that the quota of {mount} allows: {fails}."
    step = f"{MORE_QUOTA} {FEWER}" if len(kinds) == 2 else FEWER if first.of == "files" else MORE_QUOTA
    return Headline(sentence, step, None, "high", None)


def benchmark_alone(sources: Sequence[SourceReport]) -> bool:
    """Whether the sources are a benchmark's result and no job's. The layout of the benchmark's file may be among
    them."""
    kinds = [s.kind for s in sources if s.kind != LAYOUT]
    return bool(kinds) and all(kind in BENCHMARKS for kind in kinds)


def _measuring(sources: Sequence[SourceReport], metrics: Metrics) -> RunCommand:
    """A result whose centre is known is added to the profile of that."""
    known = all_sites().get(known_word(metrics, "job.site") or "")
    site = _SITE if known is None or known.status == "generic" else known.id
    return RunCommand(("iotriage", "sites", "measure", site, *_results(sources)))


def _comparing(sources: Sequence[SourceReport]) -> RunCommand:
    results = [s for s in sources if s.kind != LAYOUT]
    return RunCommand(("iotriage", "compare", _results(results)[0], _ANOTHER))


def _results(sources: Sequence[SourceReport]) -> tuple[Place, ...]:
    """By their names; those in an archive, or of which there are many, are filled in."""
    names = dict.fromkeys(s.name for s in sources)
    in_files = all(s.member is None and s.name != FROM_STANDARD_INPUT for s in sources)
    return tuple(Named(name) for name in names) if in_files and len(names) <= _MOST_NAMED else (_RESULT,)


def _best_rates(parts: Sequence[Part]) -> str | None:
    """The highest rate that any of the benchmarks printed of writing and of reading, and of how many ranks where they
    tried several numbers; None where none printed bytes per second."""
    sizes = {part.nprocs for part in parts if isinstance(part, BenchmarkRun | BenchmarkRates)} - {None}
    said = [
        f"{verb} {quantity(best.bytes_per_s, 'B/s')}"
        + (f" with {plural(best.ranks, 'rank')}" if best.ranks is not None and len(sizes) > 1 else "")
        for verb, best in (("wrote", _best_rate(parts, "write")), ("read", _best_rate(parts, "read")))
        if best is not None
    ]
    return f"At best it {' and '.join(said)}." if said else None


class _Rate(NamedTuple):
    bytes_per_s: float
    ranks: int | None


def _best_rate(parts: Sequence[Part], operation: Literal["write", "read"]) -> _Rate | None:
    found = [rate for part in parts for rate in _rates_of(part, operation)]
    return max(found, key=lambda rate: rate.bytes_per_s, default=None)


def _rates_of(part: Part, operation: Literal["write", "read"]) -> list[_Rate]:
    """Phases are named by what they do: one that is checked while it is read back is no rate of the file system."""
    match part:
        case BenchmarkRun():
            rates = [result.best_bytes_per_s for result in part.of(operation)]
        case BenchmarkRates():
            phases = [p for p in part.rates if p.unit == "B/s" and operation in p.phase.lower()]
            rates = [p.mean if p.maximum is None else p.maximum for p in phases if not p.phase.endswith("-check")]
        case _:
            return []
    return [_Rate(rate, part.nprocs) for rate in rates if rate]


def _of_one_ost(parts: Collection[Part]) -> bool:
    """Whether all benchmarks are of one file that several ranks share, by lfs getstripe, or what IOR itself prints."""
    runs = [part for part in parts if isinstance(part, BenchmarkRun | BenchmarkRates)]
    layouts = [part for part in parts if isinstance(part, StripeLayout)]
    return bool(runs) and all(
        isinstance(run, BenchmarkRun)
        and run.access == "single-shared-file"
        and (run.nprocs or 0) > 1
        and (run.stripe_count == 1 or any(_on_one_ost(layout, run.file) for layout in layouts))
        for run in runs
    )


def _striping(parts: Collection[Part], metrics: Metrics) -> str | None:
    """None where the site asks its users not to stripe by hand."""
    known = all_sites().get(known_word(metrics, "job.site") or "")
    files = [part.file for part in parts if isinstance(part, BenchmarkRun) and part.file is not None]
    systems = [] if known is None else [known.file_system_of(file) for file in files]
    by_hand = all(system is None or system.manual_striping != "discouraged" for system in systems)
    return command_of(STRIPING).text if by_hand else None


def _on_one_ost(layout: StripeLayout, file: str | None) -> bool:
    """That of the file, or of the directory in which it was made."""
    whole, counts = layout.complete and file is not None, [c.stripe_count for c in layout.components]
    same = layout.path in ((file,) if layout.form == "plain" else (file, dirname(file or "")))
    return whole and same and counts == [1] and not layout.components[0].on_mdt


def _of_known_ranks(part: Part) -> bool:
    """A result by which jobs are judged says how many ranks it was measured with."""
    return isinstance(part, BenchmarkRun | BenchmarkRates) and part.nprocs is not None


def _to_add(metrics: Metrics, *, ended: bool, has_log: bool) -> tuple[str, str]:
    """The evidence to ask for, and its lines: Cray's statistics come from no other library, and of no one process. A
    run that was ended left none behind, and who gave a log is told what that one lacks."""
    site = all_sites().get(known_word(metrics, "job.site") or "")
    alone = known_number(metrics, "job.nprocs") == 1
    log, statistics = lines_to_add(site, known_word(metrics, "mpi.library"), alone=alone)
    lines = "\n".join((*log, *statistics))
    if has_log:
        why = metrics["io.bytes"].reason
        lacks = LOG_DOES_NOT_TELL if why is None else f"{LOG_DOES_NOT_TELL}: {why}"
        return f"{lacks}. {ADD_ANOTHER_EVIDENCE if statistics else ADD_ANOTHER_LOG}", lines
    if statistics:
        return ADD_WHOLE_RUN if ended else ADD_EVIDENCE, lines
    return ADD_LOG_OF_WHOLE_RUN if ended else ADD_LOG, lines


def _darshan_is_off(parts: Iterable[Part]) -> str | None:
    """What keeps the run from leaving a log, whoever asks for one."""
    for script in (part for part in parts if isinstance(part, JobContext)):
        launch = largest_launch(script)
        start = inf if launch is None else launch.line
        others = {other.line for other in script.launches if other is not launch}
        settings = [
            setting
            for setting in script.environment
            if setting.name == OFF and (setting.line not in others if setting.at_launch else setting.line <= start)
        ]
        if settings and settings[-1].value is not None:
            return _keeps_it_off(script, settings[-1].line, OFF)
        modules = [m for m in script.modules if m.line <= start and any(map(_WATCHES.match, m.names))]
        if modules and modules[-1].action == "unload":
            return _keeps_it_off(script, modules[-1].line, " ".join(("module", "unload", *modules[-1].names)))
    return None


def _keeps_it_off(script: JobContext, line: int, what: str) -> str:
    keeps = f"keeps Darshan from writing one ({printable(what)}): take it out"
    if script.source == "script":
        return f"Line {line} of the job's script {keeps}."
    return f"What set -x printed on line {line} {keeps} of the job's script."


OFF = "DARSHAN_DISABLE"
"""Set to whatever it may be, it switches Darshan off."""
_WATCHES = re.compile(r"darshan(?!-util)")
"""Modules of Darshan but that of its tools, which only read logs."""


def lines_to_add(
    site: Site | None, library: str | None, *, alone: bool = False
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What has Darshan watch a job of the site, and what has its MPI library print statistics, which of no one process
    there are; nothing where another library is known than the one that prints them."""
    of_site = None if site is None else site.mpi_library
    watched = tuple(line(action) for action in watched_by_darshan(site, maybe_without_mpi=alone))
    return watched, EVIDENCE[STATS].lines if cray_prints(library or of_site, alone=alone) else ()
