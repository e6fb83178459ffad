"""The totals of Darshan 2.x, `total_CP_*`, to the modules of Darshan 3.x, where the sum over all records still means
the same.

Calls are counted by layer. Bytes, sizes, offsets, order and seconds are of the system calls and of buffered streams
together, so they are one layer's only where the run used no other. Darshan 2.x adds up neither the figures of the
fastest and slowest rank nor alignments and timestamps in a way that could be taken over. Its performance is of the
whole run, each file at its highest layer, and stays where it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from iotriage_parsers.evidence import CounterTotal, DarshanTotals, Lines, ModuleSummary
from iotriage_parsers.readers.darshan_text.darshan2 import (
    MPIIO_SAME,
    POSIX_CALLS,
    POSIX_SAME,
    STDIO_CALLS,
    STDIO_SAME,
)

_NOT_SUMMED: Final = frozenset({"MEM_ALIGNMENT", "FILE_ALIGNMENT", "MAX_READ_TIME_SIZE", "MAX_WRITE_TIME_SIZE"})
_TIMES: Final = ("F_{}READ_TIME", "F_{}WRITE_TIME", "F_{}META_TIME")

SHARED_BYTES: Final = (
    "System calls and buffered streams were both used, and Darshan 2.x adds up their bytes, sizes and seconds "
    "together: only the calls of each are taken from its totals."
)


def by_module(summary: ModuleSummary) -> tuple[ModuleSummary, ...]:
    """What the totals say about "MPI-IO", "POSIX" and "STDIO"; nothing of a layer without calls."""
    totals = summary.totals
    if totals is None:
        return ()
    known = {c.name: c for c in totals.counters}
    layers = {"MPI-IO": _mpiio(known), "POSIX": _posix(known), "STDIO": _stdio(known)}
    return tuple(
        ModuleSummary(module, Lines(min(c.line for c in found), max(c.line for c in found)), DarshanTotals(found))
        for module, counters in layers.items()
        if (found := tuple(counters))
    )


def shares_bytes(summary: ModuleSummary) -> bool:
    """Whether both system calls and buffered streams moved the bytes that the totals have."""
    known = {} if summary.totals is None else {c.name: c for c in summary.totals.counters}
    return _used(known, *_OF_SYSTEM) and _used(known, *_OF_STREAMS)


_Known = dict[str, CounterTotal]
_OF_SYSTEM: Final = ("CP_POSIX_OPENS", "CP_POSIX_READS", "CP_POSIX_WRITES")
_OF_STREAMS: Final = ("CP_POSIX_FOPENS", "CP_POSIX_FREADS", "CP_POSIX_FWRITES")


def _used(known: _Known, *names: str) -> bool:
    return any((known[name].value or 0) > 0 for name in names if name in known)


def _mpiio(known: _Known) -> Iterator[CounterTotal]:
    if _used(known, "CP_INDEP_OPENS", "CP_COLL_OPENS"):
        yield from _moved(known, [(f"MPIIO_{same}", f"CP_{same}") for same in MPIIO_SAME])
        yield from _moved(known, [("MPIIO_" + t.format(""), "CP_" + t.format("MPI_")) for t in _TIMES])


def _posix(known: _Known) -> Iterator[CounterTotal]:
    if _used(known, *(f"CP_POSIX_{call}" for call in POSIX_CALLS)):
        yield from _moved(known, [(f"POSIX_{call}", f"CP_POSIX_{call}") for call in POSIX_CALLS])
        if not _used(known, *_OF_STREAMS):
            yield from _moved(known, [(f"POSIX_{s}", f"CP_{s}") for s in POSIX_SAME if s not in _NOT_SUMMED])
            yield from _moved(known, [("POSIX_" + t.format(""), "CP_" + t.format("POSIX_")) for t in _TIMES])


def _stdio(known: _Known) -> Iterator[CounterTotal]:
    if _used(known, *_OF_STREAMS):
        yield from _moved(known, [(f"STDIO_{new}", f"CP_POSIX_{old}") for new, old in STDIO_CALLS])
        if not _used(known, *_OF_SYSTEM):
            yield from _moved(known, [(f"STDIO_{same}", f"CP_{same}") for same in STDIO_SAME])
            yield from _moved(known, [("STDIO_" + t.format(""), "CP_" + t.format("POSIX_")) for t in _TIMES])


def _moved(known: _Known, names: list[tuple[str, str]]) -> Iterator[CounterTotal]:
    for new, old in names:
        if old in known:
            yield CounterTotal(new, known[old].value, known[old].line)
