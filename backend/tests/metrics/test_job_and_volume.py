"""Run time, I/O time, bytes and bandwidth: every figure in these tests is worked out beside it."""

from dataclasses import replace

import pytest
from evidence_by_hand import block, job, log, metric, table, value

from iotriage.metrics.tables.account.time_account import time_account
from iotriage_parsers.evidence import ModuleInfo
from iotriage_parsers.evidence.darshan import ModuleStatus

SHARED = table(
    "POSIX",
    (
        1,
        -1,
        {
            "POSIX_BYTES_WRITTEN": 800,
            "POSIX_BYTES_READ": 200,
            "POSIX_F_SLOWEST_RANK_TIME": 4.0,
            "POSIX_F_WRITE_TIME": 20.0,
        },
    ),
)
OWN = table(
    "POSIX",
    (2, 0, {"POSIX_BYTES_WRITTEN": 100, "POSIX_F_WRITE_TIME": 1.0, "POSIX_F_META_TIME": 0.5}),
    (3, 0, {"POSIX_BYTES_WRITTEN": 100, "POSIX_F_WRITE_TIME": 2.0}),
    (4, 1, {"POSIX_BYTES_WRITTEN": 100, "POSIX_F_READ_TIME": 3.0}),
)


def test_io_time_of_a_shared_record_is_its_slowest_rank_and_not_the_sum_over_ranks() -> None:
    assert value(job(log(SHARED)), "job.io_time") == 4.0


def test_io_time_of_own_records_is_the_largest_sum_of_one_rank() -> None:
    assert value(job(log(OWN)), "job.io_time") == 1.0 + 0.5 + 2.0


def test_io_time_of_mpiio_files_is_not_counted_again_below() -> None:
    above = table("MPI-IO", (1, -1, {"MPIIO_F_SLOWEST_RANK_TIME": 9.0}))
    assert value(job(log(SHARED, above)), "job.io_time") == 9.0


def test_io_time_adds_the_layers_of_different_files_on_the_same_rank() -> None:
    text = table("STDIO", (9, 0, {"STDIO_F_WRITE_TIME": 0.25}), (10, 1, {"STDIO_F_WRITE_TIME": 0.75}))
    # rank 0: 3.5 + 0.25; rank 1: 3.0 + 0.75
    assert value(job(log(OWN, text)), "job.io_time") == 3.75


def test_a_timer_that_was_left_out_makes_the_time_a_lower_bound() -> None:
    """Infinite, negative and absurd timers are NaN in the evidence: 1 s of what may have been any time."""
    lost = table(
        "POSIX", (2, 0, {"POSIX_BYTES_WRITTEN": 100, "POSIX_F_WRITE_TIME": float("nan"), "POSIX_F_META_TIME": 1.0})
    )
    found = metric(job(log(lost, runtime_s=100.0)), "job.io_time")
    assert (found.value, found.bound) == (1.0, "lower")
    assert metric(job(log(lost, runtime_s=100.0)), "job.io_time_fraction").bound == "lower"


@pytest.mark.parametrize("timer", [0.0, -1.0])
def test_bytes_that_took_no_time_leave_the_time_unknown(timer: float) -> None:
    names = ("POSIX_F_READ_TIME", "POSIX_F_WRITE_TIME", "POSIX_F_META_TIME")
    quick = table("POSIX", (2, 0, {"POSIX_BYTES_WRITTEN": 100} | dict.fromkeys(names, timer)))
    found = metric(job(log(quick, runtime_s=100.0)), "job.io_time")
    assert found.value is None
    assert found.reason


def test_a_log_without_records_took_no_time() -> None:
    assert value(job(log(runtime_s=100.0)), "job.io_time") == 0


LOST = tuple(ModuleInfo(name, 3, 186, False, "damaged", None, "cut") for name in ("POSIX", "MPI-IO", "STDIO", "LUSTRE"))


@pytest.mark.parametrize(
    "id",
    [
        *("job.io_time", "job.io_time_fraction", "job.impossible_time", "io.bytes", "io.bytes_written"),
        *("file.count", "file.home_bytes", "balance.alone_opens"),
    ],
)
def test_where_the_modules_of_a_log_are_lost_nothing_is_known_to_be_none(id: str) -> None:
    whole, cut = log(runtime_s=100.0), replace(log(runtime_s=100.0), modules=LOST)
    assert value(job(whole, files=0), id) == 0
    found = metric(job(cut, files=0), id)
    assert found.value is None
    assert found.reason == (
        "the records of POSIX, MPI-IO and STDIO could not be read: the log was cut or damaged, fetch it again"
    )


