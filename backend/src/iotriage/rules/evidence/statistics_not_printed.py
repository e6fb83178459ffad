"""Statistics were switched on, but none are in the output.

## What it does
Looks whether the environment sets `MPICH_MPIIO_STATS` while no block of statistics stands in any text given.

## Why it matters
It is not a sign of good I/O. The blocks are printed when MPI-IO closes a file: there are none when the program uses
POSIX calls only, when it died before closing, or when stderr went elsewhere. With the value 2 none is missing: the
library writes a file for every rank instead, whose layout is not documented. Where the text was read from a picture,
letters of the blocks may be others, and that is said.

## What to do
Look for the job's stderr, see how the job ended, and set the variable to 1. Where the text says that the scheduler
ended the job while a file was open, close files after each output, or let a short run come to its end.

## Limits
A script says what was asked for, not what the run had in its environment.
"""

from __future__ import annotations

from iotriage.metrics.core.missing_evidence import STATS as PRINTED_STATS
from iotriage.rules.core import Advice, Citation, Context, Rule, Threshold, Words, advice, ours
from iotriage.rules.core.action import AskFor
from iotriage.rules.core.condition import Compare, IsOneOf, Present, all_of, when_present
from iotriage.rules.core.slider import linear
from iotriage.rules.core.words import paragraph, printable

BLOCKS = Threshold(
    id="statistics-not-printed.blocks",
    title="Blocks of statistics below which they are missing",
    default=1.0,
    unit="1",
    stated_by=ours("statistics that were asked for", "One block would show that the variable took effect."),
    slider=linear(1.0, 100.0),
)

STATS = Citation("theta-io", "Key Cray MPI-IO Profiling and Tuning Environment variables")


def says(context: Context) -> Words:
    if _to_files(context):
        return Words(
            "Statistics of MPI-IO went to files, one for each rank, and not to the output.",
            "MPICH_MPIIO_STATS=2 is set: the library writes no block then. What it writes is not documented, and the "
            "files are kept here without being read.",
        )
    if _ended_early(context):
        return Words(
            "The job was ended before MPICH printed any statistics of MPI-IO.",
            paragraph(
                "They are printed when a file is closed: where one was open, they are lost with it.",
                "What this run read and wrote until then is not known: it is neither good nor bad."
                if context.number("io.bytes") is None
                else None,
            ),
        )
    if _changed(context):
        return Words(
            "Statistics of MPI-IO are in the text, but cannot be read: letters in it were changed on the way.",
            "What looks alike stands for one another, as where a text is read from a picture (OCR); the figures may be "
            "changed too.",
        )
    value = printable(context.word("environment.mpiio_stats") or "1")
    return Words(
        "Statistics of MPI-IO were asked for, but none are in the texts given.",
        f"MPICH_MPIIO_STATS={value} is set, and the texts have no statistics block.",
    )


def _ended_early(context: Context) -> bool:
    return "ended early" in context.gaps.losses


def _changed(context: Context) -> bool:
    return "letters changed" in context.gaps.losses


def _to_files(context: Context) -> bool:
    return context.word("environment.mpiio_stats") == "2"


def advise(context: Context) -> tuple[Advice, ...]:
    if _to_files(context):
        text = "Set the variable to 1 for one run: then the library prints the blocks that are read here."
        return (advice(text, AskFor(PRINTED_STATS), citation=STATS),)
    if _ended_early(context):
        text = (
            "Close each file when its output is done, and let a short run come to its end, with a longer time limit or "
            "fewer steps: then the statistics are in its output."
        )
        return (advice(text, citation=STATS),)
    if _changed(context):
        text = "Give the file that the job wrote its output to, or copy its text."
        return (advice(text, AskFor(PRINTED_STATS), citation=STATS),)
    used = context.number("mpiio.collective_writes") is not None or context.number("mpiio.collective_reads") is not None
    why = (
        "the program ended before closing, or its MPI library is not Cray's."
        if used
        else "no MPI-IO was used, or the program ended before closing."
    )
    text = f"Give the job's stderr too. Without a block there, {why}"
    return (advice(text, AskFor(PRINTED_STATS), citation=STATS),)


rule = Rule(
    id="statistics-not-printed",
    title="Statistics asked for, none in the output",
    clear_title="The statistics that were asked for are there",
    scope="job",
    severity="info",
    priority=81,
    requires=all_of(
        when_present("environment.mpiio_stats", IsOneOf("environment.mpiio_stats", ("1", "2"))),
        Present("mpiio.stats_blocks"),
    ),
    condition=Compare("mpiio.stats_blocks", "<", BLOCKS.id),
    thresholds=(BLOCKS,),
    citations=(STATS,),
    says=says,
    advise=advise,
    weighed=False,
)
