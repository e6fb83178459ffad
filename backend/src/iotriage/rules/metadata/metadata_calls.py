"""Where opens and stats take the time: of calls at POSIX, or of streams."""

from __future__ import annotations

from iotriage.rules.core import Context, Statement, Threshold, ours
from iotriage.rules.core.condition import Compare, IsOneOf, all_of, any_of, when_present
from iotriage.rules.core.slider import linear, logarithmic

FRACTION = Threshold(
    id="metadata-bound.fraction",
    title="Metadata's share of the I/O time",
    default=0.50,
    unit="share",
    stated_by=Statement("wisio", "excessive metadata", "At half of the I/O time metadata is called excessive."),
    slider=linear(0.05),
)

BESIDE = Threshold(
    id="metadata-bound.beside",
    title="Metadata's share of the I/O time, where it takes much of the run beside other I/O",
    default=0.10,
    unit="share",
    stated_by=ours("metadata", "Another fault beside it makes the share smaller and it no shorter; a tenth is ours."),
    slider=linear(0.05),
)

RUN = Threshold(
    id="metadata-bound.run",
    title="Metadata's share of the run, beside other I/O",
    default=0.05,
    unit="share",
    stated_by=ours("significance", "Half of the least I/O that matters, a tenth of the run, whatever is beside it."),
    slider=linear(0.01),
)

CALLS = Threshold(
    id="metadata-bound.calls",
    title="Opens and stats of all ranks",
    default=1000.0,
    unit="calls",
    stated_by=ours("metadata", "Fewer calls do not load a metadata server; no document gives a number."),
    slider=logarithmic(10.0, 1e8),
)

TIMED_CALLS = all_of(when_present("posix.data_metadata_io_fraction"), IsOneOf("posix.metadata_mostly", ("unknown",)))

BY_CALLS = all_of(
    TIMED_CALLS,
    any_of(
        Compare("posix.data_metadata_io_fraction", ">=", FRACTION.id),
        when_present(
            "posix.data_metadata_run_fraction",
            Compare("posix.data_metadata_io_fraction", ">=", BESIDE.id),
            Compare("posix.data_metadata_run_fraction", ">=", RUN.id),
        ),
    ),
    Compare("posix.data_opens_and_stats", ">=", CALLS.id),
)

BY_STREAMS = when_present(
    "stdio.open_time",
    Compare("stdio.data_metadata_io_fraction", ">=", FRACTION.id),
    Compare("stdio.data_opens", ">=", CALLS.id),
)
"""What `fopen` does below is not seen at POSIX."""


def opens_of_streams_alone(context: Context) -> bool:
    """Whether it is opens of streams alone that take the time."""
    return context.holds(BY_STREAMS) and not context.holds(BY_CALLS)


def data_files(context: Context) -> float | None:
    """Of streams alone where it is these that take the time: others beside them are opened otherwise."""
    of_streams = context.number("stdio.data_files") if opens_of_streams_alone(context) else None
    if of_streams is not None:
        return of_streams
    files = context.number("file.count")
    return None if files is None else files - (context.number("file.imported") or 0.0)


def ranks_per_file(context: Context, layer: str) -> float | None:
    """How many ranks have a data file, on average, where each uses as many as those that use any: as many have each as
    each has files, beside how many there are. Modules are read by all."""
    files, of_a_rank = data_files(context), context.number(f"{layer}.files_of_a_rank")
    if not files or of_a_rank is None:
        return None
    imported = (context.number("file.imported") or 0.0) if layer == "posix" else 0.0
    return max(1.0, (of_a_rank - imported) * (context.number("job.nprocs") or 1.0) / files)


AGAIN = 10
"""Opens, or stats, of one file from which it is their number that takes the time, and not that of the files."""
