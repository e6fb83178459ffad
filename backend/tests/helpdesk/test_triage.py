"""The questions of a helpdesk in order, each with the case's own answer."""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
from dataclasses import replace

import pytest
from sample_documents import document_named
from samples import SAMPLE_LOGS

from iotriage.analysis.decision.moved_thresholds import with_thresholds
from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.analysis.jobs import select_job_parts
from iotriage.helpdesk.triage import MOST_FINDINGS, TriageStep, triage_of
from iotriage.helpdesk.triage_text import as_triage_text
from iotriage.metrics.tables.account.cells import Cells
from iotriage.reports.plain_text import as_plain_text
from iotriage.reports.terminal import as_text
from iotriage.rules import all_rules, theme_of
from iotriage.rules.core.launching import ITS_LIBRARY
from iotriage_parsers.detect import read_or_unpack

ORDER = ["complete", "matters", "layer", "mpi-io", "accesses", "metadata", "streams", "history", "reply"]


def _steps(document: CaseDocument) -> dict[str, TriageStep]:
    return {step.id: step for step in triage_of(document)}


def _states(name: str) -> dict[str, str]:
    return {step.id: step.state for step in triage_of(document_named(name))}


def test_where_ranks_take_turns_it_is_these_that_matter() -> None:
    step = _steps(document_named("lustre-fpp-in-turn"))["matters"]
    assert step.state == "fine"
    assert step.answer == (
        "Yes. The slowest rank spent 2.63 s in I/O, 0.32 % of the run. All turns of its ranks take 9 min 13 s, 67 % of "
        "the run."
    )


def test_the_order_is_the_same_for_every_case() -> None:
    for name in ("06-shared-indep-1000b-unaligned", "bad-collective-write-one-aggregator"):
        assert [step.id for step in triage_of(document_named(name))] == ORDER


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("06-shared-indep-1000b-unaligned", {"complete": "fine", "matters": "fine", "mpi-io": "found"}),
        ("06-shared-indep-1000b-unaligned", {"accesses": "apart", "streams": "apart", "reply": "found"}),
        ("29-nonmpi-python", {"matters": "stop", "mpi-io": "apart", "reply": "fine"}),
        ("bad-collective-write-one-aggregator", {"matters": "open", "layer": "open", "accesses": "apart"}),
        ("43-record-overflow-partial", {"complete": "found", "metadata": "found"}),
        ("17-stdio-flush-per-line", {"metadata": "found"}),
        # The syncs that take the time of the streams are found at another question.
        ("39-heat2d-legacy", {"metadata": "found", "streams": "apart"}),
    ],
)
def test_each_step_has_the_answer_of_the_case(name: str, expected: dict[str, str]) -> None:
    assert expected.items() <= _states(name).items()


def test_time_that_another_question_explains_is_not_said_to_have_no_cause() -> None:
    said = _steps(document_named("39-heat2d-legacy"))["streams"]
    assert said.answer.endswith("It takes 2.96 s of the I/O time; sync-heavy may be why.")
    assert said.findings == ("sync-heavy@g4",)
    # A straggler, which claims of all cells, is asked for no microseconds.
    opens = _steps(document_named("13-imbalanced-rank0"))["metadata"]
    assert opens.answer == "No: 3 rules looked and found nothing. It takes 71.0 µs of the I/O time."


def test_whether_it_matters_is_the_documents_own_condition() -> None:
    document = document_named("06-shared-indep-1000b-unaligned")
    steps = _steps(document)
    assert "2.92 s" in steps["matters"].answer
    assert "64 % of the run" in steps["matters"].answer
    assert steps["matters"].places
    moved = with_thresholds(document, {"significance.seconds": 60.0})
    assert _steps(moved)["matters"].state == "stop"
    assert "threshold ≥ 60 s" in _steps(moved)["matters"].answer


def test_one_rank_is_no_slowest_one() -> None:
    document = document_named("29-nonmpi-python")
    assert "The one rank spent" in _steps(document)["matters"].answer
    assert "slowest rank" not in as_text(document)


def test_layers_that_take_as_long_are_said_to() -> None:
    alike, apart = (
        _steps(document_named(name))["layer"].answer for name in ("39-heat2d-legacy", "lustre-ssf-one-stripe")
    )
    assert "Calls of MPI-IO take about as long as the calls to storage below them." in alike
    assert "Calls of MPI-IO take 15.5 × the time of the calls to storage below them." in apart


def test_layers_of_a_partial_log_are_not_held_against_one_another() -> None:
    assert "so layers are not compared" in _steps(document_named("43-record-overflow-partial"))["layer"].answer
    assert "15.5 ×" in _steps(document_named("lustre-ssf-one-stripe"))["layer"].answer


def test_seconds_of_a_partial_log_are_the_least_in_every_text() -> None:
    document = document_named("43-record-overflow-partial")
    assert document.account is not None
    assert document.account.partial
    taken = re.compile(r"takes? ((?:at least )?)[\d.]+ (?:ms|s|min)[\d a-z]* of the I/O time", re.IGNORECASE)
    assert "The data lies in 2,048 small files: at least 3.80 s." in _steps(document)["metadata"].answer
    for text in (as_text(document), as_plain_text(document)):
        found = taken.findall(" ".join(text.split()))
        assert found
        assert set(found) == {"at least "}
    # What is written as less than so much is no least.
    hardly = replace(document, account=replace(document.account, cells=replace(document.account.cells, streams=5e-8)))
    assert "of the I/O time" not in _steps(hardly)["streams"].answer


