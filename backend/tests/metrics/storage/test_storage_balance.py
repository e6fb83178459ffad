"""How the ranks that move a collective file's bytes share the time below MPI-IO."""

from dataclasses import replace

import numpy as np
import pytest
from evidence_by_hand import job, log, metric, table, value

from iotriage.metrics.core.selection import Selection
from iotriage_parsers.evidence import Heatmap

MIB, GIB = 2**20, 2**30
RANKS = 256


Row = tuple[int, int, dict[str, float]]


def posix(file: int, took: dict[int, float], *, reduced: bool, named: bool = True) -> list[Row]:
    """16 aggregators write 10 GiB each in 25 s, but for those in `took`; all others open the file in 10 ms."""
    moved, seconds = np.zeros(RANKS), np.full(RANKS, 0.01)
    moved[::16], seconds[::16] = 10 * GIB, 25.0
    for rank, of_rank in took.items():
        seconds[rank] = of_rank
    if not reduced:
        rows = zip(moved.tolist(), seconds.tolist(), strict=True)
        counters = [{"POSIX_BYTES_WRITTEN": b, "POSIX_F_WRITE_TIME": t} for b, t in rows]
        return [(file, rank, of_rank) for rank, of_rank in enumerate(counters)]
    slowest = int(seconds.argmax())
    return [
        (
            file,
            -1,
            {
                "POSIX_BYTES_WRITTEN": moved.sum(),
                "POSIX_F_VARIANCE_RANK_BYTES": moved.var(),
                "POSIX_SLOWEST_RANK": slowest if named else -1,
                "POSIX_SLOWEST_RANK_BYTES": moved[slowest],
                "POSIX_F_SLOWEST_RANK_TIME": seconds[slowest],
                "POSIX_F_FASTEST_RANK_TIME": seconds.min(),
                "POSIX_F_VARIANCE_RANK_TIME": seconds.var(),
                "POSIX_F_WRITE_TIME": seconds.sum(),
            },
        )
    ]


def written(*files: dict[int, float], reduced: bool, calls: str = "COLL", named: bool = True) -> Selection:
    """In collective calls above, every rank takes as long as the slowest."""
    slowest = [max([25.0, *took.values()]) for took in files]
    above = [
        (
            file,
            -1,
            {
                f"MPIIO_{calls}_WRITES": RANKS,
                "MPIIO_BYTES_WRITTEN": 160 * GIB,
                "MPIIO_F_WRITE_TIME": RANKS * most,
                "MPIIO_F_SLOWEST_RANK_TIME": most,
            },
        )
        for file, most in enumerate(slowest, 1)
    ]
    below = [row for file, took in enumerate(files, 1) for row in posix(file, took, reduced=reduced, named=named)]
    return job(log(table("POSIX", *below), table("MPI-IO", *above), nprocs=RANKS, runtime_s=2 * sum(slowest)))


@pytest.mark.parametrize("reduced", [True, False])
@pytest.mark.parametrize(
    ("calls", "slow", "files"), [("COLL", (32, 32, 32), 3), ("COLL", (32, 48, 64), 1), ("INDEP", (32, 48, 64), 1)]
)
def test_the_others_wait_in_each_file(calls: str, slow: tuple[int, ...], files: int, *, reduced: bool) -> None:
    """Where each of three ranks is slow once, it is not one of them that is."""
    found = written(*({rank: 520.0} for rank in slow), {}, reduced=reduced, calls=calls)
    alone = written({32: 520.0}, reduced=reduced, calls=calls)
    for id in ("waiting_time", "waiting_within", "next_waiting_time"):
        of_one = value(alone, f"balance.storage_{id}")
        assert isinstance(of_one, float)
        assert value(found, f"balance.storage_{id}") == pytest.approx(files * of_one)


def test_a_slowest_rank_without_a_name_is_not_taken_for_that_of_other_files() -> None:
    found, alone = (written(*({rank: 520.0} for rank in slow), reduced=True, named=False) for slow in ((32, 48), (32,)))
    assert value(found, "balance.storage_waiting_time") == value(alone, "balance.storage_waiting_time") > 0


def shared_by_all(*slow: int, named: bool) -> Selection:
    """64 ranks move as much of each file, of which one takes 22 s instead of 9."""
    rows: list[Row] = []
    for file, rank in enumerate(slow, 1):
        took = np.full(64, 9.0)
        took[rank] = 22.0
        counters = {
            "POSIX_BYTES_WRITTEN": 64 * GIB,
            "POSIX_SLOWEST_RANK": rank if named else -1,
            "POSIX_SLOWEST_RANK_BYTES": GIB,
            "POSIX_F_SLOWEST_RANK_TIME": 22.0,
            "POSIX_F_FASTEST_RANK_TIME": 9.0,
            "POSIX_F_VARIANCE_RANK_TIME": took.var(),
            "POSIX_F_WRITE_TIME": took.sum(),
        }
        rows.append((file, -1, counters))
    return job(log(table("POSIX", *rows), nprocs=64, runtime_s=400.0))


@pytest.mark.parametrize(
    ("slow", "named", "apart"),
    [((5, 5, 5, 5), True, 22 / 9), ((5, 20, 41, 60), True, None), ((5, 20, 41, 60), False, None)],
)
def test_nor_do_files_without_one_make_a_rank_stand_apart(
    slow: tuple[int, ...], apart: float | None, *, named: bool
) -> None:
    found = value(shared_by_all(*slow, named=named), "balance.apart")
    assert found == (None if apart is None else pytest.approx(apart))


