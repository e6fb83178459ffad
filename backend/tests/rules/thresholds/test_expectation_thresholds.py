"""The rules about documented rates."""

from __future__ import annotations

import pytest
from declared import GIB, MIB, NA, NO, WHAT, YES, context, judge

from iotriage.rules import all_rules

HOLDS = {
    "below-expectation": {
        "expectation.best_bandwidth": 7663.0 * MIB,
        "expectation.documented_bandwidth": 7663.0 * MIB,
        "expectation.statistic": "maximum",
        "expectation.fraction": 0.2,
        "io.written_per_writer": 1.0 * GIB,
        "group.weight": 1.0,
    },
    "below-expectation of quartiles": {
        "expectation.best_bandwidth": 90.0 * GIB,
        "expectation.documented_bandwidth": 90.0 * GIB,
        "expectation.statistic": "quartiles",
        "expectation.fraction": 0.2,
        "expectation.fraction_of_lower_quartile": 0.6,
        "io.written_per_writer": 1.0 * GIB,
        "group.weight": 1.0,
    },
    "as-documented": {
        "expectation.documented_bandwidth": 7663.0 * MIB,
        "expectation.statistic": "maximum",
        "expectation.fraction": 0.9,
        "job.io_time_fraction": 0.4,
        "group.weight": 1.0,
    },
    "as-documented by quartiles": {
        "expectation.documented_bandwidth": 90.0 * GIB,
        "expectation.statistic": "quartiles",
        "expectation.fraction": 0.7,
        "expectation.fraction_of_lower_quartile": 1.2,
        "job.io_time_fraction": 0.4,
        "group.weight": 1.0,
    },
    "slow-opens": {
        "expectation.open_statistic": "maximum",
        "expectation.open_time": 0.02,
        "expectation.open_fraction": 0.2,
        "expectation.bytes_per_open": 1000.0,
        "posix.opens": 10_000,
        "group.weight": 1.0,
    },
    "slow-opens of quartiles": {
        "expectation.open_statistic": "quartiles",
        "expectation.open_time": 0.02,
        "expectation.open_fraction": 0.2,
        "expectation.open_fraction_of_lower_quartile": 0.6,
        "expectation.bytes_per_open": 1000.0,
        "posix.opens": 10_000,
        "group.weight": 1.0,
    },
    "cache-inflated": {
        "expectation.write_over_ceiling": 10.0,
        "io.written_per_writer": 128.0 * MIB,
        "group.weight": 1.0,
    },
    "cache-inflated reads": {
        "expectation.read_over_ceiling": 10.0,
        "io.read_per_reader": 128.0 * MIB,
        "group.weight": 1.0,
    },
}

