"""The case document as JSON. Absent is null; NaN and infinity do not occur and would be refused."""

from __future__ import annotations

import dataclasses
import json

from iotriage.analysis.document import CaseDocument


def as_json(document: CaseDocument) -> str:
    """One JSON object with the fields of `CaseDocument`, indented, ending in a newline."""
    return json.dumps(dataclasses.asdict(document), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
