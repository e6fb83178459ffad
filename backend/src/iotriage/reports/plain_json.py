"""What is said about cases as JSON. Absent is null; NaN and infinity do not occur and would be refused."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

from iotriage.analysis.document import CaseDocument
from iotriage.reports.escaping import escape_json

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from iotriage.analysis.run_sets.comparison import Comparison


def as_json(of: CaseDocument | Comparison) -> str:
    """One JSON object with the fields of `of`, indented, ending in a newline."""
    written = json.dumps(of, default=_fields, ensure_ascii=False, indent=1, allow_nan=False)
    return escape_json(written) + "\n"


def as_json_line(document: CaseDocument) -> str:
    """The document as one line of JSON, for several documents one after the other."""
    written = json.dumps(document, default=_fields, ensure_ascii=False, allow_nan=False)
    return escape_json(written) + "\n"


def _fields(of: DataclassInstance) -> dict[str, object]:
    """What json asks for where it meets a dataclass: to copy the whole document first takes longer than to write it."""
    return {field.name: getattr(of, field.name) for field in dataclasses.fields(of)}
