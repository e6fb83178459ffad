"""What of a text was read, and into what: the lines of each block, and those of them that gave a figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from itertools import groupby

from iotriage.rules.core.words import plural
from iotriage_parsers.evidence import (
    AggregatorPlacement,
    BenchmarkRates,
    BenchmarkRun,
    CrayPatReport,
    DarshanSummary,
    DvsStripeWarning,
    Evidence,
    InternalError,
    IoError,
    JobContext,
    Lines,
    MpichAbort,
    MpichEnvironment,
    MpiioHints,
    MpiioStats,
    MpiioTimers,
    OstUsage,
    Part,
    QuotaRoom,
    StorageLayout,
    StripeLayout,
    SystemErrors,
    UsedUp,
)
from iotriage_parsers.frozen import frozen

_NOT_OF_THE_TEXT = "source_line"
"""A line of MPICH's own source, which its messages name."""


@frozen
class Block:
    """Lines `first` to `last` that were read as one thing, and `read`, those of them with a figure or a word that we
    keep. `whole` is false where the block was cut off or its figures are not trusted. `file` is the one that it is
    about."""

    title: str
    file: str | None
    first: int
    last: int
    whole: bool
    read: tuple[Lines, ...]


@frozen
class Blocks:
    """`total` counts those that the lines in question touch, of which these are the first."""

    total: int
    blocks: tuple[Block, ...]


def blocks_between(evidence: Evidence, first: int, last: int, most: int) -> Blocks:
    """The blocks that touch lines `first` to `last`, in the order of the text."""
    found = [(span, part) for part in evidence.parts if (span := span_of(part)) is not None]
    touching = [(s, p) for s, p in found if s.first <= last and s.last >= first]
    touching.sort(key=lambda item: (item[0].first, item[0].last))
    return Blocks(len(touching), tuple(_block(span, part) for span, part in touching[:most]))


def block_count(evidence: Evidence) -> int:
    return sum(span_of(part) is not None for part in evidence.parts)


def span_of(part: Part) -> Lines | None:
    """The lines that a part was read from; None for what a binary log holds, or a text that was read as one."""
    match part:
        case DvsStripeWarning() | IoError() | SystemErrors() | InternalError() | MpichAbort():
            return Lines(part.line, part.last_line)
        case UsedUp() | QuotaRoom():
            return Lines(part.line, part.line)
        case DarshanSummary():
            spans = [s.lines for s in part.summaries]
            return Lines(min(s.first for s in spans), max(s.last for s in spans)) if spans else None
        case (
            MpiioStats()
            | MpiioTimers()
            | MpiioHints()
            | MpichEnvironment()
            | AggregatorPlacement()
            | StripeLayout()
            | OstUsage()
            | StorageLayout()
            | BenchmarkRun()
            | BenchmarkRates()
            | JobContext()
            | CrayPatReport()
        ):
            return part.lines
        case _:
            return None


def title_of_part(part: Part) -> str:
    """What kind of block it is, in the words of the field."""
    match part:
        case MpiioStats():
            return f"MPICH_MPIIO_STATS, {part.direction}"
        case MpiioTimers():
            return f"MPICH_MPIIO_TIMERS, {part.direction}, {part.ranks}"
        case MpiioHints():
            return "MPICH_MPIIO_HINTS_DISPLAY" if part.printed_by == "cray-mpich" else "MPI-IO hints"
        case MpichEnvironment():
            return "MPICH environment"
        case AggregatorPlacement():
            return "aggregator placement"
        case StripeLayout():
            return "lfs getstripe"
        case OstUsage():
            return "lfs df"
        case UsedUp():
            return f"{part.tool}, {part.of} used up"
        case QuotaRoom():
            return f"{part.tool}, room"
        case StorageLayout():
            return part.tool
        case BenchmarkRun() | BenchmarkRates():
            return f"{part.tool} run"
        case JobContext():
            return "job script and launch"
        case CrayPatReport():
            return "CrayPAT report"
        case DarshanSummary():
            return "darshan-parser totals"
        case DvsStripeWarning():
            return f"DVS stripe width warning, {plural(part.count, 'time')}"
        case IoError():
            return f"MPI-IO {part.operation} error {part.name or ''}".rstrip() + f", {plural(part.count, 'time')}"
        case SystemErrors():
            return f"failed reads or writes, {part.name}, {plural(part.count, 'line')}"
        case InternalError():
            return f"MPI-IO internal error, {plural(part.count, 'time')}"
        case MpichAbort():
            return f"MPICH abort, {plural(part.count, 'time')}"
        case _:
            return "log"


def file_of(part: Part) -> str | None:
    """The file that a part is about, as the text names it."""
    match part:
        case MpiioStats() | MpiioTimers() | MpiioHints() | AggregatorPlacement() | BenchmarkRun() | BenchmarkRates():
            return part.file
        case StripeLayout() | StorageLayout():
            return part.path
        case OstUsage() | UsedUp() | QuotaRoom():
            return part.mount
        case _:
            return None


def _block(span: Lines, part: Part) -> Block:
    return Block(title_of_part(part), file_of(part), span.first, span.last, _is_complete(part), _runs(span, part))


def _is_complete(part: Part) -> bool:
    match part:
        case MpiioStats() | MpiioTimers():
            return part.complete and part.trusted
        case (
            MpiioHints()
            | AggregatorPlacement()
            | StripeLayout()
            | StorageLayout()
            | BenchmarkRun()
            | BenchmarkRates()
            | CrayPatReport()
        ):
            return part.complete
        case _:
            return True


def _runs(span: Lines, part: Part) -> tuple[Lines, ...]:
    """The lines that gave something, neighbours put together; the whole span where the part keeps no single lines."""
    numbers = sorted({n for n in _line_numbers(part) if span.first <= n <= span.last})
    runs = [[n for _, n in run] for _, run in groupby(enumerate(numbers), key=lambda item: item[1] - item[0])]
    return tuple(Lines(run[0], run[-1]) for run in runs) or (span,)


def _line_numbers(value: object) -> Iterator[int]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        for one in value:
            yield from _line_numbers(one)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            held = getattr(value, field.name)
            if isinstance(held, int):
                if field.name == "line" or (field.name.endswith("_line") and field.name != _NOT_OF_THE_TEXT):
                    yield held
            elif not isinstance(held, Lines):
                yield from _line_numbers(held)
