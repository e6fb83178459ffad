"""How figures are spread, as the forms without drawings say it: a row for each, with what shares of the jobs have."""

from __future__ import annotations

from typing import Final

from iotriage.centre.report.distributions import LEAST_JOBS_FOR_A_HUNDREDTH
from iotriage.centre.report.forms.cell_text import cell_text
from iotriage.centre.report.section import Distribution, Histogram
from iotriage.rules.core.words import uncapitalised

SPREAD_TITLE: Final = "How jobs differ"
_HEAD: Final = ("what", "jobs", "25 %", "half", "75 %", "90 %", "99 %", "most", "of the top 1 %")
_SHARES: Final = (0.25, 0.5, 0.75, 0.9, 0.99, 1.0)


def spread_note(distributions: tuple[Distribution, ...]) -> str:
    """What the columns are, and what each figure counts."""
    notes = [f"{of.title}: {uncapitalised(of.note)}" for of in distributions if of.note]
    return " ".join(
        (
            "This share of the jobs has at most so much. What 99 % have, and how much of all the top 1 % has, is said "
            f"from {LEAST_JOBS_FOR_A_HUNDREDTH} jobs on.",
            *notes,
        )
    )


def spread_table(distributions: tuple[Distribution, ...]) -> tuple[tuple[str, ...], ...]:
    """The titles and a row for each figure; without the columns of which no figure has anything."""
    rows = [_HEAD, *map(_row, distributions)]
    columns = [at for at in range(len(_HEAD)) if any(row[at] != "-" for row in rows[1:])]
    return tuple(tuple(row[at] for at in columns) for row in rows)


def _row(of: Distribution) -> tuple[str, ...]:
    values = dict(zip(of.at, of.values, strict=True))
    if of.jobs < LEAST_JOBS_FOR_A_HUNDREDTH:
        del values[0.99]
    cells = (cell_text(values.get(share), of.unit) for share in _SHARES)
    return (of.title, f"{of.jobs:,}", *cells, cell_text(of.top_share, "share"))


def counted_note(histogram: Histogram) -> str:
    """What is counted, and how many logs are."""
    if not histogram.of:
        return f"{histogram.note} No log states it."
    return f"{histogram.note} {histogram.of:,} {'log states' if histogram.of == 1 else 'logs state'} it."
