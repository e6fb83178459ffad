"""The sentences of a set of runs: what becomes of the I/O with their number, and what tells them apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iotriage.analysis.run_sets.comparison_words import times_as, titles_of
from iotriage.analysis.run_sets.run import Run
from iotriage.analysis.run_sets.run_set_finding import RunSetFinding
from iotriage.analysis.run_sets.speed import Outcome
from iotriage.analysis.run_sets.step import Step, VerdictText, one_sentence
from iotriage.metrics.core.listing import listed
from iotriage.metrics.runs.run_set import RunFigures, RunSetKind, best_by_processes
from iotriage.rules.core.words import number, paragraph, seconds, size
from iotriage_parsers.frozen import frozen_identity


@frozen_identity
class RunDifferences:
    """What tells the runs of a set apart: the titles of the `causes` that only some of them show, with their labels,
    the labels of those that are `unlike` the first in what they move, and of those that are held against it by what a
    benchmark wrote, though both read too."""

    causes: Mapping[str, Sequence[str]]
    unlike: Sequence[str]
    by_writes: frozenset[str]


def set_sentence(
    kind: RunSetKind,
    runs: Sequence[RunFigures],
    found: Sequence[RunSetFinding],
    steps: Sequence[Step],
    apart: RunDifferences,
) -> tuple[VerdictText, str | None]:
    """The verdict on the whole set, and what must be known beside it. Of several runs that were each held against the
    first, what became of each; the sentences of the steps say the rest."""
    triggered = next((f for f in found if f.verdict == "triggered"), None)
    clear = next((f for f in found if f.verdict == "clear"), None)
    told_apart = triggered is None or (bool(apart.causes) and bool(steps) and steps[0].outcome != "same")
    if kind == "change" or (kind == "repeats" and told_apart and len(runs) == 2):
        if len(steps) == 1:
            return _of_step(steps[0]), steps[0].note
        return one_sentence(_of_each(runs, steps, apart.by_writes)), None
    if triggered is not None and triggered.headline is not None:
        only = [f"Only {listed(labels)}: {titles_of([title])}." for title, labels in apart.causes.items()]
        more = len(apart.unlike) > 1
        note = steps[0].note if len(steps) == 1 else None
        if apart.unlike and len(steps) > 1:
            note = f"{listed(apart.unlike)} {'do' if more else 'does'} not move as much as {runs[0].label}."
        beside = (note, *only) if kind == "repeats" else ()
        return one_sentence(triggered.headline), paragraph(triggered.summary, *beside)
    if kind == "scaling":
        return one_sentence(_scaling(runs)), None
    if clear is not None:
        return one_sentence(f"{clear.clear_title}."), _spread(kind, runs)
    if len(steps) == 1:
        return _of_step(steps[0]), steps[0].note
    return one_sentence(_open(kind, steps)), None


def _of_step(step: Step) -> VerdictText:
    return VerdictText(step.sentence, step.sentences)


def one_run_sentence(runs: Sequence[Run]) -> tuple[VerdictText, str]:
    labels, job = listed([run.label for run in runs]), runs[0].document.job.job_id
    return (
        one_sentence(f"{labels} are sources of one run, job {job}: there is no other run to compare it with."),
        "Where their figures differ, one of the sources has more of the run than the other.",
    )


BECAME: Mapping[Outcome, tuple[str, str]] = {
    "better": ("is better than {}", "are better than {}"),
    "worse": ("is worse than {}", "are worse than {}"),
    "mixed": (
        "is better than {} in one way and worse in another",
        "are better than {} in one way and worse in another",
    ),
    "same": ("does not differ from {}", "do not differ from {}"),
    "unknown": ("cannot be compared with {}", "cannot be compared with {}"),
}
"""Of one run, or of several, against the first."""
WRITES_ALIKE = ("writes as fast as {}", "write as fast as {}")
"""Of a benchmark's writing: its reads may differ all the same."""


def _of_each(runs: Sequence[RunFigures], steps: Sequence[Step], by_writes: frozenset[str]) -> str:
    first, sentences = runs[steps[0].against].label, []
    for outcome, words in BECAME.items():
        labels = [runs[step.run].label for step in steps if step.outcome == outcome]
        alike = [label for label in labels if outcome == "same" and label in by_writes]
        for some, (one, several) in (([x for x in labels if x not in alike], words), (alike, WRITES_ALIKE)):
            if some:
                sentences.append(f"{listed(some)} {(several if len(some) > 1 else one).format(first)}")
    # Labels and what became of them have an "and" of their own.
    return f"{', and '.join(filter(None, (', '.join(sentences[:-1]), sentences[-1])))}."


def _scaling(runs: Sequence[RunFigures]) -> str:
    by = best_by_processes(runs)
    if len(by) < 2 or not by[0].rate or not by[-1].rate or not by[0].processes or not by[-1].processes:
        return f"The runs differ in their number of ranks; their rates are not known.{_times_of(runs)}"
    rates = [(run.processes or 0, run.rate or 0.0) for run in by]
    (fewest, first), (most, last), highest = rates[0], rates[-1], max(rate for _, rate in rates)
    more = f"On {number(most / fewest)} times the ranks the I/O rate is"
    if highest < ALIKE * min(rate for _, rate in rates):
        return f"{more} the same ({_rate_phrase(rates[0])}, {_rate_phrase(rates[-1])}).{_times_of(runs)}"
    enough = next(i for i, (_, rate) in enumerate(rates) if highest < ALIKE * rate)
    if 0 < enough < len(rates) - 1:
        on = ", ".join(_rate_phrase(rates[i]) for i in (0, enough, -1))
        return f"The I/O rate grows up to {rates[enough][0]:,} ranks and no further ({on})."
    return f"{more} {times_as(last / first)} that on the fewest ({_rate_phrase(rates[0])}, {_rate_phrase(rates[-1])})."


ALIKE = 1.1
"""Rates that differ by less are called the same."""


def _rate_phrase(rate: tuple[int, float]) -> str:
    return f"{size(rate[1])}/s on {rate[0]:,}"


def _times_of(runs: Sequence[RunFigures]) -> str:
    """How long the I/O took on the fewest processes and on the most, where that is known."""
    known = [r for r in runs if r.processes and r.io_time_s is not None]
    if len(known) < len(runs):
        return ""
    few, many = (end(known, key=lambda r: r.processes or 0) for end in (min, max))
    if few.processes == many.processes:
        return ""
    took = f"{seconds(few.io_time_s or 0)} on {few.processes:,}, {seconds(many.io_time_s or 0)} on {many.processes:,}"
    return f" The I/O takes {took}."


def _spread(kind: RunSetKind, runs: Sequence[RunFigures]) -> str | None:
    rates = [r.rate for r in runs if r.rate]
    if len(rates) < 2:
        return None
    word = "runs" if kind == "repeats" else "stripe counts"
    return f"Best over worst of the {len(rates)} {word}: {number(max(rates) / min(rates))}."


def _open(kind: RunSetKind, steps: Sequence[Step]) -> str:
    if kind == "repeats" and all(step.outcome == "same" for step in steps):
        return "Nothing that the sources show differs between the runs."
    same = "Nothing that was set differs between the runs"
    differ = same if kind == "repeats" else "The runs differ in their stripe count only"
    return f"{differ}; they are too short, or lack the rates, to say which is best."
