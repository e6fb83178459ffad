"""Somebody chose the OST on which the files begin, instead of leaving that to Lustre.

## What it does
Looks for an explicit first OST: `lfs setstripe -i` or `-o` in the job script, a directory whose default begins on a
given OST, the hint `romio_lustre_start_iodevice` as the script asks for it. Without any of these it looks at the files:
sixteen or more that nearly all begin on the same OST, by the log or else by `lfs getstripe`, on a file system that has
several: as the sources count them, or since that OST is not the first. Of a log that counts the OSTs fewer files are
enough where all of them begin on one, and by chance that would happen once in ten thousand times: four of 48 OSTs.
Where others lie elsewhere, sixteen of one name but for numbers are enough. It holds too where nearly all lie on a few
of many OSTs, several files on each, and these give no more than an OST does. Files that lie on all OSTs are left out:
of these any may be the first; so are small ones beside those that hold the data.

## Why it matters
Lustre spreads new files over the OSTs and leaves out those that are slow or full. With a fixed index every file begins
on the same server, however busy it is; many files of one stripe all end up on one OST, which is then the whole file
system for the job. The guides of ARCHER2 and Theta both say to leave the choice to Lustre.

## What to do
Leave the index at -1, which is the default, and make the files anew.

## Limits
What it takes are the seconds of the files that are in use at once: one after the other, each has its OST to itself.
That all files begin on one OST, or on a few, may also come from a pool that has no others. Where each OST seems to move
more than a server can, memory did, and nobody waited for the OST. Darshan's old
LUSTRE_STRIPE_OFFSET and the hint as displayed are not used: read back from a file that exists, they hold the layout's
generation, which is 0.
"""

from __future__ import annotations

from dataclasses import replace

from iotriage.rules.advice.striping import leave_first_ost
from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, ours
from iotriage.rules.core.claim import BeyondOnce, Claim, ProductOf, ShareOf, waited_for_storage
from iotriage.rules.core.condition import Compare, Present, all_of, any_of, when_present
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import formatted, number, ost_name, paragraph, plural, printable, sentence, share, size
from iotriage.rules.striping.busy_stripes import from_storage, one_server_threshold

CHOSEN = Threshold(
    id="fixed-ost-offset.settings",
    title="Settings that choose the first OST",
    default=1.0,
    unit="1",
    stated_by=Statement(
        "archer2-io", "Setting custom striping configurations", "The index of the first OST should be left at -1."
    ),
    slider=linear(1.0, 100.0),
)
SHARE = Threshold(
    id="fixed-ost-offset.share",
    title="Files that begin on the same OST",
    default=0.90,
    unit="share",
    stated_by=ours("first OST", "Left to Lustre, sixteen files do not begin on one OST; nine tenths is ours."),
    slider=linear(0.2),
)
OSTS = Threshold(
    id="fixed-ost-offset.osts",
    title="OSTs of the file system",
    default=2.0,
    unit="OSTs",
    stated_by=ours("first OST", "With a single OST there is nothing to choose."),
    slider=logarithmic(2.0, 512.0),
)

INDEX = Threshold(
    id="fixed-ost-offset.index",
    title="Index of that OST",
    default=1.0,
    unit="1",
    stated_by=ours("first OST", "Indices begin at 0: above it there is more than one OST, whoever counts them."),
    slider=logarithmic(1.0, 512.0),
)

FEW = Threshold(
    id="fixed-ost-offset.few",
    title="OSTs on which nearly all files lie, over all OSTs",
    default=0.25,
    unit="share",
    stated_by=ours("first OST", "Left to Lustre, many files lie on nearly all; a quarter is ours."),
    slider=logarithmic(0.001, 1.0),
)
FAST = Threshold(
    id="fixed-ost-offset.fast",
    title="Rate of each of these OSTs from which they are not too few",
    default=1e9,
    unit="B/s",
    stated_by=Statement("archer2-io", "I/O profiling", "One OST gives around 1 GB/s: what gives more is no slow one."),
    slider=logarithmic(1e6, 1e12),
)

ONE_SERVER = one_server_threshold("fixed-ost-offset")

LEAVE_IT = Citation("archer2-io", "Setting custom striping configurations")


