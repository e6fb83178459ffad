"""Launches that contradict what their script asks for, and do not say how many ranks they start."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from iotriage_parsers.evidence import JobContext, Launch, Problem


def unsaid_ranks(context: JobContext, launches: Iterable[Launch]) -> Iterator[Problem]:
    """A note for each, but for those of which a condition chooses one."""
    for one in launches:
        if context.is_contradicted_by(one) and not one.undecided:
            message = (
                f"line {one.line}: {one.launcher} has other nodes, or other ranks of a node, than the script asks for, "
                "and no number of ranks: how many it started is not known"
            )
            yield Problem("note", message, line=one.line)
