"""Warm-up of the process that case processes are forked off: the made-up case is asked as a person's would be."""

from __future__ import annotations

import traceback

from iotriage.analysis.inputs import ReadSource
from iotriage.analysis.views.file_list import FileQuery, Sort
from iotriage.boundary.results import decode_result, encode_result
from iotriage.intake.case_evidence import CaseEvidence
from iotriage.intake.case_queries import QUERY, Diagnose, FilesPage
from iotriage.intake.synthetic_case import synthetic_evidence

_ENOUGH_BYTES = 2**26


def warm_up() -> None:
    """Takes as long as a diagnosis does the first time: some tenths of a second. What fails here fails again in the
    cases that have such evidence, one by one, and is said of them: it must not end all others with them."""
    try:
        _ask()
    except Exception:
        traceback.print_exc()


def _ask() -> None:
    case = CaseEvidence(_ENOUGH_BYTES)
    case.add(ReadSource("made up", "0" * 64, 1, decode_result(encode_result(synthetic_evidence()))))
    for query in (Diagnose(None), FilesPage(FileQuery(), Sort(), 0, 1)):
        case.answer(QUERY.validate_json(QUERY.dump_json(query)))