@pytest.mark.parametrize("reduced", [True, False])
def test_a_slow_aggregator_shows_below_the_collective_calls_alone(reduced: bool) -> None:
    slow = written({32: 520.0}, reduced=reduced)
    mean = 0.01 + (15 * 24.99 + 519.99) / 16
    assert value(slow, "balance.time") == pytest.approx(1.0)
    assert value(slow, "balance.storage_time") == pytest.approx(519.99 / (mean - 0.01))
    assert value(slow, "balance.storage_waiting_time") == pytest.approx(520.0 - mean)
    assert value(slow, "balance.storage_waiting_fraction") == pytest.approx((520.0 - mean) / 520.0)
    assert value(slow, "balance.storage_next_waiting_time") == 0.0
    assert value(slow, "balance.storage_bytes") == pytest.approx(1.0)
    assert value(slow, "balance.storage_ranks") == pytest.approx(16)
    assert value(slow, "balance.storage_file") == "file1"


@pytest.mark.parametrize("reduced", [True, False])
def test_what_all_ranks_do_beside_hides_no_slow_aggregator(reduced: bool) -> None:
    """All 256 read headers for 40 s too: of the mean over aggregators that is 640 s."""
    slow = written({32: 105.0} | {r: 65.0 for r in range(0, RANKS, 16) if r != 32} | others(40.0), reduced=reduced)
    assert value(slow, "balance.storage_time") == pytest.approx(65.0 / ((15 * 25.0 + 65.0) / 16))
    assert value(slow, "balance.storage_waiting_time") == pytest.approx(105.0 - (40.0 + (15 * 25.0 + 65.0) / 16))


def others(took: float) -> dict[int, float]:
    return {rank: took for rank in range(RANKS) if rank % 16}


def test_who_is_next_to_the_slowest_is_bounded_by_the_variance() -> None:
    two = {32: 520.0, 48: 200.0}
    exact, bound = (value(written(two, reduced=r), "balance.storage_next_waiting_time") for r in (False, True))
    assert exact == pytest.approx(200.0 - (0.01 + (14 * 24.99 + 519.99 + 199.99) / 16))
    assert exact * (1 - 1e-9) <= bound < 520.0


@pytest.mark.parametrize("reduced", [True, False])
def test_aggregators_alike_keep_nobody_waiting(reduced: bool) -> None:
    assert value(written({}, reduced=reduced), "balance.storage_time") == pytest.approx(1.0, abs=0.02)


def test_one_aggregator_has_nobody_to_be_compared_with() -> None:
    alone = {"POSIX_BYTES_WRITTEN": GIB, "POSIX_F_SLOWEST_RANK_TIME": 9.0, "POSIX_F_WRITE_TIME": 9.0}
    alone["POSIX_F_VARIANCE_RANK_BYTES"] = float(np.array([GIB, *[0] * 255], dtype=np.float64).var())
    above = table("MPI-IO", (1, -1, {"MPIIO_COLL_WRITES": RANKS, "MPIIO_BYTES_WRITTEN": GIB}))
    found = metric(job(log(table("POSIX", (1, -1, alone)), above, nprocs=RANKS)), "balance.storage_time")
    assert found.value is None
    assert "4 ranks or more" in str(found.reason)


def test_the_file_that_one_rank_reads_alone_is_named_beside_a_collective_one() -> None:
    read = table(
        "POSIX", (2, 0, {"POSIX_BYTES_READ": 40 * GIB, "POSIX_F_READ_TIME": 430.0}), (1, -1, {"POSIX_BYTES_WRITTEN": 1})
    )
    above = {"MPIIO_BYTES_WRITTEN": 200 * GIB, "MPIIO_F_SLOWEST_RANK_TIME": 41.0, "MPIIO_F_WRITE_TIME": 8 * 40.0}
    names = {1: "/scratch/state.dat", 2: "/scratch/mesh.txt"}
    found = job(log(read, table("MPI-IO", (1, -1, above)), nprocs=8, names=names))
    assert value(found, "balance.file") == "mesh.txt"
    assert value(found, "balance.file_layer") == "POSIX"
    assert value(found, "balance.file_read_fraction") == 1.0


@pytest.mark.parametrize("told_apart", [True, False])
def test_the_ranks_below_mpiio_are_measured_by_their_records_and_inferred_by_the_heatmap(*, told_apart: bool) -> None:
    """Ranks 0 to 3 of eight move as much each; the heatmap's bins do not tell files apart."""
    moved = {"POSIX_WRITES": 8, "POSIX_BYTES_WRITTEN": 8 * MIB}
    below = (
        [(1, rank, moved) for rank in range(4)] if told_apart else [(1, -1, {**moved, "POSIX_BYTES_WRITTEN": 32 * MIB})]
    )
    above = table("MPI-IO", (1, -1, {"MPIIO_COLL_WRITES": 32, "MPIIO_BYTES_WRITTEN": 32 * MIB}))
    written = np.zeros((8, 2), np.int64)
    written[:4, 1] = 8 * MIB
    heat = Heatmap("POSIX", 1.0, np.arange(8), np.zeros_like(written), written)
    found = metric(job(replace(log(above, table("POSIX", *below), nprocs=8), heatmaps=(heat,))), "mpiio.movers")
    assert found.value == pytest.approx(4.0)
    assert found.confidence == ("measured" if told_apart else "inferred")
