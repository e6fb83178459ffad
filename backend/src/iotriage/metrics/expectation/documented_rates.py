"""How fast the files were written and read beside what the site's documents measured, and beside what its storage can
give at all."""

from __future__ import annotations

from typing import Literal

from iotriage.metrics.core.about import About
from iotriage.metrics.core.documented import DocumentedRate
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import LAYOUT
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection

NO_FIGURES = "the site's documents have no bandwidth for such files"

NO_CEILING = Absent("the site's profile does not say what its storage can give such files at most")


def _written(s: Selection) -> DocumentedRate:
    return s.documented.write if s.documented is not None else DocumentedRate(reason=NO_FIGURES)


def _as_outcome(rate: float | None, documented: DocumentedRate) -> Outcome:
    if rate is None:
        return Absent(documented.reason or NO_FIGURES, (LAYOUT,) if documented.unsettled else ())
    return Value(rate, "inferred" if documented.interpolated or documented.several else "measured")


@metric(
    "expectation.documented_bandwidth",
    "Write bandwidth documented for such files",
    "B/s",
    formula="of the site's documents, for the pattern, process count and striping of the files: the maximum of "
    "repeated runs, or the median where quartiles are given; between two process counts on logarithmic scales, never "
    "beyond them",
    needs="a site with documented rates, and the striping of the files",
    scopes=["group"],
)
def documented_bandwidth(s: Selection) -> Outcome:
    found = _written(s)
    return _as_outcome(found.rate, found)


@metric(
    "expectation.best_bandwidth",
    "Write bandwidth documented for the best striping",
    "B/s",
    formula="the highest documented bandwidth of the pattern at this process count, whatever the striping",
    needs="a site with documented rates",
    scopes=["group"],
)
def best_bandwidth(s: Selection) -> Outcome:
    found = _written(s)
    return _as_outcome(found.best, found)


@metric(
    "expectation.statistic",
    "Statistic of the documented bandwidth",
    "word",
    formula="maximum, quartiles, typical or range, as the document gives it; of other stripings none",
    needs="a site with documented rates",
    scopes=["group"],
)
def statistic(s: Selection) -> Outcome:
    found = _written(s)
    return Absent(found.reason or NO_FIGURES) if found.statistic is None else Value(found.statistic)


@metric(
    "expectation.fraction",
    "Write bandwidth over what is documented for such files",
    "share",
    about=About(time=False),
    formula="io.write_bandwidth / expectation.documented_bandwidth",
    needs="a Darshan log, a site with documented rates, and the striping of the files",
    scopes=["group"],
)
def fraction(s: Selection) -> Outcome:
    return _over_documented(s, "io.write_bandwidth", outcome(s, "expectation.documented_bandwidth"))


@metric(
    "expectation.fraction_of_lower_quartile",
    "Write bandwidth over the documented lower quartile",
    "share",
    about=About(time=False),
    formula="io.write_bandwidth / the lower quartile that the document gives for such files",
    needs="a Darshan log, and a site whose documents give quartiles",
    scopes=["group"],
)
def fraction_of_lower_quartile(s: Selection) -> Outcome:
    found = _written(s)
    if found.rate is not None and found.lower_quartile is None:
        return Absent("the document gives no quartiles")
    return _over_documented(s, "io.write_bandwidth", _as_outcome(found.lower_quartile, found))


def _ceiling(s: Selection, way: Literal["write", "read"]) -> Outcome:
    if s.documented is None:
        return NO_CEILING
    most = s.documented.write_ceiling if way == "write" else s.documented.read_ceiling
    return NO_CEILING if most is None else Value(most)


@metric(
    "expectation.write_over_ceiling",
    "Write bandwidth over the most that the storage can give",
    "ratio",
    about=About(time=False, direction="write"),
    formula="io.write_bandwidth / the peak of the file system by the site's profile; for files that ranks share, or "
    "one rank writes, no more than the stripes of those in use at once times the rate of one OST",
    needs="a Darshan log, and a site whose profile has the peak or the rate of one OST",
    scopes=["group"],
)
def write_over_ceiling(s: Selection) -> Outcome:
    return _over_documented(s, "io.write_bandwidth", _ceiling(s, "write"))


@metric(
    "expectation.read_over_ceiling",
    "Read bandwidth over the most that the storage can give",
    "ratio",
    about=About(time=False, direction="read"),
    formula="io.read_bandwidth / the peak of the file system by the site's profile",
    needs="a Darshan log, and a site whose profile has the peak",
    scopes=["group"],
)
def read_over_ceiling(s: Selection) -> Outcome:
    return _over_documented(s, "io.read_bandwidth", _ceiling(s, "read"))


def _over_documented(s: Selection, rate: str, reference: Outcome) -> Outcome:
    if isinstance(reference, Absent):
        return reference
    return quotient(outcome(s, rate), reference, zero="the documented bandwidth is zero")
