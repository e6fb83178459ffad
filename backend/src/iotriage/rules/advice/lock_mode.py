"""Cray's shared lock for collective writes: offered only where every access is collective, else withheld with why."""

from __future__ import annotations

from iotriage.rules.advice.calls import file_pattern
from iotriage.rules.core import Advice, Citation, Context, advice, withheld
from iotriage.rules.core.action import MpiioHint, SetHint
from iotriage.rules.core.words import plural

SHARED_LOCK = Citation("theta-io", "Cray Collective MPI-IO Shared Lock Utilization")
_SHARED = (
    MpiioHint("cray_cb_write_lock_mode", "1"),
    MpiioHint("cray_cb_nodes_multiplier", "4"),
    MpiioHint("romio_no_indep_rw", "true"),
)


def share_lock(context: Context) -> Advice:
    """Several aggregators on each OST under one lock (mode 1), or why that is withheld here."""
    reason = not_all_collective(context)
    if reason is not None:
        because = f"{reason}, and any access that is not collective would abort or hang"
        return withheld("cray_cb_write_lock_mode=1, the lock that all writers share", because, SHARED_LOCK)
    return advice(
        "Or let all writers share one lock; then every access to the file must be collective, and Darshan off.",
        SetHint(file_pattern(context), _SHARED),
        citation=SHARED_LOCK,
    )


def not_all_collective(context: Context) -> str | None:
    """Who accesses the files other than collectively; None where nobody is seen to."""
    if context.api in ("HDF5", "PnetCDF"):
        return f"{context.api} writes headers and metadata independently"
    alone = sum(context.number(f"mpiio.independent_{way}") or 0 for way in ("writes", "reads"))
    if alone:
        return f"the program makes {plural(alone, 'independent call')}"
    if context.number("posix.opens") is not None:
        return "Darshan watches this run and writes on its own"
    return None
