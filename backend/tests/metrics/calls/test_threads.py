"""Calls that threads of one process make side by side are counted once."""

import pytest
from evidence_by_hand import job, log, metric, table, value

from iotriage.metrics.core.selection import Selection
from iotriage_parsers.evidence import CounterTable

READ_AT_ONCE = {"POSIX_OPENS": 1, "POSIX_READS": 1, "POSIX_BYTES_READ": 2**20}


def reads(
    files: int,
    *,
    each_s: float,
    at: float = 5.0,
    apart_s: float,
    run: float = 100.0,
    beside: tuple[CounterTable, ...] = (),
    **more: float,
) -> Selection:
    """One process that reads `files`, each for `each_s` seconds, the next `apart_s` after the one before."""
    records = []
    for i in range(files):
        begin = at + i * apart_s
        times = {
            "POSIX_F_OPEN_START_TIMESTAMP": begin,
            "POSIX_F_READ_START_TIMESTAMP": begin,
            "POSIX_F_READ_END_TIMESTAMP": begin + each_s,
            "POSIX_F_CLOSE_END_TIMESTAMP": begin + each_s,
            "POSIX_F_READ_TIME": each_s,
        }
        records.append((i + 1, 0, READ_AT_ONCE | times | more))
    return job(log(table("POSIX", *records), *beside, nprocs=1, runtime_s=run))


def test_reads_of_eight_threads_take_the_time_in_which_files_were_in_use() -> None:
    together = reads(80, each_s=0.5, apart_s=0.0625)
    assert value(together, "job.io_time") == pytest.approx(5.4375)
    assert metric(together, "job.io_time").confidence == "inferred"
    assert value(together, "job.calls_at_a_time") == pytest.approx(40 / 5.4375)


@pytest.mark.parametrize("written_s", [4e-5, 0.5, 6.0])
@pytest.mark.parametrize("streams", [1, 2])
def test_streams_that_are_open_all_along_hide_no_threads(written_s: float, streams: int) -> None:
    """As standard output is, standard error and a log."""
    whole_run = {"STDIO_F_OPEN_START_TIMESTAMP": 0.1, "STDIO_F_WRITE_END_TIMESTAMP": 99.0}
    writes = {"STDIO_OPENS": 1, "STDIO_WRITES": 40, "STDIO_F_WRITE_TIME": written_s}
    open_all_along = table("STDIO", *((1000 + i, 0, writes | whole_run) for i in range(streams)))
    together = reads(80, each_s=0.5, apart_s=0.0625, beside=(open_all_along,))
    assert value(together, "job.calls_at_a_time") == pytest.approx(40 / 5.4375)
    in_turn = reads(80, each_s=0.5, apart_s=0.5, beside=(open_all_along,))
    assert value(in_turn, "job.calls_at_a_time") == 1.0


def test_reads_that_follow_one_another_are_as_the_log_has_them() -> None:
    in_turn = reads(80, each_s=0.5, apart_s=0.5)
    assert value(in_turn, "job.io_time") == pytest.approx(40.0)
    assert metric(in_turn, "job.io_time").confidence == "measured"
    assert value(in_turn, "job.calls_at_a_time") == 1.0


def test_of_files_that_are_open_side_by_side_nothing_shows_that_the_calls_were() -> None:
    assert value(reads(80, each_s=0.5, apart_s=0.5, POSIX_F_CLOSE_END_TIMESTAMP=60.0), "job.io_time") == 40.0


def test_stats_before_a_file_is_opened_are_no_calls_at_the_same_time() -> None:
    records = [
        (
            i + 1,
            0,
            READ_AT_ONCE
            | {
                "POSIX_STATS": 5,
                "POSIX_F_OPEN_START_TIMESTAMP": 50.0 + 0.5 * i,
                "POSIX_F_CLOSE_END_TIMESTAMP": 50.1 + 0.5 * i,
                "POSIX_F_META_TIME": 1.0,
            },
        )
        for i in range(40)
    ]
    assert value(job(log(table("POSIX", *records), nprocs=1, runtime_s=100.0)), "job.io_time") == pytest.approx(40.0)


@pytest.mark.parametrize(
    ("each_s", "run", "impossible"), [(80.0, 100.0, 1500.0), (10.0, 30.0, 0.0)], ids=["waiting all along", "at once"]
)
def test_threads_that_have_files_in_use_most_of_the_run_may_wait_for_something_else(
    each_s: float, run: float, impossible: float
) -> None:
    threads = reads(20, each_s=each_s, apart_s=0.01, run=run)
    assert value(threads, "job.impossible_time") == pytest.approx(impossible)


@pytest.mark.parametrize("files", [2, 8, 20])
def test_threads_that_move_data_all_along_have_the_time_in_which_files_were_in_use(files: int) -> None:
    """Each writes one file, to the end of the run: their calls do not fit in it, and are short."""
    threads = reads(files, each_s=90.0, apart_s=0.01, POSIX_READS=900)
    assert value(threads, "job.impossible_time") == 0.0
    assert value(threads, "job.io_time") == pytest.approx(90.0, rel=0.01)
    assert value(threads, "job.calls_at_a_time") == pytest.approx(files, rel=0.01)


def test_threads_that_wait_beside_one_that_moves_data_wait_all_the_same() -> None:
    """A file that is read in many short calls makes those of the others no shorter."""
    quick = {
        "POSIX_OPENS": 1,
        "POSIX_READS": 20_000,
        "POSIX_F_OPEN_START_TIMESTAMP": 10.0,
        "POSIX_F_READ_END_TIMESTAMP": 60.0,
        "POSIX_F_CLOSE_END_TIMESTAMP": 60.0,
        "POSIX_F_READ_TIME": 30.0,
    }
    waiting = reads(8, each_s=90.0, apart_s=0.01)
    table_of = waiting.logs[0].log.tables["POSIX"]
    records = [
        (i + 1, 0, {name: float(table_of.count(name)[i]) for name in table_of.int_names}
         | {name: float(table_of.seconds(name)[i]) for name in table_of.float_names})
        for i in range(8)
    ]  # fmt: skip
    both = job(log(table("POSIX", *records, (9, 0, quick)), nprocs=1, runtime_s=100.0))
    assert value(both, "job.impossible_time") > 600.0


def test_more_calls_at_a_time_than_files_are_a_clock_that_is_wrong() -> None:
    """Of one file Darshan leaves out what overlaps."""
    alone = reads(1, each_s=150.0, apart_s=0.0, POSIX_READS=900)
    assert value(alone, "job.impossible_time") == pytest.approx(50.0)


def test_files_that_are_all_opened_at_one_instant_have_no_clock_behind_them() -> None:
    assert value(reads(80, each_s=0.5, apart_s=0.0), "job.io_time") == pytest.approx(40.0)


def test_calls_on_one_file_that_outlast_its_use_have_none_either() -> None:
    assert value(reads(80, each_s=0.5, apart_s=0.0625, POSIX_F_READ_TIME=0.9), "job.io_time") == pytest.approx(72.0)
