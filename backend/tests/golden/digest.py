"""What we say about a sample, cut down to what a reviewer can read in a diff.

Evidence becomes shapes, sums and checksums where records are many; metrics and findings lose what only a page needs.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from iotriage.analysis.decision.basis import DecisionBasis, basis_of, grounds_of
from iotriage.analysis.document import CaseDocument, Finding, Findings, KnownMetric, Verdict
from iotriage_parsers.evidence import CounterTable, Evidence, Failure, Heatmap, MpiioStats

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = "dict[str, Json]"

MANY = 12
SHOWN = 3


def text_of(said: Json) -> str:
    """The bytes of a golden file."""
    return json.dumps(said, indent=1, ensure_ascii=False) + "\n"


def lines_of(said: JsonObject) -> str:
    """The same with one line an entry, for what has many short ones."""
    entries = (f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in said.items())
    return "{\n" + ",\n".join(entries) + "\n}\n"


def evidence_digest(read: Evidence | Failure) -> JsonObject:
    """What a reader found in one source."""
    if isinstance(read, Failure):
        return {"status": "failed", "code": read.code, "message": read.message, "next_step": read.next_step}
    return {
        "reader": read.reader,
        "status": read.status,
        "problems": [_fields(problem) for problem in read.problems],
        "parts": [_fields(part) for part in read.parts],
    }


def metrics_digest(document: CaseDocument) -> JsonObject:
    """The metrics that the job has: value, unit and how sure. Absent ones are left out, so that a new metric changes
    the files of the samples that have it, and no others."""
    return {name: _metric(m) for name, m in sorted(document.metrics.items()) if isinstance(m, KnownMetric)}


def findings_digest(document: CaseDocument) -> JsonObject:
    """The headline, what is triggered in full, and of the rest which rule said so on which scope. Rules that do not
    apply are left out."""
    headline, basis = document.headline, basis_of(document)
    return {
        "headline": {
            "sentence": headline.sentence,
            "figure": headline.figure,
            "action": headline.to_do,
            "command": headline.command,
            "severity": headline.severity,
            "rule": headline.rule,
        },
        "site": document.site.id,
        "triggered": [_triggered(f) for f in document.findings if f.verdict == "triggered"],
        "unknown": [_unknown(f, basis) for f in document.findings if f.verdict == "unknown"],
        "clear": _named(document.findings, "clear"),
        "error": _named(document.findings, "error"),
    }


def _metric(metric: KnownMetric) -> Json:
    said: JsonObject = {"value": _rounded(metric.value), "unit": metric.unit, "confidence": metric.confidence}
    return said | ({"bound": metric.bound} if metric.bound else {})


def _triggered(finding: Finding) -> JsonObject:
    return {
        "rule": finding.rule,
        "scope": finding.scope.label,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "explained_by": finding.explained_by,
        "headline": finding.headline,
        "summary": finding.summary,
        "commands": [a.command for a in finding.advice if a.command],
    }


def _unknown(finding: Finding, basis: DecisionBasis) -> JsonObject:
    grounds = grounds_of(finding, basis)
    settled_by = () if grounds is None else grounds.settled_by
    return {"rule": finding.rule, "scope": finding.scope.label, "settled_by": list(settled_by)}


def _named(findings: Findings, verdict: Verdict) -> list[Json]:
    return [*sorted(f"{f.rule} ({f.scope.label})" for f in findings if f.verdict == verdict)]


def _rounded(value: Json) -> Json:
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _fields(value: object) -> JsonObject:
    assert dataclasses.is_dataclass(value)
    fields = ((f.name, getattr(value, f.name)) for f in dataclasses.fields(value))
    if isinstance(value, MpiioStats):
        fields = ((name, _lines(value) if name == "fields" else found) for name, found in fields)
    return {name: _digest(found) for name, found in fields if found is not None}


def _lines(stats: MpiioStats) -> str:
    return "; ".join(f"{f.line}: {f.label} = {f.text}" for f in stats.fields)


def _digest(value: object) -> Json:
    match value:
        case bool() | str() | None:
            return value
        case int():
            return value if abs(value) < 2**53 else str(value)
        case float():
            return float(f"{value:.15g}") if math.isfinite(value) else str(value)
        case CounterTable():
            return _table(value)
        case Heatmap():
            return _heatmap(value)
        case np.ndarray():
            return _array(value)
        case Mapping():
            return _few([f"{key}: {found}" for key, found in value.items()])
        case tuple() | list():
            return _few([_digest(found) for found in value])
        case _:
            return _fields(value)


def _few(items: list[Json]) -> Json:
    if len(items) <= MANY:
        return items
    return {"entries": len(items), "first": items[:SHOWN], "sha256": _sha(json.dumps(items).encode())}


def _table(table: CounterTable) -> JsonObject:
    totals = {name: table.total(name) for name in table.int_names}
    times = {name: table.seconds(name) for name in table.float_names if name.endswith("_TIME")}
    # NaN: the record does not have it.
    seconds = {name: math.fsum(column[np.isfinite(column)]) for name, column in times.items()}
    return {
        "module": table.module,
        "records": len(table),
        "shared": int((table.ranks < 0).sum()),
        "partial": table.partial,
        "totals": {name: total for name, total in totals.items() if total},
        "seconds": {name: round(total, 6) for name, total in seconds.items() if total},
        "sha256": _arrays(table.ids, table.ranks, table.ints, table.floats),
    }


def _heatmap(heatmap: Heatmap) -> JsonObject:
    return {
        "layer": heatmap.layer,
        "bin_width_s": heatmap.bin_width_s,
        "ranks": len(heatmap.ranks),
        "bins": heatmap.read.shape[1],
        "read_bytes": int(heatmap.read.sum()),
        "written_bytes": int(heatmap.written.sum()),
        "sha256": _arrays(heatmap.ranks, heatmap.read, heatmap.written),
    }


def _array(array: np.ndarray) -> JsonObject:
    sums = {name: _sum(array[name]) for name in array.dtype.names or ()}
    return {"shape": list(array.shape), "sums": sums, "sha256": _arrays(array)}


def _sum(column: np.ndarray) -> Json:
    return round(math.fsum(column), 6) if column.dtype.kind == "f" else str(sum(column.tolist()))


def _arrays(*arrays: np.ndarray) -> str:
    return _sha(b"".join(np.ascontiguousarray(a, a.dtype.newbyteorder("<")).tobytes() for a in arrays))


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
