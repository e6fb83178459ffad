"""Opening files takes much longer than was measured on the same file system.

## What it does
Looks up how many files a second the documents of the site measured, mostly those of its own that `iotriage sites
measure` made of mdtest and IO500 results: created or read, in one directory or in one for each process, by as many
processes as have files here. At that rate each open would take so long; it holds where opens, and what else is in
Darshan's metadata time, took twice as long on average, or where the document gives quartiles, longer than at the lower
quartile.

## Why it matters
The benchmark kept the metadata servers as busy as that many processes can. Where calls of a job take longer still, it
is not their number alone: others load the servers, one directory is contended, or a client is slow.

## What to do
Fewer and larger files help whatever the cause. Run the job again at another time; if it is as slow then, ask the
helpdesk with the time of the run: they see the load of the metadata servers.

## Limits
Only files that one rank each uses, that are only written or only read, and small, since closing a file may wait for its
data. Rates measured once, at other numbers of processes, or perhaps from a node's memory decide nothing. Ranks that
open files one after another are served faster than in the benchmark, and are not accused for it. The time of stats and
a few seeks is in it.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import these_files
from iotriage.rules.advice.small_files import read_fewer, write_fewer_files
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Impact,
    Rule,
    Threshold,
    Words,
    advice,
    ours,
    share_of_job,
)
from iotriage.rules.core.claim import Claim, ShortOf
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, when_present
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.support import SupportText
from iotriage.rules.core.words import formatted, paragraph, plural, seconds, sentence, share

FRACTION = Threshold(
    id="slow-opens.fraction",
    title="Share of a documented rate of opening below which opens are slow",
    default=0.5,
    unit="share",
    stated_by=ours("metadata", "The factor of two that a guide gives for bandwidths; no document has one for opens."),
    slider=linear(0.01),
)
QUARTILE = Threshold(
    id="slow-opens.lower-quartile",
    title="Share of the documented lower quartile below which opens are slow",
    default=1.0,
    unit="share",
    stated_by=ours("metadata", "A quarter of the benchmark's own runs is below it: what is above it is usual."),
    slider=linear(0.01, 2.0),
)
CALLS = Threshold(
    id="slow-opens.calls",
    title="Opens of the files",
    default=1000.0,
    unit="calls",
    stated_by=ours("metadata", "The mean of fewer is that of a few slow ones; no document gives a number."),
    slider=logarithmic(10.0, 1e8),
)
DATA = Threshold(
    id="slow-opens.bytes",
    title="Bytes for each open, up to which opens are compared",
    default=float(64 * 2**10),
    unit="B",
    stated_by=ours("metadata", "mdtest's files hold 4 KB at most; a close may wait for the data of larger ones."),
    slider=logarithmic(1.0, float(2**30)),
)

MDS = Citation("archer-bpg", "Lustre basic concepts")
_DONE = {"create": "created", "read": "opened and read"}


def says(context: Context) -> Words:
    statistic = context.word("expectation.open_statistic")
    return Words(
        "Opening files takes longer than was measured on this file system.",
        paragraph(
            sentence(
                "{} were opened in {}, {} each; with {} at it all the time, files were {} in {} each when {} was "
                "measured ({}).",
                these_files(context),
                formatted(context.number("posix.opens"), lambda n: plural(n, "call")),
                formatted(context.number("expectation.open_time"), seconds),
                formatted(context.number("expectation.open_ranks"), lambda n: plural(n, "process", "processes")),
                _DONE.get(context.word("expectation.open_operation") or ""),
                formatted(context.number("expectation.documented_open_time"), seconds),
                context.site.title,
                {"maximum": "the best of repeated runs", "quartiles": "the median"}.get(
                    statistic or "", "a typical figure"
                ),
            ),
            sentence("That is {} of the measured rate.", formatted(context.number("expectation.open_fraction"), share)),
            sentence(
                "Of its lower quartile it is {}.",
                formatted(context.number("expectation.open_fraction_of_lower_quartile"), share),
            ),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    read = context.word("expectation.open_operation") == "read"
    return (
        read_fewer(context) if read else write_fewer_files(context),
        advice(
            SupportText(
                "Run the job again at another time. If opens are as slow then, ask your centre's support, with the "
                "time of the run, how loaded the metadata servers were.",
                "Run the job again at another time. If opens are as slow then, tell us the time of the run: we look "
                "how loaded the metadata servers were.",
            ),
            citation=MDS,
        ),
    )


def impact(context: Context) -> Impact | None:
    """All beyond the measured time; at least what is beyond twice that."""
    reached = context.number("expectation.open_fraction")
    took = context.number("expectation.documented_open_time")
    if reached is None or took is None or not 0 < reached < 1:
        return None
    because = f"if each took {seconds(took)}, as was measured. The lower figure: at half that rate"
    return Impact(because, 1.0, (1 - 2 * reached) / (1 - reached), 0.0)


rule = Rule(
    id="slow-opens",
    title="Opens slower than measured",
    clear_title="Opens are as fast as measured",
    scope="group",
    severity="medium",
    priority=81,
    carries=share_of_job,
    requires=AllOf(
        (
            when_present(
                "expectation.open_statistic",
                IsOneOf("expectation.open_statistic", ("maximum", "typical", "quartiles")),
            ),
            when_present("expectation.open_time"),
            when_present("expectation.bytes_per_open", Compare("expectation.bytes_per_open", "<=", DATA.id)),
            when_present("posix.opens", Compare("posix.opens", ">=", CALLS.id)),
        )
    ),
    condition=AnyOf(
        (
            AllOf(
                (
                    IsOneOf("expectation.open_statistic", ("maximum", "typical")),
                    Compare("expectation.open_fraction", "<", FRACTION.id),
                )
            ),
            AllOf(
                (
                    IsOneOf("expectation.open_statistic", ("quartiles",)),
                    Compare("expectation.open_fraction_of_lower_quartile", "<", QUARTILE.id),
                )
            ),
        )
    ),
    thresholds=(FRACTION, QUARTILE, CALLS, DATA),
    citations=(MDS,),
    says=says,
    advise=advise,
    impact=impact,
    claims=(Claim(("metadata",), ShortOf("expectation.open_fraction")),),
)
