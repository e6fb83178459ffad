"""How a benchmark is started beside a job."""

from __future__ import annotations

from iotriage.rules.core import Context
from iotriage.rules.core.action import FillIn, RunCommand


def written_then_read(context: Context, *how: str) -> tuple[RunCommand, RunCommand]:
    """IOR writing with a sync, and reading in a run of its own with the ranks shifted to other nodes: as many ranks as
    there were, by the launcher of the site; where that is not known, the reader has one."""
    ranks, launcher = context.number("job.nprocs"), context.site.launcher
    started = () if launcher is None or ranks is None or ranks <= 1 else (launcher, "-n", str(round(ranks)))
    write, read = ("-w", "-e", "-k"), ("-r", "-C", "-k")
    return (
        RunCommand((*started, "ior", *write, *how, "-o", FillIn("FILE"))),
        RunCommand((*started, "ior", *read, *how, "-o", FillIn("FILE"))),
    )
