"""How figures are spread over the logs and jobs of a period."""

from __future__ import annotations

from typing import Final

import duckdb

from iotriage.centre.report.answering import number_of, without_noise
from iotriage.centre.report.section import Bin, ColumnUnit, Distribution, Histogram, Theme
from iotriage_parsers.frozen import frozen

AT: Final = (0.0, *(n / 20 for n in range(1, 20)), 0.99, 1.0)
"""The shares of the jobs at which a spread is told; 0.5, 0.75, 0.9 and 0.99 are among them."""
LEAST_JOBS_FOR_A_HUNDREDTH: Final = 100


@frozen
class Binned:
    """`edges` between the bins of `figure`, ascending; what is equal to one is of the bin above it."""

    id: str
    theme: Theme
    title: str
    note: str
    figure: str
    edges: tuple[float, ...]
    labels: tuple[str, ...]


_QUARTERS: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
_IN_QUARTERS: Final = ("below 5 %", "5 to 25 %", "25 to 50 %", "50 to 75 %", "75 to 95 %", "95 % and more")

HISTOGRAMS: Final = (
    Binned(
        "io-share",
        "spread",
        "Share of the run in I/O",
        "Logs by the slowest rank's seconds in I/O over the run.",
        "io_fraction",
        (0.01, 0.05, 0.10, 0.25, 0.50),
        ("below 1 %", "1 to 5 %", "5 to 10 %", "10 to 25 %", "25 to 50 %", "50 % and more"),
    ),
    Binned(
        "collective",
        "collective",
        "How much of MPI-IO is collective?",
        "Logs by the share of their MPI-IO calls that are collective.",
        "collective_calls",
        _QUARTERS,
        _IN_QUARTERS,
    ),
    Binned(
        "read-to-write",
        "collective",
        "How much is read in order to write?",
        "Logs that wrote through MPI-IO, by the bytes of read-modify-write over those written.",
        "rmw_fraction",
        (0.01, 0.05, 0.25, 0.5, 1.0),
        ("below 1 %", "1 to 5 %", "5 to 25 %", "25 to 50 %", "50 to 100 %", "as much as is written or more"),
    ),
    Binned(
        "aggregators",
        "collective",
        "How many of the processes that could carry a shared file do?",
        "Logs with a shared file, by its effective aggregators over those that are possible.",
        "aggregators / aggregators_possible",
        _QUARTERS,
        _IN_QUARTERS,
    ),
)


@frozen
class DistributionOf:
    id: str
    title: str
    note: str
    unit: ColumnUnit
    of_job: str


DISTRIBUTIONS: Final = (
    DistributionOf("bytes", "Bytes of a job", "Read and written.", "B", "sum(bytes)"),
    DistributionOf("files", "Files of a job", "A file counts for every step that used it.", "count", "sum(files)"),
    DistributionOf("io-hours", "Process-hours of a job in I/O", "", "process-hours", "sum(io_s * nprocs) / 3600"),
    DistributionOf("rate", "Rate of a job", "The median of its steps, of more than 1 MiB.", "B/s",
             "median(bandwidth) FILTER (bytes > 1048576)"),
)  # fmt: skip


def histograms(connection: duckdb.DuckDBPyConnection) -> tuple[Histogram, ...]:
    return tuple(_histogram(connection, binned) for binned in HISTOGRAMS)


def distributions(connection: duckdb.DuckDBPyConnection) -> tuple[Distribution, ...]:
    found = (_distribution(connection, of) for of in DISTRIBUTIONS)
    return tuple(one for one in found if one is not None)


def _histogram(connection: duckdb.DuckDBPyConnection, binned: Binned) -> Histogram:
    rows = connection.execute(
        f"""
        SELECT list_sum([CASE WHEN figure >= edge THEN 1 ELSE 0 END FOR edge IN {list(binned.edges)}])::BIGINT AS bin,
            count(*), sum(runtime_s * nprocs) / 3600
        FROM (SELECT {binned.figure} AS figure, runtime_s, nprocs FROM period) WHERE isfinite(figure) GROUP BY bin
        """
    ).fetchall()
    by_bin = {bin: (logs, number_of(hours)) for bin, logs, hours in rows}
    bins = tuple(Bin(label, *by_bin.get(index, (0, 0.0))) for index, label in enumerate(binned.labels))
    return Histogram(binned.id, binned.theme, binned.title, binned.note, bins, sum(bin.logs for bin in bins))


def _distribution(connection: duckdb.DuckDBPyConnection, of: DistributionOf) -> Distribution | None:
    found = connection.execute(
        f"""
        WITH jobs AS (SELECT figure FROM (SELECT {of.of_job} AS figure FROM period GROUP BY job) WHERE isfinite(figure))
        SELECT count(*), quantile_cont(figure, {list(AT)}), sum(figure),
            (SELECT sum(figure) FROM (FROM jobs ORDER BY figure DESC
                LIMIT (SELECT count(*) // {LEAST_JOBS_FOR_A_HUNDREDTH} FROM jobs)))
        FROM jobs
        """
    ).fetchone()
    assert found is not None
    jobs, values, total, most = found
    if not jobs:
        return None
    tells = jobs >= LEAST_JOBS_FOR_A_HUNDREDTH and total and of.unit != "B/s"
    return Distribution(
        id=of.id,
        title=of.title,
        note=of.note,
        unit=of.unit,
        jobs=jobs,
        at=AT,
        values=tuple(map(without_noise, values)),
        top_share=without_noise(most / total) if tells else None,
    )
