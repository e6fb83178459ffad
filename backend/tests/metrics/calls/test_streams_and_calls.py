"""Syncs, streams, rereading, the order of accesses, the program, and what IOBUF buffers: by hand arithmetic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from evidence_by_hand import job, log, metric, table, value

from iotriage.metrics.core.selection import Selection
from iotriage.metrics.iobuf.shared_files import patterns
from iotriage.metrics.tables.selecting import select_files, select_job
from iotriage_parsers.evidence import DarshanLog, JobContext, Lines, Mount
from iotriage_parsers.evidence.job_context import EnvironmentSetting

MIB = 2**20


def posix(*records) -> Selection:
    return job(log(table("POSIX", *records)))


def test_syncs_are_counted_at_the_layer_that_the_program_calls() -> None:
    """Collective buffering makes 2 writes of 640; the program syncs once a rank and step."""
    above = table("MPI-IO", (1, -1, {"MPIIO_COLL_WRITES": 640, "MPIIO_SYNCS": 64, "MPIIO_BYTES_WRITTEN": 640 * MIB}))
    below = table("POSIX", (1, -1, {"POSIX_WRITES": 2, "POSIX_FSYNCS": 64, "POSIX_BYTES_WRITTEN": 640 * MIB}))
    s = job(log(above, below))
    assert value(s, "sync.calls") == 64
    assert value(s, "sync.per_write") == pytest.approx(0.1)
    assert value(s, "sync.bytes_each") == 10 * MIB


def test_fsync_and_fdatasync_are_syncs_and_flushes_are_those_of_streams() -> None:
    both = {"POSIX_WRITES": 100, "POSIX_FSYNCS": 30, "POSIX_FDSYNCS": 20, "POSIX_BYTES_WRITTEN": 5000}
    assert value(posix((1, 0, both)), "sync.per_write") == 0.5
    lines = {"STDIO_WRITES": 2000, "STDIO_FLUSHES": 2000, "STDIO_BYTES_WRITTEN": 114000}
    s = job(log(table("STDIO", (1, 0, lines))))
    assert (value(s, "sync.calls"), value(s, "sync.per_write"), value(s, "sync.bytes_each")) == (2000, 1.0, 57.0)


def test_without_a_sync_there_are_no_bytes_for_each_and_without_a_write_no_share() -> None:
    none = posix((1, 0, {"POSIX_WRITES": 10, "POSIX_BYTES_WRITTEN": 10}))
    assert (value(none, "sync.calls"), value(none, "sync.per_write")) == (0, 0.0)
    assert metric(none, "sync.bytes_each").reason == "no sync or flush was called"
    read = posix((1, 0, {"POSIX_READS": 10, "POSIX_BYTES_READ": 10}))
    assert metric(read, "sync.per_write").reason == "nothing was written"


def test_syncs_of_what_streams_wrote_stand_in_posix_and_are_timed_by_themselves() -> None:
    """Rank 0 syncs its stream by descriptor; rank 1 syncs what it wrote without one."""
    lines = {"STDIO_WRITES": 500, "STDIO_BYTES_WRITTEN": 4 * MIB, "STDIO_F_WRITE_TIME": 1.0, "STDIO_FLUSHES": 3}
    synced = {"POSIX_FILENOS": 4, "POSIX_FSYNCS": 3, "POSIX_FDSYNCS": 1, "POSIX_F_WRITE_TIME": 6.0}
    written = {"POSIX_WRITES": 2, "POSIX_BYTES_WRITTEN": MIB, "POSIX_FSYNCS": 9, "POSIX_F_WRITE_TIME": 1.0}
    s = job(log(table("STDIO", (1, 0, lines)), table("POSIX", (1, 0, synced), (2, 1, written))))
    assert (value(s, "sync.timed_calls"), value(s, "sync.calls")) == (4, 4)
    assert (value(s, "sync.call_time"), value(s, "sync.time_fraction")) == (1.5, 0.75)
    assert value(s, "sync.posix_time_fraction") == pytest.approx(6 / 7)
    assert value(s, "sync.bytes_each") == MIB
    assert value(s, "sync.per_write") == pytest.approx(4 / 500)
    more = job(log(table("STDIO", (1, 0, lines | {"STDIO_FLUSHES": 40})), table("POSIX", (1, 0, synced))))
    assert value(more, "sync.calls") == 40
    # Rank 2 syncs what rank 1 writes.
    of_files = table("POSIX", (1, 0, synced), (3, 1, synced), (2, 1, written), (2, 2, {"POSIX_FSYNCS": 8}))
    other = job(log(table("STDIO", (1, 0, lines)), of_files))
    assert (value(other, "sync.unseen_calls"), value(other, "sync.unseen_call_time")) == (4, 1.5)
    assert value(other, "sync.unseen_time_fraction") == pytest.approx(6 / 14)
    assert metric(s, "sync.unseen_calls").reason == "of all files that are synced a write was seen"
    lost = job(log(table("STDIO", (9, 0, lines)), table("POSIX", (1, 0, synced)), partial=("STDIO",)))
    assert (metric(lost, "sync.unseen_calls").reason or "").startswith("records of streams are missing")
    for alone in (posix((1, 0, synced)), posix((2, 1, written)), job(log(table("STDIO", (1, 0, lines))))):
        assert (metric(alone, "sync.time_fraction").reason or "").startswith("no sync stands alone")


def test_a_layer_whose_syncs_darshan_does_not_count_is_absent() -> None:
    s = job(log(table("DFS", (1, 0, {"DFS_WRITES": 10, "DFS_BYTES_WRITTEN": 10}))))
    assert metric(s, "sync.calls").reason == "Darshan does not count the syncs of DFS"


def test_streams_and_their_share_of_calls_and_time() -> None:
    streams = table(
        "STDIO",
        (1, 0, {"STDIO_WRITES": 30, "STDIO_READS": 10, "STDIO_BYTES_WRITTEN": 300, "STDIO_BYTES_READ": 100}),
        (2, 1, {"STDIO_WRITES": 10, "STDIO_BYTES_WRITTEN": 100, "STDIO_F_WRITE_TIME": 3.0, "STDIO_SEEKS": 5}),
    )
    files = table("POSIX", (3, 0, {"POSIX_WRITES": 150, "POSIX_BYTES_WRITTEN": 4500, "POSIX_F_WRITE_TIME": 1.0}))
    s = job(log(streams, files))
    assert value(s, "stdio.calls") == 50
    assert value(s, "stdio.average_size") == 10.0
    assert value(s, "stdio.seeks_each") == 0.1
    assert value(s, "stdio.system_call_time") == pytest.approx(3.0 / 7, rel=1e-3)
    assert value(s, "stdio.sharing_ranks") == 1
    assert value(s, "stdio.calls_fraction") == 0.25
    assert value(s, "stdio.time_fraction") == pytest.approx(1.0)
    assert metric(job(log(files)), "stdio.calls").reason is not None
    assert metric(job(log(files)), "stdio.seeks_each").reason is not None


@pytest.mark.parametrize(
    ("name", "counters", "asked"),
    [
        ("/p/o.log", {"STDIO_WRITES": 1000, "STDIO_BYTES_WRITTEN": 81_920}, 20),
        ("/p/o.log", {"STDIO_WRITES": 1000, "STDIO_BYTES_WRITTEN": 81_920, "STDIO_FLUSHES": 980}, 1000),
        ("/p/o.bin", {"STDIO_WRITES": 1000, "STDIO_BYTES_WRITTEN": 1000 * MIB}, 1000),
        ("<STDERR>", {"STDIO_WRITES": 1000, "STDIO_BYTES_WRITTEN": 81_920}, 1000),
    ],
    ids=["buffered", "flushed", "large calls", "not buffered"],
)
def test_what_streams_ask_of_the_system(name: str, counters: dict[str, float], asked: int) -> None:
    """A thousand calls of 10 µs are copies; the rest of the time is that of what passes the buffer."""
    made = table("STDIO", (1, 0, counters | {"STDIO_F_WRITE_TIME": 2.01}))
    s = job(log(made, names={1: name}))
    assert value(s, "stdio.system_call_time") == pytest.approx(2.0 / asked)


def test_every_rank_reads_the_whole_file() -> None:
    whole = {"POSIX_READS": 24, "POSIX_BYTES_READ": 8 * 24 * MIB, "POSIX_MAX_BYTE_READ": 24 * MIB - 1}
    s = posix((1, -1, whole))
    assert value(s, "posix.times_read") == 8.0
    assert value(s, "posix.reread_fraction") == pytest.approx(7 / 8)


def test_how_much_of_its_files_a_rank_reads() -> None:
    """Rank 0 half of 8 MiB, rank 1 all of it and of 4 MiB beside: 16 of 20 MiB."""
    ends = {"POSIX_READS": 1, "POSIX_MAX_BYTE_READ": 8 * MIB - 1}
    s = posix(
        (1, 0, ends | {"POSIX_BYTES_READ": 4 * MIB}),
        (1, 1, ends | {"POSIX_BYTES_READ": 8 * MIB}),
        (2, 1, {"POSIX_READS": 1, "POSIX_BYTES_READ": 4 * MIB, "POSIX_MAX_BYTE_READ": 4 * MIB - 1}),
    )
    assert value(s, "posix.rank_times_read") == pytest.approx(16 / 20)
    reduced = {"POSIX_READS": 8, "POSIX_BYTES_READ": 4 * MIB, "POSIX_MAX_BYTE_READ": 8 * MIB - 1}
    assert value(job(log(table("POSIX", (1, -1, reduced)), nprocs=8)), "posix.rank_times_read") == pytest.approx(1 / 16)


def test_the_time_of_an_access_and_none_where_no_timer_has_it() -> None:
    calls = {"POSIX_READS": 3, "POSIX_WRITES": 1, "POSIX_BYTES_READ": 3}
    s = posix((1, 0, calls | {"POSIX_F_READ_TIME": 0.6, "POSIX_F_WRITE_TIME": 0.2}))
    assert value(s, "posix.call_time") == pytest.approx(0.2)
    assert metric(posix((1, 0, calls)), "posix.call_time").reason == "the timers show no time in reads and writes"


def test_an_order_that_is_not_recorded_is_none() -> None:
    s = posix((1, 0, {"POSIX_READS": 3, "POSIX_BYTES_READ": 3, "POSIX_SEQ_READS": -1, "POSIX_CONSEC_READS": -1}))
    assert metric(s, "posix.random_read_fraction").reason == "the log does not say in which order the reads were"


def test_who_reads_all_of_a_file_is_told_by_each_ranks_own_bytes() -> None:
    """Four ranks read 24 MiB once; a fifth, a quarter of it four times, is none of them."""
    once = {"POSIX_READS": 24, "POSIX_BYTES_READ": 24 * MIB, "POSIX_MAX_BYTE_READ": 24 * MIB - 1}
    again = once | {"POSIX_MAX_BYTE_READ": 6 * MIB - 1}
    s = posix(*((1, rank, once) for rank in range(4)), (1, 4, again))
    assert value(s, "posix.read_whole_fraction") == pytest.approx(4 / 5)


@pytest.mark.parametrize(("variance", "share"), [(0.0, 1.0), ((24.0 * MIB) ** 2, 0.0)])
def test_of_a_reduced_record_all_ranks_read_the_file_where_they_are_alike(variance: float, share: float) -> None:
    of_all = {"POSIX_READS": 192, "POSIX_BYTES_READ": 8 * 24 * MIB, "POSIX_MAX_BYTE_READ": 24 * MIB - 1}
    s = job(log(table("POSIX", (1, -1, of_all | {"POSIX_F_VARIANCE_RANK_BYTES": variance})), nprocs=8))
    assert value(s, "posix.read_whole_fraction") == share


def test_ranks_with_records_of_their_own_read_one_file_and_each_its_part() -> None:
    parts = [
        (1, rank, {"POSIX_BYTES_READ": MIB, "POSIX_MAX_BYTE_READ": (rank + 1) * MIB - 1, "POSIX_READS": 1})
        for rank in range(4)
    ]
    s = posix(*parts)
    assert value(s, "posix.times_read") == 1.0
    assert value(s, "posix.reread_fraction") == 0.0


def test_what_is_written_too_may_be_read_again_for_good_reason() -> None:
    swap = {"POSIX_BYTES_READ": 8 * MIB, "POSIX_MAX_BYTE_READ": MIB - 1, "POSIX_BYTES_WRITTEN": 8 * MIB}
    s = posix((1, -1, swap))
    assert metric(s, "posix.times_read").reason == (
        "no file was read but what the run wrote, and no more of it than was written"
    )
    assert value(s, "posix.reread_fraction") == 0.0


@pytest.mark.parametrize(("steps", "times"), [(1, None), (2, 2.0), (3, 3.0)])
def test_what_steps_read_whole_one_after_the_other_is_read_once_by_each(steps: int, times: float | None) -> None:
    whole = table("POSIX", (1, 0, {"POSIX_READS": 1, "POSIX_BYTES_READ": 100, "POSIX_MAX_BYTE_READ": 99}))
    assert value(job(*[log(whole)] * steps), "posix.steps_times_read") == times


def test_a_stream_that_is_rewound() -> None:
    s = job(log(table("STDIO", (1, 0, {"STDIO_BYTES_READ": 1200, "STDIO_MAX_BYTE_READ": 99, "STDIO_READS": 60}))))
    assert value(s, "stdio.times_read") == 12.0


def test_holes_that_a_collective_read_fetches() -> None:
    above = table("MPI-IO", (1, -1, {"MPIIO_COLL_READS": 24, "MPIIO_BYTES_READ": 24 * MIB}))
    below = table(
        "POSIX", (1, -1, {"POSIX_READS": 6, "POSIX_BYTES_READ": 60 * MIB, "POSIX_MAX_BYTE_READ": 24 * MIB - 1})
    )
    s = job(log(above, below))
    assert value(s, "mpiio.read_amplification") == 2.5
    assert value(s, "mpiio.fetched_fraction") == 0.6
    assert value(s, "posix.times_read") == 2.5


def test_the_reading_of_a_group_is_a_share_of_the_jobs() -> None:
    s = posix((1, 0, {"POSIX_BYTES_READ": 30, "POSIX_READS": 1}), (2, 0, {"POSIX_BYTES_READ": 10, "POSIX_READS": 1}))
    mine = select_files(s, {0: np.array([1], np.uint64)}, ["/scratch/file1"], "serial", 1)
    assert value(mine, "group.read_fraction") == 0.75


def test_accesses_that_go_back_are_those_beyond_the_first_after_each_open() -> None:
    random = {"POSIX_READS": 1000, "POSIX_SEQ_READS": 500, "POSIX_OPENS": 8, "POSIX_BYTES_READ": 2_000_000}
    s = posix((1, -1, random))
    assert value(s, "posix.random_accesses") == 492
    assert value(s, "posix.random_fraction") == pytest.approx(0.492)
    assert value(s, "posix.average_size") == 2000.0


def test_ten_thousand_files_that_are_read_once_are_not_random() -> None:
    s = posix(*((i, 0, {"POSIX_READS": 1, "POSIX_SEQ_READS": 0, "POSIX_OPENS": 1}) for i in range(1, 10_001)))
    assert (value(s, "posix.random_accesses"), value(s, "posix.random_fraction")) == (0, 0.0)


def test_writes_and_reads_each_have_their_own_order() -> None:
    both = {"POSIX_READS": 100, "POSIX_SEQ_READS": 99, "POSIX_WRITES": 100, "POSIX_SEQ_WRITES": 20, "POSIX_OPENS": 1}
    assert value(posix((1, 0, both)), "posix.random_accesses") == 79


def of_job(**known: object) -> Selection:
    made = log(table("POSIX", (1, 0, {"POSIX_BYTES_WRITTEN": 10, "POSIX_MAX_BYTE_WRITTEN": 9})), names={1: "/p/run/a"})
    return job(replace(made, job=replace(made.job, **known)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("executable", "expected"), [("/usr/bin/tar cf x.tar y", "tar"), ("tar", "tar"), ("/opt/bin/sim", "sim")]
)
def test_the_program_is_named_without_its_folder(executable: str, expected: str) -> None:
    assert value(of_job(executable=executable), "job.program") == expected


def test_of_the_steps_of_a_job_the_program_is_that_of_most_ranks_and_then_of_the_longest_run() -> None:
    made = log(table("POSIX", (1, 0, {"POSIX_BYTES_WRITTEN": 10, "POSIX_MAX_BYTE_WRITTEN": 9})), names={1: "/p/run/a"})

    def steps(**ranks: int) -> Selection:
        runs = (
            (name, ranks.get(name, 4), seconds) for name, seconds in (("mesh", 20.0), ("solve", 300.0), ("plot", 40.0))
        )
        known = (replace(made.job, executable=f"/opt/bin/{name}", nprocs=n, runtime_s=s) for name, n, s in runs)
        return job(*(replace(made, job=one) for one in known))

    assert value(steps(), "job.program") == "solve"
    assert value(steps(solve=512), "job.program") == "solve"
    assert value(steps(plot=512), "job.program") == "plot"


def test_of_the_steps_of_a_job_the_program_is_the_one_that_moves_the_data() -> None:
    def run(name: str, nprocs: int, seconds: float) -> DarshanLog:
        used = {"POSIX_BYTES_WRITTEN": 10, "POSIX_OPENS": 1, "POSIX_F_WRITE_TIME": seconds}
        made = log(table("POSIX", (1, 0, used)), names={1: "/p/a"})
        return replace(made, job=replace(made.job, executable=f"/opt/{name}", nprocs=nprocs, runtime_s=100.0))

    assert value(job(run("solve", 512, 0.5), run("pack", 4, 60.0)), "job.program") == "pack"
    assert value(job(run("solve", 512, 90.0), run("pack", 4, 60.0)), "job.program") == "solve"


@pytest.mark.parametrize(
    ("mounts", "expected"),
    [
        ([("/", "overlay"), ("/p", "dvs")], "dvs"),
        ([("/p", "dvs"), ("/p/run", "lustre")], "lustre"),
        ([("/", "dvs")], None),
        ([("/project", "dvs")], None),
        ([], None),
    ],
)
def test_the_longest_mount_point_above_the_file_counts_and_the_root_does_not(mounts, expected) -> None:
    s = of_job(mounts=tuple(Mount(path, kind) for path, kind in mounts))
    assert value(s, "file.mount_type") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("*.dat:count=4:size=32M,%stdout:count=1", ("*.dat",)),
        ("'*:verbose'", ("*",)),
        ("a.in,b.in:size=1M", ("a.in", "b.in")),
        ("", ()),
    ],
)
def test_the_patterns_of_iobuf(text: str, expected: tuple[str, ...]) -> None:
    assert patterns(text) == expected


def with_iobuf(setting: str | None, partial: tuple[str, ...] = ()) -> Selection:
    """A file of MPI-IO, a file that two ranks opened and one writes, a shared one of which it is not known, one that
    all read, and one of a single rank."""
    names = {1: "/p/field.dat", 2: "/p/in/mesh.in", 3: "/p/shared.dat", 4: "/p/log.0001.txt", 5: "/p/in/table.dat"}
    wrote, read = {"POSIX_BYTES_WRITTEN": 10}, {"POSIX_BYTES_READ": 10}
    made = log(
        table("MPI-IO", (1, 0, {"MPIIO_BYTES_WRITTEN": 10})),
        table(
            "POSIX", (1, 0, {}), (2, 0, read), (2, 1, wrote), (3, -1, {"POSIX_BYTES_WRITTEN": -1}), (4, 1, wrote),
            (5, -1, read),
        ),
        names=names,
        partial=partial,
    )  # fmt: skip
    environment = () if setting is None else (EnvironmentSetting("IOBUF_PARAMS", setting, 5),)
    script = JobContext("script", Lines(1, 9), "slurm", environment=environment)
    parts: list[tuple[int, DarshanLog | JobContext]] = [(0, made), (1, script)]
    return select_job(parts)


@pytest.mark.parametrize(
    ("setting", "expected", "bound"),
    [
        ("*:size=64M", 2, "lower"),
        ("*.dat:count=4", 1, "lower"),
        ("*.in", 1, None),
        ("*.txt:count=4", 0, None),
        ("%stdout", 0, None),
        (None, 0, None),
    ],
)
def test_shared_files_that_iobuf_buffers(setting: str | None, expected: int, bound: str | None) -> None:
    found = metric(with_iobuf(setting), "iobuf.shared_files")
    assert (found.value, found.bound) == (expected, bound)


def test_of_one_shared_file_that_it_buffers_nobody_knows_whether_it_was_written() -> None:
    found = metric(with_iobuf("shared.dat"), "iobuf.shared_files")
    assert found.value is None
    assert "BYTES_WRITTEN is not available" in (found.reason or "")


def test_records_that_are_missing_may_be_of_files_that_it_buffers() -> None:
    found = [metric(with_iobuf(setting, ("POSIX",)), "iobuf.shared_files") for setting in ("*.txt", None)]
    assert [(one.value, one.bound) for one in found] == [(0, "lower"), (0, None)]


def test_without_a_script_nobody_knows_what_iobuf_buffers() -> None:
    assert value(posix((1, -1, {})), "iobuf.shared_files") is None


def test_a_file_of_its_own_that_a_rank_reads_again_and_again() -> None:
    own = {"POSIX_BYTES_WRITTEN": 100, "POSIX_BYTES_READ": 20_000, "POSIX_MAX_BYTE_READ": 99}
    other = {"POSIX_BYTES_READ": 8, "POSIX_MAX_BYTE_READ": 1}
    s = job(log(table("POSIX", (1, 0, own), (2, 1, own), (3, 0, other))))
    assert value(s, "posix.times_read") == 40_008 / 202
    assert value(s, "posix.reread_fraction") == pytest.approx((40_008 - 202) / 40_208)


def test_a_file_that_is_written_anew_may_be_read_as_often() -> None:
    anew = {"POSIX_BYTES_WRITTEN": 1000, "POSIX_BYTES_READ": 1000, "POSIX_MAX_BYTE_READ": 99}
    assert value(job(log(table("POSIX", (1, 0, anew)))), "posix.reread_fraction") == 0


def test_who_uses_the_stream_that_takes_longest() -> None:
    slow, quick = {"STDIO_WRITES": 9, "STDIO_F_WRITE_TIME": 5.0}, {"STDIO_WRITES": 9, "STDIO_F_WRITE_TIME": 1.0}
    by_two = job(log(table("STDIO", (1, 0, slow), (1, 1, slow), (2, 0, quick)), nprocs=8))
    assert value(by_two, "stdio.sharing_ranks") == 2
    by_all = job(log(table("STDIO", (1, -1, slow), (2, 0, quick)), nprocs=8))
    assert value(by_all, "stdio.sharing_ranks") == 8
