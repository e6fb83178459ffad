"""One stripe count is faster than the others, by more than equal runs usually differ.

## What it does
Looks at runs that differ in their stripe count only, as the experiment of 1, 4, 8 and all OSTs asks, and says which is
best, or how many are enough. It holds where the best is faster than the worst by more than equal runs usually differ.

## Why it matters
How many OSTs a file is best spread over depends on the program, the number of processes and the file system, and no
rule knows it beforehand. Measuring is cheap: four short runs.

## What to do
Use the fewest that are as fast as the best for the directory that the output goes to: each further OST is one more that
may be slow, and is taken from others. A file keeps the striping it was made with: make a new directory, and copy what
is there already.

## Limits
With few processes there are too few clients to keep many OSTs busy, and the experiment says little about a larger job.
Files left from the run before keep their striping, so every setting needs a directory of its own.
"""

from __future__ import annotations

from iotriage.rules.advice.striping import (
    Stripes,
    default_sentence,
    output_directory,
    own_directory_sentence,
    set_stripe,
)
from iotriage.rules.core import Advice, Context, Rule, Statement, Threshold, Words, advice, ours
from iotriage.rules.core.condition import AllOf, Compare, IsOneOf
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import formatted, paragraph, plural, sentence
from iotriage.rules.run_sets.usual import (
    MEASURE,
    VARIATION,
    factor_text,
    shortest_time_threshold,
    usual_factor_threshold,
)

USUAL = usual_factor_threshold("striping-experiment")
SECONDS = shortest_time_threshold("striping-experiment")
PROCESSES = Threshold(
    id="striping-experiment.ranks",
    title="Processes for the experiment to say something",
    default=200.0,
    unit="ranks",
    stated_by=Statement(
        "archer-bpg",
        "What can I measure and tune?",
        "Several hundred processes, so that there are clients enough to benefit from striping; 200 is our reading.",
    ),
    slider=logarithmic(1.0, 10000.0),
)
TWO = Threshold(
    id="striping-experiment.runs",
    title="Fewest runs",
    default=2.0,
    unit="1",
    stated_by=ours("run sets", "Two settings are the least that can be compared."),
    slider=linear(2.0, 16.0),
)


def says(context: Context) -> Words:
    ranks = context.number("runs.processes")
    few = context.holds(Compare("runs.processes", "<", PROCESSES.id))
    best, enough = context.word("runs.best_stripes"), context.word("runs.enough_stripes")
    return Words(
        f"{_striping_phrase(best)} is the best of the stripe counts tried."
        if best == enough
        else f"{_striping_phrase(enough)} is enough: more stripes make the I/O no faster.",
        paragraph(
            sentence(
                "The best rate is {} times that of the worst.",
                formatted(context.number("runs.striping_gain"), factor_text),
            ),
            f"With {plural(ranks, 'process', 'processes')} there are few clients: a larger job may want more stripes."
            if few and ranks is not None
            else None,
        ),
    )


def _striping_phrase(best: str | None) -> str:
    if best is None:
        return "One"
    if best == "all OSTs":
        return "Striping over all OSTs"
    return "One stripe" if best == "1" else f"Striping over {best} OSTs"


def advise(context: Context) -> tuple[Advice, ...]:
    count = context.number("runs.enough_stripe_count")
    if count is None:
        return ()
    size_bytes = context.number("runs.enough_stripe_size")
    wanted = Stripes(count=int(count), size_bytes=None if size_bytes is None else int(size_bytes))
    text = "Set it for the directory of the output before the run; files that are there already keep their own."
    line = set_stripe(context, output_directory(context), wanted)
    return (
        advice(f"{text}{default_sentence(context, wanted)}{own_directory_sentence(context)}", line, citation=MEASURE),
    )


rule = Rule(
    id="striping-experiment",
    title="One stripe count is faster than the others",
    clear_title="The stripe count makes no difference beyond the usual",
    scope="run-set",
    severity="low",
    priority=40,
    requires=AllOf(
        (
            IsOneOf("runs.kind", ("striping",)),
            Compare("runs.with_rate", ">=", TWO.id),
            Compare("runs.io_time", ">=", SECONDS.id),
        )
    ),
    condition=Compare("runs.striping_gain", ">", USUAL.id),
    supports=(Compare("runs.processes", ">=", PROCESSES.id),),
    thresholds=(USUAL, SECONDS, PROCESSES, TWO),
    citations=(MEASURE, VARIATION),
    says=says,
    advise=advise,
    weighed=False,
)
