"""`iotriage sites`: the profiles that can be chosen with --site; one of them whole; or one made from measurements."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import get_args

from iotriage.cli import DONE, NOTHING_READ, refuse
from iotriage.cli.bounds import TooCostlyError, bounded
from iotriage.cli.confined import restrict_reading
from iotriage.cli.output import Output, declare_output, opened
from iotriage.cli.places import check_ends, typed_path
from iotriage.cli.typed_values import typed_words
from iotriage.rules.core.document import Document
from iotriage.rules.core.documents import DOCUMENTS
from iotriage.rules.core.own_sites import cited
from iotriage.rules.core.words import plural, printable, size
from iotriage.sites import all_sites, file_of
from iotriage.sites.launcher import how_jobs_run
from iotriage.sites.limits import limits
from iotriage.sites.site import (
    DocumentedRates,
    FileSystem,
    FileSystemKind,
    OperationRates,
    RateRow,
    Site,
    SiteDocument,
    SiteSource,
)
from iotriage_parsers.detect import read_or_unpack
from iotriage_parsers.evidence import Evidence, Failure
from iotriage_parsers.reader import Limits


def declare(command: argparse.ArgumentParser) -> None:
    command.set_defaults(run=run)
    actions = command.add_subparsers(dest="action", metavar="ACTION")
    show = actions.add_parser("show", help="print all that is known of a site, with its sources")
    show.add_argument("id", metavar="ID", help="the site's id, as `iotriage sites` lists it")
    show.set_defaults(run=run_show)
    measure = actions.add_parser(
        "measure",
        help="make a profile, or extend one, from what IOR, benchio, mdtest and IO500 measured there",
        description="Make a site's profile from what IOR, benchio, mdtest and IO500 measured there, or add the "
        "measurements to the profile that it has. Values of equal runs are pooled where they are given together; "
        "IOTRIAGE_SITES names profiles that are to be used.",
    )
    measure.add_argument("id", metavar="NAME", help="the site's id; one that is known is extended")
    measure.add_argument(
        "results", metavar="RESULT", nargs="+", type=typed_path, help="outputs, and `lfs getstripe` of paths"
    )
    measure.add_argument("--title", type=typed_words, help="the site's name in sentences (default: NAME)")
    measure.add_argument("--mount", type=_mount, help="where a new site's file system is (default: as the results say)")
    measure.add_argument("--kind", choices=get_args(FileSystemKind), help="what a new site's file system is")
    measure.add_argument(
        "--host", type=typed_words, help="the name of a new site's node, by which its jobs are known (default: IOR's)"
    )
    declare_output(measure)
    measure.set_defaults(run=run_measure)


def _mount(text: str) -> str:
    if not text.startswith("/") or text == "/":
        raise argparse.ArgumentTypeError(f"{text!r} is not the absolute path of a mount point")
    return text


def run(_: argparse.Namespace) -> int:
    sites = all_sites()
    width = max(map(len, sites))
    lines = [f"{s.id:{width}}  {s.title} ({s.status}, checked {s.checked})" for s in sites.values()]
    sys.stdout.write("\n".join(lines) + "\n")
    return DONE


def run_show(chosen: argparse.Namespace) -> int:
    sites = all_sites()
    if chosen.id not in sites:
        return refuse("sites", f"unknown site {chosen.id!r}; known: {', '.join(sites)}")
    sys.stdout.write("\n".join(_as_text(sites[chosen.id])) + "\n")
    return DONE


def run_measure(chosen: argparse.Namespace) -> int:
    with opened(chosen.output) as output:
        if output.refused is not None:
            return refuse("sites", output.refused)
        return _measured(chosen, output)


def _measured(chosen: argparse.Namespace, output: Output) -> int:
    from iotriage.sites.measured_profile import BadNameError, NewSite, profile_of

    before = file_of(chosen.id).read_text(encoding="utf-8") if chosen.id in all_sites() else None
    if chosen.owns_process:
        restrict_reading(chosen.results)
    results: list[tuple[str, Evidence]] = []
    for path in chosen.results:
        try:
            check_ends(path)
            with path.open("rb") as stream, bounded():
                read = read_or_unpack(stream, Limits())
        except OSError as problem:
            return refuse("sites", f"{path}: {problem.strerror}", NOTHING_READ)
        except TooCostlyError as costly:
            return refuse("sites", f"{path}: {costly}", NOTHING_READ)
        if not isinstance(read, Evidence):
            why = read.message if isinstance(read, Failure) else "it is an archive: unpack it first"
            return refuse("sites", f"{path}: {why}", NOTHING_READ)
        results.append((path.name, read))
    try:
        new = NewSite(chosen.title, chosen.mount, chosen.kind, chosen.host)
        profile = profile_of(chosen.id, results, date.today().isoformat(), new, before)
    except BadNameError as problem:
        return refuse("sites", str(problem))
    for left_out in profile.left_out:
        at = f":{left_out.line}" if left_out.line is not None else ""
        sys.stderr.write(f"{printable(left_out.result)}{at}: left out, for {printable(left_out.why)}\n")
    if not (profile.tables or profile.operation_tables):
        return refuse("sites", "nothing was measured by these results", NOTHING_READ)
    unwritten = output.write(profile.toml)
    if unwritten is not None:
        return refuse("sites", unwritten)
    tables = [(t.title, t.statistic, t.rows) for t in profile.tables]
    tables += [(t.title, t.statistic, t.rows) for t in profile.operation_tables]
    for title, statistic, rows in tables:
        sys.stderr.write(f"{title}: {statistic}, {plural(len(rows), 'process count')}\n")
    return DONE


def _as_text(site: Site) -> Iterator[str]:
    yield f"{site.title} ({site.id}): {site.status}, checked {site.checked}, profile {site.version}"
    if site.url:
        yield f"  {site.url}"
    yield from (f"  - {note}" for note in site.notes)
    jobs = ", ".join(f"{what} {name}" for what, name in how_jobs_run(site))
    if jobs:
        yield ""
        yield f"  {jobs[0].upper()}{jobs[1:]}"
        yield "    [ours: no document says so]" if site.running_jobs is None else _source(site.running_jobs)
    for fs in site.file_systems:
        yield ""
        yield f"  {fs.title}: {', '.join([fs.kind, *_figures(fs)])}"
        yield f"    at {' '.join(fs.mounts)}"
        yield from _notes(fs)
    for rates in site.rates:
        yield ""
        yield from _rates(rates)
    for operations in site.operation_rates:
        yield ""
        yield from _operations(operations)
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
        yield f"by default {plural(fs.default_stripe_count, 'stripe')}{of}"
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
    if fs.request:
        yield f"    asked for with {fs.request}"
    if fs.note:
        yield f"    {fs.note}"
    if fs.source is not None:
        yield _source(fs.source)


def _rates(rates: DocumentedRates) -> Iterator[str]:
    yield f"  {rates.title}: {rates.direction}, {rates.statistic}, measured {rates.measured}"
    yield from _rows(rates.rows, lambda rate: f"{size(rate)}/s")
    yield _source(rates.source)


def _operations(rates: OperationRates) -> Iterator[str]:
    yield f"  {rates.title}: {rates.statistic}, measured {rates.measured}"
    yield from _rows(rates.rows, lambda rate: f"{round(rate):,}/s")
    yield _source(rates.source)


def _rows(rows: Sequence[RateRow], form: Callable[[float], str]) -> Iterator[str]:
    for row in rows:
        spread = ""
        if row.lower_quartile is not None and row.upper_quartile is not None and row.maximum is not None:
            three = (row.lower_quartile, row.upper_quartile, row.maximum)
            spread = " (quartiles {} and {}, at most {})".format(*map(form, three))
        elif row.minimum is not None and row.minimum < row.rate:
            spread = f" (from {form(row.minimum)})"
        yield f"    {plural(row.processes, 'process', 'processes'):>16}  {form(row.rate)}{spread}"


def _source(source: SiteSource) -> str:
    return f"    [{source.document}, {source.place}; read {source.retrieved}]"
