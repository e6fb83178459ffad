"""What is said of files that are opened as streams, whose opens are in no record but the stream's."""

from __future__ import annotations

from iotriage.rules.advice.small_files import moved_per_file_sentence, open_sentence, slow_open_phrase
from iotriage.rules.core import Context, Words
from iotriage.rules.core.words import formatted, paragraph, plural, sentence, share

LONGER_THAN_MOVING = 0.5
"""Metadata's share of the I/O time from which it takes longer than all the rest."""


def beside_moving(*shares: str, of: Context) -> str:
    """How long opens take beside the data, by the metrics that have their shares of the I/O time."""
    longer = sum(of.number(metric) or 0.0 for metric in shares) >= LONGER_THAN_MOVING
    return "longer than moving the data" if longer else "a good part of the run, beside moving the data"


def opened_streams_words(context: Context, files: float | None, bytes_each: float | None) -> Words:
    """Of so many files that are no modules, where opens of streams take the time."""
    each = context.number("stdio.open_time")
    named = formatted(files, lambda n: plural(n, "file"))
    takes = beside_moving("stdio.data_metadata_io_fraction", of=context)
    return Words(
        f"Opening and closing {named or 'files'} takes {takes}{slow_open_phrase(each)}.",
        paragraph(
            in_streams_sentence(context),
            sentence("{} of {}.", formatted(context.number("stdio.data_opens"), lambda n: plural(n, "open")), named),
            moved_per_file_sentence(context, bytes_each, read_part=context.number("stdio.data_read_fraction")),
            open_sentence(each),
        ),
    )


def in_streams_sentence(context: Context) -> str | None:
    part = formatted(context.number("stdio.data_metadata_io_fraction"), share)
    return sentence("{} of the I/O time went into opening and closing streams.", part)
