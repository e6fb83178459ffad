"""Describes what a job writes at regular intervals. Where the I/O is already as fast as it can be, how much and how
often are all that is left to change."""

from __future__ import annotations

from collections.abc import Callable

from iotriage.rules.core.words import formatted, plural, seconds, sentence, size


def output_sentence(number: Callable[[str], float | None]) -> str | None:
    """As "The run writes 64 GiB every 2 min 30 s, 12 times.", from the numbers of metrics by their ids; None where no
    such interval is known."""
    every = number("io.output_interval")
    if every is None:
        return None
    return sentence(
        "The run writes {} every {}, {}.",
        formatted(number("io.output_bytes"), size),
        seconds(every),
        formatted(number("io.outputs"), lambda count: plural(count, "time")),
    )
