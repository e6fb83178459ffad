"""The shared lock mode is set where it must not be.

## What it does
Looks for the hint `cray_cb_write_lock_mode=1` in a run that also accesses files independently, uses HDF5 or PnetCDF, or
is watched by Darshan.

## Why it matters
With the shared lock only collective calls may touch the file. Any other access aborts or hangs: a header written by
one rank, metadata of HDF5, even the reading of sizes.

## What to do
Drop the hint. Mode 2, whose locks do not overlap, is another thing and is what ARCHER2's guide recommends.

## Limits
From a log alone the hint is not seen: it takes a display of the hints or the job script.
"""

from __future__ import annotations

from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, advice, ours
from iotriage.rules.core.action import MpiioHint, SetHint
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, Present, given

MODE = Threshold(
    id="shared-lock-mode-unsafe.mode",
    title="The lock mode that shares locks",
    default=1.0,
    unit="1",
    stated_by=Statement(
        "theta-io",
        "Cray Collective MPI-IO Shared Lock Utilization",
        "Mode 1 shares the lock; every access must then be collective.",
    ),
    minimum=0.0,
    maximum=2.0,
)
OTHERS = Threshold(
    id="shared-lock-mode-unsafe.independent",
    title="Independent calls from which it is unsafe",
    default=1.0,
    unit="calls",
    stated_by=ours("shared lock mode", "Theta's guide allows no access that is not collective."),
    minimum=1.0,
    maximum=1000.0,
    scale="log",
)

SHARED_LOCK = Citation("theta-io", "Cray Collective MPI-IO Shared Lock Utilization")

MODE_2 = Citation("intro-mpi", "MPI-IO hints")


def says(context: Context) -> Words:
    why = "Darshan watches this run." if context.number("posix.opens") is not None else "There are independent calls."
    return Words(
        "The shared lock mode is set, and not every access is collective: the run may abort or hang.",
        f"cray_cb_write_lock_mode=1 allows collective calls only. {why}",
    )


def advise(_: Context) -> tuple[Advice, ...]:
    mode_2 = SetHint("*", (MpiioHint("cray_cb_write_lock_mode", "2"),))
    return (
        advice(
            "Drop cray_cb_write_lock_mode=1: with it, every access to the file must be collective.",
            citation=SHARED_LOCK,
        ),
        advice("Or use mode 2, whose locks do not overlap.", mode_2, citation=MODE_2),
    )


rule = Rule(
    id="shared-lock-mode-unsafe",
    title="Shared lock mode beside other access",
    clear_title="The lock mode is safe",
    scope="job",
    severity="high",
    priority=2,
    requires=Present("hints.lock_mode"),
    condition=AllOf(
        (
            Compare("hints.lock_mode", "==", MODE.id),
            AnyOf(
                (
                    given("mpiio.independent_writes", Compare("mpiio.independent_writes", ">=", OTHERS.id)),
                    given("mpiio.independent_reads", Compare("mpiio.independent_reads", ">=", OTHERS.id)),
                    Present("posix.opens"),
                )
            ),
        )
    ),
    thresholds=(MODE, OTHERS),
    citations=(SHARED_LOCK,),
    says=says,
    advise=advise,
    weighed=False,
)
