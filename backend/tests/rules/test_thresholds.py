"""Each rule just below, at, and just above each of its thresholds, and without the metric."""

from __future__ import annotations

from importlib import import_module
from math import inf, nextafter
from pathlib import Path

import pytest
from declared import GIB, KIB, MIB, NA, NO, WHAT, YES, judge

from iotriage.rules import all_rules, all_thresholds
from iotriage.rules.walk import thresholds_of

HOLDS = {
    "io-not-the-bottleneck": {"job.io_time_fraction": 0.05, "job.io_time": 5.0, "job.runtime": 100.0},
    "partial-evidence": {"evidence.partial_modules": 1, "evidence.lower_bound": 1},
    "serial-io": {
        "balance.slowest_rank_share": 1.0,
        "job.nprocs": 64,
        "io.pattern": "serial",
        "io.bytes": 10 * GIB,
    },
    "serial-io by time": {
        "balance.slowest_rank_share": 1.0,
        "job.nprocs": 64,
        "io.pattern": "serial",
        "io.bytes": MIB,
        "job.io_time": 60.0,
    },
    "single-aggregator": {
        "io.pattern": "shared-collective",
        "mpiio.expected_aggregators": 496,
        "mpiio.effective_aggregators": 1.0,
        "io.bytes": 10 * GIB,
        "group.weight": 1.0,
    },
    "single-aggregator of STATS": {
        "io.pattern": "shared-collective",
        "mpiio.aggregators": 1,
        "mpiio.collective_writes": 192,
        "io.bytes": 4 * GIB,
        "group.weight": 1.0,
    },
    "independent-shared": {
        "io.pattern": "shared-independent",
        "mpiio.independent_write_fraction": 1.0,
        "mpiio.independent_bytes_lower_fraction": 1.0,
        "mpiio.average_write_size": 1000.0,
        "posix.consecutive_write_fraction": 0.0,
        "posix.misaligned_fraction": 0.0,
        "group.weight": 1.0,
    },
    "independent-shared, unaligned reads": {
        "io.pattern": "shared-independent",
        "mpiio.independent_read_fraction": 1.0,
        "mpiio.independent_bytes_lower_fraction": 1.0,
        "mpiio.average_read_size": 1000.0,
        "posix.consecutive_read_fraction": 1.0,
        "posix.misaligned_fraction": 1.0,
        "group.weight": 1.0,
    },
    "independent-shared, by STATS": {
        "io.pattern": "shared-independent",
        "mpiio.independent_write_fraction": 1.0,
        "mpiio.independent_bytes_lower_fraction": 1.0,
        "mpiio.average_write_size": 47008.0,
        "mpiio.write_gap_fraction": 0.999,
        "group.weight": 1.0,
    },
    "few-aggregators": {
        "io.pattern": "shared-collective",
        "file.size": 100 * GIB,
        "mpiio.aggregators_per_stripe": 0.25,
        "mpiio.aggregators_per_node": 4.0,
        "group.weight": 1.0,
    },
    "few-aggregators for the nodes": {
        "io.pattern": "shared-collective",
        "file.size": 100 * GIB,
        "mpiio.aggregators_per_stripe": 1.0,
        "mpiio.aggregators_per_node": 0.1,
        "group.weight": 1.0,
    },
    "aggregator-skew": {
        "mpiio.aggregator_utilisation_high": 0.1,
        "mpiio.bytes_per_collective_call_per_aggregator_stripe": 4.0,
        "group.weight": 1.0,
    },
    "read-modify-write": {
        "mpiio.average_write_size": 100000.0,
        "mpiio.rmw_count": 184,
        "mpiio.rmw_byte_fraction": 6.9,
        "group.weight": 1.0,
    },
    "read-modify-write beyond the end of a file": {
        "mpiio.average_write_size": 750000.0,
        "mpiio.rmw_count": 305008,
        "mpiio.rmw_byte_fraction": 0.0,
        "mpiio.write_amplification": 3.93,
        "group.weight": 1.0,
    },
    "write-gaps": {"mpiio.write_gap_fraction": 0.5, "group.weight": 1.0},
    "system-writes-not-stripe-sized": {
        "mpiio.stripe_sized_write_fraction": 0.1,
        "mpiio.system_write_stripe_ratio": 0.3,
        "mpiio.system_writes": 5000,
        "group.weight": 1.0,
    },
    "ssf-understriped": {
        "io.pattern": "shared-collective",
        "file.stripe_count": 1,
        "file.size": 100 * GIB,
        "job.nprocs": 512,
        "group.weight": 1.0,
    },
    "fpp-striped": {
        "io.pattern": "file-per-process",
        "file.stripe_count": 8,
        "file.count": 2048,
        "group.weight": 1.0,
    },
    "small-io": {
        "io.layer": "POSIX",
        "posix.small_accesses": 15703,
        "posix.small_read_fraction": 1.0,
        "posix.average_read_size": 2137.0,
        "group.weight": 1.0,
    },
    "small-io through MPI-IO": {
        "io.layer": "MPI-IO",
        "mpiio.small_accesses": 8000,
        "mpiio.small_write_fraction": 1.0,
        "mpiio.average_write_size": 1000.0,
        "mpiio.system_writes_per_call": 1.0,
        "group.weight": 1.0,
    },
    "small-io by CrayPAT": {
        "profiled.small_accesses": 16776192,
        "profiled.small_write_fraction": 0.999,
        "profiled.average_write_size": 64.0,
        "profiled.time": 660.0,
        "profiled.rank_time": 41.25,
        "group.weight": 0.67,
    },
    "small-io of calls taken apart": {
        "io.layer": "MPI-IO",
        "mpiio.small_accesses": 0,
        "mpiio.small_write_fraction": 0.0,
        "mpiio.average_write_size": 1327104.0,
        "mpiio.system_writes_per_call": 288.0,
        "posix.small_accesses": 18432,
        "posix.small_write_fraction": 1.0,
        "posix.average_write_size": 4608.0,
        "group.weight": 1.0,
    },
    "hdf5-independent-metadata": {
        "hdf5.collective_calls": 128,
        "hdf5.metadata_accesses": 124,
        "hdf5.metadata_to_data_calls": 0.97,
        "group.weight": 1.0,
    },
    "metadata-bound": {"posix.metadata_io_fraction": 0.8, "posix.opens": 4000, "posix.stats": 0},
    "metadata-bound by stats": {"posix.metadata_io_fraction": 0.8, "posix.opens": 8, "posix.stats": 100000},
    "straggler-rank": {
        "job.nprocs": 8,
        "balance.bytes": 4.7,
        "balance.time": 1.5,
        "io.pattern": "shared-independent",
        "io.bytes": 10 * GIB,
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
    },
    "io-errors": {"errors.failed_calls": 3},
    "dvs-striping-warning": {"warnings.dvs_stripe": 140},
    "statistics-not-printed": {"environment.mpiio_stats": "1", "mpiio.stats_blocks": 0},
    "hint-audit": {"hints.audit_count": 2},
    "shared-lock-mode-unsafe": {"hints.lock_mode": 1, "mpiio.independent_writes": 16},
    "shared-lock-mode-unsafe for reads": {"hints.lock_mode": 1, "mpiio.independent_reads": 16},
    "collective-disabled": {
        "io.pattern": "shared-collective",
        "job.nprocs": 8,
        "mpiio.effective_share": 1.0,
        "posix.small_write_fraction": 1.0,
        "group.weight": 1.0,
    },
    "collective-disabled of reads": {
        "io.pattern": "shared-collective",
        "job.nprocs": 8,
        "hints.cb_write": "disable",
        "posix.small_read_fraction": 1.0,
        "group.weight": 1.0,
    },
    "collective-disabled with sieving": {
        "io.pattern": "shared-collective",
        "job.nprocs": 8,
        "mpiio.effective_share": 0.99,
        "mpiio.write_amplification": 1.99,
        "group.weight": 1.0,
    },
    "archer2-ssf-settings": {
        "job.site": "archer2",
        "io.pattern": "shared-collective",
        "job.nprocs": 256,
        "hints.lock_mode": 0,
        "hints.nodes_multiplier": 4,
        "environment.sar_limit": "64K",
        "group.weight": 1.0,
    },
    "archer2-ssf-settings without a multiplier": {
        "job.site": "archer2",
        "io.pattern": "shared-collective",
        "job.nprocs": 256,
        "hints.lock_mode": 2,
        "hints.nodes_multiplier": 1,
        "environment.sar_limit": "64K",
        "group.weight": 1.0,
    },
    "wait-for-coll": {
        "timers.wait_for_coll_fraction": 0.63,
        "timers.imbalance_fraction": 0.24,
        "timers.weight": 1.0,
    },
    "data-send-bound": {
        "timers.data_send_fraction": 0.72,
        "timers.file_write_fraction": 0.14,
        "timers.weight": 1.0,
    },
    "overstriped-small": {"file.stripe_count": 8, "file.stripes_filled": 0.1, "group.weight": 1.0},
    "ssf-stripe-size": {
        "job.site": "theta",
        "io.pattern": "shared-collective",
        "file.stripe_size": MIB,
        "file.size": 100 * GIB,
        "group.weight": 1.0,
    },
}
"""Metrics for which each rule holds, some rules in more than one way; a key begins with the rule's id."""

