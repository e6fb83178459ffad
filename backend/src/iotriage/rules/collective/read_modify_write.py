"""Writes read the file first: read-modify-write.

## What it does
Counts reads that the MPI-IO library makes only in order to write. `MPICH_MPIIO_STATS` states their number and bytes.
From Darshan they are inferred: system reads on files that the program only writes, and more bytes written below MPI-IO
than above it. A few, such as those of a header or of the end of a file, do not count.

## Why it matters
To write pieces with holes between them in one large access, the library reads the whole extent, puts the pieces in and
writes all of it back (data sieving), under a lock so that nobody writes in between. Everything travels twice or more,
and the ranks take turns.

## What to do
It depends on whose holes they are. Independent calls that leave holes: make them collective, so that the data of all
ranks fills the blocks. Collective calls that every rank carries out itself: switch collective buffering on. Collective
calls that a few aggregators carry out, as they should: then the call itself has holes, of all ranks together. Fill them
by writing whole records or several variables with one call; for comparison, switch data sieving of writes off. On its
own, with small pieces of every rank, that can be far worse.

## Limits
Inferred figures assume that the program itself does not read the file through POSIX. Reads of an area beyond the end
of a new file return no bytes and still take a call each: that is why calls, and not bytes read, are counted. Where
Darshan's POSIX data is partial the finding is unknown; `MPICH_MPIIO_STATS` settles it.
"""

from __future__ import annotations

from typing import Literal

from iotriage.rules.advice.calls import THEN_BUFFERED, hints, make_collective, site_environment, these_files
from iotriage.rules.advice.snippets import NONBLOCKING_PNETCDF
from iotriage.rules.core import Advice, Citation, Context, Impact, Rule, Threshold, Words, advice, ours, share_of_job
from iotriage.rules.core.claim import BeyondOnce, Claim, LargestOf, ShareOf
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, when_present
from iotriage.rules.core.saving import documented_saving, documented_saving_or_share
from iotriage.rules.core.slider import logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, sentence, share, size

COUNT = Threshold(
    id="read-modify-write.count",
    title="Read-modify-writes that are more than a header or a tail",
    default=10.0,
    unit="calls",
    stated_by=ours("read-modify-write", "The Theta example has none; a handful belongs to headers and file ends."),
    slider=logarithmic(1.0, 1e6),
)
FRACTION = Threshold(
    id="read-modify-write.byte-fraction",
    title="Bytes read in order to write, over bytes written",
    default=0.20,
    unit="ratio",
    stated_by=ours("read-modify-write", "No document gives a number; below a fifth a sixth of the traffic is saved."),
    slider=logarithmic(0.001, 1.0),
)
AMPLIFICATION = Threshold(
    id="read-modify-write.amplification",
    title="Bytes written below MPI-IO over bytes written by the program",
    default=1.50,
    unit="ratio",
    stated_by=ours(
        "read-modify-write",
        "What is written beyond the program's bytes was read first: with half as much again the traffic is doubled.",
    ),
    slider=logarithmic(1.0, 10.0),
)

SAMPLE = Citation("theta-io", "MPICH_MPIIO_STATS=1 Sample Output for IOR")
OVERVIEW = Citation("theta-io", "Cray MPI-IO Overview")


MOST_WRITES = 0.5
"""Share of the write calls that are independent, from which the holes are theirs: ours."""
TOLD = 1.05
"""Times the program's bytes, from which what is written below them is told: ours, for headers are less."""

Whose = Literal["independent", "unbuffered", "aggregated", "unknown"]


def _whose(context: Context) -> Whose:
    """Whose calls have the holes. The aggregators carry calls out where a few ranks moved the bytes, or STATS shows
    them at work."""
    if (context.number("mpiio.independent_write_fraction") or 0.0) >= MOST_WRITES:
        return "independent"
    movers, active = context.number("mpiio.effective_share"), context.number("mpiio.aggregators")
    hint = context.word("hints.cb_write")
    if hint in ("disable", "false") or (movers is not None and movers >= BY_ALL):
        return "unbuffered"
    return "aggregated" if movers is not None or active else "unknown"


BY_ALL = 0.8
"""Share of the ranks from which the bytes were moved by all of them: `collective-disabled` asks for the same."""

