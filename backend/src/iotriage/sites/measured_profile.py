"""A site's profile from its own measurements, as TOML: a new one, or one that exists with the tables added."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

import tomlkit
from tomlkit.items import AoT, InlineTable, Table

from iotriage.sites import all_sites, file_of
from iotriage.sites.measurements import LeftOut, Measurement, measurements, tables
from iotriage.sites.profile import RATE_UNITS
from iotriage.sites.site import DocumentedRates, FileSystem, FileSystemKind, RateRow, Statistic
from iotriage_parsers.evidence import BenchmarkRun, Evidence, StripeLayout

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

_KEYS: dict[Statistic, tuple[tuple[str, str], ...]] = {
    "maximum": (("maximum", "rate"),),
    "typical": (("typical", "rate"),),
    "range": (("minimum", "minimum"), ("maximum", "maximum")),
    "quartiles": (
        ("lower_quartile", "lower_quartile"),
        ("median", "rate"),
        ("upper_quartile", "upper_quartile"),
        ("maximum", "maximum"),
    ),
}
"""The keys of a row in a profile, and the fields of a `RateRow` that they hold."""


class BadNameError(ValueError):
    """The name cannot be the id of a site."""


@dataclass(frozen=True, slots=True)
class MeasuredProfile:
    """A profile as TOML, the tables that are new in it, and what of the results is no measurement."""

    toml: str
    tables: tuple[DocumentedRates, ...]
    left_out: tuple[LeftOut, ...]


def profile_of(
    site_id: str,
    results: Sequence[tuple[str, Evidence]],
    checked: str,
    title: str | None = None,
    mount: str | None = None,
    kind: FileSystemKind | None = None,
) -> MeasuredProfile:
    """The profile of the site with what the results, each with its name, measured there on the day `checked`
    (YYYY-MM-DD) and before. A site that is known keeps its file systems; a new one has those that `mount`, or else the
    results' paths, name. BadNameError where `site_id` is not lower-case words with hyphens."""
    if _ID.fullmatch(site_id) is None:
        raise BadNameError(f"{site_id!r} is no id of a site: lower-case words with hyphens")
    known = all_sites().get(site_id)
    if known is not None:
        systems, name, before = known.file_systems, known.title, file_of(site_id).read_text(encoding="utf-8")
    else:
        systems, name = _file_systems([e for _, e in results], mount, kind), title or site_id
        before = _new_profile(site_id, name, checked, systems)
    found = list(measurements(results, systems))
    new = tables((m for m in found if isinstance(m, Measurement)), document_key(site_id), checked)
    left_out = tuple(m for m in found if isinstance(m, LeftOut))
    return MeasuredProfile(_with_tables(before, new, name) if new else before, new, left_out)


def _file_systems(
    results: Sequence[Evidence], mount: str | None, kind: FileSystemKind | None
) -> tuple[FileSystem, ...]:
    parts = [part for evidence in results for part in evidence.parts]
    lustre = any(isinstance(p, StripeLayout) or (isinstance(p, BenchmarkRun) and p.stripe_count) for p in parts)
    kind = kind or ("lustre" if lustre else "unknown")
    paths = [mount] if mount is not None else list(_paths(parts))
    return tuple({(fs := _file_system(path, kind)).id: fs for path in paths}.values())


def _paths(parts: Sequence[object]) -> Iterator[str]:
    """Where the benchmarks wrote, as far as the paths are absolute."""
    runs = [part for part in parts if isinstance(part, BenchmarkRun)]
    named = [path for run in runs for path in (run.file, *(r.file for r in run.results)) if path]
    yield from (path for path in named if path.startswith("/") and len(PurePosixPath(path).parts) > 1)


def document_key(site_id: str) -> str:
    """The key under which the profile cites its own measurements."""
    return f"{site_id}-measured"


def _file_system(path: str, kind: FileSystemKind) -> FileSystem:
    """The file system that `path`, a mount point or a file, is on: named by its first folder."""
    first = PurePosixPath(path).parts[1]
    name = re.sub(r"[^a-z0-9]+", "-", first.lower()).strip("-") or "files"
    return FileSystem(name, f"/{first}", kind, (f"^/{re.escape(first)}(/|$)",))