@pytest.mark.parametrize("status", ["damaged", "partly-read", "unsupported"])
def test_a_module_that_could_not_be_read_has_records_that_are_missing(status: ModuleStatus) -> None:
    rest = log(SHARED)
    assert value(job(rest), "evidence.records_missing") == "no"
    for name, known in (("STDIO", None), ("LUSTRE", "no")):
        cut = job(replace(rest, modules=(*rest.modules, ModuleInfo(name, 9, 154, False, status, 0, "cut"))))
        assert value(cut, "evidence.records_missing") == known


@pytest.mark.parametrize("status", ["damaged", "partly-read"])
def test_a_module_without_a_record_that_was_lost_makes_the_rest_a_lower_bound(status: ModuleStatus) -> None:
    lost = ModuleInfo("MPI-IO", 2, 154, False, status, 0, "cut")
    rest = log(SHARED)
    cut = job(replace(rest, modules=(*rest.modules, lost)), files=1)
    for id, least in (("job.io_time", 4.0), ("io.bytes", 1000), ("file.count", 1), ("file.home_bytes", 0)):
        found = metric(cut, id)
        assert (found.value, found.bound) == (least, "lower"), id
    account = time_account(cut)
    assert account is not None
    assert account.partial


def test_where_records_are_missing_the_time_is_what_one_rank_is_sure_to_have_spent() -> None:
    """Two files, each with its own slowest rank of 4 s and 5 s: one rank may have had both, or not."""
    files = table(
        "POSIX",
        *(
            (i, -1, {"POSIX_F_WRITE_TIME": 8.0, "POSIX_F_SLOWEST_RANK_TIME": 3.0 + i, "POSIX_SLOWEST_RANK": i})
            for i in (1, 2)
        ),
    )
    whole, partial = job(log(files)), job(log(files, partial=["POSIX"]))
    of_whole, of_partial = (metric(s, "job.io_time") for s in (whole, partial))
    assert (of_whole.value, of_whole.confidence, of_whole.bound) == (9.0, "inferred", None)
    assert (of_partial.value, of_partial.confidence, of_partial.bound) == (5.0, "inferred", "lower")
    for s, most in ((whole, 9.0), (partial, 5.0)):
        account = time_account(s)
        assert account is not None
        assert account.slowest is not None
        assert (account.slowest.least_s, account.slowest.most_s) == (5.0, most)


def test_io_time_fraction() -> None:
    assert value(job(log(SHARED, runtime_s=40.0)), "job.io_time_fraction") == 0.1


@pytest.mark.parametrize("runtime", [None, 1.0])
def test_io_time_fraction_is_absent_without_a_plausible_run_time(runtime: float | None) -> None:
    found = metric(job(log(SHARED, runtime_s=runtime)), "job.io_time_fraction")
    assert found.value is None
    assert found.reason


def test_slowest_ranks_of_several_files_never_make_more_than_the_whole_run() -> None:
    found = metric(job(log(SHARED, runtime_s=3.0)), "job.io_time_fraction")
    assert (found.value, found.confidence) == (1.0, "inferred")


def test_io_that_the_timers_end_a_little_after_the_run_took_the_whole_run() -> None:
    found = metric(job(log(SHARED, runtime_s=3.9)), "job.io_time")
    assert (found.value, found.confidence) == (3.9, "inferred")
    assert metric(job(log(SHARED, runtime_s=4.1)), "job.io_time").confidence == "measured"


def test_a_stats_block_alone_gives_no_time() -> None:
    found = metric(job(stats=[block(total_bytes=10)]), "job.io_time")
    assert found.value is None
    assert found.settled_by == ("Darshan",)


def test_threads_that_wait_side_by_side_rank_nothing() -> None:
    waited = table("POSIX", *((i, 0, {"POSIX_OPENS": 400, "POSIX_F_META_TIME": 118.0}) for i in range(8)))
    found = job(log(waited, nprocs=1, runtime_s=120.0))
    assert value(found, "job.io_time") is None
    assert value(found, "job.impossible_time") == 824.0
    assert value(found, "posix.metadata_io_fraction") is None


def test_the_slowest_ranks_of_many_shared_files_are_not_one_rank() -> None:
    each = {"POSIX_F_SLOWEST_RANK_TIME": 2.0, "POSIX_F_META_TIME": 8 * 0.1}
    many = job(log(table("POSIX", *((i, -1, each) for i in range(40))), nprocs=8, runtime_s=4.2))
    assert value(many, "job.io_time") == 4.2
    assert value(many, "job.impossible_time") == 0
    assert value(many, "posix.metadata_io_fraction") == pytest.approx(4.0 / 4.2)


