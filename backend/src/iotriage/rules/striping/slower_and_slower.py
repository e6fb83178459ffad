"""Equal outputs take longer as the run goes on: the first were fast with the same layout and the same calls.

## What it does
Puts the files of a group that all ranks used, or of which each rank has one of each output, in the order in which they
began, as the checkpoints of a run: with the same bytes, calls, sizes and order of calls, ranks that move them, and
striping. It holds where the later ones took twice as long as the first, either longer and longer or from one file on,
and what they took beyond the first is a good part of the time of all.

## Why it matters
The first files show what this layout and these calls reach: more stripes, more aggregators or larger calls are not what
the later ones lack. Either something grows with each output, or the storage was another from some time on.

## What to do
Begin a short run at the last output. If it is fast again, something grows within a run: records that are looked up
before each is appended, an unlimited dimension, metadata of the library, memory that leaves less and less for buffers.
If it is slow at once, or the run grew slow at one time, ask the support about that time: a file system that fills, a
server that failed, a neighbour.

## Limits
Needs records of at least six such files, each with its slowest rank, and when it began; with collective calls, the
POSIX records below as well: what grows while those do not is waiting of ranks for one another. Files that lie on OSTs
of which none of the first had any are not compared, nor files that were used side by side. Where the first files found
room in a cache, they are faster than the storage. A few slow ones at the end are `slow-moment`'s. What the program does
at the same time with other files is not looked at.
"""

from __future__ import annotations

from iotriage.rules.core import Advice, Citation, Context, Impact, Rule, Threshold, Words, advice, ours, share_of_job
from iotriage.rules.core.claim import Claim, ShareOf
from iotriage.rules.core.condition import Compare, when_present
from iotriage.rules.core.saving import full_saving
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.support import SupportText
from iotriage.rules.core.words import formatted, number, paragraph, plural, printable, seconds, sentence

JITTER = Citation("theta-io", "Dragonfly Network and Lustre Jitter")

TIMES = Threshold(
    id="slower-and-slower.times",
    title="Time in the later files over that in the first",
    default=2.0,
    unit="ratio",
    stated_by=ours("later outputs", "Below twice, files of one run differ without any order."),
    slider=logarithmic(2.0, 100.0),
)
SHARE = Threshold(
    id="slower-and-slower.share",
    title="Share of the files' I/O time that the later ones took beyond the first",
    default=0.20,
    unit="share",
    stated_by=ours("later outputs", "Below a fifth the run would hardly have been shorter."),
    slider=linear(0.01),
)
SECONDS = Threshold(
    id="slower-and-slower.seconds",
    title="Time that the later files took beyond the first",
    default=5.0,
    unit="s",
    stated_by=ours("later outputs", "For a few seconds in all nobody looks for what grows."),
    slider=logarithmic(0.1, 10_000.0),
)


def says(context: Context) -> Words:
    compared, times = context.number("group.files_in_turn"), context.number("group.later_times")
    one = "similar output" if context.word("io.pattern") == "file-per-process" else "similar file"
    all_of = plural(compared, one) if compared else f"{one}s"
    if _from_one_on(context):
        headline = f"From one of them on, equal outputs take {_as_long(times)} as long."
        which = sentence(
            "Of {}, one after the other, the first {} took {} each, and from {} on each took {}.",
            all_of,
            formatted(context.number("group.early_files"), number),
            formatted(context.number("group.early_file_time"), seconds),
            _name(context),
            formatted(context.number("group.late_file_time"), seconds),
        )
    else:
        headline = "Equal outputs take longer and longer."
        which = sentence(
            "Of {}, one after the other, the first {} took {} each, and the last {} took {} each.",
            all_of,
            formatted(context.number("group.early_files"), number),
            formatted(context.number("group.early_file_time"), seconds),
            formatted(context.number("group.early_files"), number),
            formatted(context.number("group.late_file_time"), seconds),
        )
    return Words(
        headline,
        paragraph(
            which,
            "The median of each is meant; bytes, calls and striping are the same.",
            sentence(
                "That is {} beyond the first ones in all.", formatted(context.number("group.later_beyond"), seconds)
            ),
            sentence(
                "{} was begun {} after the start{}.",
                _name(context),
                formatted(context.number("group.slower_since"), seconds),
                _clock(context, ", {}"),
            ),
        ),
    )


def _from_one_on(context: Context) -> bool:
    return context.word("group.later_way") == "from one on"


def _as_long(times: float | None) -> str:
    return "much" if times is None else f"{number(times)} times"


def _name(context: Context) -> str | None:
    name = context.word("group.slower_file")
    return None if name is None else printable(name)


def _clock(context: Context, form: str) -> str:
    clock = context.word("group.slower_since_clock")
    return "" if clock is None else form.format(clock)


def advise(context: Context) -> tuple[Advice, ...]:
    grows = advice(
        "Begin a short run at the last output. If that is fast again, look for what grows with each output: a record "
        "appended to a file that is searched each time, an unlimited dimension, metadata that the library keeps, or "
        "memory that leaves less for buffers. If it is slow at once, the program is not the cause.",
    )
    since = context.number("group.slower_since")
    if _from_one_on(context):
        when = "" if since is None else f" {seconds(since)} after the job's start{_clock(context, ' ({})')}"
        asked, what = "what", f"changed on the file system{when or ' then'}, and how full it was"
    else:
        asked, what = "whether", f"the file system filled during the run{_clock(context, ', until {}')}"
    no_cure = "The first outputs were fast with the same ranks and stripes: more aggregators or stripes are no cure."
    support = advice(
        SupportText(f"Ask your centre's support {asked} {what}. {no_cure}", f"We look {asked} {what}. {no_cure}"),
        citation=JITTER,
    )
    return (support, grows) if _from_one_on(context) else (grows, support)


def impact(_: Context) -> Impact | None:
    return full_saving("every file took as long as the first ones")


rule = Rule(
    id="slower-and-slower",
    title="Equal outputs take longer as the run goes on",
    clear_title="Later outputs take as long as the first",
    scope="group",
    severity="medium",
    priority=9,
    carries=share_of_job,
    requires=when_present("group.later_times"),
    condition=when_present(
        "group.later_fraction",
        Compare("group.later_times", ">=", TIMES.id),
        Compare("group.later_fraction", ">=", SHARE.id),
        Compare("group.later_beyond", ">=", SECONDS.id),
    ),
    thresholds=(TIMES, SHARE, SECONDS),
    citations=(JITTER,),
    says=says,
    advise=advise,
    impact=impact,
    confidence="inferred",
    explains=("below-expectation",),
    claims=(
        Claim(
            ("reads", "writes", "exchange", "metadata", "streams", "library"),
            ShareOf("group.later_fraction"),
            apart=True,
        ),
    ),
)
