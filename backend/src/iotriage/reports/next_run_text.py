"""The experiments that would prove a case's findings, as text for a terminal and lines for the job script."""

from __future__ import annotations

import textwrap

from iotriage.analysis.document.next_run import NextRun

WIDTH = 100
NOTHING_TO_PROVE = "There is nothing to prove: no finding has a fix to test.\n"


def as_next_run_text(next_run: NextRun | None) -> str:
    """Each experiment with its question, its script, and what its result would mean."""
    if next_run is None:
        return NOTHING_TO_PROVE
    lines: list[str] = []
    for experiment in next_run.experiments:
        lines += textwrap.wrap(experiment.question, WIDTH)
        if experiment.cost is not None:
            lines += textwrap.wrap(f"It costs {experiment.cost}.", WIDTH)
        lines += ["", *experiment.script.splitlines(), ""]
        lines += textwrap.wrap(f"Confirmed if {experiment.confirmed_if}; refuted if {experiment.refuted_if}.", WIDTH)
        lines.append("")
    lines += ["What to send back:", *(f"- {what}" for what in next_run.send_back)]
    return "\n".join(lines) + "\n"
