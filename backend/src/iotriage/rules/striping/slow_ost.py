"""One OST is slower than all others, and everybody waits for the files on it.

## What it does
Takes the files that have one stripe and were used by one rank each, and compares the OSTs by the seconds a byte took:
what nearly all ranks on an OST needed, against the median over the ranks on all others. Where a trace (DXT) of the
POSIX calls compares more OSTs, it takes the calls that lie on one OST alone, of striped and shared files too; where all
calls are shifted against the stripes, those that lie on two. An OST at three times the others is slow whatever these
do; one at one and a half times is, where it stands apart from the slowest ranks on the others too and does not move
more in a second than most of them.

## Why it matters
A job is as fast as its slowest server. An OST that is ill, rebuilding or overloaded makes the ranks whose files lie on
it last, although program and settings are the same as the others'. pytokio's darshan_bad_ost finds such OSTs by
correlation; here it is the time itself.

## What to do
It is not the program: tell the support the index of the OST and when the job ran, and run again. Do not choose OSTs by
hand to get round it: what is slow today may not be so in the next run.

## Limits
A log that lists the OSTs of single files is needed (Darshan's LUSTRE module). Without a trace striped and shared files
are left out: one transfer goes to several servers and is timed as one, as are traced calls on more than two OSTs. Where
all ranks' calls go round all OSTs, no counter tells a slow one from slow storage. Two files of different ranks are the
least, or 16 calls of 64 KiB or more: a rank that is slow wherever its file lies says nothing of a server. Nor do ranks
that are as slow in their other files, on other servers or at home: it is them, or their node. An OST that holds several
times the bytes of the others is held to as many times their time: that is `crowded-ost`. Another job may have loaded
the OST just then. It explains a straggling rank: that rank has nothing else to do with it than where its file lies.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import these_files
from iotriage.rules.advice.striping import directory_as_it_is, output_directory
from iotriage.rules.core import Advice, Citation, Context, Impact, Rule, Threshold, Words, advice, ours, share_of_job
from iotriage.rules.core.action import RunCommand
from iotriage.rules.core.claim import BeyondOnce, Claim, ShareOf
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, when_present
from iotriage.rules.core.saving import next_slowest_saving, slow_rank_saving
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.support import SupportText
from iotriage.rules.core.words import formatted, number, ost_name, paragraph, plural, sentence

SLOWNESS = Threshold(
    id="slow-ost.slowness",
    title="Time per byte on the slowest OST over that on the others, beyond what its larger load explains",
    default=3.0,
    unit="ratio",
    stated_by=ours("slow OST", "pytokio warns by correlation and gives no ratio; three times the others is ours."),
    slider=logarithmic(1.2, 100.0),
)
SURE = Threshold(
    id="slow-ost.sure-slowness",
    title="Time per byte on the slowest OST over that on the others, where it stands apart from all of them",
    default=1.5,
    unit="ratio",
    stated_by=ours("slow OST", "Everybody waits for it: half as long again is worth a word to your centre's support."),
    slider=logarithmic(1.1, 100.0),
)
APART = Threshold(
    id="slow-ost.apart",
    title="Time per byte on the slowest OST over the most on those that are not slow",
    default=1.3,
    unit="ratio",
    stated_by=ours("slow OST", "Beyond what 95 % of the ranks on others need, by a third: no chance among many."),
    slider=logarithmic(1.0, 100.0),
)
RATE = Threshold(
    id="slow-ost.rate",
    title="Time a byte on an OST that stands apart over that on the others, beyond what its larger load explains",
    default=1.0,
    unit="ratio",
    stated_by=ours("slow OST", "What moves as many bytes a second as the others is not slow, whoever waits for it."),
    slider=logarithmic(0.1, 10.0),
)
ELSEWHERE = Threshold(
    id="slow-ost.elsewhere",
    title="Ranks as slow on the other OSTs, from which it is the ranks that are slow",
    default=0.25,
    unit="share",
    stated_by=ours("slow OST", "A few files elsewhere may be late by chance; a quarter of them have another cause."),
)
OSTS = Threshold(
    id="slow-ost.osts",
    title="OSTs compared",
    default=4.0,
    unit="OSTs",
    stated_by=ours("slow OST", "With two or three OSTs nothing says which of them is as it should be."),
    slider=logarithmic(2.0, 512.0),
)

BAD_OST = Citation("pytokio", "darshan_bad_ost")
LEAVE_IT = Citation("theta-io", "General striping approaches")


def says(context: Context) -> Words:
    ost = formatted(context.number("ost.slowest"), ost_name)
    slow, times = context.number("ost.slow_osts") or 1, formatted(context.number("ost.slowness"), number)
    who = f"{ost} takes" if slow <= 1 else f"{plural(slow, 'OST')} take"
    waits = f"and the job waits for the files on {'it' if slow <= 1 else 'them'}."
    headline = f"{who} {times} times as long as the others, {waits}"
    return Words(
        headline if ost is not None and times is not None else "One OST is slower than the others.",
        paragraph(
            sentence(
                f"On {{}}, a byte took {{}} times as long on {_slow_ones(context)} as on the others.",
                these_files(context),
                times,
            ),
            sentence("{} is judged by {}; {} were compared.", ost, _told_by_phrase(context), _compared(context)),
        ),
    )


MOST_NAMED = 16
"""OSTs of which each is named; of more, the slowest and their number."""


def _slowest(context: Context) -> str:
    return formatted(context.number("ost.slowest"), ost_name) or "OST N"


def _slow_ones(context: Context) -> str:
    """The slow OSTs, as a subject."""
    slowest, slow = _slowest(context), context.number("ost.slow_osts") or 1
    named = context.word("ost.slow_ones")
    if slow <= 1 or named is None:
        return slowest
    if slow > MOST_NAMED:
        return f"{plural(slow, 'OST')}, of which {slowest} is the slowest,"
    return f"OSTs {named}"


def _told_by_phrase(context: Context) -> str | None:
    calls = context.number("ost.slowest_calls")
    if calls is not None:
        return f"{plural(calls, 'traced call')} on it"
    return formatted(context.number("ost.slowest_files"), lambda n: f"{plural(n, 'file')} on it")


def _compared(context: Context) -> str | None:
    return formatted(context.number("ost.compared"), lambda n: plural(n, "OST"))


def advise(context: Context) -> tuple[Advice, ...]:
    index, slowest = formatted(context.number("ost.slowest"), "{:.0f}".format) or "N", _slowest(context)
    one = (context.number("ost.slow_osts") or 1) <= 1
    are, it = ("is", "it") if one else ("are", slowest)
    slow = f"{_slow_ones(context)} {are} slow"
    files = f"This lists the files on {it}; a copy of a file gets new OSTs."
    return (
        *_of_a_slower_kind(context),
        advice(
            SupportText(
                f"Report to your centre's support that {slow}, with the time of the job; then run again. {files}",
                f"That {slow} is not your program's doing: we report it to those who run the file system. Then run "
                f"again. {files}",
            ),
            RunCommand(("lfs", "find", output_directory(context), "--ost", index)),
            citation=Citation("darshan-issues", "#228, per-OST tabulation"),
        ),
        advice(
            "Do not choose OSTs by hand to avoid it: leave the choice to Lustre, and the repair to the centre.",
            citation=LEAVE_IT,
        ),
    )


SEVERAL = 3
"""OSTs that are slow at once, from which they may be of another kind: one or two fail by themselves."""


def _of_a_slower_kind(context: Context) -> tuple[Advice, ...]:
    if (context.number("ost.slow_osts") or 0.0) < SEVERAL:
        return ()
    return (
        advice(
            "Several are slow at once: see first whether they are a pool of slower disks. Then nothing is broken: give "
            "the directory the faster pool (lfs setstripe -p POOL), before the files are made.",
            RunCommand(("lfs", "pool_list", directory_as_it_is(context))),
        ),
    )


def impact(context: Context) -> Impact | None:
    """By the ranks that are not slow; where all use the slow OST, none is such, and their calls to others tell it."""
    cure, stays = "that OST were as fast as the others", context.number("ost.uneven_without_slow")
    return slow_rank_saving(context, cure) if stays is None else next_slowest_saving(stays, cure)


rule = Rule(
    id="slow-ost",
    title="One slow OST",
    clear_title="The OSTs are equally fast",
    scope="group",
    severity="high",
    priority=8,
    carries=share_of_job,
    requires=when_present("ost.compared", Compare("ost.compared", ">=", OSTS.id)),
    condition=AllOf(
        (
            IsOneOf("ost.ranks_elsewhere", ("as others", "unknown")),
            AnyOf(
                (
                    AllOf(
                        (
                            Compare("ost.slowness_for_its_load", ">=", SLOWNESS.id),
                            Compare("ost.as_slow_elsewhere", "<", ELSEWHERE.id),
                        )
                    ),
                    when_present(
                        "ost.apart",
                        Compare("ost.slowness", ">=", SURE.id),
                        Compare("ost.slowness_for_its_load", ">=", RATE.id),
                        Compare("ost.apart", ">=", APART.id),
                    ),
                )
            ),
        )
    ),
    thresholds=(SLOWNESS, SURE, APART, RATE, ELSEWHERE, OSTS),
    citations=(BAD_OST, Citation("darshan-issues", "#228, per-OST tabulation")),
    says=says,
    advise=advise,
    impact=impact,
    confidence="inferred",
    explains=("below-expectation", "straggler-rank", "uneven-files", "wait-for-coll", "crowded-ost"),
    claims=(
        Claim(("reads", "writes", "streams"), ShareOf("ost.excess_fraction")),
        Claim(("exchange",), BeyondOnce("ost.slowness")),
        Claim(("imbalance",)),
    ),
)