_HEADLINES: dict[Whose, str] = {
    "independent": "Independent strided writes make the library read the file in order to write it.",
    "unbuffered": "The library reads the file in order to write it.",
    "aggregated": "Holes in the collective writes make the library read the file in order to write it.",
    "unknown": "The library reads the file in order to write it.",
}
_CAUSES: dict[Whose, str] = {
    "independent": "The writes are independent, with holes between them: the library sieves, and reads whole extents.",
    "unbuffered": "The calls are collective, but their data is not buffered collectively into whole blocks.",
    "aggregated": "Collective buffering is at work: the data of all ranks together leaves holes in the blocks written.",
    "unknown": "The calls are collective, but their data does not fill whole blocks.",
}


def says(context: Context) -> Words:
    whose = _whose(context)
    return Words(
        _HEADLINES[whose],
        paragraph(
            sentence(
                "{} read-modify-writes on {}.",
                formatted(context.number("mpiio.rmw_count"), number),
                these_files(context),
            ),
            sentence("They read {}.", formatted(context.number("mpiio.rmw_bytes") or None, size)),
            sentence(
                "{} times the program's bytes were written.",
                formatted(_amplified(context), number),
            ),
            _CAUSES[whose],
        ),
    )


def _amplified(context: Context) -> float | None:
    amplified = context.number("mpiio.write_amplification")
    return amplified if amplified is not None and amplified >= TOLD else None


def advise(context: Context) -> tuple[Advice, ...]:
    whose = _whose(context)
    if whose == "aggregated":
        return (_fill_holes(context), *_without_sieving(context))
    independent = whose == "independent"
    opening = THEN_BUFFERED if independent else "Switch collective buffering on"
    buffered = hints(context, f"{opening}, so that whole blocks are written.", OVERVIEW, ("romio_cb_write", "enable"))
    first = (make_collective(context), *buffered) if independent else buffered
    return (*first, *site_environment(context))


def _fill_holes(context: Context) -> Advice:
    return advice(
        "Fill the holes: write whole records, or several variables with one call, so that the data of all ranks is "
        "contiguous in the file.",
        *((NONBLOCKING_PNETCDF,) if context.api == "PnetCDF" else ()),
        citation=OVERVIEW,
    )


def _without_sieving(context: Context) -> tuple[Advice, ...]:
    return hints(
        context,
        "For comparison, switch data sieving of writes off: only the pieces are then written, more of them.",
        OVERVIEW,
        ("romio_ds_write", "disable"),
    )


def impact(context: Context) -> Impact | None:
    """At least the reads go, whatever is left of the rest."""
    cure, written = "only the program's own bytes were written, in whole pieces", context.number("io.bytes_written")
    reads, storage = context.number("mpiio.rmw_time_fraction"), context.number("mpiio.storage_fraction")
    if not reads or storage is None:
        return documented_saving(context, cure, bytes_left=written)
    gone = reads * min(1.0, storage)
    why = f"if the reads alone go, which take {share(gone)} of the time in MPI-IO"
    return documented_saving_or_share(context, cure, least=gone, why=why, osts="file.osts")


rule = Rule(
    id="read-modify-write",
    title="Writes read the file first",
    clear_title="No read-modify-write that matters",
    scope="group",
    severity="high",
    priority=20,
    carries=share_of_job,
    requires=when_present("mpiio.average_write_size"),
    condition=AllOf(
        (
            Compare("mpiio.rmw_count", ">=", COUNT.id),
            AnyOf(
                (
                    Compare("mpiio.rmw_bytes_per_byte", ">=", FRACTION.id),
                    when_present(
                        "mpiio.write_amplification",
                        Compare("mpiio.write_amplification", ">=", AMPLIFICATION.id),
                    ),
                )
            ),
        )
    ),
    thresholds=(COUNT, FRACTION, AMPLIFICATION),
    citations=(
        SAMPLE,
        OVERVIEW,
        Citation("darshan-logs", "e3sm: reads on a file that is only written"),
    ),
    says=says,
    advise=advise,
    impact=impact,
    explains=(
        "below-expectation",
        "collective-overhead",
        "independent-shared",
        "misaligned-io",
        "lock-contention",
        "small-io",
        "write-gaps",
        "system-writes-not-stripe-sized",
        "redundant-reads",
    ),
    claims=(
        Claim(("reads",), ShareOf("mpiio.rmw_reads_fraction")),
        # What others wait for is split by bytes, and by seconds where these are known: scattered reads take longer.
        Claim(("exchange",), LargestOf((ShareOf("mpiio.rmw_moved_fraction"), ShareOf("mpiio.rmw_time_fraction")))),
        Claim(
            ("writes", "imbalance"),
            LargestOf((ShareOf("mpiio.rmw_bytes_per_byte"), BeyondOnce("mpiio.write_amplification"))),
        ),
    ),
)
