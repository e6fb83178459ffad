"""A bandwidth beside what the site's documents measured: how the two are compared, and what a fix could win."""

from __future__ import annotations

from iotriage.rules.core.advice import Citation
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, Operator, given
from iotriage.rules.core.rule import Context, Impact, Statement
from iotriage.rules.core.words import seconds, size

TABLES = Citation("archer-bpg", "File Per Process (FPP); Single Shared File (SSF)")
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

MEASURED = given("expectation.statistic", IsOneOf("expectation.statistic", ("maximum", "typical", "quartiles")))
"""The documents have a figure that decides something: a range does not."""


def against_documents(operator: Operator, fraction: str, quartile: str) -> AnyOf:
    """The write bandwidth's share of a documented maximum against the threshold `fraction`; where the document gives
    quartiles, of the lower quartile against `quartile`."""
    return AnyOf(
        (
            AllOf(
                (
                    IsOneOf("expectation.statistic", ("maximum", "typical")),
                    Compare("expectation.fraction", operator, fraction),
                )
            ),
            AllOf(
                (
                    IsOneOf("expectation.statistic", ("quartiles",)),
                    Compare("expectation.fraction_of_lower_quartile", operator, quartile),
                )
            ),
        )
    )


def saved_at(context: Context, metric: str, with_what: str) -> Impact | None:
    """The seconds that the writes would be shorter at the documented bandwidth `metric`; None where it is not known, or
    not above what was reached."""
    written, reached = context.number("io.bytes_written"), context.number("io.write_bandwidth")
    documented = context.number(metric)
    if not written or not reached or documented is None or documented <= reached:
        return None
    now, then = written / reached, written / documented
    return Impact(
        now - then,
        f"Could save up to {seconds(now - then)} of the {seconds(now)} of writing: the documents of "
        f"{context.site.title} have {size(documented)}/s {with_what}.",
    )
