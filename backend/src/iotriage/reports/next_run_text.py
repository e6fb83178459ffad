"""The experiments that would prove a case's findings, as text for a terminal and lines for the job script."""

from __future__ import annotations

from iotriage.analysis.document.next_run import NextRun
from iotriage.reports.wrapped import TERMINAL, wrapped

NOTHING_TO_PROVE = "There is nothing to prove: no finding has a fix to test.\n"


def as_next_run_text(next_run: NextRun | None, width: int = TERMINAL) -> str:
    """Each experiment with its question, its script, and what its result would mean."""
    if next_run is None:
        return NOTHING_TO_PROVE
    lines: list[str] = []
    for experiment in next_run.experiments:
        lines += wrapped(experiment.question, width)
        if experiment.cost is not None:
            lines += wrapped(f"It costs {experiment.cost}.", width)
        lines += ["", *experiment.script.splitlines(), ""]
        lines += wrapped(f"Confirmed if {experiment.confirmed_if}; refuted if {experiment.refuted_if}.", width)
        lines += [f"Compare its runs where they are: {experiment.comparing}", ""]
    lines += ["What to send back:", *(f"- {what}" for what in next_run.send_back)]
    return "\n".join(lines) + "\n"
