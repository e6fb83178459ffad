"""How much of a source was read, in a word or a few, and what to give instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from iotriage.analysis.document import CaseDocument, SourceReport
from iotriage.rules.core.words import number

# Of the reading alone, as the page says it: a text that was read whole may be of a job that did not come to its end.
_SAYS: Final[Mapping[str, str]] = {
    "complete": "read whole",
    "partial": "read in part",
    "nothing": "nothing that we read in it",
    "failed": "could not be read",
}


def how_read(source: SourceReport) -> str:
    return "left out: of another job" if source.of_another_job else _SAYS[source.status]


def step_of(source: SourceReport, document: CaseDocument) -> str | None:
    """What to do about a source that could not be read, where that stands neither on top nor at another source."""
    first = next(s for s in document.sources if s.next_step == source.next_step)
    return source.next_step if first is source and source.next_step != document.headline.action else None


MOST_SOURCES = 12
"""A folder of tasks brings a thousand logs: of those that were read alike, whoever reads a report sees as many."""


def listed_sources(sources: Sequence[SourceReport]) -> tuple[list[SourceReport], tuple[str, ...]]:
    """The first of those that were read alike, those too that are the first to say what is to be done, and of the
    others how many there are: "988 more, read whole"."""
    seen: Counter[str] = Counter()
    others: Counter[str] = Counter()
    steps: set[str | None] = {None}
    listed = []
    for source in sources:
        how = f"{how_read(source)}{', with warnings' if source.warnings else ''}"
        seen[how] += 1
        if seen[how] <= MOST_SOURCES or source.next_step not in steps:
            listed.append(source)
        else:
            others[how] += 1
        steps.add(source.next_step)
    return listed, tuple(f"{number(count)} more, {how}" for how, count in others.items())
