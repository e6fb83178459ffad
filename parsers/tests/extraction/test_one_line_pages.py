"""Texts that a ticket system or a mail program made a page of, all on one line."""

from __future__ import annotations

import html
import io

import pytest
from stats_text import REPOSITORY, block, codes, read

from iotriage_parsers.evidence import BenchmarkRates, MpiioHints, MpiioStats, SystemErrors
from iotriage_parsers.extraction.one_line_pages import is_one_line_page, opened
from iotriage_parsers.reader import Limits

MDTEST = (REPOSITORY / "sample-logs" / "mdtest" / "shared-directory" / "mdtest-fjord.txt").read_text(encoding="utf-8")
PAGES = {
    "breaks": "<html><body><p>Hello,</p>{}</body></html>",
    "a mail": '<html><head><style>p{{color:red}}</style></head><body class="a">{}</body></html>\n',
}
ENDS = {
    "br": "{}<br>",
    "br, old": "{}<BR/>",
    "div": '<div class="line">{}</div>',
    "table": "<tr><td>{}</td></tr>",
    "a document": '<w:p w:rsidR="0"><w:r><w:rPr><w:sz/></w:rPr><w:t xml:space="preserve">{}</w:t></w:r></w:p>',
    "an open document": '<text:p text:style-name="P1">{}</text:p>',
    "breaks of a document": "<w:r><w:t>{}</w:t><w:br/></w:r>",
    "span": '<p><span style="font-family:monospace">{}</span></p>',
}


def page(text: str, end: str, *, frame: str = "breaks", blanks: str = " ") -> str:
    escaped = (html.escape(line).replace(" ", blanks) for line in text.splitlines())
    return PAGES[frame].format("".join(ENDS[end].format(line) for line in escaped))


@pytest.mark.parametrize("frame", PAGES)
@pytest.mark.parametrize("blanks", [" ", "&nbsp;", "&#160;"])
@pytest.mark.parametrize("end", ENDS)
def test_the_figures_are_those_of_the_text(end: str, blanks: str, frame: str) -> None:
    evidence = read(page(f"step 1\n{block('a.dat')}", end, frame=frame, blanks=blanks))
    (found,), (whole,) = evidence.of(MpiioStats), read(block("a.dat")).of(MpiioStats)
    assert (found.file, found.total_bytes, found.aggregators_active) == (
        whole.file,
        whole.total_bytes,
        whole.aggregators_active,
    )
    assert found.complete
    assert "stripped" in codes(evidence)
    rates = read(page(MDTEST, end, frame=frame, blanks=blanks)).of(BenchmarkRates)[0].rates
    assert [(r.phase, r.mean) for r in rates] == [(r.phase, r.mean) for r in read(MDTEST).of(BenchmarkRates)[0].rates]


def test_blanks_and_tabs_that_a_document_has_elements_for() -> None:
    text = "key = cb_nodes            value = 4\n" * 3 + "key = striping_unit\tvalue = 8\n" * 3
    lines = (
        line.replace(" " * 12, '<text:s text:c="11"/><text:s/>').replace("\t", "<text:tab/>")
        for line in text.splitlines()
    )
    (found, *_) = read("".join(f"<text:p>{line}</text:p>" for line in lines)).of(MpiioHints)
    assert {(hint.key, hint.value) for hint in found.hints} <= {("cb_nodes", "4"), ("striping_unit", "8")}


def test_a_document_does_not_become_many_times_as_long_by_its_blanks() -> None:
    document = io.BytesIO(b'<text:p>a<text:s text:c="9999"/><text:s text:c="3"/>b</text:p>' * 200)
    with opened(document, Limits()) as text:
        whole = text.text.read()
    assert len(whole) < 3 * len(document.getvalue())
    assert whole.startswith(b"a  ")


def test_a_page_that_is_longer_than_what_is_read_at_once() -> None:
    lines = "".join(f"{n}: forrtl: Disk quota exceeded, unit {n % 9}\n" for n in range(40_000))
    (found,) = read(page(lines, "span")).of(SystemErrors)
    assert found.count == 40_000


@pytest.mark.parametrize(
    "text",
    [
        block("a.dat"),
        "".join(f"<p>{line}</p>\n" for line in MDTEST.splitlines()),
        "a <br> and a <br> in a sentence\n",
    ],
)
def test_what_is_none(text: str) -> None:
    assert not is_one_line_page(text.encode())
