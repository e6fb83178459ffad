"""The content of a case's texts for a terminal, in one or a few lines each. Names from texts are escaped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from iotriage.analysis.charts.timer_phases import MOST_TIMERS
from iotriage.analysis.document import CaseDocument, TextPart, TimersPhases, TimersRank
from iotriage.metrics.core.selection import named_file
from iotriage.metrics.tables.grouping import templates_of
from iotriage.rules.core.words import (
    exact_quantity,
    number,
    plural,
    printable,
    rank_name,
    seconds,
    share,
    size,
    stripes_phrase,
)
from iotriage_parsers.evidence import (
    AggregatorPlacement,
    BenchmarkRates,
    BenchmarkRun,
    CrayPatReport,
    DvsStripeWarning,
    InternalError,
    IoError,
    JobContext,
    MpichAbort,
    MpichEnvironment,
    MpiioHints,
    MpiioTimers,
    OstUsage,
    PatIoRow,
    PhaseRate,
    QuotaRoom,
    StorageLayout,
    StripeComponent,
    StripeLayout,
    SystemErrors,
    UsedUp,
)
from iotriage_parsers.frozen import frozen

HINTS_THAT_MATTER = (
    "romio_cb_write",
    "romio_cb_read",
    "romio_ds_write",
    "romio_ds_read",
    "cb_nodes",
    "striping_factor",
    "striping_unit",
    "cray_cb_write_lock_mode",
    "cray_cb_nodes_multiplier",
)
MOST_LINES, MOST_SETTINGS = 4, 6
FEW_ALIKE = 3
MOST_LATE = 2
UNEVEN = 0.5
"""Where the worst repetition of a benchmark is below this share of the best, it is reported too: something else was
running, or one server was slow."""
MIXED = "its lines are mixed with those of another block"
FEW_PER_S = 10
"""Rates below this are not rounded to whole operations: less than one per second is not none."""
MOST_IN_ALL = 24


def text_evidence_lines(document: CaseDocument) -> list[str]:
    """The lines, without indent, in the order of the sources."""
    lines = list(_timers(document.charts.timers))
    lines += _mpi(document)
    lines += _of_parts([text.part for text in document.texts])
    if len(lines) <= MOST_IN_ALL:
        return lines
    return [*lines[:MOST_IN_ALL], f"… and {len(lines) - MOST_IN_ALL} more (--format json has all)"]


def _first(found: Sequence[str], most: int, what: str | None = None) -> list[str]:
    """The first lines, and how many more there are; `what` names one of them."""
    more = len(found) - most
    left_out = f"{more:,} more" if what is None else plural(more, f"more {what}")
    return list(found) if more <= 0 else [*found[:most], f"and {left_out}"]


def _mpi(document: CaseDocument) -> Iterator[str]:
    if document.mpi is not None and document.mpi.operations:
        operations = [f"{o.name} {seconds(o.mean_s)}" for o in document.mpi.operations]
        leading = ", ".join(_first(operations, MOST_LINES))
        yield f"MPI calls of {plural(document.mpi.ranks_total, 'rank')}, mean time of a rank: {leading}"


def _timers(every: Sequence[TimersPhases]) -> Iterator[str]:
    """The longest of many closes of files whose names differ only in numbers."""
    alike: dict[tuple[str, str, str], list[TimersPhases]] = {}
    for timers, template in zip(every, templates_of([t.file for t in every]), strict=True):
        alike.setdefault((timers.direction, timers.ranks, template), []).append(timers)
    first = "the first " if len(every) >= MOST_TIMERS else ""
    for group in alike.values():
        if len(group) <= FEW_ALIKE:
            yield from (line for timers in group for line in _phases(timers))
        else:
            longest = max(group, key=lambda timers: timers.total_s or 0.0)
            place = "one" if longest.total_s is None else "the longest"
            yield from _phases(longest, f", {place} of {first}{len(group)} like it")


def _of_parts(parts: Sequence[TextPart]) -> Iterator[str]:
    """One line for files with the same figures whose names differ only in numbers, named after the first of them."""
    described = [_of_a_file(part) for part in parts]
    names = templates_of(["" if one is None else one.file or "" for one in described])
    keys = [None if one is None else (name, one.before, one.said) for one, name in zip(described, names, strict=True)]
    times = Counter(keys)
    shown: set[tuple[str, str, str]] = set()
    for part, one, key in zip(parts, described, keys, strict=True):
        if one is None or key is None or times[key] <= FEW_ALIKE:
            yield from _lines(part)
        elif key not in shown:
            shown.add(key)
            file = printable(one.file or "a file without a name")
            yield f"{one.before} of {file} and {times[key] - 1:,} like it: {one.said}"


@frozen
class _LineOfFile:
    before: str
    file: str | None
    said: str

    @property
    def line(self) -> str:
        of = f" of {printable(self.file)}" if self.file else ""
        return f"{self.before}{of}: {self.said}"


def _of_a_file(part: TextPart) -> _LineOfFile | None:
    """The line of a part that says one of one file; None of other parts."""
    match part:
        case MpiioHints() if part.trusted:
            return _hints(part)
        case StripeLayout():
            return _layout(part)
        case _:
            return None


def _phases(timers: TimersPhases, among: str = "") -> Iterator[str]:
    largest = sorted((p for p in timers.phases if p.share), key=lambda p: -(p.share or 0.0))[:MOST_LINES]
    text = ", ".join(f"{printable(p.label)} {share(p.share or 0.0)}" for p in largest)
    total = f" of {seconds(timers.total_s)}" if timers.total_s is not None else ""
    shares = f"{text}{total} (they overlap)" if text else "none was read"
    yield f"{timers.direction} phases of {printable(timers.file)}{among}, {timers.ranks}: {shares}"
    named = [words for words in (_slowest(timers), _latest(timers)) if words]
    if named:
        yield f"  {'; '.join(named)}"


def _slowest(timers: TimersPhases) -> str | None:
    """Who was slowest in the file, and who quickest."""
    by_role = {n.role: n for n in timers.named_ranks if n.share}
    slowest, quickest = by_role.get("slowest access"), by_role.get("quickest access")
    if slowest is None:
        return None
    words = f"slowest to {timers.direction}: {_rank(slowest)}"
    return f"{words}, quickest {_rank(quickest)}" if quickest is not None and quickest.rank != slowest.rank else words


def _latest(timers: TimersPhases) -> str | None:
    """Who came last to the calls that were waited for most."""
    late = sorted(
        (n for n in timers.named_ranks if n.role == "late arriver" and n.share), key=lambda n: -(n.share or 0)
    )
    ranks = [f"{_rank(n)} to call {n.call}" for n in late[:MOST_LATE]]
    return f"last to come: {', '.join(ranks)}" if ranks else None


def _rank(named: TimersRank) -> str:
    on = f" on {printable(named.node)}" if named.node else ""
    return f"{rank_name(named.rank)}{on} ({share(named.share or 0.0)})"


def _lines(part: TextPart) -> Iterable[str]:
    match part:
        case MpiioHints() | StripeLayout():
            found = _of_a_file(part)
            return [] if found is None else [found.line]
        case MpiioTimers() if not part.trusted:
            return [f"{part.direction} phases of {printable(named_file(part))}: read but not trusted, {MIXED}"]
        case MpichEnvironment():
            return _environment(part)
        case IoError():
            return [_failed(part)]
        case SystemErrors():
            return [
                f"reads or writes failed with {part.name}, on {plural(part.count, 'line')}: {printable(part.message)}"
            ]
        case DvsStripeWarning():
            times = plural(part.count, "time")
            return [f"DVS set stripe width {part.set_width} where {part.requested_width} was requested, {times}"]
        case InternalError():
            return [f"internal error of MPI-IO in {printable(part.function)}, {plural(part.count, 'time')}"]
        case MpichAbort():
            return [f"MPI_Abort({part.code}) on {plural(part.rank_count, 'rank')}: {printable(part.message)}"]
        case AggregatorPlacement():
            return _placement(part)
        case CrayPatReport():
            return _craypat(part)
        case StorageLayout():
            return [_storage(part)]
        case OstUsage():
            return _usage(part)
        case UsedUp():
            return [_used_up(part)]
        case QuotaRoom():
            return [f"{part.tool} of {printable(part.mount)}: {printable(part.name)} has room"]
        case BenchmarkRun():
            return _benchmark(part)
        case BenchmarkRates():
            return _rates(part)
        case JobContext():
            return _context(part)
        case _:
            return []


def _hints(hints: MpiioHints) -> _LineOfFile | None:
    known = [h for key in HINTS_THAT_MATTER if (h := hints.hint(key)) is not None]
    values = ", ".join(f"{h.key}={printable(h.value)}" for h in known)
    return _LineOfFile("hints", hints.file, values) if known else None


def _environment(environment: MpichEnvironment) -> Iterator[str]:
    version = environment.version
    if version is not None:
        yield f"MPI library: Cray MPICH {printable(version.version)}"
    shown = [s for s in environment.settings if s.name.startswith("MPICH_MPIIO_") and s.value not in ("0", "", "NULL")]
    if shown:
        yield f"settings: {', '.join(_first([f'{s.name}={printable(s.value)}' for s in shown], MOST_SETTINGS))}"


def _failed(error: IoError) -> str:
    name = error.name or (f"errno {error.errno}" if error.errno is not None else "errno not readable")
    calls = plural(error.count, f"{error.operation} failed", f"{error.operation}s failed")
    failure = f"{calls} with {name}" + (f" on {plural(error.rank_count, 'rank')}" if error.rank_count else "")
    if all(call.length_bytes is None for call in error.calls):
        return failure
    least = "at least " if any(call.length_bytes is None for call in error.calls) else ""
    return f"{failure}, {least}{size(error.length_bytes)} in all"


def _usage(usage: OstUsage) -> Iterator[str]:
    """How full the fullest OST is: writes to files on it fail first, whatever the others have left."""
    full = [
        (t.used_bytes / whole, t.name)
        for t in usage.osts
        if t.used_bytes is not None and t.available_bytes is not None and (whole := t.used_bytes + t.available_bytes)
    ]
    if full:
        most, name = max(full)
        listed = f"{len(full):,} OSTs" if usage.complete else f"the {len(full):,} OSTs that are listed"
        of = f"the fullest of {listed}, {printable(name)}," if len(full) > 1 else printable(name)
        yield f"lfs df of {printable(usage.mount)}: {of} is {share(most)} full"


def _used_up(part: UsedUp) -> str:
    of = f"{part.tool} of {printable(part.mount)}: {printable(part.name)}"
    if part.tool == "lfs df -i":
        return f"{of} has no inodes left: no files can be made there, whatever space is free"
    if part.tool == "df":
        return f"{of} has no {'inodes' if part.of == 'files' else 'space'} left"
    return f"{of} has used up the {part.of} of its quota, {printable(part.used)}"


def _placement(placement: AggregatorPlacement) -> Iterator[str]:
    if placement.aggregators:
        of = f" of {printable(placement.file)}" if placement.file else ""
        nodes = plural(len(placement.nodes), "node")
        yield f"aggregators{of}: {len(placement.aggregators)} on {nodes}"


def _craypat(report: CrayPatReport) -> Iterator[str]:
    head = [f"CrayPAT {printable(report.version)}" if report.version else "CrayPAT"]
    head += [plural(report.ranks, "rank")] if report.ranks is not None else []
    head += [plural(report.nodes, "node")] if report.nodes is not None else []
    if report.process_time_average_s is not None:
        head.append(f"process time {seconds(report.process_time_average_s)}")
    yield ", ".join(head)
    for table in report.io_tables:
        files = [_craypat_file(row) for row in table.rows if row.noise is None and row.file is not None]
        yield from (f"  {table.direction}: {said}" for said in _first(files, MOST_LINES, "file"))
    if not report.io_tables and report.io_tables_absent:
        yield f"  {report.io_tables_absent}"


def _craypat_file(row: PatIoRow) -> str:
    facts = [printable(row.file or "")]
    facts += [size(row.bytes_summed_over_ranks)] if row.bytes_summed_over_ranks is not None else []
    facts += [plural(row.ranks, "rank")] if row.ranks is not None else []
    if row.rate_per_rank_stream_mib_s is not None:
        facts.append(f"{number(row.rate_per_rank_stream_mib_s)} MiB/s in one rank's stream")
    return ", ".join(facts)


def _layout(layout: StripeLayout) -> _LineOfFile | None:
    """Components one after the other in the file; mirrors beside one another, each with its own."""
    copies: dict[int | None, list[str]] = {}
    for component in layout.components[:MOST_LINES]:
        fact = _component(component)
        if fact is not None:
            copies.setdefault(component.mirror_id, []).append(fact)
    said = [
        (f"mirror {mirror}: " if len(copies) > 1 else "") + ", then ".join(facts) for mirror, facts in copies.items()
    ]
    more = len(layout.components) - MOST_LINES
    said += [f"and {plural(more, 'more component')}"] if said and more > 0 else []
    return _LineOfFile("stripes", layout.path or "a file without a name", "; ".join(said)) if said else None


def _component(component: StripeComponent) -> str | None:
    if component.on_mdt:
        return "data on the MDT"
    count = "all OSTs" if component.over_all_osts else component.stripe_count
    if count is None:
        return None
    of = f" × {exact_quantity(component.stripe_size_bytes, 'B')}" if component.stripe_size_bytes else ""
    return f"{'parity on ' if component.is_parity else ''}{count}{of}"


def _storage(layout: StorageLayout) -> str:
    of = f" of {printable(layout.path)}" if layout.path else ""
    if layout.tool == "lfs getdirstripe" and layout.targets is None:
        return f"{layout.tool}{of}: on one metadata target"
    facts = [exact_quantity(layout.unit_bytes, "B") + " to a target"] if layout.unit_bytes else []
    facts += [plural(layout.targets, "target")] if layout.targets else []
    facts += [printable(layout.pattern)] if layout.pattern else []
    return f"{layout.tool}{of}: {', '.join(facts) or 'no layout stated'}"


def _benchmark(run: BenchmarkRun) -> Iterator[str]:
    yield f"{run.tool}: " + ", ".join(_how(run))
    yield from (f"  {result}" for result in _first(_best(run), 2 * MOST_LINES))


def _how(run: BenchmarkRun) -> Iterator[str]:
    """What distinguishes the runs in one output."""
    if run.nprocs is not None or run.nodes is None:
        yield plural(run.nprocs, "rank") if run.nprocs is not None else "ranks not stated"
    if run.nodes is not None:
        yield plural(run.nodes, "node")
    if run.api is not None:
        yield printable(run.api)
    if run.access is not None:
        yield "a file each" if run.access == "file-per-process" else "one shared file"
    if run.collective:
        yield "collective calls"
    if run.transfer_size_bytes is not None:
        yield f"{size(run.transfer_size_bytes)} a call"
    if run.stripe_count is not None:
        yield stripes_phrase(run.stripe_count)


def _rates(run: BenchmarkRates) -> Iterator[str]:
    ranks = plural(run.nprocs, "rank") if run.nprocs is not None else "ranks not stated"
    yield f"{run.tool}: {', '.join((ranks, *_options(run)))}"
    known = [(rate, text) for rate in run.rates if (text := _rate(rate)) is not None]
    phases = [f"{printable(r.phase)}: {text}{_of_what(r)}" for r, text in known]
    yield from (f"  {phase}" for phase in _first(phases, 4 * MOST_LINES))


def _of_what(rate: PhaseRate) -> str:
    mean = " in the mean" if rate.maximum is not None and rate.maximum != rate.mean else ""
    return f"{mean}{'' if rate.valid else ', which does not count'}"


LONGEST_OPTIONS = 60


def _options(run: BenchmarkRates) -> Iterator[str]:
    """The options by which the runs in one output are distinguished; those that name a path are left out."""
    words: list[str] = []
    for word in (w.strip("'\"") for w in (run.command_line or "").split()[1:]):
        if "/" not in word:
            words.append(word)
        elif words and words[-1].startswith("-"):
            words.pop()
    text = printable(" ".join(words))
    if text:
        yield text if len(text) <= LONGEST_OPTIONS else f"{text[:LONGEST_OPTIONS]} …"


def _rate(rate: PhaseRate) -> str | None:
    match rate.unit, rate.mean:
        case "B/s", float(mean):
            return f"{size(mean)}/s"
        case "ops/s", float(mean):
            return f"{f'{round(mean):,}' if mean >= FEW_PER_S else number(mean)} operations/s"
        case "samples/s", float(mean):
            return f"{number(mean)} samples/s"
        case "share", float(mean):
            return f"{share(mean)} of the time in use"
        case _:
            return None


def _best(run: BenchmarkRun) -> Sequence[str]:
    found = []
    for result in run.results:
        rate = result.best_bytes_per_s
        if rate is not None:
            where = " ".join(w for w in (result.layer, result.striping) if w)
            worst = result.worst_bytes_per_s
            uneven = f", {size(worst)}/s at worst" if worst is not None and worst < UNEVEN * rate else ""
            found.append(f"{result.operation} {where}: {size(rate)}/s at best{uneven}".replace(" :", ":"))
    return found


def _context(context: JobContext) -> Iterator[str]:
    facts = [f"job {context.job_id}" if context.job_id else None]
    facts.append(context.state.lower() if context.state else None)
    facts.append(plural(context.nnodes, "node") if context.nnodes is not None else None)
    facts.append(plural(context.ntasks, "task") if context.ntasks is not None else None)
    facts.append(f"elapsed {seconds(context.elapsed_s)}" if context.elapsed_s is not None else None)
    facts.append(f"slowest rank in I/O {seconds(context.io_slowest_s)}" if context.io_slowest_s is not None else None)
    known = [printable(s) for s in facts if s]
    if known:
        yield f"{context.source}: {', '.join(known)}"
    asked = [f"{e.name}={printable(e.value)}" for e in context.environment if e.value is not None]
    if asked:
        yield f"  set: {', '.join(_first(asked, MOST_SETTINGS))}"
    commands = [printable(command.text) for command in context.stripe_commands]
    yield from (f"  {command}" for command in _first(commands, MOST_LINES, "lfs setstripe line"))
