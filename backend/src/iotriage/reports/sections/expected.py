"""What the documents of the site have for the job's bandwidth, a sentence for each point, for reports in text."""

from __future__ import annotations

from collections.abc import Iterator

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.document.expectation import Expectation, ExpectedCurve, PlacedPoint
from iotriage.rules.core.words import exact_quantity, number, plural, printable, quantity, share
from iotriage.sites.site import BANDWIDTH_UNITS

MOST_TABLES = 4
FIGURES = {"maximum": "at most", "quartiles": "a median of", "typical": "typically", "range": "once"}


def expected_lines(document: CaseDocument) -> list[str]:
    """The sentences, those of the largest groups first, and how many are left out."""
    lines = [_line(e, p) for e in document.expectation for p in e.points]
    more = len(lines) - MOST_TABLES
    return (
        lines
        if more <= 0
        else [*lines[:MOST_TABLES], f"and {plural(more, 'more rate')} that documents have figures for"]
    )


def _line(expectation: Expectation, point: PlacedPoint) -> str:
    curves = {c.id: c for c in expectation.curves}
    unit = next((curves[name] for name in (*point.own[:1], point.best_curve) if name in curves), expectation.curves[0])
    text = ", ".join(_parts(expectation, point, curves))
    way = "wrote" if expectation.direction == "write" else "read"
    ranks = plural(point.processes, "process", "processes")
    return f"{printable(point.label)}: {ranks} {way} {_own_rate(point.bytes_per_s, unit)}; {text}"


def _parts(expectation: Expectation, point: PlacedPoint, curves: dict[str, ExpectedCurve]) -> Iterator[str]:
    first = expectation.curves[0]
    own = curves[point.own[0]] if point.own else None
    of = own or first
    there = f"({expectation.file_system_title}; {of.measured}; {_source(of)})"
    where = f"{expectation.site_title} measured {there}"
    best = curves.get(point.best_curve or "")
    if own is not None and point.documented is not None and point.fraction is not None:
        like = "for such files" if own.stripe_count is None else "with such striping"
        decides = "; it decides nothing" if own.statistic == "range" else ""
        yield f"{where} {_figure(point, point.documented, own)} {like}: {share(point.fraction)} of it{decides}"
        if best is not None and point.best is not None and best.id not in point.own:
            yield f"and {_rate(point.best, best)} with {_curve_name(best)}"
    elif best is not None and point.best is not None:
        yield f"{where} {FIGURES[best.statistic]} {_rate(point.best, best)} with {_curve_name(best)}; {point.reason}"
    else:
        not_compared = f"not compared with what {expectation.site_title} measured ({_source(of)})"
        yield f"{not_compared}: {point.reason or 'nothing is documented for it'}"


MOST_LETTERS = 60


def _source(curve: ExpectedCurve) -> str:
    """The section of the document, or the files that a site's own figures are from."""
    text = printable(curve.section)
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS].rstrip()} …"


def _figure(point: PlacedPoint, documented: float, curve: ExpectedCurve) -> str:
    """With the range of what was measured, where it is known at this process count."""
    row = next((row for row in curve.rows if row.processes == point.processes), None)
    if curve.statistic == "range" and row is not None and row.minimum is not None and row.minimum < row.rate:
        return _span(row.minimum, documented, curve)
    figure = f"{FIGURES[curve.statistic]} {_rate(documented, curve)}"
    if row is None or row.lower_quartile is None or row.upper_quartile is None:
        return figure
    return f"{figure} (half of the runs {_span(row.lower_quartile, row.upper_quartile, curve)})"


def _span(least: float, most: float, curve: ExpectedCurve) -> str:
    low = _rate(least, curve) if _is_next_to_none(least, curve) else number(least / BANDWIDTH_UNITS[curve.unit])
    return f"{low} to {_rate(most, curve)}"


def _curve_name(curve: ExpectedCurve) -> str:
    """ "-c -1, 8 MiB stripes", or what the document calls the table."""
    if curve.stripe_count is None:
        return curve.title
    size = f" and stripes of {exact_quantity(curve.stripe_size_bytes, 'B')}" if curve.stripe_size_bytes else ""
    return f"-c {curve.stripe_count}{size}"


def _own_rate(value: float, curve: ExpectedCurve) -> str:
    """The job's own bandwidth as the rest of the report says it, unless the document counts by powers of ten."""
    return quantity(value, "B/s") if curve.unit.endswith("iB/s") else _rate(value, curve)


def _rate(value: float, curve: ExpectedCurve) -> str:
    """In the document's own unit, so that it can be found there, unless next to nothing of that is left."""
    if _is_next_to_none(value, curve):
        return quantity(value, "B/s")
    return f"{number(value / BANDWIDTH_UNITS[curve.unit])} {curve.unit}"


def _is_next_to_none(value: float, curve: ExpectedCurve) -> bool:
    return value / BANDWIDTH_UNITS[curve.unit] < 0.01
