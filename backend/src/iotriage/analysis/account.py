"""The account of the time as the document has it: of the job, and of each of its groups of files."""

from __future__ import annotations

from collections.abc import Sequence

from iotriage.analysis.document.account import Account
from iotriage.metrics import outcome
from iotriage.metrics.core.metric import Value
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.account.time_account import time_account
from iotriage.metrics.tables.grouping import Group


def account_of(job: Selection, groups: Sequence[Group]) -> Account | None:
    """None where no source has times that fit in the run."""
    of_job = time_account(job)
    if of_job is None:
        return None
    accounts = {g.id: of_job if g.selection.has_all_of_job else time_account(g.selection) for g in groups}
    of_groups = {id: found.cells for id, found in accounts.items() if found is not None}
    run = outcome(job, "job.runtime")
    runtime = float(run.value) if isinstance(run, Value) and isinstance(run.value, int | float) else None
    return Account(
        basis=of_job.basis,
        runtime_s=runtime,
        cells=of_job.cells,
        groups=of_groups,
        slowest=of_job.slowest,
        partial=of_job.partial,
        unknown=of_job.unknown,
        slowest_reason=of_job.slowest_reason,
    )
