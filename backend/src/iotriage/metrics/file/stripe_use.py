"""Whether the stripes that a file has are put to use."""

from __future__ import annotations

from dataclasses import replace

from iotriage.metrics.core.about import About
from iotriage.metrics.core.documented import ON_ONE_OST_S, STRIPED_S, STRIPES
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined, quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.file.striping import osts_in_use
from iotriage.metrics.tables.files.at_once import files_at_once, seconds_in_use
from iotriage.metrics.tables.files.by_mount import by_mount
from iotriage.metrics.tables.osts.on_mounts import LUSTRE, UNKNOWN, mounts_of_layouts
from iotriage.metrics.tables.rank_times import rank_bytes
from iotriage_parsers.evidence import CounterTable


@metric(
    "file.stripes_filled",
    "Size of the largest file over one round of its stripes",
    "ratio",
    about=About(time=False),
    formula="file.size / (file.stripe_count × file.stripe_size); below 1 some of its OSTs hold nothing",
    needs="the size and the striping of the file",
)
def stripes_filled(s: Selection) -> Outcome:
    count, one = outcome(s, "file.stripe_count"), outcome(s, "file.stripe_size")
    if isinstance(count, Absent):
        return count
    if isinstance(one, Absent):
        return one
    if not isinstance(count.value, int) or not isinstance(one.value, int):
        return Absent("the striping of the file is not a number")
    around = Value(count.value * one.value, where=joined(count.where, one.where))
    of_file = outcome(s, "file.size")
    found = quotient(of_file, around, zero="the file has no stripes")
    # The striping is known: of a size that is a lower bound the quotient is one too.
    if isinstance(of_file, Value) and isinstance(found, Value) and of_file.bound == "lower":
        return replace(found, bound="lower")
    return found


TIMES_AS_LONG = STRIPED_S / ON_ONE_OST_S
"""That a small file with `STRIPES` takes. That it takes as much longer for each stripe is ours."""


@metric(
    "file.stripes_opening_share",
    "Share of the time of opening a file that its stripes but the first take, by what is documented",
    "share",
    about=About(time=True),
    formula=f"(file.stripe_count − 1) × t / (1 + (file.stripe_count − 1) × t), where {STRIPES} stripes take "
    f"{TIMES_AS_LONG:g} times as long as one, so that t = {(TIMES_AS_LONG - 1) / (STRIPES - 1):.2g}",
    needs="the striping of the file",
)
def stripes_opening_share(s: Selection) -> Outcome:
    count = outcome(s, "file.stripe_count")
    if isinstance(count, Absent):
        return count
    if not isinstance(count.value, int):
        return Absent("the striping of the file is not a number")
    longer = max(0, count.value - 1) * (TIMES_AS_LONG - 1) / (STRIPES - 1)
    return replace(count, value=longer / (1 + longer), confidence="inferred")


@metric(
    "file.osts_fraction",
    "Share of the OSTs that the largest file lies on",
    "share",
    about=About(time=False),
    formula="file.stripe_count / file.stripes_possible",
    needs="the striping of the file and the number of OSTs",
)
def osts_fraction(s: Selection) -> Outcome:
    return quotient(
        outcome(s, "file.stripe_count"), outcome(s, "file.stripes_possible"), zero="the file system has no OSTs"
    )


@metric(
    "file.other_osts",
    "OSTs that the largest file does not lie on",
    "word",
    formula='"none" where file.stripe_count is file.stripes_possible or more, "some" where it is less, "unknown" where '
    "no source says",
    needs="nothing: without a layout it is unknown",
)
def other_osts(s: Selection) -> Outcome:
    lies_on = outcome(s, "file.osts_fraction")
    if isinstance(lies_on, Absent) or not isinstance(lies_on.value, int | float):
        return Value("unknown")
    return Value("none" if lies_on.value >= 1 else "some", lies_on.confidence, lies_on.where)


@metric(
    "file.one_stripe",
    "Whether the largest file has one stripe",
    "word",
    formula='"yes" where file.stripe_count is 1, "no" where it is more, "unknown" where no source says',
    needs="nothing: without a layout it is unknown",
)
def one_stripe(s: Selection) -> Outcome:
    count = outcome(s, "file.stripe_count")
    if isinstance(count, Absent):
        return Value("unknown")
    return Value("yes" if count.value == 1 else "no", count.confidence, count.where)


@metric(
    "file.osts_per_stripe",
    "OSTs of the file system for each stripe in use at once",
    "ratio",
    about=About(time=False),
    formula="file.stripes_possible / file.stripes_at_once; where nobody says how many OSTs there are, of "
    "file.osts_seen, and then at least",
    needs="the striping of the file",
)
def osts_per_stripe(s: Selection) -> Outcome:
    there_are, count = outcome(s, "file.stripes_possible"), outcome(s, "file.stripes_at_once")
    if isinstance(there_are, Value):
        return quotient(there_are, count, zero="the file has no stripes")
    found = quotient(outcome(s, "file.osts_seen"), count, zero="the file has no stripes")
    return found if isinstance(found, Absent) else replace(found, bound="lower")


