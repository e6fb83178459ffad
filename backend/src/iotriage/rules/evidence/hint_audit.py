"""Hints were asked for that cannot do what they were meant to.

## What it does
Compares the hints of the job script or environment, those displayed when files were opened, and what the library then
did: hint strings with curly quotes, with quotes inside those of the shell or without a file pattern, patterns that fit
none of the files that were opened, `cb_buffer_size` where Cray MPICH takes the stripe size, `cb_nodes` displayed while
fewer aggregators wrote, hints displayed otherwise than asked for. Where nothing displays them, another number of
aggregators or stripes in the statistics than was asked for, and another striping of the file that MPI-IO writes most.

## Why it matters
A hint that is not understood is dropped without a word, and the run is as slow as before. Texts copied from web pages
lose the `*` before the colon or gain curly quotes; one of the guides' own pages prints such a string.

## What to do
Mend the string, and look at the display of the next run.

## Limits
A displayed hint was set, not necessarily used. Striping hints do nothing for a file that exists already, and give no
more stripes than there are OSTs: which of the two it was, no source here shows.
"""

from __future__ import annotations

from iotriage.metrics.core.missing_evidence import HINTS
from iotriage.metrics.tables.settings import patterns_of, variables_among
from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, advice
from iotriage.rules.core.action import AskFor, FileHint, SetHint
from iotriage.rules.core.condition import Compare, Present
from iotriage.rules.core.slider import linear
from iotriage.rules.core.words import paragraph, printable

VARIABLES = Citation("theta-io", "Key Cray MPI-IO Profiling and Tuning Environment variables")

WRONG = Threshold(
    id="hint-audit.count",
    title="Hints that do not do what was asked, from which it is a finding",
    default=1.0,
    unit="1",
    stated_by=Statement(
        "theta-io", "Cray MPI-IO Collectives", "The collective buffer is the stripe size; cb_buffer_size is ignored."
    ),
    slider=linear(1.0, 20.0),
)


def says(context: Context) -> Words:
    meant = context.word("hints.mended")
    return Words(
        "A hint that was asked for does not do what it was meant to.",
        paragraph(
            f"What is wrong: {printable(context.word('hints.audit') or 'a hint differs from what was asked')}.",
            None if meant is None else f"It was meant as {printable(meant)}.",
        ),
    )


def _hints_of(string: str) -> tuple[FileHint, ...]:
    hints = (FileHint(h.pattern or "*", h.key, h.value) for h in patterns_of(string))
    return (*(FileHint(variable, "", "") for variable in variables_among(string)), *hints)


def advise(context: Context) -> tuple[Advice, ...]:
    meant = context.word("hints.mended")
    if meant is None and context.word("hints.fit_no_file") is not None:
        text = (
            "Give the hints a pattern that fits the names with which the program opens its files (* fits all of them); "
            "then look at what is displayed when they are opened."
        )
        return (advice(text, citation=VARIABLES),)
    if meant is None:
        text = "Look at what is displayed when the file is opened, and ask for no more than the library follows."
        look = advice(text, AskFor(HINTS), citation=VARIABLES)
        if context.word("hints.laid_otherwise") is None:
            return (look,)
        text = "Write to a name that is not there yet: a file keeps the striping that it was created with."
        alone = context.number("hints.audit_count") == 1
        return (advice(text, citation=VARIABLES), *(() if alone else (look,)))
    return (
        advice(
            "Write the hints with plain quotes, without blanks, and with a file pattern before each; then look at what "
            "is displayed when the file is opened.",
            SetHint("*", (), beside=_hints_of(meant)),
            AskFor(HINTS),
            citation=VARIABLES,
        ),
    )


rule = Rule(
    id="hint-audit",
    title="Hints that do not take effect",
    clear_title="The hints are as they were asked for",
    scope="job",
    severity="low",
    priority=60,
    requires=Present("hints.audit_count"),
    condition=Compare("hints.audit_count", ">=", WRONG.id),
    thresholds=(WRONG,),
    citations=(VARIABLES, Citation("theta-io", "Cray MPI-IO Collectives")),
    says=says,
    advise=advise,
)
