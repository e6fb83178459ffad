"""One or a few of many alike files took far longer than the others: the storage was slow at that moment.

## What it does
Compares the files of a group that all ranks used, with about the same bytes in about the same number of calls, such as
the checkpoints of a run; or the outputs of which each rank has a file, one after the other. It holds where a quarter of
them at most took three times as long as the median one, and what they took beyond it is a good part of the time of all.
Of a trace it looks at the calls in files of one rank each: it holds too where most ranks have one at the same time that
takes ten times as long as the median one, and no more bytes.

## Why it matters
Nothing that the program does differs between those files, and so nothing in the program is the cause. Theta's
documents call the network and Lustre jittery: others' jobs share both. Whoever tunes the program for such a file tunes
for somebody else's load.

## What to do
Look up, or ask the support, what the file system did in those minutes, and run again: if it is another file then, or
none, nothing is wrong with the program. Where it is always the same output, compare what the program does before it.

## Limits
Needs records of shared files, each with its slowest rank, of outputs of which every rank has as many alike files, a
trace of POSIX calls, or `MPICH_MPIIO_TIMERS` and `MPICH_MPIIO_STATS` of each file: of these the ranks that call the
storage must have taken longer too. Where the slow files lie on OSTs that no other has, one of these may be slow
instead, and the two cannot be told apart. Of the first file of a run, what starts up with it counts too. Files of
single ranks in one output are compared by `slow-ost` and `straggler-rank`.
"""

from __future__ import annotations

from iotriage.rules.core import Advice, Citation, Context, Impact, Rule, Threshold, Words, advice, ours, share_of_job
from iotriage.rules.core.claim import Claim, LargestOf, ShareOf
from iotriage.rules.core.condition import AnyOf, Compare, Present, when_present
from iotriage.rules.core.saving import full_saving
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.support import SupportText
from iotriage.rules.core.words import formatted, number, paragraph, plural, printable, seconds, sentence

JITTER = Citation("theta-io", "Dragonfly Network and Lustre Jitter")

TIMES = Threshold(
    id="slow-moment.times",
    title="Time in the slowest file over that in the median one",
    default=3.0,
    unit="ratio",
    stated_by=ours("slow moments", "Twice may be chance among many files; three times is ours."),
    slider=logarithmic(2.0, 100.0),
)
SHARE = Threshold(
    id="slow-moment.share",
    title="Share of the files' I/O time that a few of them took beyond the others",
    default=0.20,
    unit="share",
    stated_by=ours("slow moments", "Below a fifth the run would hardly have been shorter."),
    slider=linear(0.01),
)


SEVERAL = 2
"""Files for each that is compared, from which these are outputs of several files each."""


def _stood_still(context: Context) -> bool:
    """Whether it is by a trace that the moments are known."""
    still, slow = (context.number(f"group.{what}_fraction") or 0.0 for what in ("standstill", "slow_files"))
    return still > slow


def _standstills_words(context: Context) -> Words:
    moments = context.number("group.standstills") or 1
    when = "At one moment" if moments <= 1 else f"At {number(moments)} moments"
    return Words(
        f"{when} the calls of most ranks stood still together.",
        paragraph(
            sentence(
                "{} waited, up to {} in a call that takes {} usually.",
                formatted(context.number("group.standstill_ranks"), lambda n: plural(n, "rank")),
                formatted(context.number("group.standstill_time"), seconds),
                formatted(context.number("group.usual_call_time"), seconds),
            ),
            sentence(
                "The longest of them began {} after the start.",
                formatted(context.number("group.standstill_began"), seconds),
            ),
            "The storage, or the way to it, was slow then: nothing that one rank does stops the others.",
        ),
    )


def says(context: Context) -> Words:
    if _stood_still(context):
        return _standstills_words(context)
    slow = context.number("group.slow_files") or 1
    name, compared = context.word("group.slowest_file"), context.number("group.files_compared")
    took, times = context.number("group.slowest_file_time"), context.number("group.slowest_file_times")
    which = "One" if slow <= 1 else number(slow)
    many = compared or slow + 1
    files = context.number("file.count") or many
    # Files of one name that several steps write are as many outputs.
    what = "similar file" if many <= files < SEVERAL * many else "similar output"
    headline = f"{which} of {plural(many, what)} took far longer than the others."
    usual = None if took is None or not times else took / times
    return Words(
        headline,
        paragraph(
            sentence(
                "{} took {}, the median one {}, for as many bytes in as many calls.",
                None if name is None else printable(name),
                formatted(took, seconds),
                formatted(usual, seconds),
            ),
            sentence(
                "It was begun {} after the start.", formatted(context.number("group.slowest_file_began"), seconds)
            ),
            _what_it_was(context),
        ),
    )


def _what_it_was(context: Context) -> str:
    own = context.number("group.slow_files_own_osts")
    if own == 0:
        return "It lies on OSTs that others lie on too: the storage, or the way to it, was slow at that moment."
    if own is None:
        return "The storage, or the way to it, was slow at that moment."
    several = "an OST" if own == 1 else f"{number(own)} OSTs"
    return f"It lies on {several} that no other has: that, or the storage as a whole, was slow at that moment."


def advise(context: Context) -> tuple[Advice, ...]:
    still = _stood_still(context)
    what = "standstill" if still else "slowest_file"
    began, took = context.number(f"group.{what}_began"), context.number(f"group.{what}_time")
    when = ""
    if began is not None and took is not None:
        when = f", from {seconds(began)} to {seconds(began + took)} after the job's start"
    others = f"what else used the file system{when}"
    other = "it is another moment" if still else "another file is slow"
    again = f"if {other}, or none, it is not the program."
    return (
        advice(
            SupportText(
                f"Ask your centre's support {others}. Then run again: {again}",
                f"We look at {others}. Please run again meanwhile: {again}",
            ),
            citation=JITTER,
        ),
        advice(
            f"If it is the same {'moment' if still else 'output'} each time, compare what the program does before "
            "it: memory that is written out, "
            "or other files at the same time.",
        ),
    )


def impact(context: Context) -> Impact | None:
    return full_saving(f"no {'call' if _stood_still(context) else 'file'} took longer than the median one")


_SLOW_FILES = ShareOf("group.slow_files_fraction")

rule = Rule(
    id="slow-moment",
    title="A few of many alike files took far longer",
    clear_title="Files alike take about as long",
    scope="group",
    severity="medium",
    priority=9,
    carries=share_of_job,
    requires=AnyOf((Present("group.slowest_file_times"), Present("group.standstill_fraction"))),
    condition=AnyOf(
        (
            when_present(
                "group.slow_files_fraction",
                Compare("group.slowest_file_times", ">=", TIMES.id),
                Compare("group.slow_files_fraction", ">=", SHARE.id),
            ),
            when_present("group.standstill_fraction", Compare("group.standstill_fraction", ">=", SHARE.id)),
        )
    ),
    thresholds=(TIMES, SHARE),
    citations=(JITTER,),
    says=says,
    advise=advise,
    impact=impact,
    confidence="inferred",
    explains=("below-expectation",),
    claims=(
        Claim(("reads", "writes"), LargestOf((_SLOW_FILES, ShareOf("group.standstill_fraction")))),
        Claim(("exchange", "metadata", "streams", "library"), _SLOW_FILES),
    ),
)
