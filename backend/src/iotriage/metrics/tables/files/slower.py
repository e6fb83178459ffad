"""Of files that all ranks use alike, or of which each rank has one, one after the other: whether the later ones take
longer than the first did."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from math import isfinite, log
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.by_file import sums_by_file
from iotriage.metrics.core.documented import UNSTRIPED_FILE
from iotriage.metrics.core.metric import NO_TIME
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.selection import LogRows, Selection, isin, of_files, select_rows
from iotriage.metrics.tables.files.alike import (
    calls_of,
    first_moved,
    last_moved,
    near_median,
    pattern_counters,
    same_count,
)
from iotriage.metrics.tables.files.outputs import outputs_of_ranks
from iotriage.metrics.tables.files.shared import ranks_of_variance
from iotriage.metrics.tables.mounts import mount_above
from iotriage.metrics.tables.outliers import FEW, median
from iotriage.metrics.tables.rank_times import known_seconds, rank_bytes, rank_times
from iotriage.metrics.tables.stages import over_stages
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.evidence.darshan import Bools, Float64s
from iotriage_parsers.frozen import frozen, frozen_identity

FEWEST = 6
"""Files, one after the other, from which they can be told to grow slower: of fewer, chance orders some."""
TIMES = 2.0
"""How many times as long the later ones must take."""
ENDS = 3
"""Files at the beginning, and at the end, whose middle one stands for how long they take there; of many, a tenth."""
TENTH = 10
IN_ORDER, IN_ORDER_OF_FEW, MANY = 0.8, 0.9, 10
"""Rank correlation of the times with the order from which they grow: of fewer than so many files by chance in less than
one of a hundred."""
STEP = 1.25
"""Times as long at least, in the middle of the run as before it and after it as there, where they grow all the time."""
BELOW = 0.5
"""Of the seconds beyond the first files', the share that the calls to the storage must take: else ranks come late."""

Way = Literal["longer and longer", "from one on"]


@frozen
class Slower:
    """Places of files in their order: those that stand for the `early` and the `late` ones."""

    way: Way
    early: range
    late: range

    def grew(self, seconds: Float64s) -> bool:
        """Whether the later ones took so much longer by other times of the same files too."""
        early, late = (median(seconds[list(some)]) for some in (self.early, self.late))
        return early > NO_TIME and late >= TIMES * early


@frozen_identity
class SlowerFiles:
    """`compared` files alike, one after the other; `found` says how the later ones took longer, None where they did
    not. The median early one took `early_s`, the late one `late_s`, and all together `beyond_s` more than the early
    one each, in every step of the job. `record` is the first of the slow ones, or where they took longer and longer the
    last; it began `since_s` after the start. Texts have the `name` of the file alone."""

    rows: LogRows | None
    compared: int
    found: Slower | None
    early_s: float
    late_s: float
    beyond_s: float
    record: int | None
    since_s: float | None
    name: str | None = None

    @property
    def first_slow(self) -> int:
        """The place of `record` among the files compared."""
        if self.found is None:
            return 0
        return self.found.late.start if self.found.way == "from one on" else self.found.late.stop - 1


def slower_files(took: Float64s, found: Slower | None) -> SlowerFiles:
    """What these times in their order say, without which files they are of."""
    early, late = (found.early, found.late) if found else (range(len(took)), range(len(took)))
    early_s, late_s = median(took[list(early)]), median(took[list(late)])
    more = 0.0 if found is None else beyond(took, found)
    return SlowerFiles(None, len(took), found, early_s, late_s, more, None, None)


def slower_in_logs(s: Selection) -> SlowerFiles | None:
    """Of the log and layer in which they took most beyond the early ones; with what they took so in all logs."""
    found = [(rows, one) for rows in s.logs if (one := _in_log(rows)) is not None]
    if not found:
        return None
    _, most = max(found, key=lambda one: one[1].beyond_s)
    return replace(most, beyond_s=over_stages(s, ((rows, one.beyond_s) for rows, one in found)))


def _in_log(rows: LogRows) -> SlowerFiles | None:
    each = (one for table in rows.highest for one in (_of_table(rows, table), _of_own(rows, table)))
    return max((one for one in each if one is not None), key=lambda one: one.beyond_s, default=None)


