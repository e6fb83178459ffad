"""A site's TOML file as a `Site`: validated by pydantic where it is the installation's own, as it stands where it is
shipped, since the tests validate those and pydantic costs the command line more than the diagnosis."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from iotriage.sites.bad_site import BadSiteError
from iotriage.sites.site import (
    BANDWIDTH_UNITS,
    DocumentedRates,
    EnvironmentAdvice,
    FileSystem,
    NodeCores,
    OperationRates,
    RateRow,
    Site,
    SiteDocument,
    SiteSource,
    StripeRule,
    StripesOfFewRanks,
    ThresholdOverride,
)

T = TypeVar("T")
Table = Mapping[str, object]


_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")


def load(path: Path) -> Site:
    """The profile in `path`, every key of it checked. BadSiteError when it is not TOML, lacks a key, has one that is
    not known, or has a value of the wrong type or range; OSError when it cannot be read."""
    from iotriage.sites.validation import validate

    text, content = _read(path)
    validate(path, text, content)
    return _site(content)


def load_valid(path: Path) -> Site:
    """The profile in `path`, which is known to be valid: where it turns out that it is not, it is read as `load` does,
    to say why. BadSiteError then."""
    try:
        return _site(_read(path)[1])
    except (TypeError, KeyError, AssertionError):
        return load(path)


def _read(path: Path) -> tuple[str, Table]:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        reason = f"not TOML: it is not UTF-8 ({error.reason} at byte {error.start})"
        raise BadSiteError(f"{path}:1: file: {reason}") from error
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = _AT_LINE.search(str(error))
        line = int(at[1]) if at is not None else text.count("\n") + 1
        raise BadSiteError(f"{path}:{line}: file: not TOML: {error}") from error


def _site(table: Table) -> Site:
    def source(of: Table) -> SiteSource:
        """A figure was read on the day on which the profile was checked, unless its source says another."""
        return _made(SiteSource, {"retrieved": table["checked"], **_table(of["source"])})

    def one(kind: Callable[..., T], name: str) -> T | None:
        return sourced(kind, _table(table[name])) if name in table else None

    def sourced(kind: Callable[..., T], of: Table, **fields: object) -> T:
        return _made(kind, {**of, "source": source(of), **fields} if "source" in of else {**of, **fields})

    return _made(
        Site,
        {
            **table,
            "running_jobs": source({"source": table["running_jobs"]}) if "running_jobs" in table else None,
            "node_cores": one(NodeCores, "node_cores"),
            "stripes_of_few_ranks": one(StripesOfFewRanks, "stripes_of_few_ranks"),
            "file_systems": tuple(sourced(FileSystem, f, **_rates_in(f)) for f in _tables(table, "file_systems")),
            "rates": tuple(sourced(DocumentedRates, r, rows=_rows(r)) for r in _tables(table, "rates")),
            "operation_rates": tuple(
                sourced(OperationRates, r, rows=_rows(r)) for r in _tables(table, "operation_rates")
            ),
            "stripe_rules": tuple(
                sourced(StripeRule, {"from_bytes": 0, "to_bytes": None, **r}) for r in _tables(table, "stripe_rules")
            ),
            "thresholds": tuple(
                sourced(ThresholdOverride, o, value=_number(o["value"])) for o in _tables(table, "thresholds")
            ),
            "environment": tuple(sourced(EnvironmentAdvice, e) for e in _tables(table, "environment")),
            "documents": tuple(_made(SiteDocument, d) for d in _tables(table, "documents")),
        },
    )


def _rates_in(file_system: Table) -> dict[str, float]:
    return {key: _number(rate) for key, rate in file_system.items() if key.endswith("_bandwidth")}


_THE_RATE = {"quartiles": "median"}


def _rows(rates: Table) -> tuple[RateRow, ...]:
    """The rows in bytes, or operations, per second; of quartiles the median is the rate, of a range its upper end."""
    scale = BANDWIDTH_UNITS[str(rates["unit"])] if "unit" in rates else 1
    statistic = str(rates["statistic"])
    found = []
    for row in _tables(rates, "rows"):
        scaled = {key: _number(rate) * scale for key, rate in row.items() if key != "processes"}
        rate = scaled["maximum"] if statistic == "range" else scaled.pop(_THE_RATE.get(statistic, statistic))
        found.append(_made(RateRow, {"processes": row["processes"], "rate": rate, **scaled}))
    return tuple(found)


def _made(kind: Callable[..., T], fields: Table) -> T:
    return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()})


def _table(value: object) -> Table:
    assert isinstance(value, dict)
    return value


def _tables(table: Table, key: str) -> tuple[Table, ...]:
    value = table.get(key, [])
    assert isinstance(value, list)
    return tuple(_table(inner) for inner in value)


def _number(value: object) -> float:
    assert isinstance(value, int | float)
    return float(value)
