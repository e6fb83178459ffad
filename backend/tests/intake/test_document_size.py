"""The document of a case that says a great deal is no larger than it may be, and says what is left out."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.diagnosis import source_at
from iotriage.intake.document_size import PLACES_OF_A_METRIC, DocumentTooLargeError, fit_document

DOCUMENT = TypeAdapter(CaseDocument)
STATS = "mpich_stats/few-active-aggregators/radiate-7340071.stderr.txt"


@pytest.fixture(scope="module")
def of_many_blocks(tmp_path_factory: pytest.TempPathFactory, sample_logs: Path) -> CaseDocument:
    text = (sample_logs / STATS).read_text()
    begin = text.index("+-----")
    blocks = (text[begin:].replace("sweep.dat", f"sweep-{n}.dat") for n in range(1000))
    source = tmp_path_factory.mktemp("blocks") / "many.txt"
    source.write_text(text[:begin] + "".join(blocks))
    return diagnose([source_at(source)])


def test_a_document_that_fits_is_whole(of_many_blocks: CaseDocument) -> None:
    assert DOCUMENT.validate_json(fit_document(of_many_blocks, 2**30)) == of_many_blocks


def test_one_that_does_not_says_what_it_has_not(of_many_blocks: CaseDocument) -> None:
    most = len(DOCUMENT.dump_json(of_many_blocks)) // 2
    written = fit_document(of_many_blocks, most)
    found = DOCUMENT.validate_json(written)
    assert len(written) <= most
    (warning,) = [w for w in found.sources[0].warnings if w not in of_many_blocks.sources[0].warnings]
    assert str(PLACES_OF_A_METRIC) in warning.message
    assert found.findings == of_many_blocks.findings
    assert found.headline == of_many_blocks.headline
    same = dataclasses.replace(found.metrics["io.bytes"], where=())
    assert same == dataclasses.replace(of_many_blocks.metrics["io.bytes"], where=())


def test_one_that_cannot_be_made_to_fit_is_refused(of_many_blocks: CaseDocument) -> None:
    with pytest.raises(DocumentTooLargeError):
        fit_document(of_many_blocks, 1000)
