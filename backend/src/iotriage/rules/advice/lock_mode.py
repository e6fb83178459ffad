"""Cray's shared lock for collective writes: offered only where every access is collective, else withheld with why."""

from __future__ import annotations

from iotriage.rules.advice.calls import file_pattern
from iotriage.rules.core.rule import Advice, Citation, Context, withheld
from iotriage.rules.core.words import counted

SHARED_LOCK = Citation("theta-io", "Cray Collective MPI-IO Shared Lock Utilization")


def share_lock(context: Context) -> Advice:
    """Several aggregators on each OST under one lock (mode 1), or why that is withheld here."""
    reason = not_all_collective(context)
    if reason is not None:
        because = f"{reason}, and any access that is not collective would abort or hang"
        return withheld("cray_cb_write_lock_mode=1, the lock that all writers share", because, SHARED_LOCK)
    hints = "cray_cb_write_lock_mode=1:cray_cb_nodes_multiplier=4:romio_no_indep_rw=true"
    return Advice(
        "Or let all writers share one lock; then every access to the file must be collective, and Darshan off.",
        f'export MPICH_MPIIO_HINTS="{file_pattern(context.file)}:{hints}"',
        "job-script",
        SHARED_LOCK,
    )


def not_all_collective(context: Context) -> str | None:
    """Who accesses the files other than collectively; None where nobody is seen to."""
    if context.api in ("HDF5", "PnetCDF"):
        return f"{context.api} writes headers and metadata independently"
    alone = sum(context.number(f"mpiio.independent_{way}") or 0 for way in ("writes", "reads"))
    if alone:
        return f"the program makes {counted(alone, 'independent call')}"
    if context.number("posix.opens") is not None:
        return "Darshan watches this run and writes on its own"
    return None
