"""The rate drops as processes are added: they stand in one another's way.

## What it does
Looks at runs that differ in their number of processes only. It holds where the rate on the most processes is well
below the best on fewer, by more than equal runs usually differ.

## Why it matters
Processes that write independently into one file wait for its locks, and processes that open a file each wait for the
metadata server. The wait grows with their number, so that the larger job is not only slower in I/O for each byte, but
slower in all.

## What to do
Shared file: collective calls, so that a few aggregators write, one to each OST. Many files: a file for each node, or
one shared file for a group of processes.

## Limits
Runs at other times of day meet other jobs' I/O. Run each number of processes several times; the best of each is taken.
Whether there are too many files or too many writers of one file is for the runs' own pages to say.
"""

from __future__ import annotations

from iotriage.rules.core import Advice, Citation, Context, Rule, Threshold, Words, advice, ours
from iotriage.rules.core.condition import AllOf, Compare, IsOneOf
from iotriage.rules.core.slider import linear
from iotriage.rules.core.words import formatted, number, paragraph, sentence
from iotriage.rules.run_sets.usual import (
    MEASURE,
    VARIATION,
    factor_text,
    growth_threshold,
    shortest_time_threshold,
    usual_factor_threshold,
)

GROWTH = growth_threshold("scaling-contention")
DROP = Threshold(
    id="scaling-contention.drop",
    title="Drop of the rate that counts",
    default=1.25,
    unit="ratio",
    stated_by=ours("run sets", "The guide says that the rate drops significantly, and gives no number."),
    slider=linear(1.0, 10.0),
)
USUAL = usual_factor_threshold("scaling-contention")
SECONDS = shortest_time_threshold("scaling-contention")


def says(context: Context) -> Words:
    return Words(
        "The I/O rate drops as processes are added: they stand in one another's way.",
        paragraph(
            sentence(
                "The best rate on fewer processes is {} times that on the most; processes grew {} times.",
                formatted(context.number("runs.rate_drop"), factor_text),
                formatted(context.number("runs.processes_growth"), number),
            ),
            "Every process has a file of its own." if _file_a_process(context) else None,
        ),
    )


def _file_a_process(context: Context) -> bool:
    return context.word("runs.pattern") == "file-per-process"


def advise(context: Context) -> tuple[Advice, ...]:
    if _file_a_process(context):
        text = "Write a file for each node, or one shared file for each group of processes, instead of one a process."
        return (advice(text, citation=Citation("archer2-io", "File-per-process (FPP)")),)
    text = "Write the shared file with collective calls, so that a few aggregators write, and stripe it over more OSTs."
    if context.word("runs.pattern") == "shared-collective":
        text = (
            "The calls are collective already: stripe the file over more OSTs, and try fewer aggregators (cb_nodes): "
            "as many as on the number of processes that was fastest."
        )
    return (advice(text, citation=Citation("archer-bpg", "Summary of performance advice")),)


rule = Rule(
    id="scaling-contention",
    title="The rate drops as processes are added",
    clear_title="The rate does not drop as processes are added",
    scope="run-set",
    severity="medium",
    priority=21,
    requires=AllOf(
        (
            IsOneOf("runs.kind", ("scaling",)),
            Compare("runs.processes_growth", ">=", GROWTH.id),
            Compare("runs.io_time", ">=", SECONDS.id),
        )
    ),
    condition=AllOf((Compare("runs.rate_drop", ">=", DROP.id), Compare("runs.rate_drop", ">", USUAL.id))),
    thresholds=(GROWTH, DROP, USUAL, SECONDS),
    citations=(MEASURE, VARIATION),
    says=says,
    advise=advise,
    confidence="inferred",
    weighed=False,
)
