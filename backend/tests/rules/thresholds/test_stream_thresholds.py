"""The rules about streams and calls."""

from __future__ import annotations

import pytest
from declared import GIB, KIB, MIB, NA, NO, WHAT, YES, context, judge

from iotriage.rules import all_rules

HOLDS = {
    "stdio-heavy": {
        "stdio.time_fraction": 1.0,
        "stdio.bytes_fraction": 1.0,
        "stdio.calls_fraction": 0.0,
        "stdio.calls": 16000,
        "stdio.average_size": 57.0,
        "stdio.awaited_fraction": 0.0,
        "stdio.system_call_time": 1e-4,
        "stdio.stream_rate": 1e6,
        "io.bandwidth": 1e8,
    },
    "stdio-heavy by calls": {
        "stdio.time_fraction": 0.3,
        "stdio.bytes_fraction": 0.01,
        "stdio.calls_fraction": 0.9,
        "stdio.calls": 16000,
        "stdio.average_size": 57.0,
        "stdio.awaited_fraction": 0.0,
        "stdio.system_call_time": 1e-4,
        "stdio.stream_rate": 1e6,
        "io.bandwidth": 1e8,
    },
    "stdio-heavy of a stream that many use": {
        "stdio.time_fraction": 1.0,
        "stdio.bytes_fraction": 1.0,
        "stdio.calls_fraction": 0.0,
        "stdio.calls": 16000,
        "stdio.average_size": 57.0,
        "stdio.awaited_fraction": 0.0,
        "stdio.system_call_time": 0.02,
        "stdio.sharing_ranks": 64,
        "stdio.stream_rate": 1e6,
        "io.bandwidth": 1e8,
    },
    "stdio-heavy of lines, fast together": {
        "io.layer": "STDIO",
        "stdio.time_fraction": 1.0,
        "stdio.bytes_fraction": 1.0,
        "stdio.calls_fraction": 1.0,
        "stdio.calls": 16000,
        "stdio.average_size": 57.0,
        "stdio.awaited_fraction": 0.0,
        "stdio.system_call_time": 1e-4,
        "stdio.stream_rate": 1e6,
        "io.bandwidth": 10 * 2.0**30,
    },
    "stdio-heavy of buffers": {
        "io.layer": "STDIO",
        "stdio.time_fraction": 1.0,
        "stdio.bytes_fraction": 1.0,
        "stdio.calls_fraction": 1.0,
        "stdio.calls": 16000,
        "stdio.average_size": 16384.0,
        "stdio.awaited_fraction": 0.0,
        "stdio.system_call_time": 1e-4,
        "stdio.stream_rate": 1e6,
        "io.bandwidth": 1e9,
    },
    "stdio-reread": {
        "group.imported": "no",
        "io.layer": "STDIO",
        "stdio.times_read": 12.0,
        "job.io_time": 60.0,
        "group.weight": 1.0,
    },
    "stdio-reread of a short run": {
        "group.imported": "no",
        "io.layer": "STDIO",
        "stdio.times_read": 12.0,
        "job.io_time": 0.1,
        "group.read_fraction": 1.0,
        "group.weight": 0.0,
    },
    "redundant-reads": {
        "group.imported": "no",
        "posix.times_read": 8.0,
        "posix.reread_fraction": 0.875,
        "io.layer": "POSIX",
        "posix.average_read_size": 4096.0,
        "posix.scattered_read_fraction": 0.9,
        "posix.rank_times_read": 1.0,
        "posix.call_time": 1e-3,
        "io.bytes_read": 192 * MIB,
        "job.io_time": 60.0,
        "group.weight": 1.0,
    },
    "redundant-reads of samples": {
        "group.imported": "no",
        "posix.times_read": 8.0,
        "posix.reread_fraction": 0.875,
        "io.layer": "POSIX",
        "posix.average_read_size": 150.0 * KIB,
        "posix.scattered_read_fraction": 0.9,
        "posix.rank_times_read": 0.1,
        "posix.call_time": 1e-3,
        "io.bytes_read": 192 * MIB,
        "job.io_time": 60.0,
        "group.weight": 1.0,
    },
    "redundant-reads in order": {
        "group.imported": "no",
        "posix.times_read": 8.0,
        "posix.reread_fraction": 0.875,
        "io.layer": "POSIX",
        "posix.average_read_size": 4096.0,
        "posix.scattered_read_fraction": 0.1,
        "posix.rank_times_read": 0.1,
        "posix.call_time": 1e-3,
        "io.bytes_read": 192 * MIB,
        "job.io_time": 60.0,
        "group.weight": 1.0,
    },
    "redundant-reads of holes": {
        "group.imported": "no",
        "posix.times_read": 1.0,
        "posix.reread_fraction": 0.0,
        "mpiio.read_amplification": 2.5,
        "mpiio.fetched_fraction": 0.6,
        "io.bytes_read": 24 * MIB,
        "job.io_time": 60.0,
        "group.weight": 1.0,
    },
    "redundant-reads of scratch": {
        "group.imported": "no",
        "file.times_rewritten": 20.0,
        "file.times_read_back": 20.0,
        "file.read_back_fraction": 1.0,
        "file.mount_type": "lustre",
        "io.bytes": 2500 * GIB,
        "io.bytes_read": 1250 * GIB,
        "job.io_time": 320.0,
        "group.weight": 0.9,
    },
    "redundant-reads of a short run": {
        "group.imported": "no",
        "posix.times_read": 12.0,
        "posix.reread_fraction": 0.9,
        "io.layer": "POSIX",
        "posix.average_read_size": 4096.0,
        "posix.scattered_read_fraction": 0.0,
        "io.bytes_read": 138000,
        "job.io_time": 0.015,
        "group.read_fraction": 1.0,
        "group.weight": 0.03,
    },
    "random-access": {
        "posix.call_time": 1e-3,
        "group.imported": "no",
        "io.layer": "POSIX",
        "posix.random_fraction": 0.49,
        "posix.random_accesses": 7760,
        "posix.average_size": 2137.0,
        "posix.scattered_time_fraction": 0.98,
        "group.weight": 1.0,
    },
    "iobuf-shared-file": {"iobuf.shared_files": 1},
    "small-io-on-dvs": {
        "file.mount_type": "dvs",
        "posix.average_size": 4.0 * KIB,
        "posix.small_accesses": 100000,
        "group.weight": 1.0,
    },
    "small-io-on-dvs through streams": {
        "file.mount_type": "dvs",
        "stdio.average_size": 80.0,
        "stdio.calls": 100000,
        "group.weight": 1.0,
    },
    "small-io-on-dvs of metadata": {
        "file.mount_type": "dvs",
        "posix.average_size": 8.0 * MIB,
        "posix.small_accesses": 0,
        "posix.metadata_time_fraction": 0.8,
        "posix.opens": 20000,
        "group.weight": 1.0,
    },
    "tar-block-size": {
        "job.program": "tar",
        "file.size": 30 * GIB,
        "posix.average_write_size": 10.0 * KIB,
        "group.weight": 1.0,
    },
    "tar-block-size of unpacking": {
        "job.program": "tar",
        "file.size": 30 * GIB,
        "posix.average_read_size": 10.0 * KIB,
        "group.weight": 1.0,
    },
    "small-io": {
        "posix.random_fraction": 0.0,
        "posix.call_time": 2e-6,
        "group.imported": "no",
        "io.layer": "POSIX",
        "posix.small_reads": 15703,
        "posix.small_read_fraction": 1.0,
        "posix.small_read_time_fraction": 1.0,
        "posix.average_read_size": 2137.0,
        "group.weight": 1.0,
    },
    "small-io at random places": {
        "posix.random_fraction": 0.5,
        "posix.call_time": 1e-3,
        "posix.rank_rate": 2.0 * MIB,
        "group.imported": "no",
        "io.layer": "POSIX",
        "posix.small_reads": 15703,
        "posix.small_read_fraction": 1.0,
        "posix.small_read_time_fraction": 1.0,
        "posix.average_read_size": 2137.0,
        "group.weight": 1.0,
    },
    "small-io in order": {
        "posix.random_fraction": 0.0,
        "posix.call_time": 2e-4,
        "io.bandwidth": 1.0 * GIB,
        "posix.rank_rate": 300.0 * MIB,
        "group.imported": "no",
        "io.layer": "POSIX",
        "posix.small_reads": 15703,
        "posix.small_read_fraction": 1.0,
        "posix.small_read_time_fraction": 1.0,
        "posix.average_read_size": 65536.0,
        "group.weight": 1.0,
    },
    "small-io through MPI-IO": {
        "group.imported": "no",
        "io.layer": "MPI-IO",
        "mpiio.small_writes": 8000,
        "mpiio.small_write_fraction": 1.0,
        "mpiio.small_write_time_fraction": 1.0,
        "mpiio.average_write_size": 1000.0,
        "mpiio.gathered_writes": "no",
        "mpiio.system_writes_per_call": 1.0,
        "group.weight": 1.0,
    },
    "small-io by CrayPAT": {
        "group.imported": "no",
        "profiled.small_accesses": 16776192,
        "profiled.small_write_fraction": 0.999,
        "profiled.average_write_size": 64.0,
        "profiled.time": 660.0,
        "profiled.rank_time": 41.25,
        "group.weight": 0.67,
    },
    "small-io of calls taken apart": {
        "group.imported": "no",
        "io.layer": "MPI-IO",
        "mpiio.small_writes": 0,
        "mpiio.small_write_fraction": 0.0,
        "mpiio.average_write_size": 1327104.0,
        "mpiio.system_writes_per_call": 288.0,
        "mpiio.writes_cut_by_stripes": "no",
        "posix.small_writes": 18432,
        "posix.small_write_fraction": 1.0,
        "posix.small_write_time_fraction": 1.0,
        "posix.average_write_size": 4608.0,
        "group.weight": 1.0,
    },
    "metadata-bound by streams": {
        "stdio.data_metadata_io_fraction": 0.96,
        "stdio.open_time": 1.2,
        "stdio.data_opens": 12_800,
    },
}
HOLDS["stdio-heavy behind seeks"] = HOLDS["stdio-heavy"] | {"stdio.average_size": 4e5, "stdio.seeks_each": 1.0}

