"""The thresholds by which ranks get into each other's way, on a server, in a file or by a slow node, and by which small
calls are not blamed for it."""

from declared import NA, NO, WHAT, YES

MIB, GIB = 2.0**20, 2.0**30

HOLDS = {
    "lock-contention of interleaved pieces": {
        "io.pattern": "shared-independent",
        "file.stripe_count": 16,
        "file.writing_nodes": 4,
        "file.writing_nodes_per_stripe": 0.25,
        "file.written_span_over_bytes": 1.0,
        "posix.typical_write_size": 47008.0,
        "posix.write_over_block": 0.05,
        "posix.consecutive_write_fraction": 0.0,
        "posix.misaligned_fraction": 1.0,
        "posix.random_fraction": 0.0,
        "group.weight": 1.0,
    },
    "lock-contention of stripes that nobody states": {
        "io.pattern": "shared-independent",
        "file.mount_type": "gpfs",
        "file.writing_nodes": 4,
        "file.written_span_over_bytes": 1.0,
        "posix.typical_write_size": 47008.0,
        "posix.write_over_block": 0.05,
        "posix.consecutive_write_fraction": 0.0,
        "posix.misaligned_fraction": 1.0,
        "posix.random_fraction": 0.0,
        "group.weight": 1.0,
    },
    "independent-shared without MPI-IO": {
        "file.lies_on": "shared",
        "file.served": "yes",
        "io.layer": "POSIX",
        "io.pattern": "shared-independent",
        "file.stripe_count": 16,
        "file.writing_nodes_known": "no",
        "file.written_span_over_bytes": 1.0,
        "posix.average_write_size": 47008.0,
        "posix.typical_write_size": 47008.0,
        "posix.consecutive_write_fraction": 0.0,
        "posix.misaligned_fraction": 1.0,
        "posix.random_fraction": 0.0,
        "posix.rank_rate": 1.5 * MIB,
        "group.weight": 1.0,
    },
    "ssf-understriped of busy stripes": {
        "file.other_osts": "some",
        "file.ost_pace": "usual",
        "mpiio.one_mover_each": "no",
        "io.pattern": "shared-independent",
        "file.stripe_count": 4,
        "file.stripes_at_once": 4,
        "file.stripes_per_node": 0.25,
        "file.osts_per_stripe": 12.0,
        "file.ost_rate": 500 * MIB,
        "file.size": 80 * GIB,
        "job.nprocs": 512,
        "group.weight": 1.0,
    },
    "ssf-understriped of crowded stripes": {
        "file.other_osts": "some",
        "file.ost_pace": "usual",
        "mpiio.one_mover_each": "no",
        "io.pattern": "shared-collective",
        "file.stripe_count": 4,
        "file.stripes_at_once": 4,
        "file.stripes_per_node": 0.125,
        "file.osts_per_stripe": 12.0,
        "file.ost_rate": 200 * MIB,
        "file.size": 80 * GIB,
        "job.nprocs": 2048,
        "mpiio.movers_per_stripe": 16.0,
        "mpiio.movers_per_node": 2.0,
        "group.weight": 1.0,
    },
    "ssf-understriped of a very large file": {
        "io.timed": "yes",
        "file.other_osts": "unknown",
        "file.ost_pace": "usual",
        "mpiio.one_mover_each": "no",
        "io.pattern": "shared-independent",
        "file.stripe_count": 8,
        "file.stripes_at_once": 8,
        "file.stripes_per_node": 0.125,
        "file.osts_per_stripe": 12.0,
        "file.ost_rate": 200 * MIB,
        "file.size": 160 * GIB,
        "job.nprocs": 2048,
        "group.weight": 1.0,
        "io.layer": "POSIX",
        "posix.average_read_size": 4.0 * MIB,
        "posix.consecutive_read_fraction": 0.0,
        "posix.write_fraction": 0.0,
    },
    "straggler-rank of slow movers": {
        "job.nprocs": 512,
        "balance.ranks": 512,
        "balance.bytes": 1.0,
        "balance.time": 1.0,
        "balance.storage_time": 1.5,
        "balance.storage_waiting_fraction": 0.3,
        "balance.storage_apart": 3.0,
        "balance.storage_apart_fraction": 0.6,
        "io.pattern": "shared-collective",
        "io.bytes": 160 * GIB,
        "job.io_time": 66.0,
    },
    "small-io in order of many ranks": {
        "posix.random_fraction": 0.0,
        "posix.call_time": 1e-3,
        "posix.rank_rate": 30.0 * MIB,
        "io.bandwidth": 15.0 * GIB,
        "group.imported": "no",
        "io.layer": "POSIX",
        "posix.small_reads": 15703,
        "posix.small_read_fraction": 1.0,
        "posix.average_read_size": 65536.0,
        "posix.small_read_time_fraction": 1.0,
        "group.weight": 1.0,
    },
}

