"""Data is forced out to disk after every write or every few.

## What it does
Compares the syncs with the writes at the layer that the program calls: `MPI_File_sync` for MPI-IO, `fsync` and
`fdatasync` for POSIX, `fflush` for streams. It holds when there is a sync for five writes or fewer, there are many, and
little is written for each. Of streams that are forced out by `fsync` Darshan times the syncs by themselves: there it
holds when these take most of the time of writing, however many writes lie between two.

## Why it matters
A sync waits until the data is on disk. It takes away what caches are for: collecting small writes into large ones,
and writing while the program goes on. Argonne's guide advises to know when the program, or a library below it, syncs.
A `fflush` after every line makes a system call of every line.

## What to do
Sync once, when the checkpoint is complete: what matters after a crash is a whole checkpoint, not its parts. Let a log
stream fill its buffer, and flush it at the end of a step; a log of plain writes needs its sync there, too, not after
each line.

## Limits
One sync for each file, after all of it was written, is right and is not reported, however many files there are: it is
the bytes written for each sync that tell. Syncs in the memory of a node wait for nothing, and are not reported either.
Darshan adds the time of syncs to that of writes, so that all seconds of these are taken to be the syncs', but where a
stream wrote what is synced. Small writes and small stream calls on the same files are put under this finding: as long
as each is forced out on its own, making them larger helps less than leaving out the sync.
"""

from __future__ import annotations

from iotriage.metrics.tables.account.cells import Cell
from iotriage.rules.advice.buffering import sync_checkpoints, sync_once
from iotriage.rules.advice.calls import these_files
from iotriage.rules.core import Advice, Citation, Context, Impact, Rule, Threshold, Words, ours, share_of_job
from iotriage.rules.core.claim import Claim, ShareOf, ShortOf
from iotriage.rules.core.condition import ON_STORAGE, AllOf, AnyOf, Compare, IsOneOf, when_present
from iotriage.rules.core.saving import documented_saving
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, plural, seconds, sentence, share, size

PER_WRITE = Threshold(
    id="sync-heavy.per-write",
    title="Syncs per write",
    default=0.2,
    unit="ratio",
    stated_by=ours("syncs", "A database writes a few pages for each sync of a transaction; no document has a number."),
    slider=linear(0.01, 1.0),
)
COUNT = Threshold(
    id="sync-heavy.count",
    title="Syncs and flushes of all ranks",
    default=100.0,
    unit="calls",
    stated_by=ours("syncs", "A handful belongs to the end of files and of checkpoints."),
    slider=logarithmic(1.0, 1e8),
)
BYTES = Threshold(
    id="sync-heavy.bytes-each",
    title="Bytes written per sync, below which the wait is longer than the writing",
    default=float(2**22),
    unit="B",
    stated_by=ours("syncs", "At 500 MB/s, an OST's rate, 4 MiB take 8 ms: about as long as a disk needs to answer."),
    slider=logarithmic(512.0, float(2**30)),
)
LITTLE = Threshold(
    id="sync-heavy.little",
    title="Bytes written per sync, below which the syncs take the time on any file system",
    default=float(2**16),
    unit="B",
    stated_by=ours("syncs", "Even at 100 MB/s, as one server of NFS may give, 64 KiB take less than a millisecond."),
    slider=logarithmic(1.0, float(2**22)),
)

TIMED = Threshold(
    id="sync-heavy.time",
    title="Share of the writing time in syncs that are timed by themselves, from which these are what takes it",
    default=0.5,
    unit="share",
    stated_by=ours("syncs", "Most of the time: a half is ours."),
    slider=linear(0.05),
)
SEVERAL = Threshold(
    id="sync-heavy.timed-count",
    title="Syncs that are timed by themselves, from which they are several",
    default=10.0,
    unit="calls",
    stated_by=ours("syncs", "Their time is known, and need not be seen from their number: one or two end a file."),
    slider=logarithmic(2.0, 1e6),
)

CACHING = Citation("theta-io", "Lustre file system caching")

FORCED: tuple[Cell, ...] = ("writes", "exchange")
FLUSHED = ShortOf("stdio.metadata_fraction")
"""Of the seconds of streams: Darshan adds those of flushes to writes, and opening and closing stand apart."""

_CALLED = {"MPI-IO": "MPI_File_sync", "POSIX": "fsync", "STDIO": "fflush"}


OFTEN = 0.5
"""Syncs for each write from which it is nearly every write."""


