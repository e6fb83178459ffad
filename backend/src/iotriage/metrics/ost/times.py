"""How long the OSTs took for a byte, one beside the others."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.listing import listed
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.osts.elsewhere import SLOW, ranks_elsewhere
from iotriage.metrics.tables.osts.slowest_ost import ENOUGH_FILES, SMALLER, SlowestOst, slowest_ost
from iotriage.metrics.tables.osts.traced_osts import ENOUGH_CALLS
from iotriage.metrics.tables.outliers import FEW, NEARLY_ALL

HALF = 0.5
"""Of the OSTs: where more are slow, those are what is usual. Where more than few are, they are two kinds only if there
is nothing between them."""

_metrics_of_slowest_ost = MetricsOf(slowest_ost, needs="a Darshan log with LUSTRE records that list the OSTs")
_metrics_of_slowest_ost.value(
    "ost.compared",
    "OSTs compared by their time per byte",
    "OSTs",
    lambda found: Value(found.compared, where=found.where),
    formula="OSTs with files of 1 MiB or more that have one stripe and one rank; where those are fewer, OSTs with at "
    f"least {ENOUGH_CALLS} traced POSIX calls of 64 KiB or more that lie on no other, or else on one other. Judged are "
    "those with at least "
    f"{ENOUGH_FILES} files, or callers, of different ranks, or of one rank that used other OSTs too",
)
_metrics_of_slowest_ost.value(
    "ost.slowness",
    "Time per byte on the slowest OST over that on the others",
    "ratio",
    lambda found: _slowness(found, 1.0),
    about=About(time=True),
    formula="(read + write + metadata seconds) / bytes of each file, or seconds / bytes of each traced call that lies "
    f"on one OST, where these have accesses of which {SMALLER:g} make no more than a usual one, seconds of an access "
    "over usual bytes, but no less than is usual; of each OST and rank the median (the quickest quarter of calls on "
    "two OSTs), which for a rank that used several is held against its own usual one; of each OST what nearly all its "
    "ranks need (three quarters of them, at least two); the largest over the median of the other OSTs, each by the "
    "median of its ranks",
)


def _slowness(found: SlowestOst, load: float) -> Outcome:
    if found.others_s <= 0:
        return Absent("the files on the other OSTs show no time")
    return Value(found.per_byte_s / found.others_s / load, "inferred", found.where)


_metrics_of_slowest_ost.value(
    "ost.load",
    "Bytes on the slowest OST over those on the others",
    "ratio",
    lambda found: Value(found.load, "inferred", found.where),
    about=About(time=False),
    formula="bytes of the compared files, or calls, on the OST of ost.slowest / the median of the other OSTs",
)
_metrics_of_slowest_ost.value(
    "ost.load_of_most",
    "Bytes on the slowest OST over those on nearly all that are not slow",
    "ratio",
    lambda found: Value(found.load_of_most, "inferred", found.where),
    about=About(time=False),
    formula=f"bytes on the OST of ost.slowest / what {NEARLY_ALL:.0%} of the compared files, or calls, on OSTs that "
    "are not of ost.slow_osts share theirs with at most",
)
_metrics_of_slowest_ost.value(
    "ost.slowness_for_its_load",
    "Time per byte on the slowest OST over that on the others, beyond what its larger load explains",
    "ratio",
    lambda found: _slowness(found, max(1.0, found.load)),
    about=About(time=True),
    formula="ost.slowness / ost.load, where that is above 1: what shares a server shares its rate",
)


@_metrics_of_slowest_ost(
    "ost.apart",
    "Time per byte on the slowest OST over the most on those that are not slow",
    "ratio",
    about=About(time=True),
    formula=f"seconds a byte of ost.slowness / what {NEARLY_ALL:.0%} of the ranks need at most on OSTs that are not "
    "slow; where it holds more bytes than these, divided by how many times as many; where more than a quarter of the "
    "OSTs are slow, of the quickest of these; not where more than half are, or the others have accesses "
    f"{SMALLER:g} times as large",
)
def apart(found: SlowestOst) -> Outcome:
    if found.at_most_s is None or len(found.slow) > found.compared * HALF:
        return Absent("more than half of the OSTs are about as slow as the slowest")
    few = len(found.slow) <= found.compared * FEW
    if not few and found.smaller >= SMALLER:
        return Absent("more than a quarter of the OSTs are about as slow, and the accesses to these are smaller")
    return Value(
        (found.per_byte_s if few else found.at_least_s) / found.at_most_s / max(1.0, found.load_of_most),
        "inferred",
        found.where,
    )


_metrics_of_slowest_ost.value(
    "ost.as_slow_elsewhere",
    "Share of the ranks that are as slow on other OSTs",
    "share",
    lambda found: Value(found.as_slow, "inferred", found.where),
    about=About(time=True),
    formula="of the ranks on OSTs that are not of ost.slow_osts, those whose seconds a byte lie nearer to ost.slowness "
    "than to the usual ones",
)


@metric(
    "ost.ranks_elsewhere",
    "How the ranks on the slowest OST do elsewhere",
    "word",
    formula=f"slow where most of the ranks on ost.slowest that have other files of their own, on no slow OST, take "
    f"{SLOW} times what others take for as many bytes of files of one kind, and longer than {NEARLY_ALL:.0%} of them; "
    "else as others, or unknown where they have no such files",
    needs="a Darshan log with LUSTRE records that list the OSTs",
)
def ost_ranks_elsewhere(s: Selection) -> Outcome:
    found = slowest_ost(s)
    if isinstance(found, Absent):
        return found
    return Value(ranks_elsewhere(s, found.slow, found.ranks), "inferred", found.where)


@metric(
    "ost.excess_fraction",
    "Share of the time in calls that the slow OSTs take beyond the others",
    "share",
    about=About(time=True),
    formula="with s the share of the bytes that lie on ost.slow_osts (by ost.load and ost.compared), and k = "
    "ost.slowness: s · (k − 1) / (1 + s · (k − 1)), of all ranks together",
    needs="a Darshan log with LUSTRE records that list the OSTs",
)
def excess_fraction(s: Selection) -> Outcome:
    found, times = slowest_ost(s), outcome(s, "ost.slowness")
    if isinstance(found, Absent) or isinstance(times, Absent):
        return found if isinstance(found, Absent) else times
    slow_osts = len(found.slow)
    slow = slow_osts * found.load
    beyond = slow / (found.compared - slow_osts + slow) * max(0.0, float(times.value) - 1)
    return Value(beyond / (1 + beyond), "inferred", found.where)


@metric(
    "ost.uneven_without_slow",
    "What the slowest rank would take beyond the mean, were no OST slow",
    "s",
    formula="seconds of the traced calls that lie on one OST alone, those on ost.slow_osts no longer than their bytes "
    "take on the others: the most of a rank − the mean of all ranks",
    needs="a Darshan log with a POSIX trace and LUSTRE records that list the OSTs",
)
def uneven_without_slow(s: Selection) -> Outcome:
    found = slowest_ost(s)
    if isinstance(found, Absent):
        return found
    if found.cured is None:
        return Absent("OSTs were not compared by traced calls that lie on one alone")
    if not s.nprocs:
        return Absent("the number of ranks is not known")
    return Value(max(0.0, found.cured.slowest_s - found.cured.all_s / s.nprocs), "inferred", found.where)


_metrics_of_slowest_ost.value(
    "ost.slow_osts",
    "OSTs about as slow as the slowest",
    "OSTs",
    lambda found: Value(len(found.slow), "inferred", found.where),
    formula="OSTs whose seconds a byte lie nearer to those of ost.slowest than to the median of the others",
)
_metrics_of_slowest_ost.value(
    "ost.slow_ones",
    "Indices of the slow OSTs",
    "word",
    lambda found: Value(listed([str(ost) for ost in found.slow]), "inferred", found.where),
    formula="the OSTs of ost.slow_osts, as Lustre numbers them from 0",
)
_metrics_of_slowest_ost.value(
    "ost.slowest",
    "Index of the slowest OST",
    "1",
    lambda found: Value(found.ost, "inferred", found.where),
    formula="the OST of ost.slowness, as Lustre numbers it from 0",
)
_metrics_of_slowest_ost.value(
    "ost.slowest_files",
    "Files on the slowest OST",
    "files",
    lambda found: Value(found.files, "inferred", found.where),
    formula="files by which, or by whose traced calls, the OST of ost.slowness was compared",
)
_metrics_of_slowest_ost.value(
    "ost.slowest_calls",
    "Calls on the slowest OST",
    "calls",
    lambda found: (
        Absent("OSTs were compared by whole files") if found.calls is None else Value(found.calls, "inferred")
    ),
    formula="traced calls by which the OST of ost.slowness was compared",
    needs="a Darshan log with a POSIX trace and LUSTRE records that list the OSTs",
)
