"""The rules about stripes: how many, how large, and on which OST the first lies."""

from __future__ import annotations

import pytest
from declared import GIB, KIB, MIB, NA, NO, WHAT, YES, context

from iotriage.rules import all_rules

HOLDS = {
    "fixed-ost-offset": {"striping.fixed_first_osts": 1, "striping.first_ost": 3},
    "fixed-ost-offset by the files": {
        "file.first_ost_share": 1.0,
        "file.stripes_possible": 12,
        "file.ost_pace": "usual",
        "file.ost_rate": 2.0**29,
    },
    "fixed-ost-offset by lfs getstripe": {
        "file.first_ost_share": 1.0,
        "file.first_ost": 7,
        "file.ost_pace": "unknown",
    },
    "fixed-ost-offset on a few": {
        "file.first_ost_share": 0.5,
        "file.first_osts_fraction": 0.1,
        "file.stripes_possible": 20,
        "file.first_osts_rate": 400 * MIB,
    },
    "ssf-understriped": {
        "file.other_osts": "some",
        "file.ost_pace": "usual",
        "file.ost_rate": 2.0**29,
        "mpiio.one_mover_each": "no",
        "io.pattern": "shared-collective",
        "file.stripe_count": 1,
        "file.stripes_at_once": 1,
        "file.stripes_per_node": 0.25,
        "file.size": 100 * GIB,
        "job.nprocs": 512,
        "group.weight": 1.0,
    },
    "ssf-understriped of fewer ranks": {
        "file.other_osts": "some",
        "file.ost_pace": "usual",
        "file.ost_rate": 2.0**29,
        "mpiio.one_mover_each": "no",
        "io.pattern": "shared-independent",
        "file.stripe_count": 1,
        "file.stripes_at_once": 1,
        "file.size": 100 * GIB,
        "job.nprocs": 64,
        "group.weight": 1.0,
    },
    "ssf-understriped of a series": {
        "file.other_osts": "some",
        "file.ost_pace": "usual",
        "file.ost_rate": 2.0**29,
        "mpiio.one_mover_each": "no",
        "io.pattern": "shared-independent",
        "file.stripe_count": 1,
        "file.stripes_at_once": 1,
        "file.stripes_per_node": 0.25,
        "file.size": GIB // 2,
        "io.bytes": 120 * GIB,
        "file.count": 240,
        "job.nprocs": 256,
        "group.weight": 1.0,
    },
    "ssf-understriped with three stripes": {
        "file.other_osts": "some",
        "file.ost_pace": "usual",
        "file.ost_rate": 2.0**29,
        "mpiio.one_mover_each": "no",
        "io.pattern": "shared-collective",
        "file.stripe_count": 3,
        "file.stripes_at_once": 3,
        "file.stripes_per_node": 0.75,
        "file.size": 100 * GIB,
        "job.nprocs": 512,
        "group.weight": 1.0,
    },
    "fpp-striped": {
        "io.pattern": "file-per-process",
        "file.stripe_count": 8,
        "file.count": 256,
        "file.own_at_once": 256,
        "file.own_per_ost": 4.0,
        "group.weight": 1.0,
    },
    "fpp-striped of very many files": {
        "io.pattern": "file-per-process",
        "file.stripe_count": 8,
        "file.count": 2048,
        "file.own_at_once": 2048,
        "group.weight": 1.0,
    },
    "fpp-striped of few ranks": {
        "io.pattern": "file-per-process",
        "file.stripe_count": 8,
        "file.count": 480,
        "file.own_at_once": 16,
        "file.own_per_ost": 0.3,
        "file.per_ost": 10.0,
        "file.size": 64 * MIB,
        "group.weight": 1.0,
    },
    "fpp-striped of few ranks and very many files": {
        "io.pattern": "file-per-process",
        "file.stripe_count": 8,
        "file.count": 2048,
        "file.own_at_once": 16,
        "file.own_per_ost": 0.3,
        "file.per_ost": 0.3,
        "file.size": 64 * MIB,
        "group.weight": 1.0,
    },
    "overstriped-small": {
        "file.stripe_count": 8,
        "file.stripes_filled": 0.1,
        "file.size": MIB,
        "group.weight": 1.0,
    },
    "overstriped-shared on Theta": {
        "job.site": "theta",
        "io.pattern": "shared-collective",
        "file.stripe_count": 48,
        "file.stripes_per_node": 6.0,
        "file.size": 100 * GIB,
        "job.nnodes": 8,
        "group.weight": 1.0,
    },
    "overstriped-shared on all OSTs of Theta": {
        "job.site": "theta",
        "io.pattern": "shared-collective",
        "file.stripe_count": 56,
        "file.size": 100 * GIB,
        "group.weight": 1.0,
    },
    "overstriped-shared on ARCHER": {
        "job.site": "archer",
        "io.pattern": "shared-collective",
        "file.stripe_count": 48,
        "file.size": 100 * GIB,
        "job.nprocs": 48,
        "group.weight": 1.0,
    },
    "ssf-stripe-size": {
        "job.site": "theta",
        "io.pattern": "shared-collective",
        "file.stripe_size": MIB,
        "file.size": 100 * GIB,
        "group.weight": 1.0,
    },
    "ssf-stripe-size anywhere": {
        "job.site": "generic-lustre",
        "io.pattern": "shared-independent",
        "file.stripe_size": 64 * KIB,
        "file.stripe_count": 48,
        "file.size": 100 * GIB,
        "group.weight": 1.0,
    },
}

