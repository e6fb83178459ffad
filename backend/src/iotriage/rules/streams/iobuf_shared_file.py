"""IOBUF buffers a file that several processes use and the run writes.

## What it does
Reads the patterns of `IOBUF_PARAMS` from the job script, and looks in the Darshan log for files that they fit, that the
run writes, and that more than one rank used or MPI-IO opened.

## Why it matters
Cray's IOBUF does not keep the buffers of different processes in step: what one rank wrote may not be what another
reads, and parts of a shared file may be overwritten with old content. NeSI warns not to use it on shared files, such as
those of MPI-IO. The result may be wrong, not only slow.

## What to do
Name in `IOBUF_PARAMS` only files that one process alone uses, or switch IOBUF off.

## Limits
A program that was not linked with IOBUF ignores the variable. Files that are only read come to no harm, and are
left out. Neither the library's own report nor threads are looked at; IOBUF is not for programs whose
threads do buffered I/O either. How much I/O there was makes no difference here.
"""

from __future__ import annotations

from iotriage.rules.core import Advice, Citation, Context, Rule, Threshold, Words, advice, ours
from iotriage.rules.core.action import Unset
from iotriage.rules.core.condition import Compare, Present
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, paragraph, plural, printable, sentence

FILES = Threshold(
    id="iobuf-shared-file.files",
    title="Files of several processes that IOBUF buffers and the run writes",
    default=1.0,
    unit="files",
    stated_by=ours("IOBUF", "One file with wrong content is too many."),
    slider=logarithmic(1.0, 1000.0),
)

DANGER = Citation("nesi-io", "IOBUF")


def says(context: Context) -> Words:
    set_to = context.word("environment.iobuf_params")
    return Words(
        "IOBUF buffers a file that several processes use: its content may be wrong.",
        paragraph(
            sentence("IOBUF_PARAMS is set to {}.", None if set_to is None else printable(set_to)),
            sentence(
                "Its patterns fit {} that the run writes, and that MPI-IO opened or several ranks used.",
                formatted(context.number("iobuf.shared_files"), lambda n: plural(n, "file")),
            ),
        ),
    )


def advise(_: Context) -> tuple[Advice, ...]:
    return (
        advice(
            "Switch IOBUF off for this program, or give it patterns that fit only files of one process each.",
            Unset("IOBUF_PARAMS"),
            citation=DANGER,
        ),
    )


rule = Rule(
    id="iobuf-shared-file",
    title="IOBUF on a shared file",
    clear_title="IOBUF leaves shared files alone",
    scope="job",
    severity="high",
    priority=3,
    requires=Present("iobuf.shared_files"),
    condition=Compare("iobuf.shared_files", ">=", FILES.id),
    thresholds=(FILES,),
    citations=(DANGER,),
    says=says,
    advise=advise,
    confidence="inferred",
    weighed=False,
)
