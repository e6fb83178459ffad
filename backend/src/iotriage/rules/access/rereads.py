"""What the rules about bytes that are read more than once share, of files and of streams."""

from __future__ import annotations

from iotriage.rules.advice.calls import these_files
from iotriage.rules.core import Citation, Context, Impact, Threshold, at_most, ours
from iotriage.rules.core.words import number, sentence, size, told

CASE_STUDY = Citation("alcf-cug25", "case study 2")


def times_read(rule: str, of: str) -> Threshold:
    """How often each byte `of` what was read must have been read, as a threshold of `rule`."""
    return Threshold(
        id=f"{rule}.times",
        title=f"Times that each byte of the {of} was read",
        default=2.0,
        unit="ratio",
        stated_by=ours("amplification", "Twice what one copy takes; the case study of Argonne gives no threshold."),
        minimum=1.0,
        maximum=1000.0,
        scale="log",
    )


def said_read(context: Context) -> str | None:
    return sentence("{} were read on {}.", told(context.number("io.bytes_read"), size), these_files(context))


def said_times(context: Context, metric: str) -> str | None:
    return sentence("That is {} times what the files hold.", told(context.number(metric), number))


def by_one_reading(context: Context, metric: str) -> Impact | None:
    """The bound that reading once saves all of the time but the first reading's. None where the files are written too:
    how the time is shared between the two is not known."""
    times = context.number(metric)
    if times is None or times < 1 or context.number("io.bytes_written"):
        return None
    return at_most(context, 1 - 1 / times, f"{number(times)} times what was needed was read; the first reading stays.")