AROUND = [
    ("fixed-ost-offset", "settings", "striping.fixed_first_osts", NO, YES, YES, NA),
    ("fixed-ost-offset by the files", "share", "file.first_ost_share", NO, YES, YES, NA),
    ("fixed-ost-offset by lfs getstripe", "index", "file.first_ost", WHAT, YES, YES, WHAT),
    ("fixed-ost-offset by the files", "osts", "file.stripes_possible", NO, YES, YES, WHAT),
    ("fixed-ost-offset by the files", "one-server", "file.ost_rate", YES, NO, NO, WHAT),
    ("fixed-ost-offset on a few", "few", "file.first_osts_fraction", YES, YES, NO, NO),
    ("fixed-ost-offset on a few", "fast", "file.first_osts_rate", YES, NO, NO, NO),
    ("ssf-understriped", "stripes", "file.stripe_count", YES, NO, NO, NA),
    ("ssf-understriped with three stripes", "ranks", "job.nprocs", NO, YES, YES, WHAT),
    ("ssf-understriped with three stripes", "stripes-per-node", "file.stripes_per_node", YES, NO, NO, WHAT),
    ("ssf-understriped of fewer ranks", "few-stripes", "file.stripe_count", YES, NO, NO, NA),
    ("ssf-understriped of fewer ranks", "some-ranks", "job.nprocs", NA, YES, YES, WHAT),
    ("ssf-understriped", "stripes", "file.stripes_at_once", YES, NO, NO, WHAT),
    ("ssf-understriped", "file-size", "file.size", NA, YES, YES, NA),
    ("ssf-understriped", "one-server", "file.ost_rate", YES, NA, NA, WHAT),
    ("ssf-understriped of a series", "file-of-series", "file.size", NA, YES, YES, NA),
    ("ssf-understriped of a series", "series", "io.bytes", NA, YES, YES, NA),
    ("ssf-understriped of a series", "files-of-series", "file.count", NA, YES, YES, NA),
    ("ssf-understriped", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("fpp-striped", "stripes", "file.stripe_count", NO, NO, YES, NA),
    ("fpp-striped", "files", "file.count", NA, YES, YES, WHAT),
    ("fpp-striped", "per-ost", "file.own_per_ost", WHAT, YES, YES, WHAT),
    ("fpp-striped of very many files", "many", "file.own_at_once", WHAT, YES, YES, WHAT),
    ("fpp-striped of few ranks", "per-ost", "file.per_ost", NO, YES, YES, WHAT),
    ("fpp-striped of few ranks", "large", "file.size", YES, NO, NO, WHAT),
    ("fpp-striped of few ranks and very many files", "many", "file.count", NO, YES, YES, WHAT),
    ("fpp-striped", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("overstriped-small", "stripes", "file.stripe_count", NO, NO, YES, WHAT),
    ("overstriped-small", "filled", "file.stripes_filled", YES, NO, NO, NA),
    ("overstriped-small", "file-size", "file.size", YES, NO, NO, WHAT),
    ("overstriped-small", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("overstriped-shared on Theta", "stripes-per-node", "file.stripes_per_node", NO, NO, YES, WHAT),
    ("overstriped-shared on all OSTs of Theta", "most-stripes", "file.stripe_count", NO, NO, YES, NA),
    ("overstriped-shared on ARCHER", "few-ranks-stripes", "file.stripe_count", NO, NO, YES, NA),
    ("overstriped-shared on ARCHER", "ranks", "job.nprocs", YES, NO, NO, WHAT),
    ("overstriped-shared on ARCHER", "file-size", "file.size", NA, YES, YES, WHAT),
    ("overstriped-shared on ARCHER", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("ssf-stripe-size", "stripe-size", "file.stripe_size", YES, NO, NO, NA),
    ("ssf-stripe-size", "file-size", "file.size", NA, YES, YES, WHAT),
    ("ssf-stripe-size", "share-of-job", "group.weight", NA, YES, YES, WHAT),
    ("ssf-stripe-size anywhere", "smallest", "file.stripe_size", YES, NO, NO, NA),
    ("ssf-stripe-size anywhere", "stripes", "file.stripe_count", NO, YES, YES, WHAT),
]

QUIET = {
    "as many stripes as nodes of Theta": (
        "overstriped-shared",
        HOLDS["overstriped-shared on Theta"] | {"job.nnodes": 48, "file.stripes_per_node": 1.0},
    ),
    "all OSTs of another site": (
        "overstriped-shared",
        HOLDS["overstriped-shared on ARCHER"] | {"job.site": "archer2"},
    ),
}


@pytest.mark.parametrize(("site", "size"), [("theta", "8M"), ("generic-lustre", "1M")])
def test_stripes_are_as_large_as_was_best_there_and_elsewhere_as_is_advised_of_all(site: str, size: str) -> None:
    values = HOLDS["ssf-stripe-size anywhere"] | {"job.site": site}
    (advice,) = all_rules()["ssf-stripe-size"].advise(context(values, file_system="lustre"))
    assert f"lfs setstripe -c 48 -S {size} " in advice.command


def test_the_choice_of_the_ost_is_given_back_and_the_stripe_count_kept():
    values = HOLDS["fixed-ost-offset"]
    (advice,) = all_rules()["fixed-ost-offset"].advise(context(values | {"file.stripe_count": 4}))
    assert advice.command == "lfs setstripe -c 4 -S 1M -i -1 /lus/fs/project/run"
