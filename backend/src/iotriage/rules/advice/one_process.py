"""One process that waits for each access: several, side by side."""

from __future__ import annotations

from iotriage.rules.advice.calls import library_named, mostly_reads, of_ranks_phrase
from iotriage.rules.advice.stores import store_of
from iotriage.rules.advice.striping import stripe_for_several
from iotriage.rules.advice.system_programs import SYSTEM_PROGRAMS, replace_system_program
from iotriage.rules.core import Advice, Citation, Context, Words, advice
from iotriage.rules.core.action import FillIn, RunCommand
from iotriage.rules.core.words import formatted, paragraph, plural, sentence, share, size, uncapitalised

MOST_FILES_MADE = 0.5
"""Of the files: where fewer are not written, they are made."""
LIST_OF_FILES = FillIn("LIST_OF_FILES", "a text with the name of a file on each line")
_PROGRAM = FillIn("PROGRAM", "the program without its files, as PROGRAM=(./program --option)", words=True)
"""xargs puts the files behind it."""
FILES = 16
"""Files from which several processes have a share each."""


def is_one_process(context: Context) -> bool:
    """Whether the job has no other rank, to share anything with or to tell anything."""
    return context.number("job.nprocs") == 1


def read_side_by_side(context: Context) -> tuple[Advice, ...]:
    """Empty where there are several processes already, few files, or more is written than read: who writes them may
    need what was read before."""
    if not is_one_process(context) or (context.files or 1) < FILES or not mostly_reads(context):
        return ()
    return (
        advice(
            "One process waits for each access: let several read the files side by side, each a share of them. Where "
            "the program takes its files as arguments, xargs starts it; in Python it is a pool of processes.",
            RunCommand(("xargs", "-a", LIST_OF_FILES, "-n", "10", "-P", "8", _PROGRAM)),
        ),
    )


def one_step_words(context: Context) -> Words:
    """For a job of several steps, of which one of few processes moves most bytes."""
    ranks = context.number("balance.step_ranks")
    return Words(
        "A step of the job that runs as one process, or few, moves most of the bytes.",
        paragraph(
            sentence("The step that moves most has {}.", formatted(ranks, lambda n: plural(n, "process", "processes"))),
            sentence("All steps together moved {}.", formatted(context.number("io.bytes"), size)),
            sentence("The rate was {}/s.", formatted(context.number("io.bandwidth"), size)),
        ),
    )


_DATA, _FILES, _STEPS = "data", "files", "time steps, the variables or the files"
SIDE_BY_SIDE = {
    parts: f"Run several processes side by side, each for a part of the {parts}, and put their results together at the "
    "end. Threads that only compute do not help: the data still passes through one stream."
    for parts in (_DATA, _FILES, _STEPS)
}
"""By what each process can have a part of."""
_OVER_TIME = (".grb", ".grb2", ".grib", ".grib2")


def several_processes(context: Context, citation: Citation) -> tuple[Advice, ...]:
    """Several processes instead of the one, and stripes for what they write."""
    program = context.program or ""
    if program in SYSTEM_PROGRAMS:
        written = (context.number("file.not_written_fraction") or 0.0) < MOST_FILES_MADE
        return (replace_system_program(program, context.site.launcher, writes=written),)
    several = (advice(SIDE_BY_SIDE[_parts(context)], citation=citation), *stripe_for_several(context, citation))
    return (*_one_copy(context, citation), *several)


def _parts(context: Context) -> str:
    name = (context.file or "").lower()
    if library_named(name) == "netCDF-4" or name.endswith(_OVER_TIME):
        return _STEPS
    return _FILES if (context.files or 1) > 1 else _DATA


def _one_copy(context: Context, citation: Citation) -> tuple[Advice, ...]:
    """For a database that a program reads when it starts: empty where the name tells of none."""
    store = store_of(context.file)
    if store is None or not store.copied or store.in_code or store.served or not mostly_reads(context):
        return ()
    text = f"Runs on one node need not each read it from here: {uncapitalised(store.copied)}"
    return (advice(text, citation=citation),)


def ranks_beside_busiest(context: Context) -> float | None:
    """Those of the step that moves most bytes: what its busiest rank does, another step's cannot take a part of."""
    ranks = context.number("balance.step_ranks")
    return context.number("job.nprocs") if ranks is None else ranks


def busiest_rank_words(context: Context) -> tuple[str, str | None]:
    """Of the rank that has the bytes of the job what it does, and how many these are; or those of one step, where
    several ranks of another step move bytes, too."""
    moving = context.number("io.readers" if mostly_reads(context) else "io.writers") or 1.0
    in_a_step = moving > 1 and (context.number("balance.busiest_share") or 1.0) < NEARLY_ALL
    ranks = context.number("balance.step_ranks") if in_a_step else ranks_beside_busiest(context)
    busiest = sentence(
        f"The busiest of {{}} moved {{}} of the bytes{' of that step' if in_a_step else ''}.",
        formatted(ranks, lambda n: plural(n, "rank")),
        formatted(context.number("balance.slowest_rank_share"), share),
    )
    if in_a_step:
        who = "One rank" if ranks is None else f"One of {plural(ranks, 'rank')}"
        return f"{who} does the I/O of a step of the job.", busiest
    return f"One rank{of_ranks_phrase(ranks)} does the I/O of the whole job.", busiest


NEARLY_ALL = 0.9
"""Of the job's bytes, as `serial-io` has it."""
