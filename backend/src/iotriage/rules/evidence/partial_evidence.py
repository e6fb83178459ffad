"""The evidence is incomplete: totals are lower bounds.

## What it does
Holds when Darshan flags a module as partial (the run opened more files than its memory could record), or when a
source was cut off, damaged, or left by a job that did not end normally.

## Why it matters
A count that is too low looks like good behaviour. Totals from partial evidence are shown as lower bounds, ratios
between layers are not formed at all, and a rule that would need the missing part says "unknown" rather than "clear".

## What to do
That depends on what it was lost by. Where Darshan ran out of memory: more memory, or, where a module has as many
records as Darshan keeps of one, a larger number of them. Memory does not mend a file that was cut: fetch it again. For
a job that was killed, take the output of a run that came to its end.

## Limits
It says that something is missing, not what. Records are dropped in the order in which files were opened, so the
files seen need not be the largest.
"""

from __future__ import annotations

from collections.abc import Callable

from iotriage.metrics.tables.gaps import Loss
from iotriage.rules.advice.one_process import is_one_process
from iotriage.rules.core import Advice, Citation, Context, Rule, Threshold, Words, advice, ours
from iotriage.rules.core.action import Export, LaunchProgram, Matching, RunCommand
from iotriage.rules.core.condition import ALWAYS, Compare, any_of, when_present
from iotriage.rules.core.launching import PROGRAM, run_again, watched_by_darshan
from iotriage.rules.core.slider import linear
from iotriage.rules.core.words import formatted, paragraph, plural, sentence

SETTINGS = Citation("darshan-util", "Darshan-runtime: Darshan library config settings")
LOGS = Citation("darshan-util", "Darshan-util: Analyzing log files")

NONE = Threshold(
    id="partial-evidence.sources",
    title="Incomplete modules or sources that are tolerated",
    default=0.0,
    unit="1",
    stated_by=ours("completeness", "A single incomplete source is worth saying."),
    slider=linear(0.0, 10.0),
)


