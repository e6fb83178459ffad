"""Sums over the fields of MPICH_MPIIO_STATS blocks, with the lines they stand on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import STATS
from iotriage.metrics.core.selection import Selection, StatsBlock
from iotriage_parsers.evidence import Lines, MpiioStats, PflComponent

Field = Callable[[MpiioStats], int | None]


def place(block: StatsBlock, label: str) -> tuple[Where, ...]:
    """The line of the field, or the whole block where the field has no line of its own."""
    line = block.block.line_of(label)
    at = block.block.lines if line is None else Lines(line, line)
    return (Where(block.source, at),)


def no_block(direction: str) -> Absent:
    return Absent(f"no MPICH_MPIIO_STATS {direction} block was given", (STATS,), none=True)


def no_writes(s: Selection) -> Absent | None:
    return None if s.writes else _NO_WRITES


def no_reads(s: Selection) -> Absent | None:
    return None if s.reads else _NO_READS


_NO_WRITES, _NO_READS = no_block("write"), no_block("read")


def stats_total(blocks: tuple[StatsBlock, ...], label: str, field: Field, direction: str) -> Outcome:
    """The sum of a field over all blocks that print it. Repeats of a file add up; a cut block makes a lower bound."""
    if not blocks:
        return no_block(direction)
    having = [(b, v) for b in blocks if (v := field(b.block)) is not None]
    if not having:
        return Absent(f"the MPICH_MPIIO_STATS blocks do not print `{label}`")
    lower = any(not b.block.complete for b in blocks) or len(having) < len(blocks)
    where = tuple(w for b, _ in having for w in place(b, label))
    return Value(sum(v for _, v in having), where=where, bound="lower" if lower else None)


def leading(blocks: Sequence[StatsBlock]) -> StatsBlock | None:
    """The block with the most bytes. Aggregators and striping are taken from it, since they do not add up. Of equally
    large blocks of a file that was made again with other stripes it is the last one, which describes the file as it is
    now."""
    first = max(blocks, key=lambda b: b.block.total_bytes or 0, default=None)
    if first is None:
        return None
    of = first.block.file, first.block.total_bytes
    last = next(b for b in reversed(blocks) if (b.block.file, b.block.total_bytes) == of)
    return first if last.block.stripe_count == first.block.stripe_count else last


def of_largest_file(blocks: tuple[StatsBlock, ...]) -> tuple[StatsBlock, ...]:
    """The blocks of the file with the most bytes in all its closes together."""
    moved: dict[str, int] = {}
    for b in blocks:
        moved[b.block.file] = moved.get(b.block.file, 0) + (b.block.total_bytes or 0)
    largest = max(moved, key=lambda file: moved[file], default=None)
    return tuple(b for b in blocks if b.block.file == largest)


def of_leading(selection: Selection, label: str, field: Field) -> Outcome:
    """A field of the leading write block, else of the leading read block."""
    block = leading(selection.writes) or leading(selection.reads)
    if block is None:
        return no_block("write")
    value = field(block.block)
    if value is None:
        return Absent(f"the MPICH_MPIIO_STATS block of {block.block.file} does not print `{label}`")
    return Value(value, where=place(block, label))


def stripe_count_of_leading(selection: Selection) -> Outcome:
    """`stripe count` of the leading block; of a progressive layout that of the component with most of its bytes."""
    return _of_main_component(selection, lambda c: c.stripe_count) or of_leading(
        selection, "stripe count", lambda b: b.stripe_count
    )


def stripe_size_of_leading(selection: Selection) -> Outcome:
    """`stripe size`, likewise."""
    return _of_main_component(selection, lambda c: c.stripe_size_bytes) or of_leading(
        selection, "stripe size", lambda b: b.stripe_size_bytes
    )


def _of_main_component(selection: Selection, field: Callable[[PflComponent], int | None]) -> Outcome | None:
    block = leading(selection.writes) or leading(selection.reads)
    main = None if block is None else block.block.main_component
    value = None if main is None else field(main)
    if block is None or main is None or value is None:
        return None
    return Value(value, where=(Where(block.source, Lines(main.line, main.line)),))
