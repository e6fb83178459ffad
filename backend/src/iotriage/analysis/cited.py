"""The documents that a case cites: the program's own list, and those that the site's profile brings along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iotriage.analysis.asking import Answers
from iotriage.analysis.document import DocumentRef
from iotriage.analysis.expectation import Expectation
from iotriage.rules.core.documents import DOCUMENTS, Document
from iotriage.sites.site import Site, SiteDocument


def cited_documents(answers: Answers, expected: Sequence[Expectation], site: Site) -> tuple[DocumentRef, ...]:
    """Each once, in the order of the lists."""
    cited = {c.document for rule in answers.rules.values() for c in rule.citations}
    cited |= {t.stated_by.document for t in answers.thresholds.values()}
    said = [f.says for f in answers.findings if f.says is not None]
    cited |= {a.citation.document for says in said for a in says.advice if a.citation is not None}
    cited |= {c.document for e in expected for c in e.curves}
    known: Mapping[str, Document | SiteDocument] = {**DOCUMENTS, **{d.key: d for d in site.documents}}
    return tuple(DocumentRef(d.key, d.title, d.publisher, d.systems, d.url) for k, d in known.items() if k in cited)
