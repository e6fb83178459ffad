"""A bandwidth beside what the site's documents measured: how the two are compared, and what a cure could save."""

from __future__ import annotations

from iotriage.rules.core.advice import Citation
from iotriage.rules.core.condition import AnyOf, Compare, IsOneOf, Operator, all_of, any_of, when_present
from iotriage.rules.core.rule import Context, Impact, Statement
from iotriage.rules.core.saving import WHAT_THE_MOST_IS
from iotriage.rules.core.words import size

TABLES = (Citation("archer-bpg", "File Per Process (FPP)"), Citation("archer-bpg", "Single Shared File (SSF)"))
QUARTILES = Citation("archer2-io", "Summary: typical I/O performance on ARCHER2")

WITHIN_TWO = Statement(
    "archer-bpg",
    "Do I have a problem with my I/O?",
    "A measured bandwidth need only be right within a factor of two to tell whether there is room.",
)
USUAL = Statement(
    QUARTILES.document,
    QUARTILES.section,
    "A quarter of the regular benchmark runs is below the lower quartile: what is above it is usual.",
)

MEASURED = when_present("expectation.statistic", IsOneOf("expectation.statistic", ("maximum", "typical", "quartiles")))
"""The documents have a figure that decides something: a range does not."""


def against_documents(operator: Operator, fraction: str, quartile: str) -> AnyOf:
    """The write bandwidth's share of a documented maximum against the threshold `fraction`; where the document gives
    quartiles, of the lower quartile against `quartile`."""
    return any_of(
        all_of(
            IsOneOf("expectation.statistic", ("maximum", "typical")),
            Compare("expectation.fraction", operator, fraction),
        ),
        all_of(
            IsOneOf("expectation.statistic", ("quartiles",)),
            Compare("expectation.fraction_of_lower_quartile", operator, quartile),
        ),
    )


def figure_of(statistic: str | None) -> str | None:
    """What the documented bandwidth is one of."""
    return {"maximum": "the maximum of repeated runs", "quartiles": "the median", "typical": "a typical figure"}.get(
        statistic or ""
    )


def site_documented_saving(context: Context) -> Impact | None:
    """All that the files take beyond the documented time; at least what they take beyond twice that, since such figures
    are right within a factor of two (`WITHIN_TWO`). None where the rate is not known to be below half of it."""
    reached = context.number("expectation.fraction")
    documented = context.number("expectation.documented_bandwidth")
    if reached is None or documented is None or not 0 < reached < 1:
        return None
    because = (
        f"if the files were written at the {size(documented)}/s that the documents of {context.site.title} have for "
        f"such files. The lower figure: at half of it; {WHAT_THE_MOST_IS}"
    )
    return Impact(because, 1.0, (1 - 2 * reached) / (1 - reached), 0.0)
