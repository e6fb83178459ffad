"""What is said about runs of which nothing could be read, or that did not do all they were to do, and of what a
benchmark measured that is not compared."""

from __future__ import annotations

from collections.abc import Sequence

from iotriage.analysis.run_sets.run import Run, is_unread, lost_data, was_cut_short
from iotriage.metrics.core.listing import listed
from iotriage.rules.core.words import paragraph, printable


def unread_sentence(before: Run, after: Run) -> str | None:
    """That of one of two runs nothing could be read, or of neither, and why; None where both were read."""
    nothing = [run for run in (before, after) if is_unread(run.document)]
    if not nothing:
        return None
    why = dict.fromkeys(s.failure for run in nothing for s in run.document.sources if s.failure)
    reason = f" ({printable('; '.join(why))})" if why else ""
    of_what = "the other" if len(nothing) == 1 else "either"
    labels = listed([run.label for run in nothing])
    return f"{labels} could not be read{reason}: there is nothing to compare {of_what} with."


def with_failures(note: str | None, runs: Sequence[Run]) -> str | None:
    """The note, and which of the runs lost data or were ended: what they took is not what the whole takes."""
    lost = list(dict.fromkeys(run.label for run in runs if lost_data(run.document)))
    ended = list(dict.fromkeys(run.label for run in runs if was_cut_short(run.document)))
    if not lost and not ended:
        return note
    return paragraph(
        f"Reads or writes failed in {listed(lost)}: the files lack data." if lost else None,
        f"{listed(ended)} did not come to the end: what was to come is not in the figures." if ended else None,
        note,
    )


def with_omitted_layers(note: str | None, layers: Sequence[str]) -> str | None:
    """The note, and what a benchmark measured too and stands nowhere here."""
    if not layers:
        return note
    named = listed([printable(name) for name in layers])
    return paragraph(note, f"The results of {named} are compared with those of another output, where one is given.")
