"""`iotriage sites [ID]`: the profiles that can be chosen with --site, or one of them whole."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from iotriage.cli import BAD_USE, DONE
from iotriage.rules.core.documents import DOCUMENTS, Document
from iotriage.rules.core.own_sites import cited
from iotriage.rules.core.words import counted, size
from iotriage.sites import all_sites
from iotriage.sites.limits import limits
from iotriage.sites.site import DocumentedRates, FileSystem, Site, SiteDocument, SiteSource


def declare(command: argparse.ArgumentParser) -> None:
    command.add_argument("id", metavar="ID", nargs="?", help="print all that is known of this site, with its sources")
    command.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    sites = all_sites()
    if chosen.id is None:
        width = max(map(len, sites))
        lines = [f"{s.id:{width}}  {s.title} ({s.status}, checked {s.checked})" for s in sites.values()]
        sys.stdout.write("\n".join(lines) + "\n")
        return DONE
    if chosen.id not in sites:
        sys.stderr.write(f"iotriage sites: unknown site {chosen.id!r}; known: {', '.join(sites)}\n")
        return BAD_USE
    sys.stdout.write("\n".join(_as_text(sites[chosen.id])) + "\n")
    return DONE


def _as_text(site: Site) -> Iterator[str]:
    yield f"{site.title} ({site.id}): {site.status}, checked {site.checked}, profile {site.version}"
    if site.url:
        yield f"  {site.url}"
    yield from (f"  - {note}" for note in site.notes)
    for fs in site.file_systems:
        yield ""
        yield f"  {fs.title}: {', '.join([fs.kind, *_figures(fs)])}"
        yield f"    at {' '.join(fs.mounts)}"
        yield from _notes(fs)
    for rates in site.rates:
        yield ""
        yield from _rates(rates)
    if site.stripe_rules:
        yield ""
    for rule in site.stripe_rules:
        upto = f" to {size(rule.to_bytes)}" if rule.to_bytes is not None else ""
        pool = f" in pool {rule.pool}" if rule.pool else ""
        stripes = f" of {size(rule.stripe_size_bytes)}" if rule.stripe_size_bytes else ""
        yield f"  shared files from {size(rule.from_bytes)}{upto}: -c {rule.stripe_count}{stripes}{pool}"
        yield _source(rule.source)
    for override in site.thresholds:
        yield ""
        yield f"  {override.threshold} = {override.value:g}: {override.why}"
        yield _source(override.source)
    for advice in site.environment:
        yield ""
        yield f"  {advice.pattern}{f' on {chr(32).join(advice.kinds)}' if advice.kinds else ''}: {advice.text}"
        yield from (f"      {line}" for line in advice.lines)
        yield _source(advice.source)
    yield from _documents(site)


def _documents(site: Site) -> Iterator[str]:
    """What the keys in brackets stand for, and where it is."""
    keys = {key for _, key in cited(site)}
    known: list[Document | SiteDocument] = [*DOCUMENTS.values(), *site.documents]
    known = [document for document in known if document.key in keys]
    if known:
        yield ""
    for document in known:
        yield f"  [{document.key}] {document.title}; {document.publisher}"
        if document.url:
            yield f"    {document.url}"


def _figures(fs: FileSystem) -> Iterator[str]:
    if fs.osts is not None:
        yield f"{fs.osts} OSTs"
    if fs.default_stripe_count is not None:
        of = f" of {size(fs.default_stripe_size_bytes)}" if fs.default_stripe_size_bytes is not None else ""
        yield f"by default {counted(fs.default_stripe_count, 'stripe')}{of}"
    if fs.default_layout == "progressive":
        yield "a progressive layout by default"
    if fs.block_size_bytes is not None:
        yield f"blocks of {size(fs.block_size_bytes)}"
    if fs.data_sieving is not None:
        yield f"data sieving {'wanted' if fs.data_sieving == 'wanted' else 'to be avoided'}"
    if fs.manual_striping != "yes":
        yield f"striping by hand {fs.manual_striping}"
    most = ", ".join(limits(fs))
    if most:
        yield f"at most {most}"


def _notes(fs: FileSystem) -> Iterator[str]:
    if fs.note:
        yield f"    {fs.note}"
    if fs.source is not None:
        yield _source(fs.source)


def _rates(rates: DocumentedRates) -> Iterator[str]:
    yield f"  {rates.title}: {rates.direction}, {rates.statistic}, measured {rates.measured}"
    for row in rates.rows:
        spread = ""
        if row.lower_quartile is not None and row.upper_quartile is not None and row.maximum is not None:
            three = (row.lower_quartile, row.upper_quartile, row.maximum)
            spread = " (quartiles {} and {}, at most {})".format(*(f"{size(r)}/s" for r in three))
        yield f"    {counted(row.processes, 'process', 'processes'):>16}  {size(row.rate)}/s{spread}"
    yield _source(rates.source)


def _source(source: SiteSource) -> str:
    return f"    [{source.document}, {source.section}; read {source.retrieved}]"
