"""The documents that a case cites: the program's own list, and those that the site's profile brings along."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from iotriage.analysis.document import DocumentRef, Finding, ThresholdInForce
from iotriage.analysis.expectation import Expectation
from iotriage.rules.core.documents import DOCUMENTS, Document
from iotriage.sites.site import Site, SiteDocument


def cited_documents(
    findings: Sequence[Finding], thresholds: Iterable[ThresholdInForce], expected: Sequence[Expectation], site: Site
) -> tuple[DocumentRef, ...]:
    """Each once, in the order of the lists."""
    cited = {c.document for f in findings for c in f.citations}
    cited |= {t.stated_by.document for t in thresholds}
    would_say = [f.would_say for f in findings if f.would_say is not None]
    cited |= {a.citation.document for says in would_say for a in says.advice if a.citation is not None}
    cited |= {c.document for e in expected for c in e.curves}
    known: Mapping[str, Document | SiteDocument] = {**DOCUMENTS, **{d.key: d for d in site.documents}}
    return tuple(DocumentRef(d.key, d.title, d.publisher, d.systems, d.url) for k, d in known.items() if k in cited)
