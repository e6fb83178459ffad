"""The report of every sample in every format: whole, within its columns, and safe from what names contain."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from sample_documents import document_of, sources_of
from samples import case

from iotriage.analysis.decision.headline_figure import bound_in_document
from iotriage.analysis.decision.moved_thresholds import with_thresholds
from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.reports.blocks import Command, Paragraph, report_blocks
from iotriage.reports.jira import as_jira
from iotriage.reports.markdown import as_markdown
from iotriage.reports.plain_text import as_plain_text
from iotriage.reports.sections.expected import MOST_TABLES, expected_lines
from iotriage.reports.sections.grounds import figures_of
from iotriage.reports.sections.located import with_location
from iotriage.reports.terminal import as_text
from iotriage.reports.wrapped import MAIL
from iotriage.rules.core.words import quantity
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import Problem

MIB, GIB = 2.0**20, 2.0**30
SAMPLES = Path(__file__).parents[3] / "sample-logs"
CASES = sorted(p.parent for p in SAMPLES.glob("*/*/findings.json"))
NAMES = [f"{case.parent.name}/{case.name}" for case in CASES]


def _document(name: str) -> CaseDocument:
    return document_of(case(name).sources)


def _hostile() -> CaseDocument:
    document = _document("darshan_log/01-serial-gather")
    name = "a|b*c*_d_<img src=x onerror=alert(1)>`e`{noformat}[f](javascript:g)\\h.darshan"
    return replace(
        document,
        sources=(replace(document.sources[0], name=name),),
        job=replace(document.job, executable=f"/bin/{name.replace('/', '')}"),
    )


@pytest.mark.parametrize("name", NAMES)
def test_plain_text_stays_within_its_columns(name: str) -> None:
    document = _document(name)
    commands = {
        f"    {line}" for block in report_blocks(document) if isinstance(block, Command) for line in block.lines
    }
    for line in as_plain_text(document).splitlines():
        assert len(line) <= MAIL or line in commands or len(max(line.split(), key=len)) > MAIL - 12, line


@pytest.mark.parametrize("name", NAMES)
def test_every_format_has_the_sentence_and_every_command(name: str) -> None:
    document = _document(name)
    lines = [line for block in report_blocks(document) if isinstance(block, Command) for line in block.lines]
    for text in (as_plain_text(document), as_markdown(document), as_jira(document)):
        given = {line.strip() for line in text.splitlines()}
        assert {line.strip() for line in lines} <= given
        if document.job.nprocs == 1:
            assert "In I/O, slowest rank" not in text
            assert "by the slowest rank" not in text
            assert "mean rank" not in text
    assert document.headline.sentence in " ".join(as_plain_text(document).split("===")[0].split())


def test_markdown_leaves_no_markup_of_a_name() -> None:
    text = as_markdown(_hostile())
    row = next(line for line in text.splitlines() if "onerror" in line and "Darshan" in line)
    # Three cells: what remains of unescaped bars are the table's own.
    assert len(re.findall(r"(?<!\\)\|", row)) == 4
    assert not re.search(r"(?<!\\)[<`*\[{]", row)


def test_jira_leaves_no_markup_of_a_name() -> None:
    text = as_jira(_hostile())
    row = next(line for line in text.splitlines() if "onerror" in line and "Darshan" in line)
    assert len(re.findall(r"(?<!\\)\|", row)) == 4
    assert not re.search(r"(?<!\\)[\[{]", row)
    assert "{noformat}" not in row


def test_a_hyphen_inside_a_word_is_no_markup_in_jira() -> None:
    assert "-modify-" in as_jira(_document("darshan_log/07-shared-strided-sieving"))


def test_a_moved_threshold_is_told() -> None:
    document = with_thresholds(_document("darshan_log/03-fpp-many-small-files"), {"metadata-bound.fraction": 0.123})
    text = " ".join(as_plain_text(document).split())
    assert "(metadata-bound.fraction)" in text
    assert "used: 12.3 % instead of: 50 %" in text
    assert "moved by the reader" in text


def test_a_terminal_lists_what_was_moved_from_and_to() -> None:
    found = _document("darshan_log/03-fpp-many-small-files")
    assert "your own thresholds" not in as_text(found)
    text = " ".join(as_text(with_thresholds(found, {"metadata-bound.fraction": 0.123})).split())
    assert "your own thresholds" in text
    assert "(metadata-bound.fraction): 12.3 % instead of 50 %" in text


def test_thresholds_that_all_stand_as_documented_are_told_too() -> None:
    document = _document("darshan_log/01-serial-gather")
    said = [b.text for b in report_blocks(document) if isinstance(b, Paragraph)]
    assert f"All {len(document.thresholds)} thresholds are at the values of the rules and their documents." in said


def test_shares_are_in_per_cent_and_one_of_a_kind_is_not_plural() -> None:
    """A fraction of 1 read as a count of one; so did a threshold of 0.5."""
    document = _document("darshan_log/06-shared-indep-1000b-unaligned")
    (said,) = (f for f in document.findings if f.severity == "high")
    lines = figures_of(said, document)
    assert "Independent share of MPI-IO writes: 100 %, threshold ≥ 50 % [archer2-io, I/O profiling]" in lines
    assert quantity(1, "ranks") == "1 rank"
    assert quantity(1.5, "ranks") == "1.5 ranks"
    assert quantity(0.9999, "share") == "over 99 %"
    assert quantity(12.0, "1") == "12"


def test_why_a_source_could_not_be_read_ends_before_what_to_give_instead() -> None:
    document = _document("darshan_log/01-serial-gather")
    failed = replace(document.sources[0], failure='it begins with "step 1"', next_step="Give a log.")
    text = " ".join(as_plain_text(replace(document, sources=(failed,))).split())
    assert 'it begins with "step 1". Give a log.' in text


def test_of_what_was_not_read_it_is_said_once_what_to_give_and_nothing_is_judged() -> None:
    refused = read(io.BytesIO(b"# A readme"))
    sources = [ReadSource(name, name, 10, refused) for name in ("one.md", "two.md")]
    nothing = diagnose(sources)
    (log,) = case("darshan_log/01-serial-gather").sources
    beside = diagnose([*sources, *sources_of((log,))])
    for write in (as_text, as_plain_text, as_markdown, as_jira):
        for document in (nothing, beside):
            said = " ".join(write(document).replace("\\", "").split())
            assert said.count("Give a Darshan log") == 1
        said = write(nothing)
        assert [word in said for word in ("Any system", "in order", "fine", "thresholds")] == [False] * 4


def test_a_complaint_names_its_place_once() -> None:
    message = "POSIX: 1 counter is not available."
    assert with_location(Problem("note", message, where="POSIX")) == message
    assert with_location(Problem("note", "it was cut", where="POSIX")) == "POSIX: it was cut"
    assert with_location(Problem("note", "it was cut", line=9)) == "line 9: it was cut"


def test_seconds_that_may_be_fewer_are_said_as_the_most() -> None:
    """Files with one record for all ranks do not say whose seconds add up: the page says so, and so does every text."""
    document = _document("darshan_log/01-serial-gather")
    assert document.account is not None
    assert document.account.slowest is not None
    slowest = document.account.slowest
    sure = replace(document, account=replace(document.account, slowest=replace(slowest, least_s=slowest.most_s)))
    unsure = replace(
        document, account=replace(document.account, slowest=replace(slowest, least_s=0.5 * slowest.most_s))
    )
    assert (bound_in_document(sure), bound_in_document(unsure)) == ("", "at most ")
    assert "I/O at most " not in as_text(sure)
    assert "of the run in I/O" in as_text(unsure)
    for text in (as_text(unsure), as_plain_text(unsure), as_markdown(unsure)):
        assert re.search(r"I/O(, slowest rank\W+)? *at most ", text), text[:600]


def test_a_figure_that_is_the_least_is_said_so_where_it_is_held_against_its_threshold() -> None:
    document = _document("darshan_log/43-record-overflow-partial")
    for text in (as_text(document), as_plain_text(document), as_markdown(document), as_jira(document)):
        words = " ".join(text.replace("\\", "").split())
        assert "without modules and libraries: at least 4,096 calls" in words
        # The rate of some files is no bound of that of all.
        assert "736 KiB/s in what is recorded" in words


def test_what_would_settle_some_findings_is_not_said_of_all() -> None:
    document = _document("craypat/lite-small-records")
    some = "collective-disabled, few-aggregators would be settled by the access patterns"
    for write in (as_text, as_plain_text, as_markdown, as_jira):
        words = " ".join(re.sub(r"[\\`]", "", write(document)).split())
        assert some in words, write.__name__
        assert "few-aggregators would be settled by a Darshan log" not in words, write.__name__
    assert "  would be settled by a Darshan log" in as_text(document)
    assert "\nWould be settled by a Darshan log" in as_markdown(document)


def test_of_many_rates_that_documents_have_figures_for_the_rest_is_counted() -> None:
    document = _document("lustre-ssf-archer2-settings")
    (one,) = document.expectation
    told = [expected_lines(replace(document, expectation=(one,) * times)) for times in (MOST_TABLES, MOST_TABLES + 2)]
    assert [len(lines) for lines in told] == [MOST_TABLES, MOST_TABLES + 1]
    assert told[1][-1] == "and 2 more rates that documents have figures for"


@pytest.mark.parametrize(
    ("least", "most", "said"),
    [
        (2.0 * GIB, 4.0 * GIB, "2 to 4 GiB/s"),
        (4.0 * MIB, 2.0 * GIB, "4.00 MiB/s to 2 GiB/s"),
        (0.5 * MIB, 4.0 * MIB, "512 KiB/s to 4.00 MiB/s"),
    ],
)
def test_each_end_of_a_documented_range_has_its_unit_where_they_differ(least: float, most: float, said: str) -> None:
    document = _document("lustre-ssf-archer2-settings")
    (one,) = document.expectation
    (curve, *_), (point, *_) = one.curves, one.points
    row = replace(curve.rows[0], processes=point.processes, minimum=least, rate=most)
    ranging = replace(curve, statistic="range", unit="GiB/s", rows=(row,))
    placed = replace(point, own=(curve.id,), documented=most, fraction=0.5)
    (line, *_) = expected_lines(replace(document, expectation=(replace(one, curves=(ranging,), points=(placed,)),)))
    assert f" {said} " in line


def test_a_terminal_has_the_rule_beside_its_title_where_both_fit() -> None:
    document = _document("39-heat2d-legacy")
    first = next(f for f in document.findings if f.verdict == "triggered")
    beside = [
        any(first.title in line and f"{first.rule} (" in line for line in as_text(document, width=width).splitlines())
        for width in (100, 40)
    ]
    assert beside == [True, False]
