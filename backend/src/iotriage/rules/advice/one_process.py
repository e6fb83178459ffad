"""One process that waits for each access to its many files: several, side by side."""

from __future__ import annotations

from iotriage.rules.advice.calls import mostly_reads
from iotriage.rules.core import Advice, Context, advice
from iotriage.rules.core.action import FillIn, RunCommand

FILES = 16
"""Files from which several processes have a share each."""


def side_by_side(context: Context) -> tuple[Advice, ...]:
    """Empty where there are several processes already, few files, or more is written than read: who writes them may
    need what was read before."""
    if context.number("job.nprocs") != 1 or (context.files or 1) < FILES or not mostly_reads(context):
        return ()
    return (
        advice(
            "One process waits for each access: let several read the files side by side, each a share of them. Where "
            "the program takes its files as arguments, xargs starts it; in Python it is a pool of processes.",
            RunCommand(("xargs", "-a", FillIn("LIST_OF_FILES"), "-n", "10", "-P", "8", FillIn("PROGRAM"))),
        ),
    )