@metric(
    "file.stripes_per_node",
    "Stripes for each node, or each rank",
    "ratio",
    about=About(time=False),
    formula="file.stripe_count / job.nnodes; over job.nprocs where no source states the nodes, which are no more",
    needs="the striping of the file, and the nodes or ranks of the job",
)
def stripes_per_node(s: Selection) -> Outcome:
    nodes = outcome(s, "job.nnodes")
    clients = nodes if isinstance(nodes, Value) else outcome(s, "job.nprocs")
    return quotient(outcome(s, "file.stripe_count"), clients, zero="the job has no ranks")


@metric(
    "file.stripes_at_once",
    "Stripes that are in use at once",
    "stripes",
    formula="file.stripe_count × files in use at once: the seconds from the first to the last read or write of each "
    "file of the scope, added up, over those in which any was in use; at most file.osts, those below each of several "
    "mounts as long as files there are in use. One file where no log has the times",
    needs="the striping of the files, and a Darshan log with their times",
)
def stripes_at_once(s: Selection) -> Outcome:
    count = outcome(s, "file.stripe_count")
    if isinstance(count, Absent) or not isinstance(count.value, int):
        return count
    used = stripes_in_use(s, count.value, untimed_files=1)
    return Value(count.value if used == count.value else used, count.confidence, count.where)


def stripes_in_use(s: Selection, each: int, *, untimed_files: int) -> float:
    """The stripes in use at once of files that have `each` of them; `untimed_files` is how many files are taken to be
    in use where no log has the times: one is at least, all are at most."""
    osts = outcome(s, "file.osts")
    most: float | None = None
    if isinstance(osts, Value) and isinstance(osts.value, int) and osts.bound is None:
        most = osts.value
    if most is not None and len(osts_in_use(s)) > 1:
        most = _osts_at_once(s) or most
    found = max(1.0, files_at_once(s) or untimed_files) * each
    return found if most is None else min(found, most)


def _osts_at_once(s: Selection) -> float:
    """How many of the OSTs of several mounts have files in use at a time, on average; 0 where no log has the times.
    What is read from one file system before it is written to another has the OSTs of one."""
    of_mount: dict[str, set[tuple[int, int]]] = {}
    for rows in s.logs:
        mounts = mounts_of_layouts(rows)
        for layout in rows.lustre:
            of_mount.setdefault(mounts.get(layout.record, UNKNOWN), set()).add((rows.source, layout.record))
    _, any_of_them = seconds_in_use(s, set().union(*of_mount.values()))
    in_use = sum(len(on) * seconds_in_use(s, of_mount.get(mount, ()))[1] for mount, on in osts_in_use(s).items())
    return in_use / any_of_them if any_of_them > 0 else 0.0


ELSEWHERE = 0.1
"""Of the bytes: more of them on other file systems, and the job's rate is not that of its OSTs."""


@metric(
    "file.ost_rate",
    "Rate of each stripe in use",
    "B/s",
    formula="io.bandwidth / file.stripes_at_once, or file.osts; where MPI-IO leads, times the bytes that POSIX moves "
    "of its files for each of its own, at most 1: what is read once for all ranks passes the servers once. Not where "
    f"more than {ELSEWHERE:.0%} of the bytes are moved on mounts of another type",
    needs="the striping of the files, and a Darshan log with their times",
)
def ost_rate(s: Selection) -> Outcome:
    mounts = by_mount(s)
    elsewhere = sum(m.bytes for m in mounts if m.type not in LUSTRE)
    if elsewhere > ELSEWHERE * sum(m.bytes for m in mounts):
        return Absent("files on other file systems have part of the bytes and of the time")
    rate, used = outcome(s, "io.bandwidth"), outcome(s, "file.stripes_at_once")
    used = outcome(s, "file.osts") if isinstance(used, Absent) else used
    found, layer = quotient(rate, used, zero="no stripe is in use"), outcome(s, "io.layer")
    if isinstance(found, Absent) or isinstance(layer, Absent) or layer.value != "MPI-IO":
        return found
    below, above = (
        sum(float(rank_bytes(t).sum()) for rows in s.logs if (t := table_of(rows)) is not None)
        for table_of in (_below, _above)
    )
    return replace(found, value=float(found.value) * min(1.0, below / above)) if below and above else found


SLOWER_THAN_STRIPES = 10 * 2.0**20
"""Bytes a second of an OST, a fiftieth of what ARCHER's guide has for one. Ranks that take one another's locks for
stripes of 1 MiB get more of it; that it is a fiftieth is ours."""


@metric(
    "file.ost_pace",
    "Whether each stripe in use moves so little that more of them would move no more",
    "word",
    formula=f"slow where file.ost_rate is below {SLOWER_THAN_STRIPES:,.0f} B/s, else usual; unknown where that is "
    "absent",
    needs="the striping of the files, and a Darshan log with their times",
)
def ost_pace(s: Selection) -> Outcome:
    rate = outcome(s, "file.ost_rate")
    if isinstance(rate, Absent) or isinstance(rate.value, str):
        return Value("unknown", "inferred")
    return Value("slow" if rate.value < SLOWER_THAN_STRIPES else "usual", "inferred", rate.where)


def _below(rows: LogRows) -> CounterTable | None:
    return rows.posix_below_mpiio


def _above(rows: LogRows) -> CounterTable | None:
    return rows.mpiio_seen_below
