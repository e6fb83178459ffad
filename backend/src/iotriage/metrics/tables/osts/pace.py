"""The pace of OSTs by the ranks that used them: a slow server is slow for all of them, a slow rank on all servers."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.tables.outliers import NEARLY_ALL, median, quantile, slow_cutoff
from iotriage_parsers.evidence.darshan import Float64s, Int64s
from iotriage_parsers.frozen import frozen

ENOUGH_RANKS = 2
"""Ranks by which an OST is judged, unless one of them used other OSTs too: a single one may be slow by itself."""


@frozen
class SlowestPace:
    """`compared` OSTs. Seconds a byte: `per_byte_s` on the slowest, `others_s` on the median one of the others, each as
    the median of its ranks has it. `slow` OSTs, ascending, are nearer to the slowest than to these, and the quickest of
    them needs `at_least_s`; on the rest nearly all ranks need `at_most_s`, which is None where there is no rest, and
    the share `as_slow` of them as long as on the slow OSTs."""

    ost: int
    compared: int
    per_byte_s: float
    others_s: float
    slow: tuple[int, ...]
    at_least_s: float
    at_most_s: float | None
    as_slow: float


def slowest_pace(ost: Int64s, rank: Int64s, per_byte_s: Float64s, *, quickest: bool = False) -> SlowestPace | None:
    """The OST on which all ranks are slow, or nearly all, beside the median one of the others. Of each file or
    call its OST, its rank and its seconds a byte, shape (n,) each. None where fewer than two OSTs can be compared. Of a
    rank's calls to an OST the median counts; the `quickest` quarter where calls wait for another OST too.

    A rank that used several OSTs is held against itself: what it loses on all of them is not the servers'."""
    order = np.lexsort((per_byte_s, rank, ost))
    starts, counts = _groups(ost[order], rank[order])
    at = order[starts + (counts - 1) // (4 if quickest else 2)]
    osts, ranks, paces = ost[at], rank[at], per_byte_s[at]
    if not len(paces):
        return None
    by_rank = np.lexsort((paces, ranks))
    begins, several = _groups(ranks[by_rank])
    usual = paces[by_rank[begins + (several - 1) // 2]]
    of_pair = np.searchsorted(ranks[by_rank][begins], ranks)
    elsewhere = several[of_pair] > 1
    fair = np.where(elsewhere, np.minimum(paces, median(paces) * paces / usual[of_pair]), paces)
    by_ost, by_pace = np.lexsort((fair, osts)), np.lexsort((paces, osts))
    firsts, users = _groups(osts[by_ost])
    judged = (users >= ENOUGH_RANKS) | np.logical_or.reduceat(elsewhere[by_ost], firsts)
    if len(firsts) < 2 or not judged.any():
        return None
    # With two ranks both must be slow, with eight all but one.
    of_ost = np.where(judged, fair[by_ost[firsts + (users - 1) // 4]], -np.inf)
    slowest = int(of_ost.argmax())
    index = int(osts[by_ost[firsts[slowest]]])
    # Each OST counts once: where a few have most of the ranks, these are not what is usual.
    of_others = (paces[by_pace[firsts + (users - 1) // 2]] + paces[by_pace[firsts + users // 2]]) / 2
    others_s = median(np.delete(of_others, slowest))
    from_s = slow_cutoff(float(of_ost[slowest]), others_s)
    slow = of_ost >= from_s
    rest = fair[by_ost][~np.repeat(slow, users)]
    at_most_s = quantile(rest, NEARLY_ALL) if len(rest) else None
    as_slow = float((rest >= from_s).mean()) if len(rest) else 0.0
    slow_osts = tuple(osts[by_ost[firsts[slow]]].tolist())
    at_least_s = float(of_ost[slow].min(initial=of_ost[slowest]))
    return SlowestPace(
        ost=index,
        compared=len(firsts),
        per_byte_s=float(of_ost[slowest]),
        others_s=others_s,
        slow=slow_osts,
        at_least_s=at_least_s,
        at_most_s=at_most_s,
        as_slow=as_slow,
    )


def _groups(*keys: Int64s) -> tuple[Int64s, Int64s]:
    """Where runs of equal keys begin, and how long they are."""
    if not len(keys[0]):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    changes = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    starts = np.concatenate([[0], np.flatnonzero(changes) + 1]).astype(np.int64)
    return starts, np.diff(np.append(starts, len(keys[0])))
