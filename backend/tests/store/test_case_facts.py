"""What the queue has of a case is what its page says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sample_documents import document_of
from samples import case

from iotriage.analysis.decision.basis import basis_of
from iotriage.analysis.decision.headline_figure import figure_of
from iotriage.analysis.document import Finding
from iotriage.store.case_facts import leading_finding, write_facts
from iotriage.store.cases import NamedSource, new_case
from iotriage.store.database import Database
from iotriage.store.sources import SourceFolder, keep_source

pytestmark = pytest.mark.every_database


def test_what_is_lost_is_what_the_sentence_on_top_says_of_all_groups_of_files(
    database: Database, folder: SourceFolder
) -> None:
    one = document_of(case("darshan_log/lustre-ssf-one-stripe").sources)
    leading = leading_finding(one)
    assert isinstance(leading, Finding)
    assert leading.takes_s is not None
    other = replace(leading, scope=replace(leading.scope, id="g2"), takes_s=100.0)
    two = replace(one, findings=(leading, other, *one.findings[1:]))
    assert "in 2 groups of files" in (figure_of(leading, two.findings, basis_of(two), None) or "")
    with folder.arrival() as arrival:
        arrival.write(b"one")
        sha256 = keep_source(database, folder, arrival, None).sha256
    with database.writing() as session, session.begin():
        row = new_case(session, [NamedSource(sha256, "a")])
        session.flush()
        facts = write_facts(session, row, two)
        assert facts.lost_s == leading.takes_s + 100.0


@pytest.mark.parametrize(
    ("sample", "system"),
    [("darshan_log/lustre-ssf-one-stripe", "archer2"), ("darshan_log/01-serial-gather", None)],
)
def test_a_profile_for_any_system_names_none(
    database: Database, folder: SourceFolder, sample: str, system: str | None
) -> None:
    with folder.arrival() as arrival:
        arrival.write(b"one")
        sha256 = keep_source(database, folder, arrival, None).sha256
    with database.writing() as session, session.begin():
        row = new_case(session, [NamedSource(sha256, "a")])
        session.flush()
        assert write_facts(session, row, document_of(case(sample).sources)).system == system
