"""The rules about the job as a whole: whether I/O matters, who does it, what failed, and what the sources leave out."""

from __future__ import annotations

import pytest
from declared import GIB, MIB, NA, NO, WHAT, YES, context, judge

from iotriage.rules import all_rules

HOLDS = {
    "io-not-the-bottleneck of a day": {"job.io_time_fraction": 0.0007, "job.io_time": 64.0, "job.runtime": 86400.0},
    "io-not-the-bottleneck": {"job.io_time_fraction": 0.05, "job.io_time": 5.0, "job.runtime": 100.0},
    "partial-evidence": {"evidence.partial_modules": 1, "evidence.lower_bound": 1},
    "serial-io": {
        "balance.slowest_rank_share": 1.0,
        "job.nprocs": 64,
        "io.pattern": "serial",
        "io.bytes": 10 * GIB,
    },
    "serial-io of one stream": {
        "balance.slowest_rank_share": 1.0,
        "job.nprocs": 1,
        "io.pattern": "serial",
        "io.bytes": 400 * GIB,
        "io.bandwidth": 890.0 * MIB,
        "file.mount_type": "lustre",
        "file.stripe_count": 1,
        "posix.average_size": float(MIB),
        "posix.reread_fraction": 0.0,
        "file.size": 200 * GIB,
        "job.io_time": 460.0,
    },
    "serial-io by time": {
        "balance.slowest_rank_share": 1.0,
        "job.nprocs": 64,
        "io.pattern": "serial",
        "io.bytes": MIB,
        "posix.small_accesses": 20_000,
        "posix.data_metadata_io_fraction": 0.01,
        "job.io_time": 60.0,
    },
    "serial-io in a file of its own": {
        "balance.slowest_rank_share": 0.02,
        "balance.alone_time_fraction": 0.9,
        "balance.alone_call_time": 1e-4,
        "job.nprocs": 64,
        "io.pattern": "shared-collective",
        "io.bytes": 10 * GIB,
    },
    "serial-io in a file of its own of long accesses": {
        "balance.slowest_rank_share": 0.02,
        "balance.alone_time_fraction": 0.9,
        "balance.alone_call_time": 0.02,
        "balance.alone_rate": 400.0 * MIB,
        "job.nprocs": 64,
        "io.pattern": "shared-collective",
        "io.bytes": 10 * GIB,
    },
    "serial-io in a file of its own of opens": {
        "balance.slowest_rank_share": 0.02,
        "balance.alone_time_fraction": 0.9,
        "balance.alone_metadata_fraction": 0.8,
        "job.nprocs": 64,
        "io.pattern": "shared-collective",
        "io.bytes": 10 * GIB,
    },
    "metadata-bound": {"posix.data_metadata_io_fraction": 0.8, "posix.data_opens": 4000, "posix.data_stats": 0},
    "metadata-bound beside reads": {
        "posix.data_metadata_io_fraction": 0.3,
        "posix.data_metadata_run_fraction": 0.2,
        "posix.data_opens": 4000,
        "posix.data_stats": 0,
    },
    "metadata-bound by stats": {
        "posix.data_metadata_io_fraction": 0.8,
        "posix.data_opens": 8,
        "posix.data_stats": 100000,
    },
    "straggler-rank": {
        "job.nprocs": 8,
        "balance.bytes": 4.7,
        "balance.time": 1.5,
        "io.pattern": "shared-independent",
        "io.bytes": 10 * GIB,
        "job.io_time": 60.0,
    },
    "uneven-files": {
        "job.nprocs": 64,
        "balance.bytes": 5.0,
        "balance.time": 4.0,
        "io.pattern": "file-per-process",
        "group.weight": 1.0,
    },
    "uneven-files of several": {
        "job.nprocs": 256,
        "balance.bytes": 1.4,
        "balance.time": 1.4,
        "balance.heavy_bytes": 10.0,
        "balance.light_fraction": 0.3,
        "balance.heavy_time": 10.0,
        "io.pattern": "shared-independent",
        "group.weight": 1.0,
    },
    "straggler-rank by CrayPAT": {
        "job.nprocs": 1024,
        "balance.bytes": 652.0,
        "io.pattern": "serial",
        "io.bytes": 10 * GIB,
        "profiled.rank_time": 30.0,
    },
    "straggler-rank of few bytes": {
        "job.nprocs": 8,
        "balance.time": 4.7,
        "io.pattern": "file-per-process",
        "io.bytes": MIB,
        "job.io_time": 60.0,
    },
    "straggler-rank by time": {
        "job.nprocs": 2048,
        "balance.bytes": 1.0,
        "balance.time": 22.8,
        "io.pattern": "file-per-process",
        "io.bytes": 10 * GIB,
        "job.io_time": 60.0,
    },
    "straggler-rank of a few": {
        "job.nprocs": 128,
        "balance.bytes": 1.0,
        "balance.time": 2.0,
        "balance.apart": 1.9,
        "io.pattern": "file-per-process",
        "io.bytes": 10 * GIB,
        "job.io_time": 60.0,
    },
    "straggler-rank below collective calls": {
        "job.nprocs": 512,
        "balance.bytes": 1.0,
        "balance.time": 1.0,
        "balance.storage_time": 9.3,
        "balance.storage_waiting_fraction": 0.8,
        "io.pattern": "shared-collective",
        "io.bytes": 160 * GIB,
        "job.io_time": 530.0,
    },
    "straggler-rank below calls": {
        "job.nprocs": 512,
        "balance.bytes": 1.0,
        "balance.time": 1.0,
        "balance.storage_time": 9.3,
        "balance.storage_waiting_fraction": 0.8,
        "io.pattern": "shared-independent",
        "io.bytes": 160 * GIB,
        "job.io_time": 530.0,
    },
    "straggler-rank by TIMERS": {
        "job.nprocs": 512,
        "timers.slowest_writer": 12.0,
        "timers.slowest_writer_fraction": 0.8,
        "io.pattern": "shared-collective",
        "io.bytes": 160 * GIB,
    },
    "import-storm": {"file.imported_opens": 204800, "file.imported_time_fraction": 0.9},
    "calls-side-by-side": {"job.calls_at_a_time": 8.0},
    "impossible-times": {"job.impossible_time": 824.0},
    "io-errors": {"errors.failed_calls": 3},
    "io-errors of the library": {"errors.failed_calls": 0, "errors.internal": 2},
    "dvs-striping-warning": {"warnings.dvs_stripe": 140},
    "statistics-not-printed": {"environment.mpiio_stats": "1", "mpiio.stats_blocks": 0},
    "hint-audit": {"hints.audit_count": 2},
}

