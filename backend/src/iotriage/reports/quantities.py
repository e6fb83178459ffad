"""A metric's value in words."""

from __future__ import annotations

import re

from iotriage.analysis.document import AbsentMetric, DocumentMetric
from iotriage.metrics.core.metric import MetricValue, Unit
from iotriage.rules.core.words import seconds, size

_SHARE = re.compile(r"fraction|share(?!d)|utilisation")
_ONE: dict[Unit, str] = {
    "calls": "call",
    "ranks": "rank",
    "nodes": "node",
    "files": "file",
    "stripes": "stripe",
    "OSTs": "OST",
}


def is_share(*ids: str) -> bool:
    """Whether a number without a unit is a part of a whole, by the ids of its metric and threshold."""
    return any(_SHARE.search(name) for name in ids)


def quantity(value: MetricValue, unit: Unit, *, share: bool = False) -> str:
    """A figure with its unit, three significant digits: "4.20 GiB", "12.0 s", "0.87", "192 ranks". With `share`, a
    number without a unit is in per cent: "87 %"."""
    if isinstance(value, str):
        return value
    match unit:
        case "B":
            return size(value)
        case "B/s":
            return f"{size(value)}/s"
        case "s":
            return seconds(value)
        case "share":
            return _percent(value) if share else f"{value:.3g}"
        case "ratio" | "1":
            return _percent(value) if share else f"{value:.3g}"
        case _:
            word = _ONE.get(unit, unit) if value == 1 else unit
            return f"{value:,.0f} {word}" if float(value).is_integer() else f"{value:.3g} {word}"


def stated(metric: DocumentMetric) -> str | None:
    """The metric's figure, "at least" before one that can only be larger; None where it is absent."""
    if isinstance(metric, AbsentMetric):
        return None
    return ("at least " if metric.bound == "lower" else "") + quantity(metric.value, metric.unit)


def _percent(fraction: float) -> str:
    """Three significant digits, and never all of what is only nearly all."""
    return "over 99.9 %" if 0.9995 <= fraction < 1 else f"{100 * fraction:.3g} %"
