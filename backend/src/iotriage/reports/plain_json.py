"""The case document as JSON. Absent is null; NaN and infinity do not occur and would be refused."""

from __future__ import annotations

import dataclasses
import json

from iotriage.analysis.document import CaseDocument
from iotriage.reports.escaping import escape_json


def as_json(document: CaseDocument) -> str:
    """One JSON object with the fields of `CaseDocument`, indented, ending in a newline."""
    written = json.dumps(dataclasses.asdict(document), ensure_ascii=False, indent=1, allow_nan=False)
    return escape_json(written) + "\n"


def as_json_line(document: CaseDocument) -> str:
    """The same object on one line, for several documents one after the other."""
    written = json.dumps(dataclasses.asdict(document), ensure_ascii=False, allow_nan=False)
    return escape_json(written) + "\n"