AROUND = [
    ("io-not-the-bottleneck of a day", "io-not-the-bottleneck.negligible", "job.io_time_fraction", YES, NO, NO, NA),
    ("io-not-the-bottleneck", "io-not-the-bottleneck.fraction", "job.io_time_fraction", YES, NO, NO, NA),
    ("io-not-the-bottleneck", "io-not-the-bottleneck.time", "job.io_time", YES, NO, NO, NA),
    ("serial-io", "serial-io.share", "balance.slowest_rank_share", NO, YES, YES, NA),
    ("serial-io of one stream", "serial-io.stream-bytes", "io.bytes", NA, YES, YES, WHAT),
    ("serial-io of one stream", "serial-io.stream-file", "file.size", NA, YES, YES, NA),
    ("serial-io of one stream", "serial-io.stream-piece", "posix.average_size", NA, YES, YES, NA),
    ("serial-io of one stream", "serial-io.stream-rate", "io.bandwidth", NA, YES, YES, NA),
    ("serial-io of one stream", "serial-io.stream-stripes", "file.stripe_count", YES, YES, NA, WHAT),
    ("serial-io of one stream", "serial-io.stream-again", "posix.reread_fraction", YES, NA, NA, NA),
    ("serial-io", "serial-io.ranks", "job.nprocs", NA, YES, YES, WHAT),
    ("serial-io in a file of its own", "serial-io.alone-time", "balance.alone_time_fraction", NO, YES, YES, NO),
    ("serial-io in a file of its own", "serial-io.call-time", "balance.alone_call_time", YES, WHAT, WHAT, WHAT),
    ("serial-io in a file of its own of long accesses", "serial-io.rate", "balance.alone_rate", NO, YES, YES, WHAT),
    (
        "serial-io in a file of its own of opens",
        "serial-io.metadata",
        "balance.alone_metadata_fraction",
        WHAT,
        YES,
        YES,
        WHAT,
    ),
    ("metadata-bound", "metadata-bound.fraction", "posix.data_metadata_io_fraction", NO, YES, YES, NA),
    ("metadata-bound", "metadata-bound.calls", "posix.data_opens", NO, YES, YES, WHAT),
    ("metadata-bound beside reads", "metadata-bound.beside", "posix.data_metadata_io_fraction", NO, YES, YES, NA),
    ("metadata-bound beside reads", "metadata-bound.run", "posix.data_metadata_run_fraction", NO, YES, YES, NO),
    ("metadata-bound by stats", "metadata-bound.calls", "posix.data_stats", NO, YES, YES, WHAT),
    ("uneven-files", "uneven-files.bytes", "balance.bytes", NO, YES, YES, NA),
    ("uneven-files", "uneven-files.time", "balance.time", NO, YES, YES, NA),
    ("uneven-files of several", "uneven-files.heavy", "balance.heavy_bytes", NO, YES, YES, NO),
    ("uneven-files of several", "uneven-files.light", "balance.light_fraction", NO, YES, YES, WHAT),
    ("uneven-files of several", "uneven-files.time", "balance.heavy_time", NO, YES, YES, WHAT),
    ("uneven-files", "uneven-files.share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("uneven-files", "uneven-files.ranks", "job.nprocs", NA, YES, YES, WHAT),
    ("straggler-rank", "straggler-rank.bytes", "balance.bytes", NO, YES, YES, NO),
    ("straggler-rank by time", "straggler-rank.time", "balance.time", NO, YES, YES, NO),
    ("straggler-rank of a few", "straggler-rank.sure-time", "balance.time", NO, YES, YES, WHAT),
    ("straggler-rank of a few", "straggler-rank.apart", "balance.apart", NO, YES, YES, NO),
    ("straggler-rank", "straggler-rank.wait", "balance.time", NO, YES, YES, WHAT),
    ("straggler-rank", "straggler-rank.ranks", "job.nprocs", NA, YES, YES, WHAT),
    ("straggler-rank below calls", "straggler-rank.time", "balance.storage_time", NO, YES, YES, WHAT),
    (
        "straggler-rank below collective calls",
        "straggler-rank.collective-time",
        "balance.storage_time",
        NO,
        YES,
        YES,
        WHAT,
    ),
    (
        "straggler-rank below collective calls",
        "straggler-rank.lost",
        "balance.storage_waiting_fraction",
        NO,
        YES,
        YES,
        NO,
    ),
    ("straggler-rank by TIMERS", "straggler-rank.lost", "timers.slowest_writer_fraction", NO, YES, YES, NO),
    ("import-storm", "import-storm.time", "file.imported_time_fraction", NO, YES, YES, NA),
    ("import-storm", "import-storm.opens", "file.imported_opens", NO, YES, YES, NA),
    ("calls-side-by-side", "calls-side-by-side.at-a-time", "job.calls_at_a_time", NO, YES, YES, NA),
    ("impossible-times", "impossible-times.time", "job.impossible_time", NO, YES, YES, NA),
    ("io-errors", "io-errors.calls", "errors.failed_calls", NO, YES, YES, NA),
    ("io-errors of the library", "io-errors.calls", "errors.internal", NO, YES, YES, NO),
    ("dvs-striping-warning", "dvs-striping-warning.count", "warnings.dvs_stripe", NO, YES, YES, NA),
    ("statistics-not-printed", "statistics-not-printed.blocks", "mpiio.stats_blocks", YES, NO, NO, NA),
    ("hint-audit", "hint-audit.count", "hints.audit_count", NO, YES, YES, NA),
    ("serial-io", "serial-io.least-bytes", "io.bytes", NA, YES, YES, WHAT),
    ("serial-io by time", "serial-io.least-time", "job.io_time", NA, YES, YES, NA),
    ("serial-io by time", "serial-io.records", "posix.small_accesses", NO, YES, YES, NO),
    ("serial-io by time", "serial-io.metadata", "posix.data_metadata_io_fraction", YES, NO, NO, NO),
    ("straggler-rank by CrayPAT", "straggler-rank.least-bytes", "io.bytes", NA, YES, YES, WHAT),
    ("straggler-rank by CrayPAT", "straggler-rank.rank-time", "profiled.rank_time", NA, YES, YES, WHAT),
    ("straggler-rank of few bytes", "straggler-rank.least-time", "job.io_time", NA, YES, YES, NA),
]

QUIET = {
    "collective calls below which one rank is busy are another matter": (
        "serial-io",
        {"balance.slowest_rank_share": 1.0, "job.nprocs": 64, "io.pattern": "shared-collective"},
    ),
    "writers chosen by the program": (
        "straggler-rank",
        HOLDS["straggler-rank"] | {"io.pattern": "file-per-node", "balance.bytes": 1.0},
    ),
    "who moves more and is done with the others": ("straggler-rank", HOLDS["straggler-rank"] | {"balance.time": 1.07}),
    "few files": (
        "metadata-bound",
        {"posix.data_metadata_io_fraction": 0.9, "posix.data_opens": 9, "posix.data_stats": 0},
    ),
    "one process": ("serial-io", {"balance.slowest_rank_share": 1.0, "job.nprocs": 1, "io.pattern": "serial"}),
    "a small result written in a moment": (
        "serial-io",
        {
            "balance.slowest_rank_share": 0.97,
            "job.nprocs": 12,
            "io.pattern": "serial",
            "io.bytes": 4 * MIB,
            "job.io_time": 0.015,
        },
    ),
}


@pytest.mark.parametrize("metric", ["evidence.partial_modules", "evidence.lower_bound"])
def test_a_single_incomplete_source_is_said(metric):
    assert judge("partial-evidence", {"evidence.partial_modules": 0, "evidence.lower_bound": 0} | {metric: 1}) == YES
    assert judge("partial-evidence", {"evidence.partial_modules": 0, "evidence.lower_bound": 0}) == NO
    assert judge("partial-evidence", {}) == NO


@pytest.mark.parametrize(
    ("site", "case", "profiled"),
    [
        ("theta", "straggler-rank below collective calls", True),
        ("aurora", "straggler-rank below collective calls", False),
        ("theta", "straggler-rank by time", False),
        ("theta", "straggler-rank", False),
    ],
)
def test_crays_profiler_is_offered_for_an_aggregator_that_is_slow_for_no_known_reason(site, case, profiled):
    found = [a.command or "" for a in all_rules()["straggler-rank"].advise(context(HOLDS[case], site=site))]
    offered = [command for command in found if "pat_build" in command]
    assert bool(offered) == profiled
    for command in offered:
        assert command.splitlines() == [
            "module load perftools",
            "pat_build -w -g io -g mpi ./program",
            "aprun -n 512 ./program+pat",
            'pat_report -s pe=ALL "$PAT_DIRECTORY"',
        ]
