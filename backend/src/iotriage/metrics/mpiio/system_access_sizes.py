"""How small the pieces are that reach the file system, as far as MPICH_MPIIO_STATS bounds it.

The library counts its calls to the file system and their bytes together. What a part of these calls moves follows from
that only as a bound: each is the largest average that the counts allow.
"""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection, StatsBlock
from iotriage.metrics.tables.texts.stats_fields import no_block, no_reads, no_writes, place, stats_total
from iotriage_parsers.evidence.mpiio_stats import Direction

NEEDS = "MPICH_MPIIO_STATS"

NO_BLOCK = {"read": no_reads, "write": no_writes}


def _blocks(s: Selection, way: Direction) -> tuple[StatsBlock, ...]:
    return s.reads if way == "read" else s.writes


def _bytes(blocks: tuple[StatsBlock, ...], way: Direction) -> Outcome:
    return stats_total(blocks, "total bytes for accesses", lambda b: b.total_bytes, way)


def _collective_piece(s: Selection, way: Direction) -> Outcome:
    calls, moved = 0, 0
    where: tuple[Where, ...] = ()
    for block in _blocks(s, way):
        b = block.block
        if b.total_bytes is None or b.system_accesses is None or b.independent_accesses is None:
            return Absent(f"the MPICH_MPIIO_STATS block of {b.file} does not print its bytes and calls")
        moved += b.total_bytes
        calls += max(0, b.system_accesses - b.independent_accesses)
        where = joined(where, place(block, "system accesses"), place(block, "independent accesses"))
    if not _blocks(s, way):
        return no_block(way)
    return Value(moved / calls, "inferred", where) if calls else Absent(f"no system {way}s but the independent")


def _whole_stripes(blocks: tuple[StatsBlock, ...], way: Direction) -> Outcome:
    in_stripes = stats_total(
        blocks,
        "stripe sized accesses",
        lambda b: None if b.stripe_sized_accesses is None else b.stripe_sized_accesses * (b.stripe_size_bytes or 0),
        way,
    )
    found = quotient(in_stripes, _bytes(blocks, way), zero=f"no bytes were {'read' if way == 'read' else 'written'}")
    if isinstance(found, Absent) or isinstance(found.value, str):
        return found
    return Value(min(1.0, found.value), "measured", found.where, found.bound)


def _declare(way: Direction) -> None:
    done = "read" if way == "read" else "written"

    @metric(
        f"mpiio.collective_{way}_piece",
        f"Average system {way} of the collective calls, at most",
        "B",
        about=About(direction=way),
        formula=f"total bytes for {way}s / (system {way}s − independent {way}s), over the STATS {way} blocks: as if "
        "the independent ones moved nothing, by one system call each",
        needs=NEEDS,
        unless=NO_BLOCK[way],
    )
    def collective_piece(s: Selection) -> Outcome:
        return _collective_piece(s, way)

    @metric(
        f"mpiio.{done}_fraction",
        f"Share of the bytes of MPI-IO that are {done}, by its statistics",
        "share",
        about=About(time=False, direction=way),
        formula=f"total bytes for {way}s / total bytes, of the STATS blocks of both directions",
        needs=NEEDS,
        unless=NO_BLOCK[way],
    )
    def fraction(s: Selection) -> Outcome:
        return quotient(_bytes(_blocks(s, way), way), _bytes((*s.reads, *s.writes), way), zero="no bytes were moved")

    @metric(
        f"mpiio.{way}_whole_stripe_fraction",
        f"Share of the bytes {done} in whole stripes",
        "share",
        about=About(time=False, direction=way),
        formula=f"`stripe sized {way}s` × `stripe size` / total bytes for {way}s, at most 1, over the STATS {way} "
        "blocks",
        needs=NEEDS,
        unless=NO_BLOCK[way],
    )
    def whole_stripes(s: Selection) -> Outcome:
        return _whole_stripes(_blocks(s, way), way)


_declare("read")
_declare("write")