AROUND = [
    ("below-expectation", "fraction", "expectation.fraction", YES, NO, NO, WHAT),
    ("below-expectation", "data-per-process", "io.written_per_writer", NA, YES, YES, NA),
    ("below-expectation", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("below-expectation of quartiles", "lower-quartile", "expectation.fraction_of_lower_quartile", YES, NO, NO, WHAT),
    ("slow-opens", "fraction", "expectation.open_fraction", YES, NO, NO, WHAT),
    ("slow-opens of quartiles", "lower-quartile", "expectation.open_fraction_of_lower_quartile", YES, NO, NO, WHAT),
    ("slow-opens", "calls", "posix.opens", NA, YES, YES, NA),
    ("slow-opens", "bytes", "expectation.bytes_per_open", YES, YES, NA, NA),
    ("slow-opens", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("as-documented", "fraction", "expectation.fraction", NO, YES, YES, WHAT),
    ("as-documented", "share-of-run", "job.io_time_fraction", NA, YES, YES, WHAT),
    ("as-documented", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("as-documented by quartiles", "lower-quartile", "expectation.fraction_of_lower_quartile", NO, YES, YES, WHAT),
    ("cache-inflated", "factor", "expectation.write_over_ceiling", NO, NO, YES, NA),
    ("cache-inflated", "data-per-process", "io.written_per_writer", YES, NO, NO, WHAT),
    ("cache-inflated", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("cache-inflated reads", "factor", "expectation.read_over_ceiling", NO, NO, YES, NA),
    ("cache-inflated reads", "data-per-process", "io.read_per_reader", YES, NO, NO, WHAT),
]


def test_a_rate_within_the_quartiles_is_usual_however_far_below_the_median():
    values = HOLDS["below-expectation of quartiles"] | {"expectation.fraction_of_lower_quartile": 1.4}
    assert judge("below-expectation", values | {"expectation.fraction": 0.45}) == NO


def test_where_no_document_measured_nothing_is_judged():
    assert judge("below-expectation", {"io.written_per_writer": 1.0 * GIB, "group.weight": 1.0}) == NA
    assert judge("cache-inflated", {"io.written_per_writer": 1.0 * MIB, "group.weight": 1.0}) == NA


def test_the_seconds_are_those_beyond_the_documented_rate_and_at_least_those_beyond_half_of_it():
    """100 s at a quarter of the documented rate: 25 s would do, or 50 s at half of it."""
    of_own = HOLDS["below-expectation"] | {
        "expectation.fraction": 0.25,
        "expectation.documented_bandwidth": 4.0 * GIB,
    }
    impact = all_rules()["below-expectation"].impact(context(of_own))
    assert impact.of(75.0, 75.0, 100.0, None) == pytest.approx((45.0, 75.0 / 0.9))
    nearer = all_rules()["below-expectation"].impact(context(of_own | {"expectation.fraction": 0.6}))
    assert nearer.of(40.0, 40.0, 100.0, None) is None


@pytest.mark.parametrize(
    ("site", "file", "size", "stripes", "command"),
    [
        ("perlmutter", "/pscratch/sd/u/user/run/out.dat", 50 * 10**9, 1, "lfs setstripe -c 24 -S 1M "),
        ("perlmutter", "/pscratch/sd/u/user/run/out.dat", 50 * 10**9, 24, None),
        ("alps", "/capstor/scratch/cscs/user/run/out.dat", 10 * GIB, 1, "lfs setstripe -c 32 -S 4M "),
        (
            "frontier",
            "/lustre/orion/abc/scratch/user/out.dat",
            2 * 10**12,
            1,
            "lfs setstripe -c 16 -S 16M -p capacity ",
        ),
        ("frontier", "/lustre/orion/abc/scratch/user/out.dat", 10 * GIB, 1, None),
        ("frontera", "/scratch1/01234/user/run/out.dat", 500 * GIB, 1, "lfs setstripe -c 8 -S 1M "),
        ("archer", "/fs3/z01/z01/user/run/out.dat", 10 * GIB, 4, "lfs setstripe -c -1 -S 1M "),
    ],
)
def test_the_stripes_advised_are_those_of_the_site(site, file, size, stripes, command):
    values = {"file.size": size, "file.stripe_count": stripes, "job.nprocs": 4096, "io.pattern": "shared-collective"}
    advice = all_rules()["ssf-understriped"].advise(context(values, site=site, file=file))
    striping = [a.command for a in advice if a.command is not None and a.command.startswith("lfs setstripe")]
    assert striping == ([] if command is None else [command + file.rsplit("/", 1)[0]])


def test_vast_is_told_what_lustre_is_not():
    values = {"file.size": 10 * GIB, "file.stripe_count": 1, "job.nprocs": 4096, "io.pattern": "shared-collective"}

    def said(kind, file):
        advice = all_rules()["ssf-understriped"].advise(context(values, site="alps", file=file, file_system=kind))
        return "\n".join(a.command or "" for a in advice)

    assert "ROMIO_FSTYPE_FORCE" in said("vast", "/ritom/scratch/user/run/out.dat")
    assert "setstripe" not in said("vast", "/ritom/scratch/user/run/out.dat")
    assert "ROMIO_FSTYPE_FORCE" not in said("lustre", "/capstor/scratch/user/run/out.dat")
