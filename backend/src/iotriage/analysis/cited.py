"""The documents that a case cites: those of the program's own list, and those in the site's profile."""

from __future__ import annotations

from collections.abc import Sequence

from iotriage.analysis.document import DocumentRef
from iotriage.analysis.document.expectation import Expectation
from iotriage.analysis.evaluation import Evaluation
from iotriage.rules.core.document import Document
from iotriage.rules.core.documents import DOCUMENTS
from iotriage.sites.site import Site, SiteDocument


def cited_documents(answers: Evaluation, expected: Sequence[Expectation], site: Site) -> tuple[DocumentRef, ...]:
    """Each once, in the order of the lists."""
    cited = {c.document for rule in answers.rules.values() for c in rule.citations}
    cited |= {t.stated_by.document for t in answers.thresholds.values()}
    words = [f.says for f in answers.findings if f.says is not None]
    cited |= {a.citation.document for says in words for a in says.advice if a.citation is not None}
    cited |= {c.document for e in expected for c in e.curves}
    known: dict[str, Document | SiteDocument] = {**DOCUMENTS, **{document.key: document for document in site.documents}}
    return tuple(reference_to(document) for key, document in known.items() if key in cited)


def reference_to(document: Document | SiteDocument) -> DocumentRef:
    """What is shown about the document beside a citation."""
    read_on = document.read_on if isinstance(document, Document) else None
    return DocumentRef(document.key, document.title, document.publisher, document.systems, document.url, read_on)
