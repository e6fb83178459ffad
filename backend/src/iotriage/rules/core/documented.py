"""What a fix could win by what the site's documents measured."""

from __future__ import annotations

from iotriage.rules.core.rule import Context, Impact
from iotriage.rules.core.words import seconds, size


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
