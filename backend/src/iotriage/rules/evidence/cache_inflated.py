"""A bandwidth is higher than the storage can give: it was measured on a cache.

## What it does
Compares the bandwidth of writing and of reading with the most that the file system can give by the site's profile: its
peak, and for one file, or several in use at once, their stripes times the rate of one OST, or the most that was
documented for such files. It holds where the rate is more than a quarter above that and little data was moved by each
process.

## Why it matters
A write may return when the data is in the memory of the node, and data that was just written is read from there. Such a
rate says nothing of the file system, and is lost as soon as the data no longer fits.

## What to do
Do not compare with it. Measure with more data for each process, with a sync before the clock is stopped, and read in a
run of its own (IOR: `-e`, `-C`, `-K`).

## Limits
Needs a site whose profile has a peak or the rate of an OST. A cache can raise a rate without taking it above the peak;
that is not seen.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import these_files
from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, advice, ours, share_of_job
from iotriage.rules.core.condition import AnyOf, Compare, when_present
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, sentence, size
from iotriage.rules.evidence.measured_again import ior_write_then_read

FACTOR = Threshold(
    id="cache-inflated.factor",
    title="How far above the storage's own rate a bandwidth must be",
    default=1.25,
    unit="ratio",
    stated_by=ours(
        "cache", "What storage gives is stated roughly: a quarter more is no proof, and the margin is ours."
    ),
    slider=logarithmic(1.0, 100.0),
)
DATA = Threshold(
    id="cache-inflated.data-per-process",
    title="Data of each process up to which a cache can decide",
    default=float(2**30),
    unit="B",
    stated_by=Statement(
        "archer-bpg", "File Per Process (FPP)", "1 GiB a process was written, so that buffers did not decide."
    ),
    slider=logarithmic(float(2**20), float(2**40)),
)

CACHING = Citation("archer2-io", "I/O profiling")


def says(context: Context) -> Words:
    return Words(
        "A bandwidth is higher than the storage can give: it was measured on a cache.",
        paragraph(
            *_sentences_of(
                context, "written", "io.write_bandwidth", "expectation.write_over_ceiling", "io.written_per_writer"
            ),
            *_sentences_of(context, "read", "io.read_bandwidth", "expectation.read_over_ceiling", "io.read_per_reader"),
        )
        or "The rate is above what the site's profile has.",
    )


def _sentences_of(context: Context, word: str, rate: str, over: str, data: str) -> tuple[str | None, ...]:
    factor = context.number(over)
    if factor is None or not context.holds(Compare(over, ">", FACTOR.id)):
        return ()
    return (
        sentence(
            "{} was {} at {}/s, {} times what the profile of {} allows such files.",
            these_files(context),
            word,
            formatted(context.number(rate), size),
            number(factor),
            context.site.title,
        ),
        sentence("Each process moved {}.", formatted(context.number(data), size)),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    return (
        advice(
            "Take no rate from this run. Measure with at least 1 GiB for each process; sync before the clock stops.",
            citation=Citation("archer-bpg", "File Per Process (FPP)"),
        ),
        advice(
            "With IOR: write with a sync, keep the file, and read it in a run of its own with the ranks shifted.",
            *ior_write_then_read(context, "-b", "1g", "-t", "1m"),
            citation=Citation("theta-io", "Lustre file system caching"),
        ),
    )


rule = Rule(
    id="cache-inflated",
    title="Bandwidth of a cache",
    clear_title="Bandwidths are within what the storage can give",
    scope="group",
    severity="low",
    priority=85,
    carries=share_of_job,
    requires=AnyOf((when_present("expectation.write_over_ceiling"), when_present("expectation.read_over_ceiling"))),
    condition=AnyOf(
        (
            when_present(
                "expectation.write_over_ceiling",
                Compare("expectation.write_over_ceiling", ">", FACTOR.id),
                Compare("io.written_per_writer", "<", DATA.id),
            ),
            when_present(
                "expectation.read_over_ceiling",
                Compare("expectation.read_over_ceiling", ">", FACTOR.id),
                Compare("io.read_per_reader", "<", DATA.id),
            ),
        )
    ),
    thresholds=(FACTOR, DATA),
    citations=(CACHING, Citation("theta-io", "Lustre file system caching")),
    says=says,
    advise=advise,
)
