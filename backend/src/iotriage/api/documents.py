"""The documents that rules, their advice and the sites cite."""

from __future__ import annotations

from iotriage.analysis.cited import reference_to
from iotriage.api.guard.policies import READS
from iotriage.api.routers import api_router
from iotriage.api.views import CitedDocument
from iotriage.rules.core.documents import DOCUMENTS
from iotriage.rules.core.quotations import quotations_of

router = api_router("/documents", tag="rules", dependencies=[READS])


@router.get("")
def list_documents() -> list[CitedDocument]:
    """Every document that the program cites, the day on which it was read, and a few of its words."""
    return [CitedDocument(reference_to(document), quotations_of(key)) for key, document in DOCUMENTS.items()]