_BETWEEN = "lock-contention of interleaved pieces"
_UNSTATED = "lock-contention of stripes that nobody states"
_ALONE = "independent-shared without MPI-IO"
_BUSY = "ssf-understriped of busy stripes"
_CROWDED = "ssf-understriped of crowded stripes"
_VERY_LARGE = "ssf-understriped of a very large file"

IN_ORDER = {"posix.average_read_size": 8192.0, "posix.consecutive_read_fraction": 1.0}
HOLDS["ssf-understriped of small reads in order"] = HOLDS[_VERY_LARGE] | IN_ORDER
_READ_A_LITTLE = "ssf-understriped of few small reads"
HOLDS[_READ_A_LITTLE] = (
    HOLDS[_VERY_LARGE] | IN_ORDER | {"posix.consecutive_read_fraction": 0.0, "posix.write_fraction": 1.0}
)

AROUND = [
    (_BETWEEN, "nodes", "file.writing_nodes", NO, YES, YES, WHAT),
    (_UNSTATED, "piece", "posix.typical_write_size", YES, NA, NA, NA),
    (_BETWEEN, "misaligned-fraction", "posix.misaligned_fraction", NO, YES, YES, WHAT),
    (_BETWEEN, "random", "posix.random_fraction", YES, YES, NO, WHAT),
    (_BETWEEN, "span", "file.written_span_over_bytes", YES, YES, NO, NO),
    (_ALONE, "record", "posix.average_write_size", NA, YES, YES, NA),
    (_ALONE, "transfer-size", "posix.typical_write_size", YES, NO, NO, WHAT),
    (_ALONE, "consecutive-fraction", "posix.consecutive_write_fraction", YES, NO, NO, WHAT),
    (_ALONE, "misaligned-fraction", "posix.misaligned_fraction", NO, YES, YES, WHAT),
    (_ALONE, "random", "posix.random_fraction", YES, YES, NO, WHAT),
    (_ALONE, "span", "file.written_span_over_bytes", YES, YES, NO, NO),
    (_ALONE, "rank-rate", "posix.rank_rate", YES, NO, NO, WHAT),
    (_BUSY, "busy", "file.ost_rate", NO, YES, YES, NO),
    (_CROWDED, "movers-per-stripe", "mpiio.movers_per_stripe", NO, YES, YES, NO),
    (_CROWDED, "movers-per-node", "mpiio.movers_per_node", YES, YES, NO, NO),
    (_BUSY, "large-file", "file.size", NO, YES, YES, "not_applicable"),
    (_BUSY, "osts-per-stripe", "file.osts_per_stripe", NO, YES, YES, NO),
    (_VERY_LARGE, "very-large-file", "file.size", NO, YES, YES, "not_applicable"),
    (_VERY_LARGE, "handful", "file.stripe_count", YES, YES, NO, "not_applicable"),
    (_VERY_LARGE, "working", "file.ost_rate", NO, YES, YES, NO),
    (_VERY_LARGE, "piece", "posix.average_read_size", NO, YES, YES, WHAT),
    (
        "ssf-understriped of small reads in order",
        "consecutive-fraction",
        "posix.consecutive_read_fraction",
        NO,
        YES,
        YES,
        WHAT,
    ),
    (_READ_A_LITTLE, "written", "posix.write_fraction", NO, YES, YES, WHAT),
    (_BUSY, "busy-stripes-per-node", "file.stripes_per_node", YES, YES, NO, WHAT),
    ("straggler-rank of slow movers", "apart", "balance.storage_apart", NO, YES, YES, WHAT),
    ("straggler-rank of slow movers", "lost", "balance.storage_apart_fraction", NO, YES, YES, NO),
    ("crowded-ost", "load-of-most", "ost.load_of_most", NO, YES, YES, WHAT),
    ("small-io", "time", "posix.small_read_time_fraction", NO, YES, YES, WHAT),
    ("small-io through MPI-IO", "time", "mpiio.small_write_time_fraction", NO, YES, YES, WHAT),
    ("small-io in order of many ranks", "rate-in-order", "posix.rank_rate", YES, NO, NO, WHAT),
    ("small-io in order", "rate-together", "io.bandwidth", YES, NO, NO, WHAT),
]

QUIET = {
    "two ranks that are slow on other servers too": (
        "slow-ost",
        {
            "ost.compared": 24,
            "ost.slowness": 40.0,
            "ost.slowness_for_its_load": 40.0,
            "ost.as_slow_elsewhere": 0.0,
            "ost.ranks_elsewhere": "slow",
            "group.weight": 1.0,
        },
    ),
    "pieces that one node writes": ("lock-contention", HOLDS[_BETWEEN] | {"file.writing_nodes": 1}),
    "as many stripes as nodes, and busy": ("ssf-understriped", HOLDS[_BUSY] | {"file.stripes_per_node": 1.0}),
    "opens of which a few took long": (
        "metadata-bound",
        {
            "posix.data_metadata_io_fraction": 0.9,
            "posix.data_opens": 2000,
            "posix.data_stats": 0,
            "posix.metadata_mostly": "a few calls",
        },
    ),
}
