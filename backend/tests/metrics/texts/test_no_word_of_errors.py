"""What is printed before files are read and written tells nothing of whether that failed, or did as it was asked."""

from __future__ import annotations

from io import BytesIO

import pytest

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.detect import read

HINTS = (
    "PE 0: MPIIO hints for /s/out.h5:\n"
    "          romio_cb_write           = automatic\n"
    "          cb_nodes                 = 8\n"
    "          striping_factor          = 8\n"
)
MODULES = "  1) cray-mpich/8.1.23\n"
STATS = (
    "+--------------------------------------------------------+\n"
    "| MPIIO write access patterns for /s/out.h5\n"
    "|   independent writes      = 0\n"
    "|   collective writes       = 64\n"
    "|   aggregators             = 8\n"
    "|   stripe count            = 8\n"
    "|   system writes           = 64\n"
    "|   total bytes for writes  = 67108864 = 64 MiB\n"
    "+--------------------------------------------------------+\n"
)
ASKED = "+ export MPICH_MPIIO_HINTS=*:cb_nodes=8\n+ srun -n 64 ./sea\n"


def case_of(text: str) -> CaseDocument:
    return diagnose([ReadSource("a.out", "0" * 64, len(text), read(BytesIO(text.encode())))])


def clear(document: CaseDocument) -> set[str]:
    return {f.rule for f in document.findings if f.verdict == "clear"}


@pytest.mark.parametrize("text", [HINTS, HINTS + MODULES], ids=["hints", "hints and a version"])
def test_hints_alone_say_nothing_of_failed_calls(text: str) -> None:
    document = case_of(text)
    assert document.metrics["errors.failed_calls"].value is None
    assert not clear(document) & {"io-errors", "hint-audit"}


def test_with_statistics_no_line_of_an_error_is_no_error() -> None:
    document = case_of(HINTS + STATS)
    assert document.metrics["errors.failed_calls"].value == 0
    assert {"io-errors", "hint-audit"} <= clear(document)


def test_hints_that_were_asked_for_are_held_against_those_that_are_displayed() -> None:
    assert "hint-audit" in clear(case_of(ASKED + HINTS))
    wrong = case_of(ASKED.replace("cb_nodes=8", "cb_nodes=4") + HINTS)
    assert [f.verdict for f in wrong.findings if f.rule == "hint-audit"] == ["triggered"]


def test_words_of_a_program_are_counted_beside_hints() -> None:
    document = case_of(HINTS + "OSError: [Errno 28] No space left on device: 'o.npz'\n")
    assert document.metrics["errors.failed_calls"].value == 1
