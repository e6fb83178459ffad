"""Reads or writes failed while the job ran.

## What it does
Counts the error lines that Cray MPICH prints when a read or write of its own fails (`ADIOI_CRAY_READCONTIG`,
`ADIOI_CRAY_WRITECONTIG`), and names the reason that the system gave.

## Why it matters
By default the library does not end the run when a read or write fails (`MPICH_MPIIO_ABORT_ON_RW_ERROR` is off). The
job may finish, report success, and have lost the data. Nothing else on this page matters as much.

## What to do
Treat the files as incomplete. Remove the reason: EDQUOT and ENOSPC mean that the quota or the file system was full,
EIO that a server or the network failed. Let the next run stop at the first error.

## Limits
Only what the library printed into the text given here is counted; a text that was cut off may hide more.
"""

from __future__ import annotations

from iotriage.rules.documents import PROJECT
from iotriage.rules.rule import Advice, Citation, Compare, Context, Impact, Present, Rule, Source, Threshold, Words
from iotriage.rules.wording import counted, paragraph, plain, sentence, size, told

CALLS = Threshold(
    "io-errors.calls",
    "Failed reads and writes from which it is a finding",
    1.0,
    "calls",
    Source(PROJECT, "failed reads and writes", "One lost write is one too many."),
    1.0,
    1000.0,
    "log",
)

ABORT = Citation("intro-mpi", "MPICH_MPIIO_ABORT_ON_RW_ERROR")

_HEADLINES = {
    "EDQUOT": "Writes failed because the quota was used up: the files lack data.",
    "ENOSPC": "Writes failed because the file system was full: the files lack data.",
}
_EIO = "The file system or the network to it failed."


def _calls(count: float) -> str:
    return counted(count, "read or write", "reads or writes")


def says(context: Context) -> Words:
    cause = context.word("errors.cause")
    reason = f" ({plain(cause)})" if cause else ""
    return Words(
        _HEADLINES.get(cause or "", "Reads or writes failed, and the run may have gone on without the data."),
        paragraph(
            sentence(
                "{} failed{}.",
                told(context.number("errors.failed_calls"), _calls),
                reason,
            ),
            _EIO if cause == "EIO" else None,
            sentence("They were to move {}.", told(context.number("errors.failed_bytes"), size)),
        ),
    )


def advise(context: Context) -> tuple[Advice, ...]:
    check = {
        "EDQUOT": Advice("Make room, or ask for more quota, before the next run.", "lfs quota -h .", "shell", ABORT),
        "ENOSPC": Advice("Check the space on the OSTs that hold the files.", "lfs df -h .", "shell", ABORT),
    }.get(context.word("errors.cause") or "")
    stop = Advice(
        "Treat the files of this run as incomplete, and let the next run stop at the first error.",
        "export MPICH_MPIIO_ABORT_ON_RW_ERROR=enable",
        "job-script",
        ABORT,
    )
    return (stop,) if check is None else (check, stop)


def impact(_: Context) -> Impact | None:
    return None


rule = Rule(
    id="io-errors",
    title="Failed reads or writes",
    clear_title="No read or write failed",
    scope="job",
    severity="high",
    priority=1,
    requires=Present("errors.failed_calls"),
    condition=Compare("errors.failed_calls", ">=", CALLS.id),
    thresholds=(CALLS,),
    citations=(ABORT,),
    says=says,
    advise=advise,
    impact=impact,
    weighed=False,
)
