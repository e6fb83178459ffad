"""A job of a thousand tasks has a log of each: a report says how all were read, and lists a few."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from described import KIB, Part, Work, in_steps

from iotriage.analysis.document import CaseDocument
from iotriage.reports.jira import as_jira
from iotriage.reports.markdown import as_markdown
from iotriage.reports.plain_text import as_plain_text
from iotriage.reports.sections.how_read import MOST_SOURCES
from iotriage.reports.terminal import as_text


def of_tasks(tasks: int) -> CaseDocument:
    def task(i: int) -> Work:
        return Work((Part(f"/scratch/in/{i}.xml", range(1), reads=30, size=3 * KIB, read_s=3.0),), 1, 20.0)

    return in_steps(*((task(i), 25.0 * i) for i in range(tasks)))


@pytest.mark.parametrize("form", [as_text, as_plain_text, as_markdown, as_jira])
@pytest.mark.parametrize(("beyond", "said"), [(0, None), (1, "nd 1 more, read whole"), (9, "nd 9 more, read whole")])
def test_a_report_lists_a_few_and_counts_the_rest(
    form: Callable[[CaseDocument], str], beyond: int, said: str | None
) -> None:
    text = " ".join(form(of_tasks(MOST_SOURCES + beyond)).split())
    assert text.count(".darshan") == MOST_SOURCES
    assert ("more, read whole" in text) is (said is not None)
    assert said is None or said in text


@pytest.mark.parametrize("form", [as_text, as_plain_text, as_markdown, as_jira])
def test_what_is_to_be_done_stands_there_however_many_come_before(form: Callable[[CaseDocument], str]) -> None:
    document = of_tasks(MOST_SOURCES + 3)
    *notes, cut, again = (replace(s, status="failed", failure="It says nothing.") for s in document.sources)
    notes = [replace(s, next_step="Give a log.") for s in notes]
    step = "Copy the log again."
    cut, again = (replace(s, failure="It was cut.", next_step=step) for s in (cut, again))
    text = " ".join(form(replace(document, sources=(*notes, cut, again))).split())
    assert (text.count(step), text.count("Give a log.")) == (1, 1)
    assert "nd 2 more, could not be read" in text