AROUND = [
    # case, threshold, metric, just below, at, just above, absent
    ("io-not-the-bottleneck", "io-not-the-bottleneck.fraction", "job.io_time_fraction", YES, NO, NO, NA),
    ("io-not-the-bottleneck", "io-not-the-bottleneck.time", "job.io_time", YES, NO, NO, NA),
    ("serial-io", "serial-io.share", "balance.slowest_rank_share", NO, YES, YES, NA),
    ("serial-io", "serial-io.ranks", "job.nprocs", NA, YES, YES, WHAT),
    ("single-aggregator", "single-aggregator.effective-aggregators", "mpiio.effective_aggregators", YES, YES, NO, NO),
    ("single-aggregator", "single-aggregator.expected-aggregators", "mpiio.expected_aggregators", NA, YES, YES, NA),
    ("single-aggregator", "single-aggregator.bytes", "io.bytes", NA, YES, YES, WHAT),
    ("single-aggregator", "single-aggregator.share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("single-aggregator of STATS", "single-aggregator.effective-aggregators", "mpiio.aggregators", YES, YES, NO, NA),
    ("single-aggregator of STATS", "single-aggregator.collective-calls", "mpiio.collective_writes", NA, YES, YES, NA),
    ("independent-shared", "independent-shared.calls-fraction", "mpiio.independent_write_fraction", NO, YES, YES, NA),
    (
        "independent-shared",
        "independent-shared.bytes-fraction",
        "mpiio.independent_bytes_lower_fraction",
        NO,
        YES,
        YES,
        WHAT,
    ),
    ("independent-shared", "independent-shared.transfer-size", "mpiio.average_write_size", YES, NO, NO, WHAT),
    (
        "independent-shared",
        "independent-shared.consecutive-fraction",
        "posix.consecutive_write_fraction",
        YES,
        NO,
        NO,
        WHAT,
    ),
    (
        "independent-shared, unaligned reads",
        "independent-shared.misaligned-fraction",
        "posix.misaligned_fraction",
        NO,
        YES,
        YES,
        WHAT,
    ),
    (
        "independent-shared, by STATS",
        "independent-shared.gap-fraction",
        "mpiio.write_gap_fraction",
        WHAT,
        YES,
        YES,
        WHAT,
    ),
    ("independent-shared", "independent-shared.share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("few-aggregators", "few-aggregators.per-stripe", "mpiio.aggregators_per_stripe", YES, NO, NO, WHAT),
    ("few-aggregators for the nodes", "few-aggregators.per-node", "mpiio.aggregators_per_node", YES, NO, NO, NO),
    ("few-aggregators", "few-aggregators.file-size", "file.size", NA, YES, YES, NA),
    ("few-aggregators", "few-aggregators.share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("aggregator-skew", "aggregator-skew.utilisation", "mpiio.aggregator_utilisation_high", YES, NO, NO, NA),
    (
        "aggregator-skew",
        "aggregator-skew.bytes-per-call",
        "mpiio.bytes_per_collective_call_per_aggregator_stripe",
        NA,
        YES,
        YES,
        WHAT,
    ),
    ("aggregator-skew", "aggregator-skew.share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("read-modify-write", "read-modify-write.count", "mpiio.rmw_count", NO, YES, YES, WHAT),
    ("read-modify-write", "read-modify-write.byte-fraction", "mpiio.rmw_byte_fraction", NO, YES, YES, WHAT),
    (
        "read-modify-write beyond the end of a file",
        "read-modify-write.amplification",
        "mpiio.write_amplification",
        NO,
        YES,
        YES,
        NO,
    ),
    ("read-modify-write", "read-modify-write.share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("write-gaps", "write-gaps.fraction", "mpiio.write_gap_fraction", NO, YES, YES, NA),
    ("write-gaps", "write-gaps.share-of-job", "group.weight", NA, YES, YES, WHAT),
    (
        "system-writes-not-stripe-sized",
        "system-writes-not-stripe-sized.fraction",
        "mpiio.stripe_sized_write_fraction",
        YES,
        NO,
        NO,
        NA,
    ),
    (
        "system-writes-not-stripe-sized",
        "system-writes-not-stripe-sized.ratio",
        "mpiio.system_write_stripe_ratio",
        YES,
        NO,
        NO,
        WHAT,
    ),
    (
        "system-writes-not-stripe-sized",
        "system-writes-not-stripe-sized.count",
        "mpiio.system_writes",
        NA,
        YES,
        YES,
        NA,
    ),
    (
        "system-writes-not-stripe-sized",
        "system-writes-not-stripe-sized.share-of-job",
        "group.weight",
        NA,
        YES,
        YES,
        WHAT,
    ),
    ("ssf-understriped", "ssf-understriped.stripes", "file.stripe_count", YES, NO, NO, NA),
    ("ssf-understriped", "ssf-understriped.ranks", "job.nprocs", NA, YES, YES, WHAT),
    ("ssf-understriped", "ssf-understriped.file-size", "file.size", NA, YES, YES, NA),
    ("ssf-understriped", "ssf-understriped.share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("fpp-striped", "fpp-striped.stripes", "file.stripe_count", NO, NO, YES, NA),
    ("fpp-striped", "fpp-striped.files", "file.count", NA, YES, YES, WHAT),
    ("fpp-striped", "fpp-striped.share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("small-io", "small-io.fraction", "posix.small_read_fraction", NO, YES, YES, NO),
    ("small-io", "small-io.count", "posix.small_accesses", NO, YES, YES, WHAT),
    ("small-io", "small-io.average-size", "posix.average_read_size", YES, NO, NO, WHAT),
    ("small-io through MPI-IO", "small-io.fraction", "mpiio.small_write_fraction", NO, YES, YES, NO),
    ("small-io through MPI-IO", "small-io.count", "mpiio.small_accesses", NO, YES, YES, WHAT),
    ("small-io through MPI-IO", "small-io.average-size", "mpiio.average_write_size", YES, NO, NO, WHAT),
    ("small-io of calls taken apart", "small-io.pieces", "mpiio.system_writes_per_call", NO, YES, YES, NO),
    ("small-io by CrayPAT", "small-io.fraction", "profiled.small_write_fraction", NO, YES, YES, NO),
    ("small-io by CrayPAT", "small-io.count", "profiled.small_accesses", NO, YES, YES, NO),
    ("small-io by CrayPAT", "small-io.average-size", "profiled.average_write_size", YES, NO, NO, WHAT),
    ("small-io by CrayPAT", "small-io.rank-time", "profiled.time", NO, YES, YES, WHAT),
    ("small-io by CrayPAT", "small-io.rank-time", "profiled.rank_time", NO, YES, YES, WHAT),
    ("small-io", "small-io.share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("metadata-bound", "metadata-bound.fraction", "posix.metadata_io_fraction", NO, YES, YES, NA),
    ("metadata-bound", "metadata-bound.calls", "posix.opens", NO, YES, YES, WHAT),
    ("metadata-bound by stats", "metadata-bound.calls", "posix.stats", NO, YES, YES, WHAT),
    ("straggler-rank", "straggler-rank.bytes", "balance.bytes", NO, YES, YES, NO),
    ("straggler-rank by time", "straggler-rank.time", "balance.time", NO, YES, YES, NO),
    ("straggler-rank", "straggler-rank.ranks", "job.nprocs", NA, YES, YES, WHAT),
    (
        "hdf5-independent-metadata",
        "hdf5-independent-metadata.collective-calls",
        "hdf5.collective_calls",
        NA,
        YES,
        YES,
        NA,
    ),
    ("hdf5-independent-metadata", "hdf5-independent-metadata.count", "hdf5.metadata_accesses", NO, YES, YES, WHAT),
    ("hdf5-independent-metadata", "hdf5-independent-metadata.ratio", "hdf5.metadata_to_data_calls", NO, YES, YES, WHAT),
    ("hdf5-independent-metadata", "hdf5-independent-metadata.share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("io-errors", "io-errors.calls", "errors.failed_calls", NO, YES, YES, NA),
    ("dvs-striping-warning", "dvs-striping-warning.count", "warnings.dvs_stripe", NO, YES, YES, NA),
    ("statistics-not-printed", "statistics-not-printed.blocks", "mpiio.stats_blocks", YES, NO, NO, NA),
    ("hint-audit", "hint-audit.count", "hints.audit_count", NO, YES, YES, NA),
    ("shared-lock-mode-unsafe", "shared-lock-mode-unsafe.mode", "hints.lock_mode", NO, YES, NO, NA),
    (
        "shared-lock-mode-unsafe",
        "shared-lock-mode-unsafe.independent",
        "mpiio.independent_writes",
        NO,
        YES,
        YES,
        NO,
    ),
    (
        "shared-lock-mode-unsafe for reads",
        "shared-lock-mode-unsafe.independent",
        "mpiio.independent_reads",
        NO,
        YES,
        YES,
        NO,
    ),
    ("collective-disabled", "collective-disabled.rank-share", "mpiio.effective_share", NO, YES, YES, NO),
    ("collective-disabled", "collective-disabled.ranks", "job.nprocs", NA, YES, YES, WHAT),
    ("collective-disabled", "collective-disabled.small", "posix.small_write_fraction", NO, YES, YES, NO),
    ("collective-disabled of reads", "collective-disabled.small", "posix.small_read_fraction", NO, YES, YES, NO),
    (
        "collective-disabled with sieving",
        "collective-disabled.amplification",
        "mpiio.write_amplification",
        NO,
        YES,
        YES,
        NO,
    ),
    ("collective-disabled", "collective-disabled.share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("archer2-ssf-settings", "archer2-ssf-settings.lock-mode", "hints.lock_mode", YES, NO, YES, WHAT),
    (
        "archer2-ssf-settings without a multiplier",
        "archer2-ssf-settings.multiplier",
        "hints.nodes_multiplier",
        YES,
        NO,
        NO,
        WHAT,
    ),
    ("archer2-ssf-settings", "archer2-ssf-settings.ranks", "job.nprocs", NA, YES, YES, WHAT),
    ("archer2-ssf-settings", "archer2-ssf-settings.share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("wait-for-coll", "wait-for-coll.wait", "timers.wait_for_coll_fraction", NO, YES, YES, NA),
    ("wait-for-coll", "wait-for-coll.imbalance", "timers.imbalance_fraction", NO, YES, YES, NA),
    ("wait-for-coll", "wait-for-coll.share-of-job", "timers.weight", NA, YES, YES, WHAT),
    ("data-send-bound", "data-send-bound.send", "timers.data_send_fraction", NO, YES, YES, NA),
    ("data-send-bound", "data-send-bound.write", "timers.file_write_fraction", YES, NO, NO, NA),
    ("data-send-bound", "data-send-bound.share-of-job", "timers.weight", NA, YES, YES, WHAT),
    ("overstriped-small", "overstriped-small.stripes", "file.stripe_count", NO, NO, YES, WHAT),
    ("overstriped-small", "overstriped-small.filled", "file.stripes_filled", YES, NO, NO, NA),
    ("overstriped-small", "overstriped-small.share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("ssf-stripe-size", "ssf-stripe-size.stripe-size", "file.stripe_size", YES, NO, NO, NA),
    ("ssf-stripe-size", "ssf-stripe-size.file-size", "file.size", NA, YES, YES, WHAT),
    ("ssf-stripe-size", "ssf-stripe-size.share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("serial-io", "serial-io.least-bytes", "io.bytes", NA, YES, YES, WHAT),
    ("serial-io by time", "serial-io.least-time", "job.io_time", NA, YES, YES, NA),
    ("straggler-rank", "straggler-rank.least-bytes", "io.bytes", NA, YES, YES, WHAT),
    ("straggler-rank of few bytes", "straggler-rank.least-time", "job.io_time", NA, YES, YES, NA),
]


def rule_of(case):
    return max((r for r in all_rules() if case.startswith(r)), key=len)


@pytest.mark.parametrize("case", HOLDS)
def test_the_cases_hold(case):
    assert judge(rule_of(case), HOLDS[case]) == YES


@pytest.mark.parametrize(
    ("case", "threshold", "metric", "below", "at", "above", "absent"), AROUND, ids=[f"{r[0]}: {r[2]}" for r in AROUND]
)
def test_around_the_threshold(case, threshold, metric, below, at, above, absent):
    limit, rule, values = all_thresholds()[threshold].default, rule_of(case), HOLDS[case]
    assert judge(rule, values | {metric: nextafter(limit, -inf)}) == below
    assert judge(rule, values | {metric: limit}) == at
    assert judge(rule, values | {metric: nextafter(limit, inf)}) == above
    assert judge(rule, {m: v for m, v in values.items() if m != metric}) == absent


def test_every_threshold_that_decides_something_is_in_one_of_the_tables():
    of_a_case = [rule for rule in all_rules().values() if rule.scope != "run-set"]
    deciding = {t for rule in of_a_case for c in (rule.requires, rule.condition) for t in thresholds_of(c)}
    tables = [import_module(path.stem).AROUND for path in Path(__file__).parent.glob("test_*thresholds.py")]
    assert deciding - {row[1] for table in tables for row in table} == {"partial-evidence.sources"}


@pytest.mark.parametrize("metric", ["evidence.partial_modules", "evidence.lower_bound"])
def test_a_single_incomplete_source_is_said(metric):
    assert judge("partial-evidence", {"evidence.partial_modules": 0, "evidence.lower_bound": 0} | {metric: 1}) == YES
    assert judge("partial-evidence", {"evidence.partial_modules": 0, "evidence.lower_bound": 0}) == NO
    assert judge("partial-evidence", {}) == NO


QUIET = {
    "collective calls below which one rank is busy are another matter": (
        "serial-io",
        {"balance.slowest_rank_share": 1.0, "job.nprocs": 64, "io.pattern": "shared-collective"},
    ),
    "subfiles with an aggregator each": (
        "single-aggregator",
        HOLDS["single-aggregator"] | {"io.pattern": "subfiling"},
    ),
    "large aligned independent blocks": (
        "independent-shared",
        HOLDS["independent-shared"] | {"mpiio.average_write_size": float(MIB)},
    ),
    "HDF5 metadata beside collective data": (
        "independent-shared",
        HOLDS["independent-shared"]
        | {
            "io.pattern": "shared-collective",
            "mpiio.independent_write_fraction": 0.8,
            "mpiio.independent_bytes_lower_fraction": 0.001,
        },
    ),
    "contiguous parts of a rank, aligned": (
        "independent-shared",
        HOLDS["independent-shared"]
        | {"mpiio.average_write_size": 256.0 * KIB, "posix.consecutive_write_fraction": 0.94},
    ),
    "nonblocking calls only": (
        "independent-shared",
        {"io.pattern": "shared-independent", "mpiio.nonblocking_writes": 128, "group.weight": 1.0},
    ),
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
        | {"posix.small_accesses": 0, "posix.small_write_fraction": 0.0, "posix.average_write_size": float(MIB)},
    ),
    "reads of a header in order to write it": (
        "read-modify-write",
        HOLDS["read-modify-write"] | {"mpiio.rmw_count": 3},
    ),
    "multiples of a stripe": (
        "system-writes-not-stripe-sized",
        HOLDS["system-writes-not-stripe-sized"] | {"mpiio.system_write_stripe_ratio": 4.0},
    ),
    "writers chosen by the program": (
        "straggler-rank",
        HOLDS["straggler-rank"] | {"io.pattern": "file-per-node", "balance.bytes": 128.0},
    ),
    "few files": ("metadata-bound", {"posix.metadata_io_fraction": 0.9, "posix.opens": 9, "posix.stats": 0}),
    "one process": ("serial-io", {"balance.slowest_rank_share": 1.0, "job.nprocs": 1, "io.pattern": "serial"}),
    "waiting for the aggregators that write, as on Theta": (
        "wait-for-coll",
        {
            "timers.wait_for_coll_fraction": 261193401 / 515639319,
            "timers.imbalance_fraction": 4038142 / 515639319,
            "timers.weight": 1.0,
        },
    ),
    "sending beside writing, as on Theta": (
        "data-send-bound",
        {
            "timers.data_send_fraction": 205475108 / 515639319,
            "timers.file_write_fraction": 226898464 / 515639319,
            "timers.weight": 1.0,
        },
    ),
    "much sending beside as much writing": (
        "data-send-bound",
        HOLDS["data-send-bound"] | {"timers.file_write_fraction": 0.86},
    ),
    "a small call cannot use all aggregators": (
        "aggregator-skew",
        HOLDS["aggregator-skew"] | {"mpiio.bytes_per_collective_call_per_aggregator_stripe": 0.1},
    ),
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


@pytest.mark.parametrize(("rule", "values"), QUIET.values(), ids=QUIET)
def test_stays_quiet(rule, values):
    assert judge(rule, values) in (NO, NA)


def test_without_any_evidence_nothing_is_claimed():
    for rule in all_rules():
        assert judge(rule, {}) in (NO, NA, WHAT), rule


def test_a_lower_bound_below_a_threshold_is_not_called_clear():
    values = HOLDS["small-io"] | {"posix.small_accesses": 900}
    assert judge("small-io", values) == NO
    assert judge("small-io", values, bounds={"posix.small_accesses"}) == WHAT
    assert judge("small-io", values | {"posix.small_accesses": 1100}, bounds={"posix.small_accesses"}) == YES
