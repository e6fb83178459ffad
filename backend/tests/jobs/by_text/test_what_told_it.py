"""Where two sources, or two directions, are there, the words are of the one that told it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from described import MIB, Part, Work, collective, document, osts
from evidence_by_hand import job, log, metric, table, value
from printed_by_mpich import GIB, LATE, MOVERS, RANKS, STORAGE, case, hinted, printed, statistics, written

from iotriage.analysis.document import CaseDocument, Finding

H5 = 7


def found(rule: str, of: CaseDocument) -> Finding:
    return next(f for f in of.findings if f.rule == rule and f.verdict == "triggered")


def hdf5(reads: int, writes: int):
    """Collective writes of a file, beside so many small independent accesses of 128 ranks."""
    above = {
        "MPIIO_COLL_WRITES": 12_800,
        "MPIIO_BYTES_WRITTEN": 2**36,
        "MPIIO_SIZE_WRITE_AGG_4M_10M": 12_800,
        "MPIIO_INDEP_READS": reads,
        "MPIIO_SIZE_READ_AGG_100_1K": reads,
        "MPIIO_INDEP_WRITES": writes,
        "MPIIO_SIZE_WRITE_AGG_100_1K": writes,
    }
    return job(log(table("H5F", (H5, -1, {"H5F_OPENS": 128})), table("MPI-IO", (H5, -1, above)), names={H5: "/s/a.h5"}))


@pytest.mark.parametrize(
    ("reads", "writes", "way"),
    [(9000, 0, "reads"), (9000, 500, "reads"), (0, 9000, "writes"), (5000, 4000, "reads and writes")],
)
def test_metadata_has_a_direction_of_its_own(reads: int, writes: int, way: str) -> None:
    """The data is written in each."""
    assert value(hdf5(reads, writes), "hdf5.metadata_way") == way


def test_without_metadata_it_has_none() -> None:
    assert metric(hdf5(0, 0), "hdf5.metadata_way").reason is not None


def test_small_calls_that_statistics_leave_no_doubt_of_are_the_least_that_there_can_be() -> None:
    mixed = {"independent_writes": 4096, "collective_writes": 20_480, "independent_writers": 512}
    told = case(printed(statistics("a.h5", 24 * GIB, **mixed | {"stripe_sized_writes": 24_570}))).metrics
    for of in ("accesses", "to_data_calls", "accesses_untimed"):
        assert told[f"hdf5.metadata_{of}"].bound == "lower"
    assert metric(hdf5(9000, 0), "hdf5.metadata_accesses").bound is None


UNBUFFERED = (
    Part("/scratch/o.dat", RANKS, "MPI-IO", writes=4000, size=MIB // 8, write_s=200.0, collective=True),
    Part("/scratch/o.dat", RANKS, writes=4000, size=MIB // 8, write_s=195.0, in_order=0.0, osts=osts(12)),
)


@pytest.mark.parametrize(
    ("hints", "said"),
    [
        ({"romio_cb_write": "disable"}, "A hint switches collective buffering off."),
        (
            {"romio_cb_write": "automatic", "romio_cb_read": "disable"},
            "The hints do not switch collective buffering off",
        ),
        (
            {"romio_cb_write": "enable", "romio_cb_read": "automatic"},
            "The hints do not switch collective buffering off",
        ),
    ],
    ids=["of writes", "of reads, of which there are none", "none"],
)
def test_a_hint_is_of_its_direction(hints: dict[str, str], said: str) -> None:
    text = printed(hinted("/scratch/o.dat", **hints), statistics("/scratch/o.dat", 24 * GIB))
    assert said in (found("collective-disabled", case(text, work=Work(UNBUFFERED, 512, 600.0))).summary or "")


def test_a_few_that_write_for_themselves_are_not_every_rank() -> None:
    """64 of 512 have data in the collective calls; a hint switches buffering off."""
    some = range(0, 512, 8)
    parts = (
        Part("/scratch/o.dat", RANKS, "MPI-IO", writes=500, size=MIB // 8, write_s=200.0, collective=True),
        Part("/scratch/o.dat", some, writes=4000, size=MIB // 8, write_s=195.0, in_order=0.0, osts=osts(12)),
    )
    text = printed(hinted("/scratch/o.dat", romio_cb_write="disable"))
    told = found("collective-disabled", case(text, work=Work(parts, 512, 600.0)))
    assert "every rank" not in (told.headline or "")
    every = found("collective-disabled", document(Work(UNBUFFERED, 512, 600.0)))
    assert "every rank goes to the file itself" in (every.headline or "")


def one_comes_late(rank: int) -> Work:
    """All but one are 160 s in the collective calls, and that one as long as the storage takes."""
    above, below = collective("/scratch/o.dat", RANKS, MOVERS, 30.0, osts(12))
    seconds = tuple(30.0 if r == rank else 160.0 for r in RANKS)
    return Work((replace(above, write_s=seconds), below), 512, 600.0)


QUIET = {"imbalance": 0.0, "wait for coll": 0.4, "data send (*)": 0.02, "file write": 0.18}


@pytest.mark.parametrize("rank", [3, 77])
@pytest.mark.parametrize("shares", [QUIET, STORAGE], ids=["waiting", "storage"])
def test_a_late_rank_is_named_by_the_log_where_the_timers_do_not_tell_of_it(
    rank: int, shares: dict[str, float]
) -> None:
    alone = found("wait-for-coll", document(one_comes_late(rank)))
    beside = found("wait-for-coll", case(printed(written("/scratch/o.dat", 160, shares)), work=one_comes_late(rank)))
    assert beside.headline == alone.headline == f"Rank {rank} comes late to the collective calls, and all others wait."
    assert beside.summary == alone.summary
    assert f"rank {rank}" in beside.advice[0].text


def test_where_the_timers_tell_of_it_they_are_quoted() -> None:
    told = found("wait-for-coll", case(printed(written("/scratch/o.dat", 160, LATE)), work=one_comes_late(3)))
    assert "85 % is waiting for collective operations and 30 % is imbalance" in (told.summary or "")