AROUND = [
    ("metadata-bound by streams", "fraction", "stdio.data_metadata_io_fraction", NA, YES, YES, WHAT),
    ("metadata-bound by streams", "calls", "stdio.data_opens", NA, YES, YES, WHAT),
    ("stdio-heavy", "time-fraction", "stdio.time_fraction", NA, YES, YES, NA),
    ("stdio-heavy", "bytes-fraction", "stdio.bytes_fraction", NO, NO, YES, WHAT),
    ("stdio-heavy by calls", "calls-fraction", "stdio.calls_fraction", NO, NO, YES, WHAT),
    ("stdio-heavy", "count", "stdio.calls", NO, NO, YES, WHAT),
    ("stdio-heavy", "average-size", "stdio.average_size", YES, NO, NO, WHAT),
    ("stdio-heavy", "rate", "stdio.stream_rate", YES, NO, NO, WHAT),
    ("stdio-heavy of lines, fast together", "buffer", "stdio.average_size", YES, NO, NO, WHAT),
    ("stdio-heavy of buffers", "rate-together", "io.bandwidth", YES, NO, NO, WHAT),
    ("stdio-heavy behind seeks", "seeks", "stdio.seeks_each", NO, YES, YES, NO),
    ("stdio-heavy behind seeks", "sought-size", "stdio.average_size", YES, NO, NO, WHAT),
    ("stdio-heavy", "awaited", "stdio.awaited_fraction", YES, NO, NO, WHAT),
    ("stdio-heavy", "call-time", "stdio.system_call_time", YES, WHAT, WHAT, WHAT),
    ("stdio-heavy of a stream that many use", "sharing-ranks", "stdio.sharing_ranks", NO, YES, YES, WHAT),
    ("stdio-reread", "times", "stdio.times_read", NO, YES, YES, NA),
    ("stdio-reread", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("stdio-reread of a short run", "short-run", "job.io_time", YES, NA, NA, NA),
    ("stdio-reread of a short run", "share-of-reading", "group.read_fraction", NA, YES, YES, WHAT),
    ("redundant-reads", "times", "posix.times_read", NO, YES, YES, NA),
    ("redundant-reads", "extra", "posix.reread_fraction", NO, YES, YES, WHAT),
    ("redundant-reads", "of-a-rank", "posix.rank_times_read", NO, YES, YES, WHAT),
    ("redundant-reads", "memory", "posix.call_time", NO, YES, YES, WHAT),
    ("redundant-reads of samples", "looked-up", "posix.average_read_size", NO, YES, YES, WHAT),
    ("redundant-reads in order", "scattered", "posix.scattered_read_fraction", YES, NO, NO, WHAT),
    ("redundant-reads of holes", "fetched", "mpiio.read_amplification", NO, YES, YES, NO),
    ("redundant-reads of holes", "extra", "mpiio.fetched_fraction", NO, YES, YES, WHAT),
    ("redundant-reads of scratch", "again", "file.times_rewritten", NO, YES, YES, NA),
    ("redundant-reads of scratch", "again", "file.times_read_back", NO, YES, YES, WHAT),
    ("redundant-reads of scratch", "read-back", "file.read_back_fraction", NO, YES, YES, WHAT),
    ("redundant-reads of scratch", "scratch-bytes", "io.bytes", NO, YES, YES, WHAT),
    ("redundant-reads", "least-bytes", "io.bytes_read", NA, YES, YES, WHAT),
    ("redundant-reads", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("redundant-reads of a short run", "short-run", "job.io_time", YES, NA, NA, NA),
    ("redundant-reads of a short run", "share-of-reading", "group.read_fraction", NA, YES, YES, WHAT),
    ("random-access", "fraction", "posix.random_fraction", NO, NO, YES, WHAT),
    ("random-access", "count", "posix.random_accesses", NO, NO, YES, WHAT),
    ("random-access", "size", "posix.average_size", YES, NO, NO, WHAT),
    ("random-access", "memory", "posix.call_time", NO, YES, YES, WHAT),
    ("random-access", "time", "posix.scattered_time_fraction", NO, YES, YES, WHAT),
    ("random-access", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("iobuf-shared-file", "files", "iobuf.shared_files", NO, YES, YES, NA),
    ("small-io-on-dvs", "count", "posix.small_accesses", NO, YES, YES, WHAT),
    ("small-io-on-dvs through streams", "count", "stdio.calls", NO, YES, YES, WHAT),
    ("small-io-on-dvs of metadata", "count", "posix.opens", NO, YES, YES, WHAT),
    ("small-io-on-dvs", "average-size", "posix.average_size", YES, NO, NO, NA),
    ("small-io-on-dvs through streams", "average-size", "stdio.average_size", YES, NO, NO, NA),
    ("small-io-on-dvs of metadata", "metadata-fraction", "posix.metadata_time_fraction", NO, YES, YES, NO),
    ("small-io-on-dvs", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("tar-block-size", "average-size", "posix.average_write_size", YES, NO, NO, NA),
    ("tar-block-size of unpacking", "average-size", "posix.average_read_size", YES, NO, NO, NA),
    ("tar-block-size", "file-size", "file.size", NA, YES, YES, NA),
    ("tar-block-size", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("small-io", "fraction", "posix.small_read_fraction", NO, YES, YES, WHAT),
    ("small-io", "count", "posix.small_reads", NO, YES, YES, WHAT),
    ("small-io", "average-size", "posix.average_read_size", YES, NO, NO, WHAT),
    ("small-io through MPI-IO", "fraction", "mpiio.small_write_fraction", NO, YES, YES, WHAT),
    ("small-io through MPI-IO", "count", "mpiio.small_writes", NO, YES, YES, WHAT),
    ("small-io through MPI-IO", "average-size", "mpiio.average_write_size", YES, NO, NO, WHAT),
    ("small-io of calls taken apart", "pieces", "mpiio.system_writes_per_call", NO, YES, YES, NO),
    ("small-io by CrayPAT", "fraction", "profiled.small_write_fraction", NO, YES, YES, WHAT),
    ("small-io by CrayPAT", "count", "profiled.small_accesses", NO, YES, YES, NO),
    ("small-io by CrayPAT", "average-size", "profiled.average_write_size", YES, NO, NO, WHAT),
    ("small-io by CrayPAT", "rank-time", "profiled.time", NO, YES, YES, WHAT),
    ("small-io by CrayPAT", "rank-time", "profiled.rank_time", NO, YES, YES, WHAT),
    ("small-io", "random", "posix.random_fraction", YES, YES, NO, WHAT),
    ("small-io at random places", "memory", "posix.call_time", NO, YES, YES, WHAT),
    ("small-io at random places", "stalled", "posix.call_time", YES, NO, NO, WHAT),
    ("small-io in order", "rate", "posix.rank_rate", YES, NO, NO, WHAT),
    ("small-io", "share-of-job", "group.weight", NA, YES, YES, WHAT),
]

QUIET = {
    "large calls to streams": ("stdio-heavy", HOLDS["stdio-heavy"] | {"stdio.average_size": 8.0 * MIB}),
    "a log beside the data": (
        "stdio-heavy",
        HOLDS["stdio-heavy by calls"] | {"stdio.time_fraction": 0.02},
    ),
    "holes that are small beside the data": (
        "redundant-reads",
        HOLDS["redundant-reads of holes"] | {"mpiio.read_amplification": 1.3},
    ),
    "a header fetched with much around it": (
        "redundant-reads",
        HOLDS["redundant-reads of holes"] | {"mpiio.read_amplification": 4000.0, "mpiio.fetched_fraction": 0.001},
    ),
    "a small input read by all, beside much reading in a short run": (
        "redundant-reads",
        HOLDS["redundant-reads of a short run"] | {"group.read_fraction": 0.01},
    ),
    "large accesses in random order": ("random-access", HOLDS["random-access"] | {"posix.average_size": 4.0 * MIB}),
    "an aggregator's accesses under MPI-IO": ("random-access", HOLDS["random-access"] | {"io.layer": "MPI-IO"}),
    "IOBUF on files of one process each": ("iobuf-shared-file", {"iobuf.shared_files": 0}),
    "small accesses on another kind of mount": (
        "small-io-on-dvs",
        HOLDS["small-io-on-dvs"] | {"file.mount_type": "lustre"},
    ),
    "the small files of an archive": ("tar-block-size", HOLDS["tar-block-size"] | {"file.size": 700}),
    "another program with blocks of 10 KiB": ("tar-block-size", HOLDS["tar-block-size"] | {"job.program": "cp"}),
    "an aggregator's writes under a collective file": (
        "small-io",
        HOLDS["small-io of calls taken apart"] | {"mpiio.system_writes_per_call": 0.3},
    ),
    "small headers beside large data": (
        "small-io",
        HOLDS["small-io"] | {"posix.small_read_fraction": 0.9, "posix.average_read_size": 8.0 * MIB},
    ),
    "many ranks that each read a short file in a moment": (
        "small-io",
        HOLDS["small-io by CrayPAT"] | {"profiled.time": 1.2, "profiled.rank_time": 0.0012},
    ),
    "a write cut into whole stripes": (
        "small-io",
        HOLDS["small-io of calls taken apart"]
        | {"posix.small_writes": 0, "posix.small_write_fraction": 0.0, "posix.average_write_size": float(MIB)},
    ),
}


def advice_of(rule, values=None, **given):
    return all_rules()[rule].advise(context(HOLDS[rule] if values is None else values, **given))


def test_a_small_file_that_all_ranks_read_is_broadcast_and_a_large_one_shared_out():
    small = HOLDS["redundant-reads"] | {"job.nprocs": 8, "file.size": MIB}
    (only,) = advice_of("redundant-reads", small)
    assert "MPI_Bcast" in only.command
    for large, sent in ((GIB, "MPI_Bcast"), (24 * GIB, "MPI_Win_allocate_shared")):
        first, second = advice_of("redundant-reads", small | {"file.size": large})
        assert ("MPI_File_read_at_all" in first.command, sent in second.command) == (True, True)


def test_a_run_that_reads_its_files_again_and_again_is_not_told_to_use_mpi_io():
    epochs = HOLDS["redundant-reads"] | {"job.nprocs": 64, "posix.times_read": 5.1}
    assert not any("MPI" in f"{a.text} {a.command}" for a in advice_of("redundant-reads", epochs))
    for rule in ("stdio-heavy", "random-access"):
        assert not any("MPI" in f"{a.text} {a.command}" for a in advice_of(rule))


def test_what_reading_once_would_save_is_bounded_and_not_claimed_where_the_files_are_written_too():
    values = HOLDS["redundant-reads"]
    # Half of what is documented of large pieces.
    left = values["io.bytes_read"] / values["posix.times_read"] / (250 * MIB)
    saved = all_rules()["redundant-reads"].impact(context(values))
    assert saved.of(80.0, 80.0, 100.0, None) == pytest.approx((0.9 * 80.0 - left, 80.0 / 0.9))
    assert all_rules()["redundant-reads"].impact(context(values | {"io.bytes_written": 100 * MIB})) is None


def test_iobuf_is_advised_for_files_of_one_process_only():
    dvs = HOLDS["small-io-on-dvs"]
    own = advice_of("small-io-on-dvs", dvs | {"io.pattern": "file-per-process"}, file="/p/run/out.0012.dat")
    assert 'export IOBUF_PARAMS="*out.*.dat:count=4:size=8M"' in own[1].command
    shared = advice_of("small-io-on-dvs", dvs | {"io.pattern": "shared-independent"})
    assert not any("IOBUF" in (a.command or "") for a in shared)


def test_causes_come_before_the_small_accesses_they_make():
    rules = all_rules()
    for cause in ("sync-heavy", "redundant-reads", "random-access", "tar-block-size", "small-io-on-dvs"):
        assert "small-io" in rules[cause].explains
    for cause in ("stdio-reread", "small-io-on-dvs"):
        assert "stdio-heavy" in rules[cause].explains
    for cause in ("collective-disabled", "independent-shared", "read-modify-write"):
        assert "redundant-reads" in rules[cause].explains


def test_a_lower_bound_below_a_threshold_is_not_called_clear():
    values = HOLDS["small-io"] | {"posix.small_reads": 900}
    assert judge("small-io", values) == NO
    assert judge("small-io", values, bounds={"posix.small_reads"}) == WHAT
    assert judge("small-io", values | {"posix.small_reads": 1100}, bounds={"posix.small_reads"}) == YES


def test_a_few_small_headers_beside_many_reads_are_no_small_writes():
    reads = {"posix.small_reads": 100_000, "posix.small_read_fraction": 1.0, "posix.average_read_size": 1e6}
    headers = {"posix.small_writes": 4, "posix.small_write_fraction": 1.0, "posix.average_write_size": 2048.0}
    times = {"posix.small_read_time_fraction": 1.0, "posix.small_write_time_fraction": 1.0}
    assert judge("small-io", HOLDS["small-io"] | reads | headers | times) == NO
    many = {"posix.small_writes": 4000}
    assert judge("small-io", HOLDS["small-io"] | reads | headers | times | many) == YES
