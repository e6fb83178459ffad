"""Leaves out launches that a text traces after its last statistics. MPI-IO prints a program's statistics when it closes
a file, so a program that was started later did not print them and is another run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from iotriage_parsers.evidence import JobContext, MpiioStats, MpiioTimers, Part


def without_later_launches(parts: Sequence[tuple[int, Part]]) -> list[tuple[int, Part]]:
    """The parts, and of the traces in texts with statistics what was started before these end. Of a trace that has no
    such launch all stay: it is of something else."""
    last: dict[int, int] = {}
    for source, part in parts:
        if isinstance(part, MpiioStats | MpiioTimers) and part.trusted:
            last[source] = max(last.get(source, 0), part.lines.first)
    started = {i for i, p in parts if isinstance(p, JobContext) and i in last and _before(p, last[i])}
    return [
        (i, replace(p, launches=p.launches[: _before(p, last[i])]))
        if isinstance(p, JobContext) and p.source == "trace" and i in started
        else (i, p)
        for i, p in parts
    ]


def _before(trace: JobContext, line: int) -> int:
    """How many of its launches, which stand in the order of their lines, are before this line."""
    return sum(launch.line < line for launch in trace.launches) if trace.source == "trace" else 0
