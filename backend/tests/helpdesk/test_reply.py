"""The answer to a ticket: three numbers, one cause, one command, one link, whatever the form."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from sample_documents import document_named

from iotriage.analysis.decision.basis import basis_of, grounds_of
from iotriage.analysis.decision.condition import answered
from iotriage.analysis.decision.moved_thresholds import with_thresholds
from iotriage.analysis.document import CaseDocument, Finding
from iotriage.helpdesk.reply import (
    MOST_NUMBERS,
    WRITERS,
    Reply,
    UnknownFindingError,
    asking_blocks,
    findings_of,
    render_reply,
    reply_blocks,
    reply_of,
)
from iotriage.helpdesk.templates import BadTemplateError, Template, chosen_template, templates_in
from iotriage.reports.blocks import Command, Link, Points
from iotriage.reports.sections.deciding_figures import deciding_figures

HOSTILE = 'x\x1b[31m<img src=x onerror=alert(1)>"&{noformat}|[a](javascript:b)\u202e'


def _reply(name: str, *keys: str) -> Reply:
    document = document_named(name)
    return reply_of(document, findings_of(document, keys))


def _text(document: CaseDocument, form: str = "plain", template: Template | None = None) -> str:
    reply = reply_of(document, findings_of(document, ()))
    assert form in WRITERS
    return render_reply(reply_blocks(reply, template or Template("English"), document), form, document)  # type: ignore[arg-type]


def test_each_number_has_its_counter_its_threshold_and_who_states_it() -> None:
    spent, independent, typical = _reply("06-shared-indep-1000b-unaligned").figures
    assert (spent.value, spent.threshold, spent.stated_by) == ("64 %", "≥ 10 %", None)
    assert spent.counters == "MPIIO_F_SLOWEST_RANK_TIME"
    assert (independent.value, independent.threshold) == ("100 %", "≥ 50 %")
    assert independent.stated_by == "ARCHER2 User Guide, I/O performance and tuning, I/O profiling"
    assert independent.counters is not None
    assert "MPIIO_INDEP_WRITES" in independent.counters
    assert typical.title == "Typical MPI-IO write"


@pytest.mark.parametrize("name", ["dvs-large-blocks", "streams-read-once", "lustre-fpp-slow-ost"])
def test_of_two_comparisons_that_follow_from_one_another_it_has_the_one_that_the_page_has(name: str) -> None:
    document = document_named(name)
    basis = basis_of(document)
    significance = answered(basis.significance, basis.metrics, basis.thresholds)
    for finding in document.findings:
        grounds = (
            grounds_of(finding, basis) if isinstance(finding, Finding) and finding.verdict == "triggered" else None
        )
        if grounds is None:
            continue
        said = [
            text
            for node in (significance, grounds.condition, *(one for one in grounds.supports if one.answer is True))
            for text in deciding_figures(node, document)
        ]
        for figure in reply_of(document, findings_of(document, [finding.key])).figures:
            comparison = f"{figure.title}: {figure.value}, threshold {figure.threshold} ["
            assert any(text.startswith(comparison) for text in said), (finding.key, comparison, said)


def test_a_text_is_named_by_its_lines() -> None:
    (aggregators,) = _reply("bad-collective-write-one-aggregator").figures
    assert aggregators.counters == "line 83 of plume-7204411.stderr.txt"


def test_one_command_and_the_document_that_asks_for_it() -> None:
    reply = _reply("lustre-ssf-one-stripe")
    assert reply.command == ("lfs setstripe -c -1 -S 1M /mnt/lustre/a2fs-work2/work/z19/z19/auser/plume/out",)
    assert isinstance(reply.read, Link)
    assert reply.read.address == "https://docs.archer2.ac.uk/user-guide/io/"


@pytest.mark.parametrize(
    ("name", "says", "says_not"),
    [
        # What the page says on top: how little was lost, and what is missing.
        ("10-coll-subarray-cb-disable", ["This run lost little by it: all its I/O took 0.60 s.", "one rerun"], []),
        ("43-record-overflow-partial", ["part of the evidence is missing. That takes at least 3.80 s"], []),
        # What comes first, and then the one that can be typed.
        ("13-imbalanced-rank0", ["Give every rank the same amount", "Use the collective routines"], []),
        ("lustre-ssf-shared-lock", ["Drop cray_cb_write_lock_mode=1", "Or use mode 2"], ["it helped"]),
        ("lustre-ssf-striped", ["Profile computation", "load perftools-base perftools-lite"], ["it helped", "send us"]),
        # Who replies is the support.
        ("lustre-fpp-slow-ost", ["That OST 5 is slow is not your program's doing: we report it"], ["support", "to us"]),
        ("lustre-slow-moment", ["We look at what else used the file system, from 19 min"], ["support", "ask us"]),
        # Evidence that is missing helps nobody yet, and a benchmark is no job.
        ("application-info", ["MPICH_MPIIO_STATS=1", "Then send us the log and"], ["it helped"]),
        # A site's profile is no matter of who asks.
        ("json", ["Of a job of yours that is slow", "Then send us the log and"], ["iotriage sites measure"]),
        ("training", ["iotriage compare dlio-fjord.log"], ["send us", "Before the next run"]),
    ],
)
def test_it_says_what_the_page_says_first_and_asks_for_what_can_come_of_it(
    name: str, says: list[str], says_not: list[str]
) -> None:
    text = " ".join(_text(document_named(name)).split())
    assert [words for words in says if words not in text] == []
    assert [words for words in says_not if words in text] == []


def test_a_finding_that_is_not_on_top_says_how_little_was_lost_too() -> None:
    document = document_named("07-shared-strided-sieving")
    other = next(f for f in document.findings if f.verdict == "triggered" and f.rule != document.headline.rule)
    assert "This run lost little by it" in reply_of(document, findings_of(document, (other.key,))).cause


def test_a_job_without_an_id_is_called_by_the_source_that_it_left_behind() -> None:
    assert _text(document_named("rmw-and-gaps")).startswith("We looked at the I/O of the job behind icefield-7333908")
    assert "the benchmark behind ior-032-ranks.txt." in _text(document_named("shared-at-four-sizes"))


def test_of_several_findings_each_has_a_number_and_the_first_is_the_cause() -> None:
    document = document_named("39-heat2d-legacy")
    held = [f for f in document.findings if f.verdict == "triggered"]
    keys = [f.key for f in held if f.rule in ("independent-shared", "sync-heavy")]
    reply = reply_of(document, findings_of(document, keys[::-1]))
    assert reply.cause.startswith("Ranks access a shared file independently")
    titles = [figure.title for figure in reply.figures]
    assert len(titles) == MOST_NUMBERS
    alone = {f.title for f in _reply("39-heat2d-legacy", keys[1]).figures}
    assert alone & set(titles) - {titles[0]}


def test_what_another_ticked_finding_explains_is_not_the_cause() -> None:
    document = document_named("06-shared-indep-1000b-unaligned")
    explained = next(f for f in document.findings if f.explained_by == "independent-shared")
    cause = next(f for f in document.findings if f.rule == "independent-shared")
    together = reply_of(document, findings_of(document, (explained.key, cause.key)))
    assert together.cause.startswith(cause.headline or "")


def test_a_finding_that_does_not_hold_is_no_part_of_a_reply() -> None:
    document = document_named("06-shared-indep-1000b-unaligned")
    for key in ("no-such-rule", "serial-io", "independent-shared@none"):
        with pytest.raises(UnknownFindingError, match=key):
            findings_of(document, (key,))


def test_it_is_of_the_numbers_of_a_reader() -> None:
    document = with_thresholds(
        document_named("06-shared-indep-1000b-unaligned"), {"io-not-the-bottleneck.fraction": 0.2}
    )
    assert reply_of(document, findings_of(document, ())).figures[0].threshold == "≥ 20 %"


def test_where_nothing_is_wrong_it_says_so() -> None:
    text = _text(document_named("40-heat2d-tuned"))
    assert "Nothing wrong was found with this job's I/O." in text
    assert "rerun" not in text


@pytest.mark.parametrize("name", ["06-shared-indep-1000b-unaligned", "lustre-ssf-one-stripe", "lustre-fpp-slow-ost"])
def test_a_mail_has_no_line_of_prose_over_72_columns_and_no_tab(name: str) -> None:
    text = _text(document_named(name))
    assert "\t" not in text
    assert all(len(line) <= 72 or line.startswith(("    ", "https://")) for line in text.splitlines())


def test_every_form_says_the_same() -> None:
    document = document_named("lustre-ssf-one-stripe")
    said = [re.sub(r"[^\w%≥]+", "", re.sub(r"<[^>]*>|&#?\w+;", "", _text(document, form))) for form in WRITERS]
    for words in (
        "Onerankof256writesforall",
        "≥5×".replace("×", ""),
        "lfssetstripec",
        "SingleSharedFilewithcollectivewrites",
    ):
        assert all(words in one for one in said), words


def test_html_has_the_picture_and_nothing_that_runs() -> None:
    found: list[str] = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append(tag)
            assert not any(name.startswith("on") or "script" in (value or "") for name, value in attrs)

    document = document_named("06-shared-indep-1000b-unaligned")
    job = replace(document.job, job_id=HOSTILE, executable=f"/bin/{HOSTILE}")
    Tags().feed(_text(replace(document, job=job), "html"))
    assert "svg" in found
    assert not {"script", "img", "style", "iframe"} & set(found)


@pytest.mark.parametrize("form", ["plain", "markdown", "jira"])
def test_names_are_text_in_every_form(form: str) -> None:
    document = document_named("06-shared-indep-1000b-unaligned")
    text = _text(replace(document, job=replace(document.job, job_id=HOSTILE)), form)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert form == "plain" or "[a](" not in text


def test_what_is_asked_for_are_the_lines_of_the_undecided_findings() -> None:
    blocks = asking_blocks(document_named("lustre-ssf-one-stripe"), Template("English"))
    (command,) = (b for b in blocks if isinstance(b, Command))
    assert "export MPICH_MPIIO_STATS=1" in command.lines
    assert len(command.lines) == len(set(command.lines))
    assert any(isinstance(b, Points) for b in blocks)


def test_where_all_is_decided_nothing_is_asked_for() -> None:
    document = document_named("03-fpp-many-small-files")
    decided = replace(document, findings=tuple(f for f in document.findings if f.verdict != "unknown"))
    assert asking_blocks(decided, Template("English")) == ()


def test_a_site_has_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "edinburgh.toml").write_text(
        'title = "Deutsch"\nsite = "archer2"\nopening = "Guten Tag,\\n\\nIhr Job $job."\nthreshold = "Schwelle"\n',
        encoding="utf-8",
    )
    (tmp_path / "short.toml").write_text('title = "Short"\nopening = ""\n', encoding="utf-8")
    templates = templates_in(tmp_path)
    assert [chosen_template(templates, None, site)[0] for site in ("archer2", "generic")] == ["edinburgh", "short"]
    document = document_named("lustre-ssf-one-stripe")
    text = _text(document, "plain", templates["edinburgh"])
    assert text.startswith("Guten Tag,\n\nIhr Job 7204411.\n")
    assert "(Schwelle ≥ 10 %" in text
    assert _text(document, "plain", templates["short"]).startswith("One rank of 256 writes for all")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("opening = 1", "title"),
        ('title = "x"\nopenning = "y"', "openning"),
        ('title = "x"\nopening = "Dear $user"', "user"),
        ('title = "x', "bad.toml"),
    ],
)
def test_a_template_that_cannot_be_used_says_why(tmp_path: Path, content: str, reason: str) -> None:
    (tmp_path / "bad.toml").write_text(content, encoding="utf-8")
    with pytest.raises(BadTemplateError, match=reason):
        templates_in(tmp_path)


def test_what_was_derived_is_not_called_measured() -> None:
    document = document_named("lustre-ssf-one-stripe")
    by_title = {figure.title: figure for figure in _reply("lustre-ssf-one-stripe").figures}
    inferred = by_title["Ranks that effectively move the largest shared file"]
    assert inferred.inferred
    assert not by_title["Share of the run spent in I/O"].inferred
    text = " ".join(_text(document).split())
    assert "Measured" not in text
    assert f"{inferred.value}, inferred (threshold" in text
    assert ", inferred" not in _text(document, template=Template("Ours", inferred=""))


def test_the_share_of_a_time_that_is_the_most_it_can_be_is_said_so() -> None:
    """As the page and the reports have it."""
    spent = {figure.title: figure.value for figure in _reply("39-heat2d-legacy").figures}
    assert spent["Share of the run spent in I/O"] == "at most 100 %"


def test_a_run_that_only_prints_more_is_not_to_show_whether_anything_helped() -> None:
    """With Cray's library the first thing is to have it print what takes the time."""
    reply = _reply("lustre-ssf-slow-exchange")
    assert reply.command == ("export MPICH_MPIIO_STATS=1", "export MPICH_MPIIO_TIMERS=1")
    assert reply.then == "sending"
    assert "shows whether it" in _text(document_named("lustre-fpp-slow-ost"))


def test_where_nothing_is_wrong_it_says_what_would_tell_more() -> None:
    document = document_named("04-packed-one-file-collective")
    assert document.headline.severity == "clear"
    assert " ".join(_text(document).split()).endswith("we will compare the two.")


@pytest.mark.parametrize(("name", "asked"), [("lustre-archer-slow", True), ("01-serial-gather", False)])
def test_what_is_advised_in_words_alone_is_to_be_shown_by_a_rerun_too(name: str, asked: bool) -> None:
    """But where I/O is not what the run waits for, no rerun would show anything."""
    assert _reply(name).command == ()
    assert " ".join(_text(document_named(name)).split()).endswith("whether it helped.") is asked
