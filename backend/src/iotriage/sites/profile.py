"""Reads a site's TOML file into a `Site`, or refuses it with the file, the line, the key and the reason."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, get_args

from iotriage.sites.site import (
    ALL_OSTS,
    DataSieving,
    DefaultLayout,
    Direction,
    DocumentedRates,
    EnvironmentAdvice,
    FileSystem,
    FileSystemKind,
    ManualStriping,
    RatedPattern,
    RateRow,
    RateUnit,
    Site,
    SiteDocument,
    SiteSource,
    Statistic,
    StripeRule,
    ThresholdOverride,
)
from iotriage.sites.toml_table import Table, read_table

_PATTERNS: tuple[RatedPattern, ...] = get_args(RatedPattern)
_STATUS: tuple[Literal["current", "retired", "generic"], ...] = ("current", "retired", "generic")
_KINDS: tuple[FileSystemKind, ...] = get_args(FileSystemKind)
_STRIPING: tuple[ManualStriping, ...] = get_args(ManualStriping)
_LAYOUTS: tuple[DefaultLayout, ...] = get_args(DefaultLayout)
_SIEVING: tuple[DataSieving, ...] = get_args(DataSieving)
_DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
_STATISTICS: tuple[Statistic, ...] = get_args(Statistic)
_UNITS: Mapping[RateUnit, int] = {"MiB/s": 2**20, "GiB/s": 2**30, "MB/s": 10**6, "GB/s": 10**9}
_RATE_UNITS: tuple[RateUnit, ...] = get_args(RateUnit)
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_ID_REASON = "must be lower-case words with hyphens"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATE_REASON = "must be a date, YYYY-MM-DD, in quotes"


def load(path: Path) -> Site:
    """The profile in `path`. BadSiteError when it is not TOML, lacks a key, has one that is not known, or has a
    value of the wrong type or range; OSError when it cannot be read."""
    return _site(read_table(path))


def _site(t: Table) -> Site:
    checked = t.shaped("checked", _DATE, _DATE_REASON)
    systems = t.tables("file_systems", partial(_file_system, checked=checked))
    known = [f.id for f in systems]
    site = Site(
        id=t.shaped("id", _ID, _ID_REASON),
        title=t.text("title"),
        status=t.word("status", _STATUS),
        checked=checked,
        version=t.text("version"),
        detect_paths=t.paths("detect_paths"),
        detect_shared_paths=t.paths("detect_shared_paths"),
        detect_hosts=t.whole_names("detect_hosts"),
        detect_libraries=t.expressions("detect_libraries"),
        url=t.text_or_none("url"),
        shared_file_stripe_count=_stripe_count(t, "shared_file_stripe_count"),
        notes=t.texts("notes"),
        file_systems=systems,
        rates=t.tables("rates", partial(_rates, checked=checked, known=known)),
        stripe_rules=t.tables("stripe_rules", partial(_stripe_rule, checked=checked, known=known)),
        thresholds=t.tables("thresholds", partial(_override, checked=checked)),
        environment=t.tables("environment", partial(_environment, checked=checked)),
        documents=t.tables("documents", _document),
    )
    t.end()
    t.unique("file_systems", known)
    t.unique("rates", [r.id for r in site.rates])
    t.unique("thresholds", [o.threshold for o in site.thresholds])
    t.unique("documents", [d.key for d in site.documents])
    return site


def _file_system(t: Table, checked: str) -> FileSystem:
    found = FileSystem(
        id=t.shaped("id", _ID, _ID_REASON),
        title=t.text("title"),
        kind=t.word("kind", _KINDS),
        mounts=t.paths("mounts", least=1),
        osts=t.integer("osts", 1),
        default_stripe_count=t.integer("default_stripe_count", 1),
        default_stripe_size_bytes=t.integer("default_stripe_size_bytes", 65536),
        default_layout=t.word_or_none("default_layout", _LAYOUTS),
        most_stripes=t.integer("most_stripes", 1),
        ost_bandwidth=t.positive("ost_bandwidth"),
        peak_write_bandwidth=t.positive("peak_write_bandwidth"),
        peak_read_bandwidth=t.positive("peak_read_bandwidth"),
        block_size_bytes=t.integer("block_size_bytes", 512),
        file_creates_per_s=t.integer("file_creates_per_s", 1),
        data_sieving=t.word_or_none("data_sieving", _SIEVING),
        manual_striping=t.word("manual_striping", _STRIPING, "yes"),
        note=t.text_or_none("note"),
        source=_source(t.table("source"), checked) if t.has("source") else None,
    )
    figures = (
        *(found.osts, found.default_stripe_count, found.default_stripe_size_bytes, found.ost_bandwidth),
        *(found.peak_write_bandwidth, found.peak_read_bandwidth, found.block_size_bytes, found.file_creates_per_s),
        *(found.default_layout, found.most_stripes),
    )
    if found.source is None and any(f is not None for f in figures):
        raise t.refuse("source", "is missing, and there are figures")
    t.end()
    return found


def _rates(t: Table, checked: str, known: Sequence[str]) -> DocumentedRates:
    statistic, unit = t.word("statistic", _STATISTICS), t.word("unit", _RATE_UNITS)
    found = DocumentedRates(
        id=t.shaped("id", _ID, _ID_REASON),
        title=t.text("title"),
        file_systems=_systems(t, known, least=1),
        pattern=t.word("pattern", _PATTERNS),
        direction=t.word("direction", _DIRECTIONS),
        statistic=statistic,
        unit=unit,
        measured=t.text("measured"),
        rows=t.tables("rows", partial(_row, statistic=statistic, scale=_UNITS[unit]), least=1),
        source=_source(t.table("source"), checked),
        stripe_count=_stripe_count(t, "stripe_count"),
        stripe_size_bytes=t.integer("stripe_size_bytes", 65536),
        transfer_size_bytes=t.integer("transfer_size_bytes", 1),
        bytes_per_process=t.integer("bytes_per_process", 1),
        settings=t.text_or_none("settings"),
    )
    counts = [row.processes for row in found.rows]
    if counts != sorted(set(counts)):
        raise t.refuse("rows", "must stand by rising number of processes, each once")
    t.end()
    return found


def _row(t: Table, statistic: Statistic, scale: int) -> RateRow:
    def rate(key: str) -> float:
        value = t.positive(key)
        if value is None:
            raise t.refuse(key, "is missing")
        return value * scale

    processes = t.integer("processes", 1)
    if processes is None:
        raise t.refuse("processes", "is missing")
    if statistic == "quartiles":
        low, mid, high, most = (rate(k) for k in ("lower_quartile", "median", "upper_quartile", "maximum"))
        if not low <= mid <= high <= most:
            raise t.refuse("median", "quartiles must rise: lower_quartile, median, upper_quartile, maximum")
        row = RateRow(processes, mid, low, high, most)
    else:
        row = RateRow(processes, rate(statistic))
    t.end()
    return row


def _stripe_rule(t: Table, checked: str, known: Sequence[str]) -> StripeRule:
    start, end, count = t.integer("from_bytes", 0), t.integer("to_bytes", 1), _stripe_count(t, "stripe_count")
    if count is None:
        raise t.refuse("stripe_count", "is missing")
    if end is not None and end <= (start or 0):
        raise t.refuse("to_bytes", "must be above from_bytes")
    found = StripeRule(
        file_systems=_systems(t, known, least=1),
        from_bytes=start or 0,
        to_bytes=end,
        stripe_count=count,
        source=_source(t.table("source"), checked),
        stripe_size_bytes=t.integer("stripe_size_bytes", 65536),
        pool=t.text_or_none("pool"),
    )
    t.end()
    return found


def _override(t: Table, checked: str) -> ThresholdOverride:
    source = _source(t.table("source"), checked)
    found = ThresholdOverride(t.text("threshold"), t.number("value"), source, t.text("why"))
    t.end()
    return found


def _environment(t: Table, checked: str) -> EnvironmentAdvice:
    found = EnvironmentAdvice(
        t.word("pattern", _PATTERNS),
        t.text("text"),
        t.texts("lines", least=1),
        _source(t.table("source"), checked),
        t.words("kinds", _KINDS),
    )
    t.end()
    return found


def _document(t: Table) -> SiteDocument:
    key = t.shaped("key", _ID, _ID_REASON)
    found = SiteDocument(key, t.text("title"), t.text("publisher"), t.text("systems"), t.text_or_none("url"))
    t.end()
    return found


def _source(t: Table, checked: str) -> SiteSource:
    retrieved = t.shaped("retrieved", _DATE, _DATE_REASON) if t.has("retrieved") else checked
    found = SiteSource(t.text("document"), t.text("section"), t.text("says"), retrieved)
    t.end()
    return found


def _systems(t: Table, known: Sequence[str], *, least: int = 0) -> tuple[str, ...]:
    found = t.texts("file_systems", least=least)
    strange = next((f for f in found if f not in known), None)
    if strange is not None:
        raise t.refuse("file_systems", f"{strange!r} is no file system of this profile")
    return found


def _stripe_count(t: Table, key: str) -> int | None:
    count = t.integer(key, ALL_OSTS)
    if count == 0:
        raise t.refuse(key, "must be −1 for all OSTs, or at least 1")
    return count
