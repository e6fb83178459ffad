"""The case document as JSON. Apart from `adapter`, which takes a tenth of a second to make and which only who reads
documents needs."""

from __future__ import annotations

from typing import Final

import msgspec

from iotriage.analysis.document.case import CaseDocument

_ENCODER: Final = msgspec.json.Encoder()


def document_as_json(document: CaseDocument) -> bytes:
    """As `adapter.DOCUMENT.dump_json`, in a third of its time."""
    return _ENCODER.encode(document)
