"""The words that start the job, or something in its place, on its machine."""

from __future__ import annotations

from iotriage.rules.core.action import FillIn
from iotriage.rules.core.rule import Context
from iotriage.sites.launcher import started_at

PROGRAM = FillIn("PROGRAM", "the program as the job starts it")


def run_again(context: Context) -> tuple[str, ...]:
    """With the ranks and nodes that the job had; empty where the launcher of its site is not known."""
    ranks, nodes = context.number("job.nprocs"), context.number("job.nnodes")
    return started_at(context.site, None if ranks is None else round(ranks), None if nodes is None else round(nodes))
