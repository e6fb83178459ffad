"""OSTs, nodes, alignment and directories from records by hand, against arithmetic by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from evidence_by_hand import block, job, log, metric, table, value

from iotriage_parsers.evidence import (
    EnvironmentSetting,
    Hint,
    Job,
    JobContext,
    Lines,
    LustreLayout,
    Mount,
    MpiioHints,
    StripeCommand,
    StripeComponent,
    StripeLayout,
)

MIB = 2**20


def files_on(osts, seconds, *, size=4 * MIB, ranks=None):
    """One file of `size` a rank, on one OST each, and its seconds of writing."""
    rows = [
        (i, i if ranks is None else ranks[i], {"POSIX_BYTES_WRITTEN": size, "POSIX_F_WRITE_TIME": s, "POSIX_WRITES": 4})
        for i, s in enumerate(seconds)
    ]
    layouts = tuple(LustreLayout(i, MIB, 1, (ost,), osts_in_fs=4) for i, ost in enumerate(osts))
    return job(log(table("POSIX", *rows), nprocs=len(rows), lustre=layouts))


def test_the_slow_ost_is_the_one_whose_files_take_longer_a_byte():
    found = files_on([0, 1, 2] * 3, [1.0, 1.0, 40.0, 1.0, 2.0, 40.0, 1.0, 1.0, 44.0])
    assert value(found, "ost.slowest") == 2
    assert value(found, "ost.slowness") == pytest.approx(40.0)
    assert value(found, "ost.compared") == 3
    assert value(found, "ost.slowest_files") == 3


def test_an_ost_stands_apart_by_the_slowest_ranks_on_the_others():
    osts = [n % 8 for n in range(32)]
    alike = files_on(osts, [2.0 if ost == 3 else 1.0 + n / 1000 for n, ost in enumerate(osts)])
    assert value(alike, "ost.slowness") == pytest.approx(2.0, rel=0.05)
    assert value(alike, "ost.apart") == pytest.approx(2.0, rel=0.05)
    spread = files_on(osts, [2.0 if ost == 3 else 0.5 + n // 8 / 2 for n, ost in enumerate(osts)])
    assert value(spread, "ost.slowness") == pytest.approx(1.6, rel=0.05)
    assert value(spread, "ost.apart") == pytest.approx(1.0, rel=0.05)


def test_bytes_excuse_an_ost_only_where_no_other_holds_as_many():
    osts = [*range(8), *range(4)]
    as_many = files_on(osts, [2.0 if ost == 3 else 1.0 for ost in osts])
    assert value(as_many, "ost.load") == pytest.approx(2.0)
    assert value(as_many, "ost.apart") == pytest.approx(2.0)
    more = files_on([*range(8), 3], [2.0 if ost == 3 else 1.0 for ost in [*range(8), 3]])
    assert value(more, "ost.apart") == pytest.approx(1.0)


def test_half_of_the_osts_stand_apart_by_the_quickest_of_them():
    osts = [n % 8 for n in range(32)]
    kinds = files_on(osts, [(2.0 if ost == 1 else 1.8) if ost % 2 else 1.0 for ost in osts])
    assert value(kinds, "ost.apart") == pytest.approx(1.8)
    assert value(kinds, "ost.slow_ones") == "1, 3, 5 and 7"


def test_where_most_osts_are_slow_none_stands_apart():
    osts = [n % 8 for n in range(32)]
    kinds = metric(files_on(osts, [2.0 if ost < 5 else 1.0 for ost in osts]), "ost.apart")
    assert kinds.value is None
    assert "more than half" in (kinds.reason or "")


def test_one_slow_file_does_not_make_its_ost_slow():
    found = files_on([0, 1, 2] * 3, [1.0, 1.0, 40.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    assert value(found, "ost.slowness") == pytest.approx(1.0)


def test_one_file_an_ost_is_too_few():
    found = metric(files_on([0, 1, 2, 3], [1.0, 40.0, 1.0, 1.0]), "ost.slowness")
    assert found.value is None
    assert "none has 2 of them" in (found.reason or "")


def test_two_files_of_different_ranks_are_enough_and_no_second_slow_ost_hides_the_first():
    others = [1.0, 1.1, 0.9, 1.0, 1.2, 1.0]
    found = files_on([7, 7, 8, 8, 8, *range(6)], [11.0, 12.0, 8.0, 9.0, 7.7, *others])
    assert value(found, "ost.slowest") == 7
    assert value(found, "ost.slowness") == pytest.approx(11.0, rel=0.1)
    assert value(found, "ost.slowest_files") == 2


def test_a_rank_that_is_slow_on_every_ost_makes_none_of_them_slow():
    osts, ranks = [n % 6 for n in range(24)], [n // 6 for n in range(24)]
    slow_rank = files_on(osts, [20.0 if rank == 2 else 1.0 for rank in ranks], ranks=ranks)
    assert value(slow_rank, "ost.slowness") == pytest.approx(1.0, rel=0.2)
    slow_ost = files_on(osts, [20.0 if ost == 2 else 1.0 for ost in osts], ranks=ranks)
    assert value(slow_ost, "ost.slowest") == 2
    assert value(slow_ost, "ost.slowness") == pytest.approx(20.0)
    both_files_of_one_rank = files_on([4, 4, *range(4), *range(4)], [9.0, 9.0, *[1.0] * 8], ranks=[0, 0, *range(1, 9)])
    assert value(both_files_of_one_rank, "ost.slowest") != 4


def test_files_of_several_ranks_small_files_and_striped_files_say_nothing_of_an_ost():
    shared = files_on([0, 1] * 3, [1.0, 40.0] * 3, ranks=[-1] * 6)
    assert value(shared, "ost.slowness") is None
    assert value(files_on([0, 1] * 3, [1.0, 40.0] * 3, size=MIB - 1), "ost.slowness") is None
    rows = [(i, i, {"POSIX_BYTES_WRITTEN": 4 * MIB, "POSIX_F_WRITE_TIME": 1.0}) for i in range(6)]
    striped = tuple(LustreLayout(i, MIB, 2, (i % 2, 2)) for i in range(6))
    assert value(job(log(table("POSIX", *rows), lustre=striped)), "ost.slowness") is None


def test_files_that_begin_on_one_ost():
    found = files_on([3] * 15 + [1], [1.0] * 16)
    assert value(found, "file.first_ost_share") == 15 / 16
    assert value(found, "file.first_ost") == 3
    # Of four OSTs seven may all be the same by chance.
    assert value(files_on([3] * 8, [1.0] * 8), "file.first_ost_share") == 1
    assert value(files_on([3] * 7, [1.0] * 7), "file.first_ost_share") is None
    assert value(files_on([3] * 14 + [1], [1.0] * 15), "file.first_ost_share") is None


def layouts_of(osts, *, form="plain", **first):
    """What lfs getstripe prints of so many files, one after the other."""
    return [
        StripeLayout(form, f"out.{i}", 1, Lines(8 * i, 8 * i + 7), True, (StripeComponent(2, osts=on, **first),))
        for i, on in enumerate(osts)
    ]


def test_files_that_begin_on_one_ost_by_lfs_getstripe():
    found = job(*layouts_of([(7,)] * 15 + [(1,)]))
    assert (value(found, "file.first_ost_share"), value(found, "file.first_ost")) == (15 / 16, 7)
    # The directory itself, files on all OSTs, and one file asked about again and again are none.
    directory = layouts_of([(7,)] * 16, form="directory-default")
    everywhere = layouts_of([(7, 1, 2)] * 16, over_all_osts=True)
    again = [replace(layout, path="out.0") for layout in layouts_of([(7,)] * 16)]
    for listed in (directory, everywhere, again, layouts_of([()] * 16)):
        assert value(job(*listed), "file.first_ost_share") is None
    # A log says which files the job has.
    logged = files_on([3] * 16, [1.0] * 16)
    assert value(logged, "file.first_ost") == 3


def test_one_file_with_a_record_a_rank_is_one_file():
    rows = [(7, rank, {"POSIX_BYTES_WRITTEN": 4 * MIB}) for rank in range(64)]
    layouts = tuple(LustreLayout(7, MIB, 2, (213, 5), osts_in_fs=248) for _ in rows)
    found = metric(job(log(table("POSIX", *rows), lustre=layouts)), "file.first_ost_share")
    assert found.value is None
    assert "1 of at least 16 files" in str(found.reason)


def context(*commands):
    lines = Lines(1, 20)
    return JobContext("script", lines, "slurm", stripe_commands=commands)


def test_settings_that_choose_the_first_ost():
    left = StripeCommand(("out",), 4, "lfs setstripe -c 8 out", stripe_count=8)
    chosen = StripeCommand(("out",), 5, "lfs setstripe -c 1 -i 7 out", stripe_count=1, first_ost=7)
    default = StripeLayout(
        "directory-default", "/lus/p/out", 1, Lines(1, 2), True, (StripeComponent(2, stripe_count=1, first_ost=3),)
    )
    assert value(job(context(left)), "striping.fixed_first_osts") == 0
    assert value(job(context(left)), "striping.first_ost") is None
    assert value(job(context(left, chosen)), "striping.fixed_first_osts") == 1
    assert value(job(context(left, chosen), default), "striping.fixed_first_osts") == 2
    assert value(job(context(left, chosen), default), "striping.first_ost") == 7
    assert value(job(), "striping.fixed_first_osts") is None


@pytest.mark.parametrize(
    ("line", "ost"),
    [
        ("lfs setstripe -c 1 -i 7 out", 7),
        ("lfs setstripe -i7 out", 7),
        ("lfs setstripe --stripe-index=7 out", 7),
        ("lfs setstripe -o 7,9 out", 7),
        ("lfs setstripe --ost-list 7-9 out", 7),
        ("lfs setstripe -E 1G -c 1 -i 7 -E -1 -c 8 out", 7),
        ("lfs setstripe -c 1 -i -1 out", None),
        ("lfs setstripe -c 8 -S 4M out-i7", None),
    ],
)
def test_the_ost_that_a_line_chooses(line, ost):
    found = job(context(StripeCommand(("out",), 4, line)))
    assert value(found, "striping.fixed_first_osts") == (0 if ost is None else 1)
    assert value(found, "striping.first_ost") == ost


def test_a_hint_counts_as_it_is_asked_for_and_not_as_it_is_displayed():
    key = "romio_lustre_start_iodevice"
    shown = MpiioHints("cray-mpich", "out.dat", (Hint(key, "0", 2),), Lines(1, 2), True)
    assert value(job(shown), "striping.fixed_first_osts") is None
    for text, count in ((f"*:{key}=0", 1), (f"*:{key}=-1", 0)):
        script = replace(context(), environment=(EnvironmentSetting("MPICH_MPIIO_HINTS", text, 3),))
        assert value(job(shown, script), "striping.fixed_first_osts") == count


def shared_by(nprocs, variance, hostnames=None, stripes=1):
    """A file of 64 MiB, its record reduced over all ranks, on `stripes` OSTs."""
    record = {
        "POSIX_BYTES_WRITTEN": 64 * MIB,
        "POSIX_F_VARIANCE_RANK_BYTES": variance,
        "POSIX_MAX_BYTE_WRITTEN": 64 * MIB - 1,
    }
    layout = LustreLayout(1, MIB, stripes, tuple(range(stripes)))
    return log(table("POSIX", (1, -1, record)), nprocs=nprocs, lustre=(layout,), hostnames=hostnames)


def test_nodes_that_write_a_file_follow_from_the_ranks_that_moved_its_bytes():
    hosts = {rank: f"nid{rank // 4}" for rank in range(16)}
    every = job(shared_by(16, 0.0, hosts, stripes=2))
    assert value(every, "file.writing_nodes") == 4
    assert metric(every, "file.writing_nodes").bound is None
    assert value(every, "file.writing_nodes_per_stripe") == 2.0
    # 5 of 16 ranks moved it all: B²/(N·V + B²/N) = 5 for V = B²/N · (1/5 − 1/16).
    b = 64 * MIB
    some = job(shared_by(16, b * b / 16 * (1 / 5 - 1 / 16), hosts))
    assert value(some, "file.writing_nodes") == 2
    assert metric(some, "file.writing_nodes").bound == "lower"
    assert value(job(shared_by(16, 0.0)), "file.writing_nodes") is None
    assert value(job(shared_by(16, 0.0), site_cores=5), "file.writing_nodes") == 4
    assert metric(job(shared_by(16, 0.0), site_cores=5), "file.writing_nodes").bound == "lower"


def test_nodes_of_ranks_that_are_named():
    rows = [(1, rank, {"POSIX_BYTES_WRITTEN": MIB if rank < 5 else 0, "POSIX_OPENS": 1}) for rank in range(8)]
    hosts = {rank: f"nid{rank // 4}" for rank in range(8)}
    found = job(log(table("POSIX", *rows), nprocs=8, hostnames=hosts))
    assert value(found, "file.writing_nodes") == 2


def aligned_to(alignment, *, stripe=None):
    record = {
        "POSIX_WRITES": 10,
        "POSIX_BYTES_WRITTEN": 40 * MIB,
        "POSIX_FILE_NOT_ALIGNED": 4,
        "POSIX_FILE_ALIGNMENT": alignment,
        "POSIX_MAX_BYTE_WRITTEN": 40 * MIB - 1,
    }
    lustre = () if stripe is None else (LustreLayout(1, stripe, 1, (0,)),)
    return job(log(table("POSIX", (1, -1, record)), lustre=lustre))


def test_alignment_is_to_the_stripe_on_lustre_and_to_the_block_elsewhere():
    on_gpfs = aligned_to(16 * MIB)
    assert value(on_gpfs, "posix.block_size") == 16 * MIB
    assert value(on_gpfs, "posix.misaligned_block_fraction") == 0.4
    assert value(on_gpfs, "posix.write_over_block") == 0.25
    on_lustre = aligned_to(MIB, stripe=MIB)
    assert (value(on_lustre, "posix.misaligned_block_fraction"), value(on_lustre, "posix.write_over_block")) == (0.4, 4)


def test_what_darshan_held_against_1_mib_is_a_lower_bound_for_larger_stripes():
    larger = metric(aligned_to(MIB, stripe=8 * MIB), "posix.misaligned_block_fraction")
    assert (larger.value, larger.bound) == (0.4, "lower")
    assert value(aligned_to(MIB, stripe=64 * 1024), "posix.misaligned_block_fraction") is None


def test_transfers_over_stripes():
    calls = {
        "MPIIO_COLL_WRITES": 4,
        "MPIIO_BYTES_WRITTEN": 4 * 9 * MIB,
        "MPIIO_ACCESS1_ACCESS": 9 * MIB,
        "MPIIO_ACCESS1_COUNT": 4,
        "MPIIO_VIEWS": 2,
    }
    posix = {"POSIX_MAX_BYTE_WRITTEN": 36 * MIB - 1, "POSIX_BYTES_WRITTEN": 36 * MIB}
    found = job(
        log(
            table("POSIX", (1, -1, posix)),
            table("MPI-IO", (1, -1, calls)),
            lustre=(LustreLayout(1, 2 * MIB, 2, (0, 1)),),
        )
    )
    assert value(found, "mpiio.write_over_stripe") == 4.5
    assert value(found, "mpiio.beyond_whole_stripes") == MIB
    assert value(found, "mpiio.views") == 2


def named(names, mounts=(), **known):
    rows = [(i, 0, {"POSIX_BYTES_WRITTEN": 100 * (i + 1), "POSIX_OPENS": 1}) for i in range(len(names))]
    made = log(table("POSIX", *rows), names=dict(enumerate(names)))
    job_of = Job(job_id="1", nprocs=2, runtime_s=1.0, executable="/bin/app", mounts=mounts)
    return job(replace(made, job=job_of), **known)


def test_the_fullest_directory():
    found = named(["/lus/p/run/a", "/lus/p/run/b", "/lus/p/run/sub/c", "<STDOUT>"])
    assert value(found, "file.per_directory") == 2
    assert value(found, "file.fullest_directory") == "/lus/p/run"
    assert value(named(["<STDOUT>"]), "file.per_directory") is None


def test_bytes_on_home():
    names = ["/home/z19/a", "/homework/b", "/lus/home/c", "/general/d"]
    assert value(named(names), "file.home_bytes") == 100
    assert value(named(names), "file.home_fraction") == pytest.approx(100 / 1000)
    assert value(named(names, not_for_jobs=("/general/",)), "file.home_bytes") == 500
    assert value(named(["/home/z19/a", "40123", *names[2:]]), "file.home_bytes") == 100


@pytest.mark.parametrize("of", ["bytes", "fraction", "writes_fraction"])
def test_what_lies_on_home_is_not_known_of_files_without_a_name(of: str):
    """As darshan-convert --obfuscate leaves them, or a log whose memory for names was full."""
    numbers = named(["/home/z19/a", "40123", "40124", "40125"])
    (rows,) = numbers.logs
    nameless = job(replace(rows.log, names={}))
    for files in (numbers, nameless):
        assert "does not name the files" in (metric(files, f"file.home_{of}").reason or "")


@pytest.mark.parametrize(("unnamed", "known"), [((), True), ((1,), True), ((1, 2, 3), False), ((0, 1, 2, 3), False)])
def test_what_time_passes_on_home_is_not_known_where_files_without_a_name_take_it(unnamed: tuple[int], known: bool):
    """Files that are only asked about have no bytes; one with all of the bytes takes next to no time."""
    names = {n: str(40123 + n) if n in unnamed else f"/lus/p/{n}" for n in range(4)} | {4: "/lus/p/out.dat"}
    asked = {"POSIX_OPENS": 100, "POSIX_STATS": 900, "POSIX_F_META_TIME": 20.0}
    written = {"POSIX_OPENS": 1, "POSIX_WRITES": 1, "POSIX_BYTES_WRITTEN": MIB, "POSIX_F_WRITE_TIME": 0.01}
    found = job(log(table("POSIX", *((n, 0, asked) for n in range(4)), (4, 0, written)), names=names, nprocs=1))
    for of in ("time_fraction", "metadata_fraction"):
        assert value(found, f"file.home_{of}") == (0.0 if known else None)
    assert value(found, "file.home_on") == ("none" if known else None)
    assert value(found, "file.home_bytes") == 0


def test_parallel_file_systems_at_hand():
    mounts = (Mount("/work", "lustre"), Mount("/home", "gpfs"), Mount("/", "xfs"), Mount("/global/homes/u", "gpfs"))
    assert value(named(["/work/a"], mounts), "job.parallel_file_systems") == 1
    assert value(named(["/work/a"], mounts), "job.work_directory") == "/work"
    assert value(named(["/beegfs/a"], (Mount("/beegfs", "beegfs_nodev"),)), "job.parallel_file_systems") == 1
    assert value(job(stats=[block()]), "job.parallel_file_systems") is None


@pytest.mark.parametrize(
    ("mounted", "used", "where"),
    [
        (("/mnt/lustre/a2fs-nvme", "/mnt/lustre/a2fs-work2", "/network"), (), "/mnt/lustre/a2fs-work2"),
        (("/apps", "/flash", "/scratch"), (), "/scratch"),
        (("/apps", "/flash"), (), "/apps"),
        (("/apps", "/flash", "/scratch"), ("/flash/p/a",), "/flash"),
    ],
)
def test_who_is_sent_from_home_is_sent_to_what_is_for_jobs(mounted, used, where):
    mounts = (*(Mount(path, "lustre") for path in mounted), Mount("/home", "nfs"))
    assert value(named(["/home/u/a", "/home/u/b", *used], mounts), "job.work_directory") == where


def test_ranks_with_files_of_their_own_and_what_they_read_again():
    rows = [
        (1, 0, {"POSIX_BYTES_WRITTEN": 100, "POSIX_BYTES_READ": 40}),
        (2, 1, {"POSIX_BYTES_WRITTEN": 100, "POSIX_BYTES_READ": 400}),
        (3, 0, {"POSIX_BYTES_WRITTEN": 999}),
        (3, 1, {"POSIX_BYTES_WRITTEN": 999, "POSIX_BYTES_READ": 999}),
        (4, -1, {"POSIX_BYTES_WRITTEN": 999, "POSIX_BYTES_READ": 999}),
    ]
    found = job(log(table("POSIX", *rows), nprocs=4))
    assert value(found, "file.ranks_with_own") == 2
    assert value(found, "file.read_back_fraction") == 140 / 200


def test_share_of_the_osts():
    layout = LustreLayout(1, MIB, 3, (0, 1, 2), osts_in_fs=12)
    record = {"POSIX_BYTES_WRITTEN": MIB, "POSIX_MAX_BYTE_WRITTEN": MIB - 1}
    assert value(job(log(table("POSIX", (1, -1, record)), lustre=(layout,))), "file.osts_fraction") == 0.25
