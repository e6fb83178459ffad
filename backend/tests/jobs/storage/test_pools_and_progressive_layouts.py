"""What is advised about stripes keeps the files in their pool, and says what it replaces."""

from __future__ import annotations

from dataclasses import replace

import pytest
from described import GIB, MIB, Part, Work, document, log_of, osts, own, uneven
from sources_of_jobs import given

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.evidence import Evidence


def laid(work: Work, **layout: object) -> CaseDocument:
    log = log_of(work)
    striped = tuple(replace(one, **layout) for one in log.lustre)  # type: ignore[arg-type]
    return diagnose([ReadSource("job.darshan", "0" * 64, 1, Evidence("darshan_log", (replace(log, lustre=striped),)))])


def lines(found: CaseDocument) -> list[str]:
    """All that is said with a layout in it."""
    asked = None if found.unexplained is None else found.unexplained.command
    advised = [one.command for f in found.findings if f.verdict == "triggered" for one in f.advice]
    return [line for line in (*advised, asked) if line is not None and "lfs setstripe" in line]


ONE_STRIPE = Work(
    (Part("/scratch/r/o.dat", range(64), writes=512, size=4 * MIB, write_s=uneven(64, 100.0), osts=(1,)),),
    64,
    200.0,
    nodes=2,
)
OWN_FILES_WIDELY_STRIPED = Work(
    tuple(
        Part(f"/scratch/r/o{{}}.{k}", range(64), writes=4, write_s=0.2, meta_s=1.0, osts=osts(48)) for k in range(35)
    ),
    64,
    80.0,
    nodes=2,
)
BUSY = Work(
    (Part("/scratch/r/o.dat", range(128), writes=1024, size=4 * MIB, write_s=uneven(128, 120.0), osts=osts(4)),),
    128,
    300.0,
    nodes=4,
)


@pytest.mark.parametrize("work", [ONE_STRIPE, OWN_FILES_WIDELY_STRIPED])
def test_files_stay_in_their_pool(work: Work) -> None:
    in_a_pool = lines(laid(work, pool="flash"))
    assert in_a_pool
    assert all("-p flash" in line for line in in_a_pool)
    assert not any("-p " in line for line in lines(laid(work)))


def test_how_many_osts_a_pool_has_is_seen_before_more_of_them_are_tried() -> None:
    asked = laid(BUSY, pool="flash").unexplained
    assert asked is not None
    assert "The files are in a pool" in (asked.experiment or "")
    assert asked.command == "lfs pool_list /scratch/r/o.dat"
    every = osts(48)
    of_all = replace(BUSY, parts=(replace(BUSY.parts[0], writes=12 * 1024, osts=every),))
    everywhere = laid(of_all, pool="flash").unexplained
    assert everywhere is not None
    assert "every OST is busy" in (everywhere.experiment or "")
    assert any("-c 8" in line for line in lines(laid(BUSY)))


def test_a_plain_layout_is_not_put_in_place_of_a_progressive_one_without_a_word() -> None:
    said = [
        any("progressive" in one.text for f in found.findings if f.verdict == "triggered" for one in f.advice)
        for found in (laid(ONE_STRIPE, composite=True, extent_start=GIB), laid(ONE_STRIPE))
    ]
    assert said == [True, False]


def test_of_files_that_end_before_the_main_component_nothing_is_said() -> None:
    small = Part("/scratch/r/o{}.dat", range(128), writes=64, write_s=uneven(128, 20.0), meta_s=20.0, osts=own(128))
    found = laid(Work((small,), 128, 80.0, nodes=4), composite=True, extent_start=GIB, stripe_count=48, osts=())
    assert not lines(found)


@pytest.mark.parametrize("nodes", [1, 2, 8])
def test_no_more_stripes_than_nodes_are_asked_for_on_theta_but_four(nodes: int) -> None:
    part = Part("/lus/theta-fs0/p/o.dat", range(64), writes=512, size=4 * MIB, write_s=uneven(64, 100.0), osts=(1,))
    work = Work((part,), 64, 200.0, nodes=nodes, site="theta", mounts=(("/lus/theta-fs0", "lustre"), ("/home", "nfs")))
    assert [line for line in lines(document(work)) if f"-c {max(nodes, 4)} " in line]


PLAIN, PROGRESSIVE = "lfs setstripe -c 4 -S 1M /scratch/r", "lfs setstripe -E 1G -c 1 -E -1 -c 4 /scratch/r"


@pytest.mark.parametrize(
    ("script", "has_it"), [((PLAIN,), True), ((PROGRESSIVE, PLAIN), True), ((PLAIN, PROGRESSIVE), False)]
)
def test_a_script_has_the_layout_that_it_sets_last(script: tuple[str, ...], has_it: bool) -> None:
    log = ReadSource("job.darshan", "0" * 64, 1, Evidence("darshan_log", (log_of(ONE_STRIPE),)))
    job = given("job.sh", "\n".join(["#!/bin/bash", "#SBATCH -n 64", *script, "srun -n 64 /sw/app", ""]))
    advised = [a for f in diagnose([log, job]).findings if f.rule == "ssf-understriped" for a in f.advice]
    assert any("has it already" in (a.withheld or "") or "there already" in (a.text or "") for a in advised) is has_it
