"""MPICH_MPIIO_TIMERS and the statistics of the same close, written by hand."""

from __future__ import annotations

from evidence_by_hand import block

from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers.evidence import Lines, MpiioStats, MpiioTimers, NamedRank, Phase, Spread, TimersRow

MIB = 2**20


def timers(**fields: object) -> MpiioTimers:
    """8 GiB in 4 s of a clock of 2.5 GHz: 2^3 · 1.25e9 ticks; of which the writers write for 3 s."""
    known: dict[str, object] = {
        "direction": "write",
        "ranks": "all ranks",
        "file": "out.dat",
        "occurrence": 1,
        "lines": Lines(19, 46),
        "complete": True,
        "trusted": True,
        "active_ranks": 12,
        "idle_ranks": 500,
        "scale_exponent": 3,
        "total_ticks": 1_250_000_000,
        "phases": (
            Phase("imbalance", Spread(0, 900_000, 12_500_000), 1, 31),
            Phase("wait for coll", Spread(2_000, 900_000_000, 625_000_000), 50, 34),
            Phase("data send", Spread(1_000, 800_000_000, 500_000_000), 40, 37),
            Phase("file access", Spread(0, 1_000_000_000, 937_500_000), 75, 38),
        ),
        "data_send_bandwidth": 5120.0 * MIB,
        "raw_bandwidth": 8192.0 / 3 * MIB,
        "net_bandwidth": 2048.0 * MIB,
        "rows": (
            TimersRow("number of ranks writing", "12", 21),
            TimersRow("total", "1250000000", 29),
            TimersRow("raw write BW (MiB/s)", "2730.667", 42),
            TimersRow("net write BW (MiB/s)", "2048.000", 43),
        ),
    }
    return MpiioTimers(**{**known, **fields})  # type: ignore[arg-type]


def stats(**fields: object) -> MpiioStats:
    return block(**{"total_bytes": 8192 * MIB, "lines": Lines(1, 18), **fields})


def job(*parts: MpiioStats | MpiioTimers) -> Selection:
    """All of one source."""
    return select_job([(0, part) for part in parts])


DETAILED = (
    Phase("wait for coll.1", Spread(10, 900, 12_500_000), 1, 50),
    Phase("wait for coll.2", Spread(20, 900_000, 612_500_000), 49, 51),
)


NAMED = (
    NamedRank("late arriver", "Late arriver among all ranks waitforcoll.1", 1, 10, 17, 53),
    NamedRank("late arriver", "Late arriver among all ranks waitforcoll.2", 2, 20, 200, 54),
    NamedRank("slowest access", "Slow writer file write", None, 1_500_000_000, 306, 55),
    NamedRank("quickest access", "Quick writer file write", None, 0, 0, 56),
)