def says(context: Context) -> Words:
    chosen = context.number("striping.first_ost")
    if chosen is None and not context.holds(_MOSTLY_ON_ONE):
        return _on_few(context) if context.holds(_ON_FEW) else _on_one(context)
    which = context.word("file.first_ost_files")
    files = "files" if which is None else f"the files {printable(which)}"
    return Words(
        f"The OST on which {files} begin was chosen by hand, instead of by Lustre.",
        paragraph(
            sentence("A setting makes files begin on {}.", formatted(chosen, ost_name)),
            sentence(
                f"Of {'the files that hold the data' if which is None else 'these'} {{}} begin on {{}}.",
                formatted(context.number("file.first_ost_share"), share),
                formatted(context.number("file.first_ost"), ost_name),
            ),
            "No source shows the setting; it is inferred from the files." if chosen is None else None,
        ),
    )


def _on_one(context: Context) -> Words:
    """What is said where too few files begin on one OST to tell that somebody chose it."""
    on_one = sentence(
        "Of the files that hold the data {} begin on {}.",
        formatted(context.number("file.first_ost_share"), share),
        formatted(context.number("file.first_ost"), ost_name),
    )
    return Words(on_one or "Many of the files that hold the data begin on one OST.", "No source shows who chose it.")


def _on_few(context: Context) -> Words:
    osts, possible = context.number("file.first_osts"), context.number("file.stripes_possible")
    every = context.number("file.osts_seen") if possible is None else possible
    there_are = formatted(every, lambda n: f"{number(n)} OSTs" if possible is not None else f"{number(n)} OSTs or more")
    return Words(
        sentence("Nearly all data is in files that begin on {} of {}.", formatted(osts, number), there_are)
        or "Nearly all data is in files that begin on a few of many OSTs.",
        paragraph(
            sentence(
                "On each of these OSTs {} are in use at once,",
                formatted(context.number("file.first_ost_at_once"), lambda n: plural(max(1, round(n)), "file")),
            ),
            sentence("and it moves {}/s.", formatted(context.number("file.first_osts_rate"), size)),
            "No source shows a setting that chooses them: it may be one of the directory, its pool may have no others, "
            "or the others are full.",
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    """Of the files that begin there alone, wherever those lie that have most bytes; where they have no directory in
    common, none of theirs stands for the others."""
    one, above = context.word("file.first_ost_file"), context.metrics.get("file.first_ost_directory")
    if one is None or above is None:
        return leave_first_ost(context, LEAVE_IT)
    # Files whose OSTs are listed are on Lustre, and not below the mount of the largest. They are several.
    theirs = replace(
        context,
        file=one,
        files=round(context.number("file.count") or 0),
        file_system="lustre",
        mount=None,
        metrics={**context.metrics, "file.directory": above},
    )
    return leave_first_ost(theirs, LEAVE_IT, apart=above.value is None)


_THEIRS = ProductOf((ShareOf("file.first_ost_time_share"), BeyondOnce("file.first_ost_at_once")))
"""Of one file after the other each has its OST to itself, whichever that is."""
_MOSTLY_ON_ONE = when_present("file.first_ost_share", Compare("file.first_ost_share", ">=", SHARE.id))
_ON_FEW = when_present(
    "file.first_osts_fraction",
    Compare("file.first_osts_fraction", "<=", FEW.id),
    when_present("file.first_osts_rate", Compare("file.first_osts_rate", "<", FAST.id)),
)

rule = Rule(
    id="fixed-ost-offset",
    title="First OST chosen by hand",
    clear_title="The files do not all begin on one OST",
    scope="job",
    severity="medium",
    priority=33,
    requires=any_of(Present("striping.fixed_first_osts"), Present("file.first_ost_share")),
    condition=any_of(
        when_present("striping.fixed_first_osts", Compare("striping.fixed_first_osts", ">=", CHOSEN.id)),
        all_of(
            _MOSTLY_ON_ONE,
            from_storage(ONE_SERVER),
            any_of(
                Compare("file.stripes_possible", ">=", OSTS.id),
                when_present("file.first_ost", Compare("file.first_ost", ">=", INDEX.id)),
            ),
        ),
        _ON_FEW,
    ),
    thresholds=(CHOSEN, SHARE, OSTS, INDEX, FEW, FAST, ONE_SERVER),
    citations=(
        LEAVE_IT,
        Citation("theta-io", "General striping approaches"),
        Citation("theta-io", "LUSTRE Specifications on Theta"),
    ),
    says=says,
    advise=advise,
    claims=(Claim(("reads", "writes", "streams", "imbalance"), _THEIRS), *waited_for_storage(_THEIRS)),
)