def says(context: Context) -> Words:
    overflowed, unread = context.gaps.overflowed, context.gaps.unread
    sources = formatted(context.number("evidence.lower_bound") or None, lambda n: plural(n, "source"))
    return Words(
        "Part of the evidence is missing: totals are lower bounds.",
        paragraph(
            sentence("Darshan had no memory left for all records of {}.", ", ".join(overflowed) or None),
            sentence(
                "{} could be read in part or not at all.",
                formatted(unread or None, lambda n: plural(n, "module")),
            ),
            sentence("Data is missing from {}.", sources),
            "MPI-IO and POSIX totals cannot be compared." if unread or overflowed else None,
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    fitted: dict[Loss, Callable[[Context], Advice]] = {"lines mixed": _keep_apart, "impossible values": _count_again}
    against = (fitted[loss](context) if loss in fitted else _AGAINST.get(loss) for loss in context.gaps.losses)
    return (*_more_records(context), *(one for one in against if one is not None))


def _keep_apart(context: Context) -> Advice:
    """With the labels of the site's launcher, where it has them."""
    text = "Give the block as it was printed; where the lines of ranks are mixed, labels tell them apart."
    if context.site.launcher not in ("srun", "mpiexec"):
        return advice(f"{text} Launchers add them with an option such as --label or -l.")
    return advice(text, LaunchProgram((*run_again(context), "--label", PROGRAM)))


def _count_again(context: Context) -> Advice:
    """Counters of a text have run over, or Darshan's are wrong."""
    if context.gaps.printed_impossible:
        return advice(
            "Values that cannot be were left out. Where lines of several logs stand in one text, give each log as a "
            "text of its own; else trace the run again with the newest Darshan that there is.",
            RunCommand(("module", "avail", "darshan")),
        )
    if context.word("evidence.darshan") is not None:
        return advice(
            "Values that cannot be were left out: trace the run again with the newest Darshan that there is.",
            RunCommand(("module", "avail", "darshan")),
        )
    return advice(
        "Numbers that cannot be were left out: what counted them ran over, or had nothing to divide by. Trace the run "
        "with Darshan, whose counters have 64 bits, and take them from its log.",
        *watched_by_darshan(context.site, maybe_without_mpi=is_one_process(context)),
    )


def _more_records(context: Context) -> tuple[Advice, ...]:
    """Memory for the modules that ran out of it. Where a module has as many records as Darshan keeps of one, memory
    alone is no help: since 3.4 the number can be set, before that only other directories left out."""
    overflowed, full = context.gaps.overflowed, context.gaps.full
    if not overflowed:
        return ()
    if full and _before_3_4(context.word("evidence.darshan")):
        return (
            advice(
                f"This Darshan keeps 1,024 records of {' and '.join(full)} a process, and no setting changes that: use "
                "Darshan 3.4 or newer, or leave out directories that do not matter (the list replaces Darshan's own).",
                Export("DARSHAN_EXCLUDE_DIRS", _EXCLUDED, expands=True),
                citation=SETTINGS,
            ),
        )
    if full:
        names = ",".join(full)
        return (
            advice(
                f"Let Darshan keep more than 1,024 records of {' and '.join(full)} a process, with memory for it, and "
                "run again. If DARSHAN_CONFIG_PATH names a file already, as a centre's own does, put its lines into "
                "this one too.",
                RunCommand(("echo", f"MAX_RECORDS 16384 {names}"), into="darshan.conf", shared=True),
                Export("DARSHAN_CONFIG_PATH", "$PWD/darshan.conf", expands=True),
                *_MEMORY,
                citation=SETTINGS,
            ),
        )
    return (
        advice(
            f"Give Darshan more memory for {' and '.join(overflowed)}, and run again.",
            *_MEMORY,
            citation=SETTINGS,
        ),
    )


def _before_3_4(version: str | None) -> bool:
    parts = (version or "").split(".")
    return len(parts) >= 2 and parts[0].isdigit() and parts[1].isdigit() and (int(parts[0]), int(parts[1])) < (3, 4)


_MEMORY = (Export("DARSHAN_MODMEM", "64"), Export("DARSHAN_NAMEMEM", "16"))
_EXCLUDED = "/etc,/dev,/usr,/bin,/boot,/lib,/opt,/sbin,/sys,/proc,/var,$HOME"
_AGAINST: dict[Loss, Advice] = {
    "cut or damaged": advice(
        "Fetch the file again and compare its size with the original: it was cut or changed on its way, or its disk "
        "was full when it was written."
    ),
    "lines left out": advice(
        "Give the log itself, or all that darshan-parser prints of it: lines of this text are missing, because "
        "it breaks off or somebody picked out some of them."
    ),
    "ended early": advice(
        "Give the whole text: this one breaks off. Where the job was cancelled or ran into its time limit, take the "
        "output of a run that came to its end: what is printed when files are closed, and last of all, is lost "
        "otherwise."
    ),
    "lines cut": advice(
        "Give the text as the job printed it, with whole lines: these are cut at a column, as a terminal, a pager or "
        "cut -c shows them."
    ),
    "numbers changed": advice(
        "Give the text as the job printed it: numbers in it cannot be read as they stand, as where a spreadsheet or a "
        "collector of logs changed them."
    ),
    "letters changed": advice(
        "Give the text as the job printed it: letters in it are others, as where it was read from a picture (OCR) or "
        "retyped."
    ),
    "one process": advice(
        "Join the logs of all processes, which lie beside this one.",
        RunCommand(("darshan-merge", "--output", "job.darshan", Matching("*.darshan"))),
        citation=LOGS,
    ),
    "not printed": advice(
        "Give the log itself, or let darshan-parser print modules that are incomplete.",
        RunCommand(("darshan-parser", "--show-incomplete", "job.darshan"), into="job.txt"),
        citation=LOGS,
    ),
    "past our limits": advice("Give the part of the file that is about I/O: the whole is larger than is read."),
}
"""What helps, by the kind of loss."""


rule = Rule(
    id="partial-evidence",
    title="Part of the evidence is missing",
    clear_title="What was read is complete",
    scope="job",
    severity="info",
    priority=90,
    requires=ALWAYS,
    condition=any_of(
        when_present("evidence.partial_modules", Compare("evidence.partial_modules", ">", NONE.id)),
        when_present("evidence.lower_bound", Compare("evidence.lower_bound", ">", NONE.id)),
    ),
    thresholds=(NONE,),
    citations=(SETTINGS, LOGS),
    says=says,
    advise=advise,
    weighed=False,
)
