"""A metric's value in words."""

from __future__ import annotations

from iotriage.metrics.metric import MetricValue, Unit
from iotriage.rules.wording import seconds, size


def quantity(value: MetricValue, unit: Unit) -> str:
    """A figure with its unit, three significant digits: "4.20 GiB", "12.0 s", "0.87", "192 ranks"."""
    if isinstance(value, str):
        return value
    match unit:
        case "B":
            return size(value)
        case "B/s":
            return f"{size(value)}/s"
        case "s":
            return seconds(value)
        case "1":
            return f"{value:.3g}"
        case _:
            return f"{value:,.0f} {unit}" if float(value).is_integer() else f"{value:.3g} {unit}"
