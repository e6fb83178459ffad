"""What is said of small accesses that a CrayPAT report alone tells of."""

from __future__ import annotations

from iotriage.rules.advice.calls import these_files
from iotriage.rules.core import Context, Words
from iotriage.rules.core.words import formatted, paragraph, plural, seconds, sentence, size


def small_by_craypat(context: Context) -> Words:
    ways = [way for way in ("write", "read") if context.number(f"profiled.average_{way}_size") is not None]
    count = context.number("profiled.small_accesses")
    small = formatted(count, lambda n: plural(n, "small access", "small accesses"))
    return Words(
        sentence("The data moves in at least {}.", small) or "The data moves in many small accesses.",
        paragraph(
            sentence(
                "CrayPAT counts at least {} below 1 MiB on {}.",
                formatted(count, lambda n: plural(n, "access", "accesses")),
                these_files(context),
            ),
            *(
                sentence(
                    f"A {way} carries {{}} on average.", formatted(context.number(f"profiled.average_{way}_size"), size)
                )
                for way in ways
            ),
            sentence(
                "The slowest rank spent at least {} in them.", formatted(context.number("profiled.rank_time"), seconds)
            ),
            "Calls of buffered streams are among them, if the program makes any.",
        ),
    )
