"""How a benchmark is started beside a job."""

from __future__ import annotations

from iotriage.rules.core import Context
from iotriage.rules.core.action import FillIn, RunCommand
from iotriage.rules.core.launching import run_again

_NEW_FILE = FillIn("NEW_FILE", "a new file where it is to be measured")


def written_then_read(context: Context, *how: str) -> tuple[RunCommand, RunCommand]:
    """IOR writing with a sync, and reading in a run of its own with the ranks shifted to other nodes: as many ranks as
    there were, on as many nodes, by the launcher of the site, or mpiexec where that is not known."""
    ranks = context.number("job.nprocs")
    by_any = () if ranks is None else ("mpiexec", "-n", str(round(ranks)))
    started = () if ranks in (None, 1.0) else run_again(context) or by_any
    write, read = ("-w", "-e", "-k"), ("-r", "-C", "-k")
    return (
        RunCommand((*started, "ior", *write, *how, "-o", _NEW_FILE)),
        RunCommand((*started, "ior", *read, *how, "-o", _NEW_FILE)),
    )
