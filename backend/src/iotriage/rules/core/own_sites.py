"""Checks that the installation's own site profiles name only thresholds and documents that exist."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from iotriage.rules import all_thresholds
from iotriage.rules.core.documents import DOCUMENTS, PROJECT
from iotriage.sites import Place, all_sites, load, own_files
from iotriage.sites.site import Site, SiteSource


def check_own_sites() -> None:
    """BadSiteError with the file, the line, the key and the reason where one of them cannot be used."""
    all_sites()
    for file in own_files():
        check_profile(file, load(file))


def check_profile(file: Path, site: Site) -> None:
    """BadSiteError where `site`, read from `file`, names a threshold or a document that does not exist."""
    # Here, since pydantic takes longer to load than a log, and modules of rules are loaded for every diagnosis.
    from iotriage.sites.validation import refused

    text = file.read_text(encoding="utf-8")
    for i, override in enumerate(site.thresholds):
        known = all_thresholds().get(override.threshold)
        if known is None:
            reason = f"{override.threshold!r} is a threshold of no rule"
            raise refused(file, text, ("thresholds", i, "threshold"), reason)
        if not known.may_be_set_to(override.value):
            reason = f"must be {known.may_be_set_to_words}"
            raise refused(file, text, ("thresholds", i, "value"), reason)
    documents = {*DOCUMENTS, PROJECT, *(d.key for d in site.documents)}
    for at, document in cited(site):
        if document not in documents:
            reason = f"{document!r} is not known: describe it under [[documents]] of this file"
            raise refused(file, text, (*at, "document"), reason)


def cited(site: Site) -> Iterator[tuple[Place, str]]:
    """The place of every source in the profile, with the key of the document that it names."""
    sources: dict[str, list[SiteSource | None]] = {
        "file_systems": [f.source for f in site.file_systems],
        "rates": [r.source for r in site.rates],
        "operation_rates": [r.source for r in site.operation_rates],
        "stripe_rules": [r.source for r in site.stripe_rules],
        "thresholds": [o.source for o in site.thresholds],
        "environment": [e.source for e in site.environment],
    }
    for key, found in sources.items():
        yield from (((key, i, "source"), source.document) for i, source in enumerate(found) if source is not None)
    if site.running_jobs is not None:
        yield ("running_jobs",), site.running_jobs.document
    for key, one in (("node_cores", site.node_cores), ("stripes_of_few_ranks", site.stripes_of_few_ranks)):
        if one is not None:
            yield (key, "source"), one.source.document