def test_bytes_are_counted_once_at_the_highest_layer() -> None:
    above = table("MPI-IO", (1, -1, {"MPIIO_BYTES_WRITTEN": 700}))
    text = table("STDIO", (9, 0, {"STDIO_BYTES_WRITTEN": 5}))
    both = table(
        "POSIX",
        (1, -1, {"POSIX_BYTES_WRITTEN": 800}),
        (2, 0, {"POSIX_BYTES_WRITTEN": 100}),
    )
    assert value(job(log(both, above, text)), "io.bytes_written") == 700 + 100 + 5


def test_not_available_counters_are_left_out_and_never_added() -> None:
    some = table("POSIX", (1, 0, {"POSIX_BYTES_WRITTEN": -1}), (2, 0, {"POSIX_BYTES_WRITTEN": 30}))
    assert value(job(log(some)), "io.bytes_written") == 30


def test_bytes_of_a_partial_module_are_a_lower_bound() -> None:
    assert metric(job(log(SHARED, partial=["POSIX"])), "io.bytes_written").bound == "lower"
    assert metric(job(log(SHARED)), "io.bytes_written").bound is None


def test_bytes_of_repeated_blocks_add_up() -> None:
    twice = [block(total_bytes=3600), block(total_bytes=1400, occurrence=2)]
    assert value(job(stats=twice), "io.bytes_written") == 5000


def test_an_untrusted_block_counts_for_nothing() -> None:
    assert value(job(stats=[block(total_bytes=3600, trusted=False)]), "io.bytes_written") is None


def test_bandwidth_is_bytes_over_the_slowest_ranks_time() -> None:
    assert value(job(log(SHARED)), "posix.bandwidth") == 1000 / 4.0
    assert value(job(log(OWN)), "posix.bandwidth") == 300 / 3.5
    assert value(job(log(SHARED)), "io.bandwidth") == 250.0


def test_bandwidth_is_absent_where_no_time_was_taken() -> None:
    still = table("POSIX", (1, -1, {"POSIX_BYTES_WRITTEN": 10}))
    assert value(job(log(still)), "posix.bandwidth") is None


def test_ranks_come_from_the_log_before_the_communicator() -> None:
    assert value(job(log(SHARED, nprocs=64), stats=[block(ranks_in_communicator=16)]), "job.nprocs") == 64
    assert value(job(stats=[block(ranks_in_communicator=16)]), "job.nprocs") == 16
    assert value(job(stats=[block()]), "job.nprocs") is None


def test_bytes_that_no_record_has_are_absent_and_not_zero() -> None:
    none = table("POSIX", (1, 0, {"POSIX_BYTES_WRITTEN": -1, "POSIX_BYTES_READ": -1}))
    assert value(job(log(none)), "io.bytes") is None
    assert value(job(log()), "io.bytes") == 0


def test_what_a_block_does_not_print_makes_the_sum_a_lower_bound_and_a_block_that_is_not_there_does_not() -> None:
    written = block(total_bytes=3600)
    assert metric(job(stats=[written]), "io.bytes").bound is None
    both = metric(job(stats=[written, block(direction="read", total_bytes=None)]), "io.bytes")
    assert (both.value, both.bound) == (3600, "lower")


@pytest.mark.parametrize(
    ("seconds", "found"),
    [
        ({"/scratch/run/a": 5.0, "/scratch/run/b": 5.0}, "/scratch/run"),
        ({"/scratch/run": 5.0, "/scratch/run-2": 1.0, "/scratch/run/deep": 4.0}, "/scratch/run"),
        ({"/scratch/run/a": 9.0, "/scratch/run/b": 1.0}, "/scratch/run/a"),
        ({"/scratch/run": 5.0, "/home/me": 5.0}, None),
        ({"/scratch/run": 1.0, "out": 9.0}, None),
    ],
)
def test_metadata_passes_in_the_deepest_directory_that_holds_four_fifths_of_it(
    seconds: dict[str, float], found: str | None
) -> None:
    opened = [(n, 0, {"POSIX_OPENS": 1, "POSIX_F_META_TIME": spent}) for n, spent in enumerate(seconds.values(), 1)]
    written = (99, 0, {"POSIX_WRITES": 1, "POSIX_F_WRITE_TIME": 30.0})
    names = {n: f"{directory}/f" for n, directory in enumerate(seconds, 1)} | {99: "/other/g"}
    assert value(job(log(table("POSIX", *opened, written), names=names)), "posix.metadata_directory") == found
