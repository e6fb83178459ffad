"""Writes a site's profile from its own measurements, as TOML: a new profile, or an existing one with the tables
added."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import floor, log10

import tomlkit
from tomlkit.items import AoT, Array, InlineTable, Table

from iotriage.sites import all_sites
from iotriage.sites.measured_identity import file_systems, host_patterns, is_common
from iotriage.sites.measured_tables import MeasuredTables, extended, tables
from iotriage.sites.measurement import Excluded, Measurement
from iotriage.sites.measurements import measurements
from iotriage.sites.site import (
    BANDWIDTH_UNITS,
    DocumentedRates,
    FileSystem,
    FileSystemKind,
    OperationRates,
    RateRow,
    Site,
    SiteSource,
    Statistic,
)
from iotriage_parsers.evidence import Evidence
from iotriage_parsers.frozen import frozen

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


@frozen
class MeasuredProfile:
    """A profile as TOML, the tables that are new in it, and what of the results is no measurement."""

    toml: str
    tables: tuple[DocumentedRates, ...]
    operation_tables: tuple[OperationRates, ...]
    left_out: tuple[Excluded, ...]


@frozen
class NewSite:
    """What is said about a site that has no profile: its name in sentences, where its file system is mounted and of
    what kind it is, and the name of one of its nodes. None where the results are to tell."""

    title: str | None = None
    mount: str | None = None
    kind: FileSystemKind | None = None
    host: str | None = None


def profile_of(
    site_id: str,
    results: Sequence[tuple[str, Evidence]],
    checked: str,
    new: NewSite,
    before: str | None = None,
) -> MeasuredProfile:
    """The profile of the site with what the results, each with its name, measured there on the day `checked`
    (YYYY-MM-DD) and before. A site that is known, whose TOML is `before`, keeps its file systems; a new one has those
    of `new`, or else those that the results' paths name. BadNameError where `site_id` is not lower-case words with
    hyphens."""
    if _ID.fullmatch(site_id) is None:
        raise BadNameError(f"{site_id!r} is no id of a site: lower-case words with hyphens")
    evidence = [e for _, e in results]
    known = all_sites().get(site_id) if before is not None else None
    if known is not None and before is not None:
        systems, name = known.file_systems, known.title
    else:
        systems, name = file_systems(evidence, new.mount, new.kind), new.title or site_id
        before = _new_profile(site_id, name, checked, systems, host_patterns(evidence, new.host))
    found = list(measurements(results, systems))
    measured = tables((m for m in found if isinstance(m, Measurement)), document_key(site_id), checked)
    left_out = tuple(m for m in found if isinstance(m, Excluded))
    toml = _with_tables(before, measured, name, known) if measured else before
    return MeasuredProfile(toml, measured.rates, measured.operation_rates, left_out)


def document_key(site_id: str) -> str:
    """The key under which the profile cites its own measurements."""
    return f"{site_id}-measured"


def _new_profile(site_id: str, title: str, checked: str, systems: Sequence[FileSystem], hosts: Sequence[str]) -> str:
    """A profile that knows its file systems and nodes and nothing else."""
    document = tomlkit.document()
    facts = {"id": site_id, "title": title, "status": "current", "checked": checked, "version": "0"}
    for key, value in facts.items():
        document.add(key, tomlkit.string(value))
    common, own = ([s for s in systems if is_common(s.title) == is_shared] for is_shared in (True, False))
    names = {
        "detect_paths": [mount for system in own for mount in system.mounts],
        "detect_common_paths": [mount for system in common for mount in system.mounts],
        "detect_hosts": list(hosts),
    }
    for key, patterns in names.items():
        if patterns:
            document.add(key, tomlkit.item(patterns))
    tables = tomlkit.aot()
    for system in systems:
        table = tomlkit.table()
        table.update({"id": system.id, "title": system.title, "kind": system.kind, "mounts": list(system.mounts)})
        tables.append(table)
    document.add("file_systems", tables)
    return tomlkit.dumps(document)


def _with_tables(profile: str, measured: MeasuredTables, title: str, known: Site | None) -> str:
    """The TOML `profile` with the tables in it; a row takes the place of one for as many processes that stood there.
    The day on which the rest was checked stays: each table has its own."""
    document = tomlkit.parse(profile)
    key = document_key(str(document["id"]))
    document["version"] = _next(str(document["version"]))
    rates, no_rates = extended(known.rates if known is not None else (), measured.rates)
    operations, no_operations = extended(known.operation_rates if known is not None else (), measured.operation_rates)
    _put(document, "rates", "id", {table.id: _rates(table) for table in rates}, no_rates)
    _put(document, "operation_rates", "id", {t.id: _operations(t) for t in operations}, no_operations)
    _put(document, "documents", "key", {key: _own_document(key, title)})
    return tomlkit.dumps(document)


def _put(
    document: tomlkit.TOMLDocument, key: str, name: str, new: Mapping[str, Table], gone: frozenset[str] = frozenset()
) -> None:
    """Adds the tables to those under `key`, in the place of those that have their names; those that are gone go."""
    found = document.get(key)
    kept = tomlkit.aot()
    if isinstance(found, AoT):
        for table in found:
            if str(table[name]) not in {*new, *gone}:
                kept.append(table)
    for table in new.values():
        kept.append(table)
    if kept:
        document[key] = kept


def _next(version: str) -> str:
    return str(int(version) + 1) if version.isdigit() else f"{version}-measured"


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
        "iobuf": rates.iobuf or None,
    }
    table.update({key: value for key, value in optional.items() if value is not None})
    table.add("rows", _rows(rates.rows, rates.statistic, BANDWIDTH_UNITS[rates.unit]))
    table.add("source", _source(rates.source))
    return table


def _operations(rates: OperationRates) -> Table:
    table = tomlkit.table()
    table.update(
        {
            "id": rates.id,
            "title": rates.title,
            "file_systems": list(rates.file_systems),
            "operation": rates.operation,
            "directory": rates.directory,
            "statistic": rates.statistic,
            "measured": rates.measured,
        }
    )
    optional = {"file_size_bytes": rates.file_size_bytes, "settings": rates.settings}
    table.update({key: value for key, value in optional.items() if value is not None})
    table.add("rows", _rows(rates.rows, rates.statistic, 1))
    table.add("source", _source(rates.source))
    return table


def _source(source: SiteSource) -> Table:
    table = tomlkit.table()
    table.update(
        {
            "document": source.document,
            "section": source.section,
            "says": source.says,
            "retrieved": source.retrieved,
        }
    )
    if source.also:
        table.add("also", list(source.also))
    return table


def _rows(rows: Sequence[RateRow], statistic: Statistic, unit: int) -> Array:
    found = tomlkit.array().multiline(True)
    for row in rows:
        found.append(_row(row, statistic, unit))
    return found


DIGITS = 4
"""Of a rate below a thousand of its unit; larger ones are told to a tenth."""


def _rounded(rate: float) -> float:
    return round(rate, max(1, DIGITS - 1 - floor(log10(rate))))


def _row(row: RateRow, statistic: Statistic, unit: int) -> InlineTable:
    """The row with its figures in the table's unit."""
    values = {
        "rate": row.rate,
        "lower_quartile": row.lower_quartile,
        "upper_quartile": row.upper_quartile,
        "maximum": row.maximum,
        "minimum": row.minimum,
    }
    cells = {key: values[field] for key, field in _KEYS[statistic]}
    found = tomlkit.inline_table()
    found.update({"processes": row.processes, **{key: _rounded(v / unit) for key, v in cells.items() if v is not None}})
    return found