def says(context: Context) -> Words:
    if _tells_of_time(context):
        return _of_timed_syncs(context)
    call = _CALLED.get(context.word("io.layer") or "", "sync")
    stream = context.word("io.layer") == "STDIO"
    return Words(
        f"A stream is flushed {_how_often(context, 'line')}."
        if stream
        else f"The data is forced out to disk {_how_often(context, 'write')}.",
        paragraph(
            sentence(
                f"{call} was called {{}} times on {{}}, {{}} for each write.",
                formatted(context.number("sync.calls"), number),
                these_files(context),
                formatted(context.number("sync.per_write"), number),
            ),
            sentence("Each time {} had been written.", formatted(context.number("sync.bytes_each"), size)),
            sentence("The files were opened {} times.", formatted(_reopened(context), number)),
        ),
    )


def _how_often(context: Context, what: str) -> str:
    if (context.number("sync.per_write") or 0.0) >= OFTEN:
        return f"after nearly every {what}"
    return f"after every few {what}s" if context.holds(_EVERY_FEW) else "again and again"


def _tells_of_time(context: Context) -> bool:
    """Whether it is the time of the syncs that tells, and not how many there are."""
    return not context.holds(BY_NUMBER) and context.number("sync.time_fraction") is not None


def _of_timed_syncs(context: Context) -> Words:
    each = context.number("sync.call_time")
    return Words(
        sentence("What streams write is forced out to disk, and each time takes {}.", formatted(each, seconds))
        or "What streams write is forced out to disk again and again.",
        paragraph(
            sentence(
                "fsync was called {} on {}, and took {} of the time of writing.",
                formatted(context.number("sync.timed_calls"), lambda n: plural(n, "time")),
                these_files(context),
                formatted(context.number("sync.time_fraction"), share),
            ),
            sentence("Each time {} had been written.", formatted(context.number("sync.bytes_each"), size)),
        ),
    )


def _reopened(context: Context) -> float | None:
    """Opens of the files; None where each rank opened each file once at most, or another layer is meant."""
    opens, ranks, files = context.number("posix.opens"), context.number("job.nprocs"), context.files
    if context.word("io.layer") != "POSIX" or opens is None or ranks is None or files is None:
        return None
    return opens if opens > ranks * files else None


def advise(context: Context) -> tuple[Advice, ...]:
    return (sync_checkpoints(CACHING) if _tells_of_time(context) else sync_once(context, CACHING),)


def impact(context: Context) -> Impact | None:
    return documented_saving(context, "the data was synced once, at the end", as_now=True)


_LITTLE_EACH = when_present("sync.bytes_each", Compare("sync.bytes_each", "<", BYTES.id))
_EVERY_FEW = Compare("sync.per_write", ">=", PER_WRITE.id)
BY_NUMBER = AllOf(
    (
        _EVERY_FEW,
        Compare("sync.calls", ">=", COUNT.id),
        _LITTLE_EACH,
    )
)
BY_TIME = when_present(
    "sync.time_fraction",
    Compare("sync.time_fraction", ">=", TIMED.id),
    Compare("sync.timed_calls", ">=", SEVERAL.id),
    _LITTLE_EACH,
)

_MAY_WAIT = AnyOf(
    (
        IsOneOf("io.layer", ("STDIO",)),
        ON_STORAGE,
    )
)
"""A sync of what lies in the memory of a node has nothing to wait for; a flush of a stream is a write all the same."""

rule = Rule(
    id="sync-heavy",
    title="Syncs after every write or every few",
    clear_title="Data is not forced out write by write",
    scope="group",
    severity="high",
    priority=9,
    carries=share_of_job,
    requires=when_present("sync.per_write", _MAY_WAIT),
    condition=AnyOf((BY_NUMBER, BY_TIME)),
    thresholds=(PER_WRITE, COUNT, BYTES, LITTLE, TIMED, SEVERAL),
    citations=(CACHING,),
    says=says,
    advise=advise,
    impact=impact,
    explains=("below-expectation", "small-io"),
    claims=(
        Claim(("writes",), ShareOf("sync.posix_time_fraction"), when=BY_TIME, apart=True),
        Claim(FORCED, when=AllOf((BY_NUMBER, Compare("sync.bytes_each", "<", LITTLE.id))), apart=True),
        Claim(FORCED, when=AllOf((BY_NUMBER, Compare("sync.bytes_each", ">=", LITTLE.id)))),
        Claim(("streams",), FLUSHED, when=AllOf((BY_NUMBER, Compare("sync.bytes_each", "<", LITTLE.id))), apart=True),
        Claim(("streams",), FLUSHED, when=AllOf((BY_NUMBER, Compare("sync.bytes_each", ">=", LITTLE.id)))),
        Claim(("imbalance",), when=BY_NUMBER),
        Claim(("imbalance",), ShareOf("sync.time_fraction"), when=BY_TIME, up_to=True),
    ),
)
