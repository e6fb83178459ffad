"""Somebody chose the OST on which the files begin, instead of leaving that to Lustre.

## What it does
Looks for an explicit first OST: `lfs setstripe -i` or `-o` in the job script, a directory whose default begins on a
given OST, the hint `romio_lustre_start_iodevice` as the script asks for it. Without any of these it looks at the files:
sixteen or more that nearly all begin on the same OST, by the log or else by `lfs getstripe`, on a file system that has
several: as the sources count them, or since that OST is not the first. Files that lie on all OSTs are
left out: of these any may be the first.

## Why it matters
Lustre spreads new files over the OSTs and leaves out those that are slow or full. With a fixed index every file begins
on the same server, however busy it is; many files of one stripe all end up on one OST, which is then the whole file
system for the job. The guides of ARCHER2 and Theta both say to leave the choice to Lustre.

## What to do
Leave the index at -1, which is the default, and make the files anew.

## Limits
What it takes are the seconds of the files that are in use at once: one after the other, each has its OST to itself.
That all files begin on one OST may also come from a pool with a single OST. Darshan's old LUSTRE_STRIPE_OFFSET and the
hint as displayed are not used: read back from a file that exists, they hold the layout's generation, which is 0.
"""

from __future__ import annotations

from iotriage.rules.advice.striping import leave_first_ost
from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, ours
from iotriage.rules.core.claim import BeyondOnce, Claim, ProductOf, ShareOf, waited_for_storage
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, Present, when_present
from iotriage.rules.core.words import formatted, number, paragraph, sentence, share

CHOSEN = Threshold(
    id="fixed-ost-offset.settings",
    title="Settings that choose the first OST",
    default=1.0,
    unit="1",
    stated_by=Statement(
        "archer2-io", "Setting custom striping configurations", "The index of the first OST should be left at -1."
    ),
    minimum=1.0,
    maximum=100.0,
)
SHARE = Threshold(
    id="fixed-ost-offset.share",
    title="Files that begin on the same OST",
    default=0.90,
    unit="share",
    stated_by=ours("first OST", "Left to Lustre, sixteen files do not begin on one OST; nine tenths is ours."),
    minimum=0.2,
    maximum=1.0,
)
OSTS = Threshold(
    id="fixed-ost-offset.osts",
    title="OSTs of the file system",
    default=2.0,
    unit="OSTs",
    stated_by=ours("first OST", "With a single OST there is nothing to choose."),
    minimum=2.0,
    maximum=512.0,
    scale="log",
)

INDEX = Threshold(
    id="fixed-ost-offset.index",
    title="Index of that OST",
    default=1.0,
    unit="1",
    stated_by=ours("first OST", "Indices begin at 0: above it there is more than one OST, whoever counts them."),
    minimum=1.0,
    maximum=512.0,
    scale="log",
)

LEAVE_IT = Citation("archer2-io", "Setting custom striping configurations")


def says(context: Context) -> Words:
    chosen = context.number("striping.first_ost")
    return Words(
        "The OST on which files begin was chosen by hand, instead of by Lustre.",
        paragraph(
            sentence("A setting makes files begin on OST {}.", formatted(chosen, number)),
            sentence(
                "{} of the files begin on OST {}.",
                formatted(context.number("file.first_ost_share"), share),
                formatted(context.number("file.first_ost"), number),
            ),
            "No source shows the setting; it is inferred from the files." if chosen is None else None,
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    return leave_first_ost(context, LEAVE_IT)


_THEIRS = ProductOf((ShareOf("file.first_ost_time_share"), BeyondOnce("file.first_ost_at_once")))
"""Of one file after the other each has its OST to itself, whichever that is."""

rule = Rule(
    id="fixed-ost-offset",
    title="First OST chosen by hand",
    clear_title="The files do not all begin on one OST",
    scope="job",
    severity="medium",
    priority=33,
    requires=AnyOf((Present("striping.fixed_first_osts"), Present("file.first_ost_share"))),
    condition=AnyOf(
        (
            when_present("striping.fixed_first_osts", Compare("striping.fixed_first_osts", ">=", CHOSEN.id)),
            AllOf(
                (
                    when_present("file.first_ost_share", Compare("file.first_ost_share", ">=", SHARE.id)),
                    AnyOf(
                        (
                            Compare("file.stripes_possible", ">=", OSTS.id),
                            when_present("file.first_ost", Compare("file.first_ost", ">=", INDEX.id)),
                        )
                    ),
                )
            ),
        )
    ),
    thresholds=(CHOSEN, SHARE, OSTS, INDEX),
    citations=(LEAVE_IT, Citation("theta-io", "General striping approaches")),
    says=says,
    advise=advise,
    claims=(Claim(("reads", "writes", "imbalance"), _THEIRS), *waited_for_storage(_THEIRS)),
)