def slower(seconds: Float64s) -> Slower | None:
    """How times in their order, none 0, grew: from one on, at once, or longer and longer."""
    n = len(seconds)
    if n < FEWEST:
        return None
    return _from_one_on(seconds) or _longer_and_longer(seconds)


def _from_one_on(seconds: Float64s) -> Slower | None:
    """Cut where both sides are most alike in themselves: then nearly all after it took so many times as long as nearly
    all before it, and neither side grew by more. Of a few slow ones at the end nobody knows whether they last."""
    n, logs = len(seconds), np.log(seconds)
    least = max(ENDS, int(FEW * n) + 1)
    if 2 * least > n or float(seconds.max() / seconds.min()) < TIMES:
        return None
    cut = _most_alike(logs, least)
    before, after = np.sort(seconds[:cut]), np.sort(seconds[cut:])
    gap = float(after[len(after) // TENTH] / before[len(before) - 1 - len(before) // TENTH])
    if gap < TIMES or any(_growth(side) > log(gap) for side in (logs[:cut], logs[cut:])):
        return None
    return Slower("from one on", range(cut), range(cut, n))


def _most_alike(logs: Float64s, least: int) -> int:
    """How many stand before the cut that leaves the smallest sum of squares about the means of both sides, `least` on
    each."""
    n, centred = len(logs), logs - logs.mean()
    before = np.arange(least, n - least + 1)
    # What the squares about the whole's mean are more than those about the means of the sides.
    sums = np.cumsum(centred)[before - 1]
    return least + int(np.argmax(sums**2 / before + (centred.sum() - sums) ** 2 / (n - before)))


def _growth(logs: Float64s) -> float:
    third = max(1, len(logs) // 3)
    return median(logs[-third:]) - median(logs[:third])


def _longer_and_longer(seconds: Float64s) -> Slower | None:
    """All of the last third took so many times as long as the median of the first, with the middle one between."""
    n = len(seconds)
    third = n // 3
    first, between, last = seconds[:third], seconds[third : n - third], seconds[n - third :]
    start, middle, end = median(first), median(between), median(last)
    if float(last.min()) < TIMES * start or middle < STEP * start or end < STEP * middle:
        return None
    if _rank_correlation(seconds) < (IN_ORDER if n >= MANY else IN_ORDER_OF_FEW):
        return None
    some = max(ENDS, n // TENTH)
    return Slower("longer and longer", range(some), range(n - some, n))


def _rank_correlation(seconds: Float64s) -> float:
    """Spearman's, of the times with their order; of equal times each has the mean rank."""
    n = len(seconds)
    ordered = np.sort(seconds)
    ranks = (np.searchsorted(ordered, seconds, "left") + np.searchsorted(ordered, seconds, "right") - 1) / 2
    a, b = np.arange(n) - (n - 1) / 2, ranks - (n - 1) / 2
    size = float(np.sqrt((a * a).sum() * (b * b).sum()))
    return float((a * b).sum()) / size if size > 0 else 0.0


def _of_table(rows: LogRows, table: CounterTable) -> SlowerFiles | None:
    shared = select_rows(table, table.ranks < 0)
    for alike in (_one_after_the_other, partial(_used_alike, rows), partial(_laid_out_alike, rows)):
        if len(shared) < FEWEST:
            return None
        shared = shared.rows(alike(shared))
    if len(shared) < FEWEST:
        return None
    shared = shared.rows(np.argsort(first_moved(shared), kind="stable"))
    took = known_seconds(shared.seconds(f"{prefix_of(shared)}_F_SLOWEST_RANK_TIME"))
    found = slower(took)
    if found is not None and not _of_the_storage(rows, shared, took, found):
        found = None
    files = slower_files(took, found)
    first = files.first_slow
    return replace(files, rows=rows, record=int(shared.ids[first]), since_s=float(first_moved(shared)[first]))


def _of_own(rows: LogRows, table: CounterTable) -> SlowerFiles | None:
    """Of outputs that are a file of each rank, all with the same calls and layout. What MPI-IO opens for one rank is
    looked at in no layer below."""
    outputs = None if table.module == "MPI-IO" else outputs_of_ranks(table, FEWEST)
    if outputs is None or outputs.every is None:
        return None
    own = table.rows(outputs.every.ravel())
    moved, alike = rank_bytes(own), _laid_out_alike(rows, own) & _same_calls(own)
    took = outputs.slowest
    if not alike.all() or float(took.min()) < NO_TIME:
        return None
    found = slower(took)
    # What the first ones only left in memory, faster than one OST, is no measure of the later.
    in_memory = median(moved) >= UNSTRIPED_FILE * median(took[list(found.early)]) if found is not None else False
    if found is not None and (
        in_memory or not found.grew(outputs.mean) or not _late_on_early_osts(rows, table, outputs.every, found)
    ):
        found = None
    files = slower_files(took, found)
    first = files.first_slow
    return replace(files, rows=rows, record=int(outputs.records[first]), since_s=float(outputs.began[first]))


def _late_on_early_osts(rows: LogRows, table: CounterTable, every: NDArray[np.intp], found: Slower) -> bool:
    """Whether most of the late files lie on OSTs of early ones; true where no layouts are known."""
    early, late = (_osts_of(rows, table.ids[every[:, list(some)]].ravel()) for some in (found.early, found.late))
    if not early and not late:
        return True
    used = set().union(*early)
    return 2 * sum(used.issuperset(osts) for osts in late) >= len(late)


def _osts_of(rows: LogRows, records: NDArray[np.uint64]) -> list[tuple[int, ...]]:
    layouts = (rows.layout_of(record) for record in records.tolist())
    return [layout.osts for layout in layouts if layout is not None and layout.osts]


def _one_after_the_other(table: CounterTable) -> Bools:
    """Those with a time and a begin, as many bytes and calls. None where they were used side by side: then neither is
    the later one, and what they took is no time of its own."""
    took = known_seconds(table.seconds(f"{prefix_of(table)}_F_SLOWEST_RANK_TIME"))
    alike: Bools = near_median(rank_bytes(table)) & near_median(calls_of(table)) & (took > NO_TIME)
    began = first_moved(table)
    alike &= np.isfinite(began)
    places = np.flatnonzero(alike)[np.argsort(began[alike], kind="stable")]
    overlaps = last_moved(table)[places[:-1]] > began[places[1:]] + took[places[1:]] / 2
    return alike if overlaps.sum() * TENTH <= len(places) else np.zeros(len(table), np.bool_)


def _same_calls(table: CounterTable) -> Bools:
    """Those whose calls are of the same sizes, kinds and order, in this layer."""
    prefix, calls, moved = prefix_of(table), calls_of(table), rank_bytes(table)
    same = np.ones(len(table), np.bool_)
    for name in pattern_counters(table):
        same &= same_count(np.maximum(table.count(name), 0).astype(np.float64), calls)
    for way in ("READ", "WRITTEN"):
        same &= same_count(np.maximum(table.count(f"{prefix}_BYTES_{way}"), 0).astype(np.float64), moved)
    return same


def _used_alike(rows: LogRows, table: CounterTable) -> Bools:
    """Those whose calls are of the same sizes, kinds and order, of as many ranks, below MPI-IO too."""
    same = _same_calls(table) & _same_ranks(rows, table)
    below = _below(rows, table)
    if below is not None:
        at = np.searchsorted(below.by_id.ids, table.ids)
        of_calls = sum((sums_by_file(below, f"POSIX_{way}") for way in ("READS", "WRITES")), np.zeros(1))
        of_calls = of_calls.astype(np.float64)[at]
        for name in (*pattern_counters(below), "POSIX_READS", "POSIX_WRITES"):
            same &= same_count(sums_by_file(below, name).astype(np.float64)[at], of_calls)
        same &= _same_ranks(rows, below)[np.argsort(below.by_id.index, kind="stable")][at] if _one_each(below) else True
    return same


def _below(rows: LogRows, table: CounterTable) -> CounterTable | None:
    """The POSIX records of the same files; None where MPI-IO is not what the table counts, or not all have some."""
    if table.module != "MPI-IO" or rows.posix is None or not bool(of_files(table, rows.posix.ids).all()):
        return None
    return select_rows(rows.posix, isin(rows.posix.ids, table.ids))


def _one_each(table: CounterTable) -> bool:
    return bool((table.ranks < 0).all()) and len(table.by_id.ids) == len(table)


def _same_ranks(rows: LogRows, table: CounterTable) -> Bools:
    """Those whose bytes about as many ranks moved as of the median one: of each shared record. All where the module
    keeps no variances, as DFS."""
    variance = f"{prefix_of(table)}_F_VARIANCE_RANK_BYTES"
    if variance not in table.float_names:
        return np.ones(len(table), np.bool_)
    n, moved, spread = rows.nprocs or 0, rank_bytes(table).tolist(), table.seconds(variance).tolist()
    among = [ranks_of_variance(int(b), v, n) for b, v in zip(moved, spread, strict=True)]
    if any(one is None for one in among):
        return np.ones(len(table), np.bool_)
    return near_median(np.array(among, np.float64))


def _laid_out_alike(rows: LogRows, table: CounterTable) -> Bools:
    """Those of the commonest striping and mount: files on other file systems are no later ones of the same."""
    mounts = rows.log.job.mounts
    names = [rows.name_of(record) or "" for record in table.ids.tolist()]
    folders = [name[: name.rfind("/") + 1] for name in names]
    mount_of = {folder: mount_above(folder, mounts) for folder in set(folders)}
    facts = [
        (mount_of[folder], _striping(rows, record)) for folder, record in zip(folders, table.ids.tolist(), strict=True)
    ]
    [(most, _)] = Counter(facts).most_common(1)
    return np.array([fact == most for fact in facts], np.bool_)


def _striping(rows: LogRows, record: int) -> object:
    layout = rows.layout_of(record)
    if layout is None:
        return None
    return layout.stripe_count, layout.stripe_size, layout.composite, layout.pool, layout.extent_start


def _of_the_storage(rows: LogRows, table: CounterTable, took: Float64s, found: Slower) -> bool:
    """Whether it is not one late rank, not what ranks wait for one another in MPI-IO, and not an OST that the early
    ones did not use."""
    if not found.grew(rank_times(table)):
        return False
    if table.module == "MPI-IO" and not _grew_below(rows, table, took, found):
        return False
    return _on_osts_of_the_early(rows, table, took, found)


def _grew_below(rows: LogRows, table: CounterTable, took: Float64s, found: Slower) -> bool:
    below = _below(rows, table)
    if below is None:
        return False
    known, seconds = below.by_id, np.zeros(len(below.by_id.ids))
    own = np.where(below.ranks < 0, known_seconds(below.seconds("POSIX_F_SLOWEST_RANK_TIME")), rank_times(below))
    np.maximum.at(seconds, known.index, own)
    of_files = seconds[np.searchsorted(known.ids, table.ids)]
    return of_storage(took, of_files, found)


def of_storage(took: Float64s, there: Float64s, found: Slower) -> bool:
    """Whether most of what they took longer was `there`, in the calls to the storage."""
    return found.grew(there) and beyond(there, found) >= BELOW * beyond(took, found)


def beyond(seconds: Float64s, found: Slower) -> float:
    return float(np.maximum(seconds - median(seconds[list(found.early)]), 0.0).sum())


def _on_osts_of_the_early(rows: LogRows, table: CounterTable, took: Float64s, found: Slower) -> bool:
    """Whether late ones that lie on OSTs of early ones alone took longer too, and are not few; true where no layouts
    are known. Where they grew all the time, the first half is early."""
    layouts = [rows.layout_of(record) for record in table.ids.tolist()]
    if all(layout is None or not layout.osts for layout in layouts):
        return True
    n = len(layouts)
    early = found.early if found.way == "from one on" else range(n // 2)
    late = found.late if found.way == "from one on" else range(n - n // 3, n)
    used = {ost for place in early if (layout := layouts[place]) is not None for ost in layout.osts}
    there = [p for p in late if (layout := layouts[p]) is not None and layout.osts and used.issuperset(layout.osts)]
    return 2 * len(there) >= len(late) and median(took[there]) >= TIMES * median(took[list(found.early)])


def known_start(found: SlowerFiles) -> float | None:
    """When the file began, in seconds since the epoch; None where the log does not say when the job did."""
    start = None if found.rows is None else found.rows.log.job.start_time
    if start is None or found.since_s is None or not isfinite(start) or start <= 0:
        return None
    return start + found.since_s
