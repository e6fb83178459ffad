"""The rules about where files lie and how ranks meet in them: OSTs, locks, blocks, many files, other file systems."""

from __future__ import annotations

import pytest
from declared import GIB, KIB, MIB, NA, NO, WHAT, YES, context, judge

from iotriage.rules import all_rules

HOLDS = {
    "slow-ost": {
        "ost.compared": 24,
        "ost.slowness": 40.0,
        "ost.slowness_for_its_load": 40.0,
        "ost.slowest": 14,
        "group.weight": 1.0,
        "ost.as_slow_elsewhere": 0.0,
        "ost.ranks_elsewhere": "unknown",
    },
    "slow-ost that stands apart": {
        "ost.compared": 24,
        "ost.slowness": 2.2,
        "ost.slowness_for_its_load": 1.1,
        "ost.apart": 1.9,
        "ost.ranks_elsewhere": "as others",
        "group.weight": 1.0,
    },
    "slow-moment": {
        "group.slowest_file_times": 20.0,
        "group.slow_files_fraction": 0.6,
        "group.slow_files": 1,
        "group.files_compared": 10,
        "group.slowest_file": "chk.006",
        "group.slowest_file_time": 200.0,
        "group.slowest_file_began": 600.0,
        "group.slow_files_own_osts": 0,
        "group.weight": 1.0,
    },
    "slower-and-slower": {
        "group.later_times": 10.0,
        "group.later_fraction": 0.8,
        "group.later_beyond": 270.0,
        "group.later_way": "from one on",
        "group.files_in_turn": 20,
        "group.early_files": 10,
        "group.early_file_time": 3.0,
        "group.late_file_time": 30.0,
        "group.slower_file": "chk.010",
        "group.slower_since": 550.0,
        "group.slower_since_clock": "2026-03-01 09:02 UTC",
        "group.weight": 1.0,
    },
    "crowded-ost": {
        "ost.compared": 24,
        "ost.slowness": 5.0,
        "ost.load": 6.0,
        "ost.load_of_most": 6.0,
        "ost.ranks_elsewhere": "unknown",
        "group.weight": 1.0,
    },
    "lock-contention": {
        "io.pattern": "shared-independent",
        "file.stripe_count": 1,
        "file.writing_nodes": 1,
        "file.writing_nodes_per_stripe": 2.0,
        "posix.typical_write_size": 47008.0,
        "posix.write_over_block": 0.05,
        "posix.consecutive_write_fraction": 0.0,
        "group.weight": 1.0,
    },
    "misaligned-io": {
        "file.lies_on": "shared",
        "job.one_node": "no",
        "io.pattern": "shared-independent",
        "posix.block_size": MIB,
        "posix.misaligned_block_fraction": 1.0,
        "posix.crossing_fraction": 1.0,
        "posix.write_over_block": 4.0,
        "posix.write_fraction": 1.0,
        "posix.consecutive_write_fraction": 0.99,
        "group.weight": 1.0,
    },
    "shared-log": {
        "io.pattern": "shared-independent",
        "io.layer": "POSIX",
        "job.nprocs": 128,
        "posix.average_write_size": 120.0,
        "posix.writes": 2_560_000,
        "posix.write_fraction": 1.0,
        "file.written_span_over_bytes": 1.0,
        "group.weight": 1.0,
        "file.writing_ranks": 64,
    },
    "sparse-layout": {
        "file.lies_on": "shared",
        "file.written_span": 40 * GIB,
        "file.written_span_over_bytes": 256.0,
        "posix.average_write_size": 256.0,
        "posix.consecutive_write_fraction": 0.0,
        "file.read_first": "no",
        "group.weight": 1.0,
    },
    "fpp-many-files": {
        "io.pattern": "file-per-process",
        "job.nprocs": 8192,
        "file.ranks_with_own": 8192,
        "group.weight": 1.0,
    },
    "subfile": {"io.pattern": "file-per-process", "job.nprocs": 8192, "file.ranks_with_own": 8192, "group.weight": 1.0},
    "subfile of a slow shared file": {
        "io.pattern": "shared-collective",
        "job.nprocs": 4096,
        "file.osts_fraction": 48 / 56,
        "io.bandwidth": 300.0 * MIB,
        "group.weight": 1.0,
    },
    "too-many-files-per-directory": {"file.per_directory": 36000},
    "reopened-files": {
        "posix.opens_by_a_rank": 500.0,
        "posix.opens": 32000,
        "posix.files_of_a_rank": 1.0,
        "posix.metadata_io_fraction": 0.9,
        "posix.metadata_mostly": "unknown",
        "posix.opening_fraction": 1.0,
        "group.weight": 1.0,
    },
    "reopened-files of lines": {
        "posix.opens_by_a_rank": 500.0,
        "posix.opens": 32000,
        "posix.files_of_a_rank": 1.0,
        "posix.metadata_io_fraction": 0.01,
        "posix.write_fraction": 1.0,
        "io.layer": "POSIX",
        "file.bytes_per_open": 80.0,
        "posix.accesses_per_open": 1.0,
        "group.weight": 1.0,
    },
    "reopened-files of streams": {
        "stdio.opens_by_a_rank": 500.0,
        "stdio.opens": 32000,
        "stdio.files_of_a_rank": 1.0,
        "stdio.metadata_fraction": 0.9,
        "group.weight": 1.0,
    },
    "many-small-files": {
        "group.imported": "no",
        "io.layer": "POSIX",
        "file.count": 20_000,
        "file.bytes_per_open": 100_000.0,
        "file.metadata_calls_each": 2.0,
        "posix.metadata_mostly": "unknown",
        "posix.accesses_per_open": 4.0,
        "group.weight": 1.0,
    },
    "many-small-files in many pieces": {
        "group.imported": "no",
        "io.layer": "POSIX",
        "file.count": 20_000,
        "file.bytes_per_open": 100_000.0,
        "file.metadata_calls_each": 2.0,
        "posix.metadata_mostly": "unknown",
        "posix.accesses_per_open": 400.0,
        "posix.metadata_io_fraction": 0.8,
        "group.weight": 1.0,
    },
    "collective-on-large-contiguous": {
        "job.site": "theta",
        "io.pattern": "shared-collective",
        "mpiio.write_over_stripe": 8.0,
        "mpiio.beyond_whole_stripes": 0,
        "mpiio.views": 0,
        "mpiio.effective_share": 0.19,
        "group.weight": 1.0,
    },
    "wrong-filesystem by time": {
        "file.home_rate": 1.0 * GIB,
        "file.home_bytes": 4 * GIB,
        "file.home_fraction": 0.0076,
        "file.home_time_fraction": 0.95,
        "job.io_time": 870.0,
        "job.parallel_file_systems": 1,
        "file.home_on": "another",
    },
    "wrong-filesystem": {
        "file.home_rate": 1.0 * GIB,
        "file.home_bytes": 64 * GIB,
        "file.home_fraction": 1.0,
        "job.parallel_file_systems": 2,
        "file.home_on": "unknown",
    },
    "node-local-ssd": {
        "io.pattern": "file-per-process",
        "file.mount_type": "lustre",
        "file.read_back_fraction": 1.0,
        "io.bytes": 512 * GIB,
        "group.weight": 1.0,
    },
}
HOLDS["many-small-files slow"] = HOLDS["many-small-files"] | {
    "file.count": 300,
    "file.usual_time": 0.2,
    "file.size": 20_000,
}

