"""The steps of the triage for a terminal; 100 columns at the most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from iotriage.helpdesk.triage import State, TriageStep
from iotriage.reports.wrapped import TERMINAL, wrapped

MARKS: dict[State, str] = {"fine": "✓", "found": "▲", "open": "?", "stop": "■", "apart": "·"}


def as_triage_text(steps: Iterable[TriageStep], width: int = TERMINAL) -> str:
    return "\n".join(line for i, step in enumerate(steps) for line in _lines(i, step, width)) + "\n"


def _lines(number: int, step: TriageStep, width: int) -> Iterator[str]:
    yield from wrapped(step.question, width, f"{number} {MARKS[step.state]} ", "    ")
    yield from wrapped(step.answer, width, "    ", "    ")
    if step.findings:
        yield from wrapped(f"see {', '.join(step.findings)}", width, "    ", "    ")
    yield from (f"        {line}" for line in step.lines)
