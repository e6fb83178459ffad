"""The shared lock mode is set where it must not be.

## What it does
Looks for the hint `cray_cb_write_lock_mode=1` in a run that also accesses files independently, uses HDF5, NetCDF or
PnetCDF, is watched by Darshan, or does not set `romio_no_indep_rw=true` beside it.

## Why it matters
With the shared lock only collective calls may touch the file. Any other access aborts or hangs: a header written by
one rank, metadata of HDF5, even the reading of sizes.

## What to do
Where only `romio_no_indep_rw=true` is missing, set it. Else drop the hint. Mode 2, whose locks do not overlap, is
another thing and is what ARCHER2's guide recommends.

## Limits
From a log alone the hint is not seen: it takes a display of the hints or the job script.
"""

from __future__ import annotations

from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, advice, ours
from iotriage.rules.core.action import MpiioHint, SetHint
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, Present, when_present
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import paragraph, printable

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
    slider=linear(0.0, 2.0),
)
OTHERS = Threshold(
    id="shared-lock-mode-unsafe.independent",
    title="Independent calls from which it is unsafe",
    default=1.0,
    unit="calls",
    stated_by=ours("shared lock mode", "Theta's guide allows no access that is not collective."),
    slider=logarithmic(1.0, 1000.0),
)

SHARED_LOCK = Citation("theta-io", "Cray Collective MPI-IO Shared Lock Utilization")

MODE_2 = Citation("intro-mpi", "MPI-IO hints")


NOT_RULED_OUT = ("false", "disable", "disabled", "no", "0")
"""Values of romio_no_indep_rw with which independent access goes on."""

LIBRARIES = ("HDF5", "NetCDF", "PnetCDF")


def says(context: Context) -> Words:
    others, file = _others(context), context.word("hints.shared_lock_file")
    set_for = "" if file is None else f" for {printable(file)}"
    if not others:
        return Words(
            "The shared lock mode is set without the hint that it needs: the run may abort or hang.",
            f"cray_cb_write_lock_mode=1 is set{set_for}, and romio_no_indep_rw is not true beside it.",
        )
    return Words(
        "The shared lock mode is set, and not every access is collective: the run may abort or hang.",
        paragraph(f"cray_cb_write_lock_mode=1{set_for} allows collective calls only.", *others),
    )


def _others(context: Context) -> tuple[str, ...]:
    """Who makes accesses that are not collective, as far as the sources show."""
    library = context.word("job.io_library")
    alone = context.number("hints.shared_lock_independent") or 0
    found = (
        "Darshan watches this run." if context.number("posix.opens") is not None else None,
        f"The program uses {library}, which makes independent accesses." if library in LIBRARIES else None,
        "There are independent calls on such files." if alone else None,
    )
    return tuple(text for text in found if text is not None)


def advise(context: Context) -> tuple[Advice, ...]:
    if not _others(context):
        complete = SetHint("*", (MpiioHint("romio_no_indep_rw", "true"),))
        text = "Set romio_no_indep_rw=true beside cray_cb_write_lock_mode=1, as Theta's guide demands."
        return (advice(text, complete, citation=SHARED_LOCK),)
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
    requires=Present("hints.shared_lock_mode"),
    condition=AllOf(
        (
            Compare("hints.shared_lock_mode", "==", MODE.id),
            AnyOf(
                (
                    when_present(
                        "hints.shared_lock_independent", Compare("hints.shared_lock_independent", ">=", OTHERS.id)
                    ),
                    Present("posix.opens"),
                    when_present("job.io_library", IsOneOf("job.io_library", LIBRARIES)),
                    when_present("hints.no_indep_rw", IsOneOf("hints.no_indep_rw", NOT_RULED_OUT)),
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