def _new_profile(site_id: str, title: str, checked: str, systems: Sequence[FileSystem]) -> str:
    """A profile that knows its file systems and nothing else."""
    document = tomlkit.document()
    facts = {"id": site_id, "title": title, "status": "current", "checked": checked, "version": "0"}
    for key, value in facts.items():
        document.add(key, tomlkit.string(value))
    document.add("detect_paths", tomlkit.item([mount for system in systems for mount in system.mounts]))
    tables = tomlkit.aot()
    for system in systems:
        table = tomlkit.table()
        table.update({"id": system.id, "title": system.title, "kind": system.kind, "mounts": list(system.mounts)})
        tables.append(table)
    document.add("file_systems", tables)
    return tomlkit.dumps(document)


def _with_tables(profile: str, tables: Sequence[DocumentedRates], title: str) -> str:
    """The TOML `profile` with the tables in it; one of the same id takes the place of what stood there. The day
    on which the rest was checked stays: each table has its own."""
    document = tomlkit.parse(profile)
    site_id = str(document["id"])
    document["version"] = _next(str(document["version"]))
    new = {table.id for table in tables}
    rates = _kept(document, "rates", "id", new)
    for table in tables:
        rates.append(_rates(table))
    documents = _kept(document, "documents", "key", {document_key(site_id)})
    documents.append(_own_document(document_key(site_id), title))
    document["rates"] = rates
    document["documents"] = documents
    return tomlkit.dumps(document)


def _next(version: str) -> str:
    return str(int(version) + 1) if version.isdigit() else f"{version}-measured"


def _kept(document: tomlkit.TOMLDocument, key: str, name: str, besides: set[str]) -> AoT:
    """The tables under `key` but for those named in `besides`."""
    found = document.get(key)
    kept = tomlkit.aot()
    if isinstance(found, AoT):
        for table in found:
            if str(table[name]) not in besides:
                kept.append(table)
    return kept


def _own_document(key: str, title: str) -> Table:
    table = tomlkit.table()
    table.update(
        {"key": key, "title": f"Measurements of I/O on {title}", "publisher": title, "systems": title},
    )
    return table


def _rates(rates: DocumentedRates) -> Table:
    table = tomlkit.table()
    table.update(
        {
            "id": rates.id,
            "title": rates.title,
            "file_systems": list(rates.file_systems),
            "pattern": rates.pattern,
            "direction": rates.direction,
            "statistic": rates.statistic,
            "unit": rates.unit,
            "measured": rates.measured,
        }
    )
    optional = {
        "stripe_count": rates.stripe_count,
        "stripe_size_bytes": rates.stripe_size_bytes,
        "transfer_size_bytes": rates.transfer_size_bytes,
        "bytes_per_process": rates.bytes_per_process,
        "settings": rates.settings,
    }
    table.update({key: value for key, value in optional.items() if value is not None})
    rows = tomlkit.array().multiline(True)
    for row in rates.rows:
        rows.append(_row(row, rates))
    table.add("rows", rows)
    source = tomlkit.table()
    source.update(
        {
            "document": rates.source.document,
            "section": rates.source.section,
            "says": rates.source.says,
            "retrieved": rates.source.retrieved,
        }
    )
    table.add("source", source)
    return table


def _row(row: RateRow, rates: DocumentedRates) -> InlineTable:
    """In the table's unit, to a tenth."""
    values = {
        "rate": row.rate,
        "lower_quartile": row.lower_quartile,
        "upper_quartile": row.upper_quartile,
        "maximum": row.maximum,
        "minimum": row.minimum,
    }
    unit = RATE_UNITS[rates.unit]
    said = {key: values[field] for key, field in _KEYS[rates.statistic]}
    found = tomlkit.inline_table()
    found.update({"processes": row.processes, **{key: round(v / unit, 1) for key, v in said.items() if v is not None}})
    return found
