"""POSIX calls by kind."""

from __future__ import annotations

from dataclasses import replace

from iotriage.metrics.core.about import NOTHING_MORE, About
from iotriage.metrics.core.metric import Absent, Outcome
from iotriage.metrics.core.outcomes import plus, quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import sum_counters, total
from iotriage.metrics.tables.files.imported import posix_of_data
from iotriage.metrics.tables.files.opened import opened_by_a_rank, used_by_a_rank


def _declare_count(id: str, title: str, *counters: str, about: About = NOTHING_MORE) -> None:
    @metric(
        id,
        title,
        "calls",
        about=about,
        formula=f"{' + '.join(counters)}, summed over ranks",
        needs="a Darshan log with POSIX records",
    )
    def count(s: Selection) -> Outcome:
        return total(s, "POSIX", *counters)


_declare_count("posix.opens", "POSIX opens", "POSIX_OPENS")
_declare_count("posix.stats", "POSIX stats", "POSIX_STATS")
_declare_count("posix.seeks", "POSIX seeks", "POSIX_SEEKS")
_declare_count("posix.fsyncs", "POSIX syncs", "POSIX_FSYNCS", "POSIX_FDSYNCS")
_declare_count("posix.reads", "POSIX reads", "POSIX_READS", about=About(direction="read"))
_declare_count("posix.writes", "POSIX writes", "POSIX_WRITES", about=About(direction="write"))
_declare_count("posix.mmaps", "Files mapped into memory", "POSIX_MMAPS")


@metric(
    "posix.accesses_per_open",
    "Reads and writes for each open",
    "ratio",
    about=About(time=False),
    formula="(posix.reads + posix.writes) / posix.opens",
    needs="a Darshan log with POSIX records",
)
def accesses_per_open(s: Selection) -> Outcome:
    accesses = plus(outcome(s, "posix.reads"), outcome(s, "posix.writes"))
    return quotient(accesses, outcome(s, "posix.opens"), zero="no file was opened")


def _declare_count_of_data(id: str, title: str, counter: str) -> None:
    @metric(
        id,
        title,
        "calls",
        formula=f"{counter} of the files that are not of file.imported, summed over ranks",
        needs="a Darshan log with POSIX records",
        scopes=["job"],
    )
    def count(s: Selection) -> Outcome:
        whole = total(s, "POSIX", counter)
        if isinstance(whole, Absent) or not s.tables("POSIX"):
            return whole
        return replace(whole, value=sum(sum_counters(t, counter) for _, t in posix_of_data(s)))


_declare_count_of_data("posix.data_opens", "POSIX opens, without modules and libraries", "POSIX_OPENS")
_declare_count_of_data("posix.data_stats", "POSIX stats, without modules and libraries", "POSIX_STATS")


@metric(
    "posix.data_opens_and_stats",
    "POSIX opens and stats, without modules and libraries",
    "calls",
    formula="posix.data_opens + posix.data_stats",
    needs="a Darshan log with POSIX records",
    scopes=["job"],
)
def data_opens_and_stats(s: Selection) -> Outcome:
    return plus(outcome(s, "posix.data_opens"), outcome(s, "posix.data_stats"))


STATS_OF_AN_OPEN = 4
"""A program that opens a file asks about it a few times."""


@metric(
    "posix.opening_fraction",
    "Share of the metadata calls that belong to opening files",
    "share",
    about=About(time=False),
    formula=f"POSIX_OPENS, each with up to {STATS_OF_AN_OPEN} stats / (POSIX_OPENS + POSIX_STATS)",
    needs="a Darshan log with POSIX records",
)
def opening_fraction(s: Selection) -> Outcome:
    opens, every = total(s, "POSIX", "POSIX_OPENS"), total(s, "POSIX", "POSIX_OPENS", "POSIX_STATS")
    if isinstance(opens, Absent):
        return opens
    with_stats = replace(opens, value=float(opens.value) * (1 + STATS_OF_AN_OPEN))
    return quotient(with_stats, every, zero="no file was opened or asked about", at_most=1.0, confidence="inferred")


@metric(
    "posix.opens_by_a_rank",
    "Opens of a file by each rank that uses it",
    "calls",
    formula="POSIX_OPENS / records, of which one that is reduced stands for all ranks",
    needs="a Darshan log whose POSIX module is whole",
)
def opens_by_a_rank(s: Selection) -> Outcome:
    return opened_by_a_rank(s, "POSIX")


@metric(
    "posix.files_of_a_rank",
    "Files per rank that uses any",
    "files",
    formula="records, of which one that is reduced stands for all ranks / ranks that have one",
    needs="a Darshan log whose POSIX module is whole",
)
def files_of_a_rank(s: Selection) -> Outcome:
    return used_by_a_rank(s, "POSIX")
