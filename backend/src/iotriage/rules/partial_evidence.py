"""The evidence is incomplete: totals are lower bounds.

## What it does
Holds when Darshan flags a module as partial (the run opened more files than its memory could record), or when a
source was cut off, damaged, or left by a job that did not end normally.

## Why it matters
A count that is too low looks like good behaviour. Totals from partial evidence are shown as lower bounds, ratios
between layers are not formed at all, and a rule that would need the missing part says "unknown" rather than "clear".

## What to do
Give Darshan more memory for its records and run again, or name the directories that matter so that the others do
not use the memory up. For a job that was killed, take the log of a run that reached `MPI_Finalize`.

## Limits
It says that something is missing, not what. Records are dropped in the order in which files were opened, so the
files seen need not be the largest.
"""

from __future__ import annotations

from iotriage.rules.documents import PROJECT
from iotriage.rules.rule import Advice, AnyOf, Citation, Compare, Context, Impact, Rule, Source, Threshold, Words
from iotriage.rules.walk import ALWAYS, given
from iotriage.rules.wording import counted, paragraph, sentence, told

DOCUMENTED = Citation("darshan-util", "Darshan-runtime: environment variables, incomplete log data")

NONE = Threshold(
    "partial-evidence.sources",
    "Incomplete modules or sources that are tolerated",
    0.0,
    "1",
    Source(PROJECT, "completeness", "A single incomplete source is worth saying."),
    0.0,
    10.0,
)


def says(context: Context) -> Words:
    modules = told(context.number("evidence.partial_modules") or None, lambda n: counted(n, "module"))
    sources = told(context.number("evidence.lower_bound") or None, lambda n: counted(n, "source"))
    return Words(
        "Part of the evidence is missing: totals are lower bounds.",
        paragraph(
            sentence("Darshan flags {} as incomplete.", modules),
            sentence("Data is missing from {}.", sources),
            "Ratios between layers are not formed.",
        ),
    )


def advise(_: Context) -> tuple[Advice, ...]:
    return (
        Advice(
            "Let Darshan keep more records, and run again.",
            "export DARSHAN_MODMEM=64\nexport DARSHAN_NAMEMEM=16",
            "job-script",
            DOCUMENTED,
        ),
    )


def impact(_: Context) -> Impact | None:
    return None


rule = Rule(
    id="partial-evidence",
    title="Part of the evidence is missing",
    clear_title="The evidence is complete",
    scope="job",
    severity="info",
    priority=90,
    requires=ALWAYS,
    condition=AnyOf(
        (
            given("evidence.partial_modules", Compare("evidence.partial_modules", ">", NONE.id)),
            given("evidence.lower_bound", Compare("evidence.lower_bound", ">", NONE.id)),
        )
    ),
    thresholds=(NONE,),
    citations=(DOCUMENTED,),
    says=says,
    advise=advise,
    impact=impact,
    weighed=False,
)
