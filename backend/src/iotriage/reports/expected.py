"""What the documents of the site have for the job's bandwidth, a sentence for each point, for reports in text."""

from __future__ import annotations

from collections.abc import Iterator

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.expectation import Expectation, ExpectedCurve, PlacedPoint
from iotriage.rules.core.words import counted, exactly, number, plain, share

MOST = 4
UNITS = {"MiB/s": 2**20, "GiB/s": 2**30, "MB/s": 10**6, "GB/s": 10**9}
FIGURES = {"maximum": "at most", "quartiles": "a median of", "typical": "typically", "range": "once"}


def expected_lines(document: CaseDocument) -> list[str]:
    """The sentences, those of the largest groups first."""
    lines = [_line(e, p) for e in document.expectation for p in e.points]
    return lines[:MOST]


def _line(expectation: Expectation, point: PlacedPoint) -> str:
    curves = {c.id: c for c in expectation.curves}
    unit = expectation.curves[0]
    said = ", ".join(_parts(expectation, point, curves))
    way = "wrote" if expectation.direction == "write" else "read"
    ranks = counted(point.processes, "process", "processes")
    return f"{plain(point.label)}: {ranks} {way} {_rate(point.bytes_per_s, unit)}; {said}"


def _parts(expectation: Expectation, point: PlacedPoint, curves: dict[str, ExpectedCurve]) -> Iterator[str]:
    first = expectation.curves[0]
    where = f"{expectation.site_title} measured ({expectation.file_system_title}; {first.measured})"
    own = curves[point.own[0]] if point.own else None
    best = curves.get(point.best_curve or "")
    if own is not None and point.documented is not None and point.fraction is not None:
        figure = f"{FIGURES[own.statistic]} {_rate(point.documented, own)}"
        yield f"{where} {figure} with such striping: {share(point.fraction)} of it"
        if best is not None and point.best is not None and best.id not in point.own:
            yield f"and {_rate(point.best, best)} with {_named(best)}"
    elif best is not None and point.best is not None:
        yield f"{where} {FIGURES[best.statistic]} {_rate(point.best, best)} with {_named(best)}; {point.reason}"
    else:
        yield point.reason or "nothing is documented for it"


def _named(curve: ExpectedCurve) -> str:
    """ "-c -1, 8 MiB stripes", or what the document calls the table."""
    if curve.stripe_count is None:
        return curve.title
    size = f" and stripes of {exactly(curve.stripe_size_bytes, 'B')}" if curve.stripe_size_bytes else ""
    return f"-c {curve.stripe_count}{size}"


def _rate(value: float, curve: ExpectedCurve) -> str:
    """In the document's own unit, so that it can be found there."""
    return f"{number(value / UNITS[curve.unit])} {curve.unit}"
