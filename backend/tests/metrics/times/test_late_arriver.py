"""Whether a few ranks come late to collective calls, by what Darshan keeps of a file that all ranks share."""

import numpy as np
import pytest
from evidence_by_hand import job, log, metric, table, value

RANKS = 128


def shared(file, seconds):
    """A record of MPI-IO as Darshan reduces it, of these seconds of every rank."""
    took = np.asarray(seconds)
    return (
        file,
        -1,
        {
            "MPIIO_COLL_WRITES": len(took),
            "MPIIO_BYTES_WRITTEN": 2**34,
            "MPIIO_F_WRITE_TIME": took.sum(),
            "MPIIO_FASTEST_RANK": took.argmin(),
            "MPIIO_F_FASTEST_RANK_TIME": took.min(),
            "MPIIO_SLOWEST_RANK": took.argmax(),
            "MPIIO_F_SLOWEST_RANK_TIME": took.max(),
            "MPIIO_F_VARIANCE_RANK_TIME": took.var(),
        },
    )


def below(file, seconds):
    return (file, 0, {"POSIX_WRITES": 64, "POSIX_BYTES_WRITTEN": 2**34, "POSIX_F_WRITE_TIME": seconds})


def late(*ranks, at_work=1.0, waits=20.0):
    return [at_work if rank in ranks else waits for rank in range(RANKS)]


def given(*files, storage=0.7):
    above = table("MPI-IO", *(shared(1 + i, seconds) for i, seconds in enumerate(files)))
    posix = table("POSIX", *(below(1 + i, storage) for i in range(len(files))))
    return job(log(above, posix, nprocs=RANKS, runtime_s=600.0))


@pytest.mark.parametrize("ranks", [(77,), (77, 78, 79, 80)], ids=["one", "four"])
def test_who_is_late_and_how_many_are(ranks):
    s = given(late(*ranks), late(*ranks))
    assert value(s, "mpiio.late_arriver_rank") == 77
    assert value(s, "mpiio.late_arrivers_fraction") == pytest.approx(len(ranks) / RANKS)
    assert value(s, "mpiio.late_arriver_wait") == pytest.approx(2 * 19 * (1 - len(ranks) / RANKS))
    assert value(s, "mpiio.late_arriver_wait_fraction") == pytest.approx(0.95, abs=0.01)
    assert value(s, "mpiio.late_arriver_to_posix_time") == pytest.approx(1.0 / 0.7)


def test_another_rank_each_time_is_no_rank_that_is_late():
    s = given(*(late(rank) for rank in range(10, 20)))
    assert value(s, "mpiio.late_arriver_wait_fraction") == pytest.approx(0.1, abs=0.01)


def test_a_rank_that_takes_no_part_is_there_for_less_than_the_storage_takes():
    s = given(late(0, at_work=0.001), storage=19.0)
    assert value(s, "mpiio.late_arriver_to_posix_time") < 0.001


def test_half_of_the_ranks_are_not_few():
    s = given(late(*range(64)))
    assert value(s, "mpiio.late_arrivers_fraction") == pytest.approx(0.5)


def test_where_all_are_alike_nobody_is_late():
    assert metric(given([20.0] * RANKS), "mpiio.late_arriver_rank").reason is not None


def beside(*own, waits=20.0, **named):
    """One file of which rank 77 comes late, beside files of ranks' own, each (rank, seconds), and a shared one."""
    took = late(77, waits=waits)
    files = [(10 + rank, rank, {"STDIO_WRITES": 9, "STDIO_F_WRITE_TIME": seconds}) for rank, seconds in own]
    posix = [below(1, 0.7)]
    if named:
        posix.append((9, -1, {"POSIX_READS": 9, **{f"POSIX_{name}": value for name, value in named.items()}}))
    above, storage = table("MPI-IO", shared(1, took)), table("POSIX", *posix)
    streams = [table("STDIO", *files)] if files else []
    return job(log(above, storage, *streams, nprocs=RANKS, runtime_s=600.0))


@pytest.mark.parametrize(
    ("own", "seconds"),
    [
        (((77, 15.0),), 15.0),
        (((77, 50.0),), 19 * (1 - 1 / RANKS)),
        (((77, 15.0), (3, 12.7)), 15.0 - 0.1),
        # Not as long as the others wait, and not the rank that has most to do elsewhere.
        (((77, 9.0),), None),
        (((77, 15.0), (3, 15.1)), None),
        ((), None),
    ],
)
def test_what_the_late_rank_does_in_files_of_its_own(own, seconds):
    s = beside(*own)
    assert value(s, "mpiio.late_arriver_elsewhere") == (None if seconds is None else pytest.approx(seconds))
    assert value(s, "mpiio.late_arriver_file") == (None if seconds is None else "file87")


@pytest.mark.parametrize(("rank", "seconds"), [(77, 14.0), (76, None)])
def test_a_shared_file_in_which_the_late_rank_is_the_slowest(rank, seconds):
    s = beside(F_READ_TIME=float(RANKS), SLOWEST_RANK=rank, F_SLOWEST_RANK_TIME=15.0)
    assert value(s, "mpiio.late_arriver_elsewhere") == (None if seconds is None else pytest.approx(seconds))
    assert value(s, "mpiio.late_arriver_alone") is None


def of_own_records(*files):
    """The same where ranks' records are not reduced: of each file the seconds of the ranks that open it."""
    every = [
        (1 + i, rank, {"MPIIO_COLL_WRITES": 1, "MPIIO_BYTES_WRITTEN": 2**27, "MPIIO_F_WRITE_TIME": took})
        for i, seconds in enumerate(files)
        for rank, took in enumerate(seconds)
    ]
    posix = table("POSIX", *(below(1 + i, 0.7) for i in range(len(files))))
    return job(log(table("MPI-IO", *every), posix, nprocs=RANKS, runtime_s=600.0))


LATE = ("rank", "wait", "wait_fraction", "to_posix_time")


@pytest.mark.parametrize("files", [(late(77),), (late(77), late(77)), (late(3), late(77), late(77))])
def test_ranks_own_records_say_what_a_reduced_one_does(files):
    both = given(*files), of_own_records(*files)
    for of in LATE:
        reduced, own = (value(s, f"mpiio.late_arriver_{of}") for s in both)
        assert own == pytest.approx(reduced)
    reduced, own = (value(s, "mpiio.late_arrivers_fraction") for s in both)
    assert own == pytest.approx(reduced)


@pytest.mark.parametrize(("ranks", "rank"), [(RANKS, 77), (RANKS - 12, 77), (RANKS - 13, None)])
def test_a_file_that_nearly_all_ranks_open_is_as_good_as_shared(ranks, rank):
    assert value(of_own_records(late(77)[:ranks]), "mpiio.late_arriver_rank") == rank
