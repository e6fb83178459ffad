"""The case document as JSON and back. Making this takes a tenth of a second: once a process, and never to diagnose."""

from __future__ import annotations

from typing import Final

import msgspec
from pydantic import TypeAdapter

from iotriage.analysis.document.case import CaseDocument

DOCUMENT = TypeAdapter(CaseDocument)
_ENCODER: Final = msgspec.json.Encoder()


def document_as_json(document: CaseDocument) -> bytes:
    """As `DOCUMENT.dump_json`, in a third of its time."""
    return _ENCODER.encode(document)