def test_an_open_step_has_the_lines_that_would_close_it() -> None:
    step = _steps(document_named("times-alone"))["accesses"]
    assert f'export LD_PRELOAD="{ITS_LIBRARY}"' in step.lines


def test_every_finding_that_holds_stands_at_a_step() -> None:
    for name in ("39-heat2d-legacy", "lustre-ssf-one-stripe", "43-record-overflow-partial", "29-nonmpi-python"):
        document = document_named(name)
        told = {key for step in triage_of(document) for key in step.findings}
        assert {f.key for f in document.findings if f.verdict == "triggered"} <= told


def test_nothing_read_is_where_it_ends() -> None:
    document = document_named("06-shared-indep-1000b-unaligned")
    unread = replace(document.sources[0], status="failed", next_step="Fetch it again.")
    step = _steps(replace(document, sources=(unread,)))["complete"]
    assert (step.state, step.answer) == ("stop", "Nothing could be read. Fetch it again.")


@pytest.mark.parametrize("others", ["08-shared-strided-collective", "43-record-overflow-partial"])
def test_what_is_of_another_job_is_not_called_unread(others: str) -> None:
    """The second has records missing: that is the other run's loss."""
    own = "06-shared-indep-1000b-unaligned"
    document = diagnose(select_job_parts([_archive(own, others)], ["4127088"]))
    assert [s.of_another_job for s in document.sources] == [False, True]
    step = _steps(document)["complete"]
    assert step.state == "fine"
    assert step.answer == (
        "The source was read whole, and nothing speaks of errors. "
        f"Of another job, and left out: logs.tar › {others}.darshan."
    )
    for text in (as_text(document), as_plain_text(document)):
        assert "left out: of another job" in " ".join(text.split())


def test_files_that_were_not_read_are_counted_where_they_are_too_many_to_name() -> None:
    document = document_named("06-shared-indep-1000b-unaligned")
    unread = tuple(replace(document.sources[0], name=f"{n}.log", status="failed") for n in range(5))
    step = _steps(replace(document, sources=(*document.sources, *unread)))["complete"]
    assert step.answer.endswith("Not read whole: 0.log, 1.log, 2.log, and 2 more.")


def _archive(*names: str) -> ReadSource:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name in names:
            archive.add(SAMPLE_LOGS / "darshan_log" / name / f"{name}.darshan", f"{name}.darshan")
    return ReadSource("logs.tar", hashlib.sha256(data.getvalue()).hexdigest(), data.tell(), read_or_unpack(data))


def test_a_terminal_shows_it_in_100_columns() -> None:
    text = as_triage_text(triage_of(document_named("bad-collective-write-one-aggregator")))
    assert all(len(line) <= 100 for line in text.splitlines())
    assert text.startswith("0 ✓ Is the evidence complete")


def test_every_rule_has_a_theme() -> None:
    assert all(theme_of(rule) for rule in all_rules())
    assert theme_of("single-aggregator") == "collective"
    assert theme_of("no-such-rule") is None


def test_a_job_that_was_killed_did_not_end_well_and_its_texts_show_mpi_io() -> None:
    steps = _steps(document_named("killed-for-memory"))
    assert steps["complete"].state == "found"
    assert steps["complete"].answer.startswith("The job, or a step of it, ran out of memory and was killed. What it")
    assert (steps["mpi-io"].state, steps["accesses"].state) == ("fine", "fine")


def test_what_goes_back_has_the_lines_that_its_words_lead_to() -> None:
    step = triage_of(document_named("10-coll-subarray-cb-disable"))[-1]
    assert step.answer.endswith("When the file is opened:")
    assert step.lines[1] == 'MPI_Info_set(info, "romio_cb_write", "enable");'


@pytest.mark.parametrize(
    ("cells", "named"),
    [
        (Cells(writes=9.0, metadata=1.0), "writes (9.00 s) and metadata (1.00 s)."),
        (Cells(writes=9.5, metadata=0.5), "writes (9.50 s)."),
        (
            Cells(reads=2.1, writes=2.2, metadata=2.3, exchange=2.0, streams=1.4),
            "metadata (2.30 s), writes (2.20 s) and reads (2.10 s).",
        ),
    ],
)
def test_what_has_most_of_the_io_time_has_more_than_half_of_it(cells: Cells, named: str) -> None:
    document = document_named("06-shared-indep-1000b-unaligned")
    assert document.account is not None
    step = _steps(replace(document, account=replace(document.account, cells=cells)))["layer"]
    assert step.answer.startswith("Most of the I/O time: ")
    assert step.answer.partition(": ")[2].partition(" Calls")[0] == named


def test_findings_beyond_the_first_few_are_counted_where_another_explains_all() -> None:
    document = document_named("06-shared-indep-1000b-unaligned")
    one = next(f for f in document.findings if f.rule == "small-io" and f.verdict == "triggered")
    explained = (replace(one, explained_by="independent-shared"),) * 8
    others = tuple(f for f in document.findings if f.verdict != "triggered")
    step = _steps(replace(document, findings=(*explained, *others)))["accesses"]
    assert step.state == "apart"
    assert step.answer.endswith(f"And {8 - MOST_FINDINGS} more findings.")
