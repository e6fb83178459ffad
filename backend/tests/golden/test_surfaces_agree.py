"""The terminal and the reports say the same of the same: the sentence, the findings, the figures with their names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from samples import cases
from saying import document_of
from stats_text import extra

from iotriage.analysis.document import CaseDocument, KnownMetric
from iotriage.reports.account_text import saving_of
from iotriage.reports.formats import FORMATS
from iotriage.reports.terminal import as_text
from iotriage.rules.core.words import quantity

OTHERS = [
    path
    for name in ("logs", "cases")
    if (folder := extra(name)) is not None
    for path in sorted(folder.iterdir())
    if path.suffix in (".darshan", ".txt")
]
every_job = pytest.mark.parametrize(
    "sources", [*(c.sources for c in cases()), *((p,) for p in OTHERS)], ids=lambda s: s[0].name[:48]
)
TEXTS = ("plain", "markdown", "jira")


def said(text: str) -> str:
    """The words alone: markup, escapes and the breaks of lines are each surface's own."""
    return re.sub(r"[^\w.%,×/:]+", " ", text.replace("\\", ""))


def surfaces(document: CaseDocument) -> dict[str, str]:
    written = {name: said(FORMATS[name].write(document)) for name in TEXTS}
    return {"terminal": said(as_text(document)), **written}


@every_job
def test_the_sentence_on_top_is_one(sources: tuple[Path, ...]) -> None:
    document = document_of(sources)
    sentence = said(document.headline.sentence).strip()
    figure = said(document.headline.figure or "").strip()
    assert [name for name, text in surfaces(document).items() if sentence not in text or figure not in text] == []


@every_job
def test_what_was_found_and_what_it_could_save_are_one(sources: tuple[Path, ...]) -> None:
    document = document_of(sources)
    found = [f for f in document.findings if f.verdict == "triggered" and f.explained_by is None]
    for name, text in surfaces(document).items():
        for finding in {f.rule: f for f in reversed(found)}.values():
            assert said(finding.title).strip() in text, (name, finding.rule)
            saving = saving_of(finding)
            if saving is not None:
                assert said(saving).strip() in text, (name, finding.rule)


@every_job
def test_nothing_saves_more_than_it_takes(sources: tuple[Path, ...]) -> None:
    for finding in document_of(sources).findings:
        least, most, takes = finding.could_save_at_least_s, finding.could_save_s, finding.takes_s
        if least is not None or most is not None:
            assert least is not None
            assert most is not None
            assert takes is not None
            assert 0 < least <= most <= takes, finding.rule


@every_job
def test_a_figure_beside_its_name_is_that_of_the_metric(sources: tuple[Path, ...]) -> None:
    """ "Title: figure" in a finding's grounds, wherever the title is that of one metric of the job alone."""
    document = document_of(sources)
    known = [m for m in document.metrics.values() if isinstance(m, KnownMetric)]
    of_job = {m.title: quantity(m.value, m.unit) for m in known if m.title is not None}
    elsewhere = {m.title for g in document.groups for m in g.metrics.values() if m.title is not None}
    within = {title for title in of_job for other in of_job if other != title and other.endswith(title)}
    within |= {title for title in of_job for other in of_job if other.lower().endswith(f" {title.lower()}")}
    for name, text in surfaces(document).items():
        for title, figure in of_job.items():
            shown = set(re.findall(rf"(?<!\w){re.escape(said(title).strip())}: ([^:]*?), threshold", text))
            if title not in elsewhere | within:
                assert shown <= {said(figure).strip()}, (name, title)
