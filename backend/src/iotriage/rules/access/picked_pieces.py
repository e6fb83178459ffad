"""Small pieces that processes pick out of a file, each far ahead of the one before it: no buffer holds two of them."""

from __future__ import annotations

from iotriage.metrics.core.pattern import OF_ONE_RANK
from iotriage.rules.access.sparse_layout import MOSTLY_HOLES
from iotriage.rules.advice.calls import library_named
from iotriage.rules.advice.one_process import is_one_process
from iotriage.rules.advice.placement import on_the_node_already
from iotriage.rules.core import Advice, Citation, Context, in_program
from iotriage.rules.core.saving import LIE_ON, slowest_documented
from iotriage.rules.core.words import formatted, sentence, share, size

OF_THE_SPAN = 1 / MOSTLY_HOLES
"""Of what the file has up to the last byte that was read, as `sparse-layout` has it of what is written."""
IN_ORDER = 0.5
"""Share of the reads that go on where the one before stopped, from which most of them pass through a part of it."""
_OF_SEVERAL = "shared-independent"
"""All that the ranks read of it together is little, too."""
LITTLE_WRITTEN = 0.1
"""Bytes written for each that is read, up to which the time is that of the reads."""


SOON = 0.5
"""Of the time of the small reads, within which all that lies between may be read instead."""


def picks_pieces(context: Context) -> bool:
    """Whether no buffer helps: where a file is read soon, large reads bring what is wanted with the rest."""
    if not _passes_over_most(context):
        return False
    span, took = _span(context), context.number("group.io_time")
    return span is None or took is None or span > SOON * took * slowest_documented(context, LIE_ON)


def _passes_over_most(context: Context) -> bool:
    """Of a file whose library chooses the reads, its chunks are what is to be changed."""
    times, follows = context.number("posix.times_read"), context.number("posix.consecutive_read_fraction")
    read, written = (context.number(f"io.bytes_{done}") or 0.0 for done in ("read", "written"))
    if times is None or follows is None or context.word("io.layer") != "POSIX" or library_named(context.file):
        return False
    by_itself = context.word("io.pattern") in (*OF_ONE_RANK, _OF_SEVERAL) or is_one_process(context)
    return by_itself and 0 < times < OF_THE_SPAN and follows < IN_ORDER and written <= LITTLE_WRITTEN * read


def _span(context: Context) -> float | None:
    times, read = context.number("posix.times_read"), context.number("io.bytes_read")
    return None if not times or read is None else read / times


def picked_sentence(context: Context) -> str | None:
    if not _passes_over_most(context):
        return None
    return sentence(
        "They pass over all but {} of the {} into which they reach.",
        formatted(context.number("posix.times_read"), share),
        formatted(_span(context), size),
    )


def pick_by_index(context: Context, citation: Citation) -> Advice:
    text = (
        "The pieces lie far apart: a larger buffer reads what lies between as well. Note once where they lie, in an "
        "index beside the file (for GRIB, cfgrib and grib_index_build make one), and read only those that are wanted. "
        "Or put them together in a file of their own, once"
    )
    if context.word("io.pattern") == _OF_SEVERAL:
        side_by_side = "Where the pieces of all ranks lie side by side in one part of it, read that part collectively."
        return in_program(f"{text}. {side_by_side}", citation=citation)
    copied = "" if on_the_node_already(context) else ", or copy the file to memory or a disk of the node first"
    return in_program(f"{text}{copied}.", citation=citation)


def bytes_to_read(context: Context) -> float | None:
    """What large reads move of a file: all that lies between the pieces, too. None where that is what is read now."""
    return _span(context) if _passes_over_most(context) else None
