"""The steps of the triage for a terminal; 100 columns at the most."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from iotriage.helpdesk.triage import State, TriageStep

WIDTH = 100
MARKS: dict[State, str] = {"fine": "✓", "found": "▲", "open": "?", "stop": "■", "apart": "·"}


def as_triage_text(steps: Iterable[TriageStep]) -> str:
    return "\n".join(line for i, step in enumerate(steps) for line in _lines(i, step)) + "\n"


def _lines(number: int, step: TriageStep) -> Iterator[str]:
    yield from _wrapped(step.question, f"{number} {MARKS[step.state]} ")
    yield from _wrapped(step.answer, "    ")
    if step.findings:
        yield from _wrapped(f"see {', '.join(step.findings)}", "    ")
    yield from (f"        {line}" for line in step.lines)


def _wrapped(text: str, first: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
