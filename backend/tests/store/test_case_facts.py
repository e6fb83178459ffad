"""What the queue has of a case is what its page says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sample_documents import document_of
from samples import case

from iotriage.analysis.decision.basis import basis_of
from iotriage.analysis.decision.headline_figure import figure_of
from iotriage.analysis.document import CaseDocument, Finding
from iotriage.store.case_facts import leading_finding, write_facts
from iotriage.store.cases import NamedSource, new_case
from iotriage.store.database import Database
from iotriage.store.sources import SourceFolder, store_source
from iotriage.store.ticket_tables import CaseFactsRow

pytestmark = pytest.mark.every_database


def facts_of(document: CaseDocument, database: Database, folder: SourceFolder) -> CaseFactsRow:
    with folder.arrival() as arrival:
        arrival.write(b"one")
        sha256 = store_source(database, folder, arrival, None).sha256
    with database.writing() as session, session.begin():
        row = new_case(session, [NamedSource(sha256, "a")])
        session.flush()
        return write_facts(session, row, document)


def test_what_is_lost_is_what_the_sentence_on_top_says_of_all_groups_of_files(
    database: Database, folder: SourceFolder
) -> None:
    one = document_of(case("darshan_log/lustre-ssf-one-stripe").sources)
    leading = leading_finding(one)
    assert isinstance(leading, Finding)
    assert leading.takes_s is not None
    other = replace(leading, scope=replace(leading.scope, id="g2"), takes_s=100.0)
    two = replace(one, findings=(leading, other, *one.findings[1:]))
    assert "With another group of files, that takes" in (figure_of(leading, two.findings, basis_of(two), None) or "")
    assert facts_of(two, database, folder).lost_s == leading.takes_s + 100.0


@pytest.mark.parametrize("saved_s", [2.0, 1e9, None])
def test_what_could_be_saved_is_of_the_groups_that_the_lost_time_is_of(
    saved_s: float | None, database: Database, folder: SourceFolder
) -> None:
    one = document_of(case("darshan_log/lustre-ssf-one-stripe").sources)
    found = leading_finding(one)
    assert isinstance(found, Finding)
    assert one.account is not None
    leading = replace(found, could_save_s=1.0)
    other = replace(found, scope=replace(found.scope, id="g2"), takes_s=100.0, could_save_s=saved_s)
    two = replace(one, findings=(leading, other, *one.findings[1:]))
    saves = None if saved_s is None else min(1.0 + saved_s, one.account.cells.total)
    assert facts_of(two, database, folder).could_save_s == saves


@pytest.mark.parametrize(
    ("sample", "system"),
    [("darshan_log/lustre-ssf-one-stripe", "archer2"), ("darshan_log/01-serial-gather", None)],
)
def test_a_profile_for_any_system_names_none(
    database: Database, folder: SourceFolder, sample: str, system: str | None
) -> None:
    assert facts_of(document_of(case(sample).sources), database, folder).system == system


def test_what_is_advised_leads_to_no_command_that_a_list_does_not_show(
    database: Database, folder: SourceFolder
) -> None:
    document = document_of(case("darshan_log/10-coll-subarray-cb-disable").sources)
    assert (document.headline.to_do or "").endswith("large blocks for all. When the file is opened:")
    advised = facts_of(document, database, folder).advised
    assert advised == "Switch collective buffering on, so that a few ranks read and write large blocks for all."
