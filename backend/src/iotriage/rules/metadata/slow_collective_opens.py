"""Opening files through MPI-IO takes longer than all that is done with them.

## What it does
Reads the row of the open of `MPICH_MPIIO_TIMERS`, of all files together, each by how long it took. It holds where half
of the time in MPI-IO goes there, and the rank that is quickest to open takes about as long as the mean. Where one rank
is far quicker than the others it came late, and they waited for it in the open: that is no slow open.

## Why it matters
MPI_File_open is collective: every rank of the communicator asks the metadata server for the same file, one creates it
first, and all wait for the last. It takes as long for a few bytes as for many.

## What to do
Open a file once and keep it open. Put several steps into one file. Where all calls are collective, let only those ranks
open it that move the bytes. Where a single open takes seconds on one node too, the metadata server is slow.

## Limits
How many calls an open makes, and to which server, the library does not print. Versions before 8 print one row for
opening and closing.
"""

from __future__ import annotations

from dataclasses import replace

from iotriage.rules.advice.calls import file_pattern, library_named
from iotriage.rules.advice.open_files import who_opens_files
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Impact,
    Rule,
    Statement,
    Threshold,
    Words,
    advice,
    in_program,
    ours,
)
from iotriage.rules.core.action import MpiioHint, SetHint
from iotriage.rules.core.claim import Claim, SecondsOf
from iotriage.rules.core.condition import Compare, Present, all_of, when_present
from iotriage.rules.core.saving import fewer_calls_saving
from iotriage.rules.core.slider import linear
from iotriage.rules.core.support import naming_support
from iotriage.rules.core.words import formatted, number, paragraph, plural, printable, seconds, sentence, share

FRACTION = Threshold(
    id="slow-collective-opens.fraction",
    title="Share of the time in MPI-IO that opening takes",
    default=0.50,
    unit="share",
    stated_by=Statement("wisio", "excessive metadata", "At half of the I/O time metadata is called excessive."),
    slider=linear(0.05),
)
QUICKEST = Threshold(
    id="slow-collective-opens.quickest",
    title="Time of the rank that is quickest to open over the mean, below which the others waited for it",
    default=0.50,
    unit="ratio",
    stated_by=ours("metadata", "Who comes late to an open is soon through it; half of the mean is ours."),
    slider=linear(0.0, 1.0),
)

MDS = Citation("archer-bpg", "Lustre basic concepts")
AGAIN, SEVERAL = 2.0, 4.0
"""Opens of each file from which it is opened again, and files from which some can be put together."""


def says(context: Context) -> Words:
    opens, files = context.number("timers.opens"), context.number("timers.opened_files")
    took, part = context.number("timers.open_time"), context.number("timers.open_fraction")
    each = f", {seconds(took / opens)} each time" if took is not None and opens else ""
    return Words(
        f"Opening {plural(round(files or 1), 'file')} takes {share(part or 0.0)} of the time in MPI-IO{each}.",
        paragraph(
            sentence(
                "By MPICH_MPIIO_TIMERS {} of {} took the mean rank {}.",
                formatted(opens, lambda n: plural(n, "open")),
                formatted(files, lambda n: plural(n, "file")),
                formatted(took, seconds),
            ),
            sentence(
                "Longest took {}.",
                None if (name := context.word("timers.open_file")) is None or files == 1 else printable(name),
            ),
            sentence(
                "The rank that was quickest took {} of the mean: no rank was waited for.",
                formatted(context.number("timers.quickest_open"), share),
            ),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    opens, files = context.number("timers.opens") or 0.0, context.number("timers.opened_files") or 0.0
    found = []
    if files and opens >= AGAIN * files:
        times = f"now each is opened {number(round(opens / files))} times"
        found.append(
            in_program(f"Open each file once and keep it open until the end of the run: {times}.", citation=MDS)
        )
    if _all_collective(context):
        found.append(
            advice(
                "Let only those ranks open the files that move the bytes for the others: where all calls are "
                "collective, as here, the hint romio_no_indep_rw does that.",
                SetHint(_named(context, files), (MpiioHint("romio_no_indep_rw", "true"),)),
                citation=MDS,
            )
        )
    if files >= SEVERAL and opens < AGAIN * files:
        text = f"Put several steps, or all variables, into one file, so that fewer are opened than {number(files)}."
        found.append(in_program(text, citation=MDS))
    server = who_opens_files(context.file_system, "the metadata server")
    found.append(
        advice(
            naming_support(
                lambda support: (
                    f"Run once on one node. If an open then takes as long, {server} is slow: "
                    f"tell {support} when that was. If not, the number of ranks makes it so."
                )
            ),
            citation=MDS,
        )
    )
    return tuple(found)


def _named(context: Context, files: float) -> str:
    """The one file by its name; several are all that the job opens through MPI-IO, and collective each."""
    return "*" if files != 1 else file_pattern(replace(context, file=context.word("timers.open_file"), ending=None))


def _all_collective(context: Context) -> bool:
    """What a library of files writes by itself is not known to be collective in the next run too."""
    alone = [context.number(f"mpiio.independent_{way}s") for way in ("write", "read")]
    by_library = context.api in ("HDF5", "PnetCDF") or library_named(context.word("timers.open_file"))
    return context.word("io.pattern") == "shared-collective" and not any(alone) and not by_library


def impact(context: Context) -> Impact | None:
    opens, files = context.number("timers.opens"), context.number("timers.opened_files")
    return fewer_calls_saving(opens, files, "each file were opened once")


rule = Rule(
    id="slow-collective-opens",
    title="Opening files through MPI-IO takes the time",
    clear_title="Opens through MPI-IO are not slow",
    scope="job",
    severity="medium",
    priority=16,
    requires=all_of(when_present("timers.open_fraction"), Present("timers.quickest_open")),
    condition=all_of(
        Compare("timers.open_fraction", ">=", FRACTION.id),
        Compare("timers.quickest_open", ">=", QUICKEST.id),
    ),
    thresholds=(FRACTION, QUICKEST),
    citations=(MDS, Citation("wisio", "excessive metadata")),
    says=says,
    advise=advise,
    impact=impact,
    explains=("below-expectation",),
    claims=(Claim(("metadata",), SecondsOf("timers.open_time")),),
)
