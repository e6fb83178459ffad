"""Files in DAOS, of which Darshan has the calls of the file system layer and no trace."""

from __future__ import annotations

import pytest
from described import GIB, KIB, MIB
from evidence_by_hand import log, table

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.evidence import Evidence

RANKS = 64


def written(size: int, calls: int, seconds: float, *, reads: int = 0, module: str = "DFS") -> CaseDocument:
    """`calls` of `size` bytes by each rank to a file of its own, and `reads` as large, in a run of ten minutes."""
    word = "1K_10K" if size <= 10 * KIB else "100K_1M" if size <= MIB else "1M_4M"
    counters = {
        "DFS_OPENS": 1,
        "DFS_WRITES": calls,
        "DFS_BYTES_WRITTEN": size * calls,
        f"DFS_SIZE_WRITE_{word}": calls,
        "DFS_ACCESS1_ACCESS": size,
        "DFS_ACCESS1_COUNT": calls + reads,
        "DFS_READXS": reads,
        "DFS_BYTES_READ": size * reads,
        f"DFS_SIZE_READ_{word}": reads,
        "DFS_F_WRITE_TIME": seconds if calls else 0.0,
        "DFS_F_READ_TIME": seconds if reads else 0.0,
    }
    if module == "DAOS":
        named = {"DFS_OPENS": "DAOS_ARRAY_OPENS", "DFS_WRITES": "DAOS_ARRAY_WRITES", "DFS_READXS": "DAOS_ARRAY_READS"}
        counters = {named.get(name, name.replace("DFS_", "DAOS_")): value for name, value in counters.items()}
    made = log(
        table(module, *((r + 1, r, counters) for r in range(RANKS))),
        nprocs=RANKS,
        runtime_s=600.0,
        names={r + 1: f"/ck/part.{r:05}" for r in range(RANKS)},
    )
    return diagnose([ReadSource("job.darshan", "0" * 64, 1, Evidence("darshan_log", (made,)))])


def above_info(found: CaseDocument) -> set[str]:
    return {f.rule for f in found.findings if f.verdict == "triggered" and f.severity != "info"}


@pytest.mark.parametrize("module", ["DFS", "DAOS"])
@pytest.mark.parametrize("calls", [(65536, 0), (0, 65536)])
def test_small_accesses_to_daos_are_small_accesses(calls: tuple[int, int], module: str) -> None:
    found = written(8 * KIB, calls[0], 120.0, reads=calls[1], module=module)
    finding = next(f for f in found.findings if f.rule == "small-io")

    assert finding.verdict == "triggered"
    assert finding.takes_s == pytest.approx(120, rel=0.01)
    assert all("MPI_" not in str(advice) and "lfs" not in str(advice) for advice in finding.advice)


@pytest.mark.parametrize("module", ["DFS", "DAOS"])
@pytest.mark.parametrize("size", [MIB, 2 * MIB])
def test_accesses_of_a_mebibyte_are_not_small_in_daos_and_no_trace_is_asked_for(size: int, module: str) -> None:
    found = written(size, 4 * GIB // size, 120.0, module=module)

    assert not above_info(found)
    assert found.unexplained is not None
    assert found.unexplained.seconds == pytest.approx(120, rel=0.01)
    assert "DXT" not in str(found.unexplained.command)
    assert "DAOS" in (found.unexplained.experiment or "")


def test_small_accesses_to_daos_that_take_no_time_are_not_above_info() -> None:
    assert not above_info(written(8 * KIB, 2000, 1.0))


def outputs(times: list[float]) -> CaseDocument:
    """Equal files of all ranks, one after the other, that take so long; DFS keeps no variances of ranks."""
    rows = [
        (
            n + 1,
            -1,
            {
                "DFS_OPENS": RANKS,
                "DFS_WRITES": 2560,
                "DFS_BYTES_WRITTEN": 2560 * 4 * MIB,
                "DFS_SIZE_WRITE_1M_4M": 2560,
                "DFS_F_WRITE_TIME": took * RANKS,
                "DFS_F_SLOWEST_RANK_TIME": took,
                "DFS_F_WRITE_START_TIMESTAMP": 20.0 + 100 * n,
                "DFS_F_WRITE_END_TIMESTAMP": 20.0 + 100 * n + took,
            },
        )
        for n, took in enumerate(times)
    ]
    names = {n + 1: f"/ck/out.{n:03}" for n in range(len(times))}
    made = log(table("DFS", *rows), nprocs=RANKS, runtime_s=2200.0, names=names)
    return diagnose([ReadSource("job.darshan", "0" * 64, 1, Evidence("darshan_log", (made,)))])


@pytest.mark.parametrize(
    ("times", "rule"),
    [
        ([2.0 * n for n in range(1, 21)], "slower-and-slower"),
        ([200.0 if n == 6 else 10.0 for n in range(10)], "slow-moment"),
    ],
)
def test_outputs_in_daos_are_compared_with_one_another(times: list[float], rule: str) -> None:
    assert rule in {f.rule for f in outputs(times).findings if f.verdict == "triggered"}