HOLDS["many-small-files of large ones"] = HOLDS["many-small-files"] | {
    "file.usual_size": GIB,
    "io.bytes_read": 20_000 * 12_000,
}
HOLDS["many-small-files that grow"] = HOLDS["many-small-files"] | {"file.size": GIB}

AROUND = [
    ("slow-ost", "slowness", "ost.slowness_for_its_load", NO, YES, YES, WHAT),
    ("slow-ost", "elsewhere", "ost.as_slow_elsewhere", YES, NO, NO, WHAT),
    ("crowded-ost", "load", "ost.load", NO, YES, YES, WHAT),
    ("crowded-ost", "slowness", "ost.slowness", NO, YES, YES, WHAT),
    ("crowded-ost", "osts", "ost.compared", NA, YES, YES, NA),
    ("crowded-ost", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("slow-ost that stands apart", "sure-slowness", "ost.slowness", NO, YES, YES, WHAT),
    ("slow-ost that stands apart", "apart", "ost.apart", NO, YES, YES, NO),
    ("slow-ost that stands apart", "rate", "ost.slowness_for_its_load", NO, YES, YES, WHAT),
    ("slow-moment", "times", "group.slowest_file_times", NO, YES, YES, NA),
    ("slow-moment", "share", "group.slow_files_fraction", NO, YES, YES, NO),
    ("slow-moment", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("slower-and-slower", "times", "group.later_times", NO, YES, YES, NA),
    ("slower-and-slower", "share", "group.later_fraction", NO, YES, YES, NO),
    ("slower-and-slower", "seconds", "group.later_beyond", NO, YES, YES, WHAT),
    ("slower-and-slower", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("slow-ost", "osts", "ost.compared", NA, YES, YES, NA),
    ("slow-ost", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("lock-contention", "nodes-per-stripe", "file.writing_nodes_per_stripe", NO, NO, YES, WHAT),
    ("lock-contention", "write-over-stripe", "posix.write_over_block", YES, NO, NO, WHAT),
    ("lock-contention", "consecutive-fraction", "posix.consecutive_write_fraction", YES, NO, NO, WHAT),
    ("lock-contention", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("misaligned-io", "fraction", "posix.misaligned_block_fraction", NO, YES, YES, WHAT),
    ("misaligned-io", "crossing", "posix.crossing_fraction", NA, YES, YES, WHAT),
    ("shared-log", "record", "posix.average_write_size", YES, NO, NO, NA),
    ("shared-log", "count", "posix.writes", NO, YES, YES, WHAT),
    ("shared-log", "written", "posix.write_fraction", NO, YES, YES, WHAT),
    ("shared-log", "span-over-bytes", "file.written_span_over_bytes", YES, YES, NO, WHAT),
    ("shared-log", "ranks", "file.writing_ranks", NA, YES, YES, WHAT),
    ("shared-log", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("sparse-layout", "span-over-bytes", "file.written_span_over_bytes", NO, YES, YES, NA),
    ("sparse-layout", "piece", "posix.average_write_size", YES, NO, NO, NA),
    ("sparse-layout", "consecutive-fraction", "posix.consecutive_write_fraction", YES, NO, NO, WHAT),
    ("sparse-layout", "span", "file.written_span", NA, YES, YES, WHAT),
    ("sparse-layout", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("misaligned-io", "write-over-block", "posix.write_over_block", YES, NO, NO, NA),
    ("misaligned-io", "writes", "posix.write_fraction", NA, YES, YES, NA),
    ("misaligned-io", "block", "posix.block_size", NA, YES, YES, NA),
    ("misaligned-io", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("reopened-files", "times", "posix.opens_by_a_rank", NO, YES, YES, NA),
    ("reopened-files", "calls", "posix.opens", NO, YES, YES, WHAT),
    ("reopened-files", "files", "posix.files_of_a_rank", YES, YES, NO, WHAT),
    ("reopened-files", "fraction", "posix.metadata_io_fraction", NO, YES, YES, NA),
    ("reopened-files", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("reopened-files", "opening", "posix.opening_fraction", NO, YES, YES, WHAT),
    ("reopened-files of lines", "written", "file.bytes_per_open", YES, NO, NO, WHAT),
    ("reopened-files of lines", "writes", "posix.accesses_per_open", YES, YES, NO, WHAT),
    ("reopened-files of lines", "used", "posix.accesses_per_open", NO, YES, YES, WHAT),
    ("reopened-files of lines", "adding", "posix.write_fraction", NO, YES, YES, NO),
    ("reopened-files of streams", "times", "stdio.opens_by_a_rank", NO, YES, YES, NA),
    ("reopened-files of streams", "calls", "stdio.opens", NO, YES, YES, WHAT),
    ("reopened-files of streams", "files", "stdio.files_of_a_rank", YES, YES, NO, WHAT),
    ("reopened-files of streams", "fraction", "stdio.metadata_fraction", NO, YES, YES, NA),
    ("many-small-files", "files", "file.count", NO, YES, YES, WHAT),
    ("many-small-files slow", "slow-files", "file.count", NO, YES, YES, WHAT),
    ("many-small-files slow", "slow-time", "file.usual_time", NO, YES, YES, NO),
    ("many-small-files slow", "stalled-time", "file.usual_time", YES, YES, NO, NO),
    ("many-small-files", "bytes-each", "file.bytes_per_open", YES, NO, NO, NA),
    ("many-small-files that grow", "calls-each", "file.metadata_calls_each", YES, NO, NO, WHAT),
    ("many-small-files", "pieces", "posix.accesses_per_open", YES, NO, NO, WHAT),
    ("many-small-files in many pieces", "opening", "posix.metadata_io_fraction", NO, YES, YES, NO),
    ("many-small-files", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("fpp-many-files", "ranks", "file.ranks_with_own", NO, YES, YES, WHAT),
    ("fpp-many-files", "ranks", "job.nprocs", NO, YES, YES, WHAT),
    ("fpp-many-files", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("subfile", "ranks-with-own", "file.ranks_with_own", NO, YES, YES, WHAT),
    ("subfile", "ranks-with-own", "job.nprocs", NO, YES, YES, WHAT),
    ("subfile of a slow shared file", "ranks", "job.nprocs", NO, YES, YES, WHAT),
    ("subfile of a slow shared file", "osts", "file.osts_fraction", NO, YES, YES, NO),
    ("subfile of a slow shared file", "bandwidth", "io.bandwidth", YES, NO, NO, WHAT),
    ("subfile", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("too-many-files-per-directory", "files", "file.per_directory", NO, YES, YES, NA),
    ("collective-on-large-contiguous", "write-over-stripe", "mpiio.write_over_stripe", NO, NO, YES, NA),
    ("collective-on-large-contiguous", "beyond-whole-stripes", "mpiio.beyond_whole_stripes", YES, YES, NO, WHAT),
    ("collective-on-large-contiguous", "views", "mpiio.views", YES, YES, NO, WHAT),
    ("collective-on-large-contiguous", "rank-share", "mpiio.effective_share", YES, NO, NO, WHAT),
    ("collective-on-large-contiguous", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("wrong-filesystem by time", "time", "file.home_time_fraction", NO, YES, YES, NO),
    ("wrong-filesystem by time", "io-time", "job.io_time", NO, YES, YES, WHAT),
    ("wrong-filesystem", "fast", "file.home_rate", YES, NO, NO, WHAT),
    ("wrong-filesystem", "bytes", "file.home_bytes", NO, YES, YES, NA),
    ("wrong-filesystem", "fraction", "file.home_fraction", NO, YES, YES, WHAT),
    ("wrong-filesystem", "parallel-file-systems", "job.parallel_file_systems", NA, YES, YES, WHAT),
    ("node-local-ssd", "read-back", "file.read_back_fraction", NO, YES, YES, NA),
    ("node-local-ssd", "bytes", "io.bytes", NO, YES, YES, WHAT),
    ("node-local-ssd", "share-of-job", "group.weight", NA, YES, YES, WHAT),
]


QUIET = {
    "writes of many blocks, as VPIC's": ("misaligned-io", HOLDS["misaligned-io"] | {"posix.write_over_block": 128.0}),
    "files of one rank each": ("misaligned-io", HOLDS["misaligned-io"] | {"io.pattern": "file-per-process"}),
    "a local disk": ("misaligned-io", HOLDS["misaligned-io"] | {"posix.block_size": 4 * KIB}),
    "a part of the file for each rank": (
        "lock-contention",
        HOLDS["lock-contention"] | {"posix.consecutive_write_fraction": 0.98},
    ),
    "as many stripes as nodes": ("lock-contention", HOLDS["lock-contention"] | {"file.writing_nodes_per_stripe": 1.0}),
    "collective calls": ("lock-contention", HOLDS["lock-contention"] | {"io.pattern": "shared-collective"}),
    "another site than Theta": (
        "collective-on-large-contiguous",
        HOLDS["collective-on-large-contiguous"] | {"job.site": "archer2"},
    ),
    "independent calls": (
        "collective-on-large-contiguous",
        HOLDS["collective-on-large-contiguous"] | {"io.pattern": "shared-independent"},
    ),
    "a home on a parallel file system": (
        "wrong-filesystem",
        HOLDS["wrong-filesystem"] | {"file.home_on": "parallel"},
    ),
    "nothing mounted besides home": ("wrong-filesystem", HOLDS["wrong-filesystem"] | {"job.parallel_file_systems": 0}),
    "fewer ranks than that, whoever had files": ("fpp-many-files", HOLDS["fpp-many-files"] | {"job.nprocs": 512}),
    "a local scratch disk": ("node-local-ssd", HOLDS["node-local-ssd"] | {"file.mount_type": "xfs"}),
}


def test_at_least_so_many_nodes_is_enough_and_fewer_is_not_known():
    nodes = "file.writing_nodes_per_stripe"
    assert judge("lock-contention", HOLDS["lock-contention"] | {nodes: 1.5}, bounds={nodes}) == YES
    assert judge("lock-contention", HOLDS["lock-contention"] | {nodes: 0.5}, bounds={nodes}) == WHAT


def test_what_is_on_no_mebibyte_is_on_no_larger_stripe():
    fraction = "posix.misaligned_block_fraction"
    assert judge("misaligned-io", HOLDS["misaligned-io"] | {fraction: 0.9}, bounds={fraction}) == YES
    assert judge("misaligned-io", HOLDS["misaligned-io"] | {fraction: 0.1}, bounds={fraction}) == WHAT


def advice_of(rule, **given):
    return all_rules()[rule].advise(context(HOLDS[rule], **given))


def test_alignment_is_told_to_the_library_that_writes_with_the_size_of_the_block():
    (first, unit) = advice_of("misaligned-io", api="HDF5")
    assert "H5Pset_alignment(file_access, 65536, 1048576);" in first.command
    assert "h5pset_alignment_f(file_access, 65536_hsize_t, 1048576_hsize_t, error)" in first.fortran
    assert '"striping_unit", "1048576"' in unit.command
    (only,) = advice_of("misaligned-io", api="HDF5", file_system="gpfs")
    assert "H5Pset_alignment" in only.command
    (first, _) = advice_of("misaligned-io", api="PnetCDF")
    assert '"nc_var_align_size", "1048576"' in first.command
    (only,) = advice_of("misaligned-io", api="POSIX")
    assert "offset = (offset + 1048576 - 1) / 1048576 * 1048576;" in only.command


def test_small_pieces_that_interleave_are_not_spread_one_a_block():
    pieces = {"posix.write_over_block": 0.3, "posix.consecutive_write_fraction": 0.0}
    (only,) = all_rules()["misaligned-io"].advise(context(HOLDS["misaligned-io"] | pieces, api="POSIX"))
    assert only.command is None
    assert "collective calls" in only.text


def test_reads_off_the_boundaries_are_no_misaligned_writes():
    assert judge("misaligned-io", HOLDS["misaligned-io"] | {"posix.write_fraction": 0.1}) == NA


def test_the_slow_ost_is_named_with_a_line_that_lists_its_files():
    first, *_ = advice_of("slow-ost")
    assert first.command == "lfs find /lus/fs/project/run --ost 14"
    ranks = {"balance.mean_time": 40.0, "balance.others_time": 60.0}
    saved = all_rules()["slow-ost"].impact(context(HOLDS["slow-ost"] | ranks))
    assert saved.of(770.0, 770.0, 1000.0, None) == pytest.approx((0.9 * 770.0 - 20.0, 770.0 / 0.9))


def test_independent_calls_are_explained_before_the_locks_they_cost():
    rules = all_rules()
    for cause in ("independent-shared", "collective-disabled", "read-modify-write"):
        assert {"lock-contention", "misaligned-io"} <= set(rules[cause].explains)
    assert {"small-io", "misaligned-io"} <= set(rules["lock-contention"].explains)
    assert "misaligned-io" in rules["small-io"].explains


def test_files_shared_without_mpi_io_are_sent_to_it_and_those_with_it_to_collective_calls():
    posix, *_ = advice_of("lock-contention", api="POSIX")
    assert posix.text.startswith("Open the file with MPI-IO")
    assert "MPI_File_write_all" in posix.command
    hdf5, *_ = advice_of("lock-contention", api="HDF5")
    assert "H5FD_MPIO_COLLECTIVE" in hdf5.command
