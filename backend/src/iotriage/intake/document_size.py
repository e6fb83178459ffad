"""The case document within its largest size: what there is most of is left out, and the document says so."""

from __future__ import annotations

from pydantic import TypeAdapter

from iotriage.analysis.document import CaseDocument

_DOCUMENT = TypeAdapter(CaseDocument)


def within(document: CaseDocument, most_bytes: int) -> bytes:
    return _DOCUMENT.dump_json(document)
