"""What is put onto pixels keeps its sum, and nothing that happened is without a pixel."""

from __future__ import annotations

import numpy as np
import pytest

from iotriage.analysis.views import heatmap
from iotriage.analysis.views.heatmap import Window, grid_of, heat_grids
from iotriage.analysis.views.pixels import Bins, RankRows, spread, spread_apart, touched, touched_boxes
from iotriage.analysis.views.trace import Calls, TracedLog
from iotriage_parsers.evidence import Heatmap


def calls(rows: list[tuple[int, float, float, int]]) -> Calls:
    """Writes of (rank, start, end, bytes)."""
    rank, start, end, length = (np.array(column) for column in zip(*rows, strict=True))
    n = len(rows)
    return Calls(
        "POSIX",
        rank.astype(np.int64),
        np.ones(n, dtype=np.bool_),
        np.ones(n, dtype=np.uint64),
        np.zeros(n, dtype=np.int64),
        length.astype(np.int64),
        start.astype(np.float64),
        end.astype(np.float64),
    )


def many(seed: int, n: int, ranks: int) -> Calls:
    """Calls of a run of 100 s: most short, some long, some without any length."""
    r = np.random.default_rng(seed)
    start = r.random(n) * 99
    length = np.where(r.random(n) < 0.2, 0.0, r.exponential(r.choice([1e-5, 0.01, 5.0], n)))
    end = np.minimum(start + length, 99.999)
    rows = zip(
        r.integers(0, ranks, n).tolist(), start.tolist(), end.tolist(), r.integers(0, 2**30, n).tolist(), strict=True
    )
    return calls(list(rows))


def test_a_call_is_laid_evenly_over_its_time() -> None:
    """12 bytes from 0.5 s to 3.5 s: 4 bytes a second, half a second of it in the first and the last bin."""
    time = Bins(0.0, 4.0, 4)
    grid = spread(np.array([1]), np.array([0.5]), np.array([3.5]), np.array([12.0]), time, 2)
    assert grid.tolist() == [[0, 0, 0, 0], [2, 4, 4, 2]]


def test_only_what_lies_in_the_window_is_there() -> None:
    """10 bytes from 0 s to 10 s, seen from 2 s to 4 s in bins of half a second."""
    grid = spread(np.array([0]), np.array([0.0]), np.array([10.0]), np.array([10.0]), Bins(2.0, 4.0, 4), 1)
    assert grid.tolist() == [[0.5, 0.5, 0.5, 0.5]]


def test_a_call_without_length_gives_all_to_one_bin() -> None:
    grid = spread(np.array([0]), np.array([2.0]), np.array([2.0]), np.array([7.0]), Bins(0.0, 4.0, 4), 1)
    assert grid.tolist() == [[0, 0, 7, 0]]


def test_a_call_that_ends_on_an_edge_does_not_touch_the_next_bin() -> None:
    first, last = Bins(0.0, 4.0, 4).span(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 2.0]))
    assert (first.tolist(), last.tolist()) == ([0, 1, 2], [0, 2, 2])


def test_boxes_touch_the_pixels_that_they_cover() -> None:
    top, bottom, first, last = (np.array([v]) for v in (0, 1, 1, 2))
    assert touched_boxes(top, bottom, first, last, (3, 4)).tolist() == [[0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]]


@pytest.mark.parametrize("ranks", [1, 7, 1000])
@pytest.mark.parametrize("window", [(0.0, 100.0), (12.3, 12.31), (33.0, 99.0)])
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (5, 37), (2048, 640)])
def test_sums_are_kept_at_any_zoom(ranks: int, window: tuple[float, float], rows: int, columns: int) -> None:
    time, rank_rows = Bins(*window, columns), RankRows.of(0, ranks - 1, rows)
    everything = many(ranks, 3000, ranks)
    seen = everything.where(time.overlapping(everything.start, everything.end))
    length = seen.end - seen.start
    within = np.minimum(seen.end, time.high) - np.maximum(seen.start, time.low)
    share = np.divide(within, length, out=np.ones(len(seen)), where=length > 0)
    grid = grid_of(seen, seen.length.astype(np.float64), time, rank_rows)
    assert grid.sums.sum() == pytest.approx((seen.length * share).sum(), rel=1e-9)
    assert grid.by_rank.sum() == pytest.approx(grid.sums.sum(), rel=1e-9)
    assert (grid.busiest <= grid.sums * (1 + 1e-9) + 1e-3).all()
    assert ((grid.busiest > 0) == (grid.sums > 0)).all()


@pytest.mark.parametrize("columns", [1, 100, 1999])
def test_every_call_touches_a_pixel(columns: int) -> None:
    time, rows = Bins(0.0, 100.0, columns), RankRows.of(0, 999, 64)
    some = many(5, 2000, 1000)
    first, last = time.span(some.start, some.end)
    counts = touched(rows.numbers(some.rank), first, last, (rows.count, columns))
    assert counts.min() >= 0
    assert (counts[rows.numbers(some.rank), first] > 0).all()
    assert (counts[rows.numbers(some.rank), last] > 0).all()
    assert counts.sum() == (last - first + 1).sum()


def test_apart_or_at_once_is_the_same() -> None:
    time, some = Bins(0.0, 100.0, 200), many(9, 2000, 50)
    amount = some.length.astype(np.float64)
    at_once = spread(some.rank, some.start, some.end, amount, time, 50)
    row, column, each = spread_apart(some.rank, some.start, some.end, amount, time)
    apart = np.zeros((50, 200))
    apart[row, column] = each
    assert apart == pytest.approx(at_once, rel=1e-6, abs=1e-3)


def test_some_ranks_at_a_time_or_all_at_once_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three ranks at a time, of which ten share a row."""
    time, rows, some = Bins(0.0, 100.0, 200), RankRows.of(0, 49, 5), many(9, 2000, 50)
    amount = some.length.astype(np.float64)
    at_once = grid_of(some, amount, time, rows)
    monkeypatch.setattr(heatmap, "MOST_ENTRIES", 0)
    monkeypatch.setattr(heatmap, "CELLS_AT_ONCE", 3 * 200)
    by_turns = grid_of(some, amount, time, rows)
    assert by_turns.by_rank.tolist() == pytest.approx(at_once.by_rank.tolist(), rel=1e-6)
    assert by_turns.sums == pytest.approx(at_once.sums, rel=1e-6, abs=1e-3)
    assert by_turns.busiest == pytest.approx(at_once.busiest, rel=1e-6, abs=1e-3)
    assert (by_turns.busiest < by_turns.sums).any()


@pytest.mark.parametrize(("ranks", "rows"), [(8, 8), (65_536, 512), (10, 3), (1000, 999)])
def test_every_rank_has_a_row_and_every_row_a_rank(ranks: int, rows: int) -> None:
    found = RankRows.of(0, ranks - 1, rows)
    numbers = found.numbers(np.arange(ranks))
    assert np.unique(numbers).tolist() == list(range(found.count))
    assert (np.diff(numbers) >= 0).all()


def test_one_busy_rank_of_65536_is_seen_in_its_row_and_bin() -> None:
    """In 512 rows of 128 ranks: rank 40,000 is in row 312, its one byte in the third of five joined bins."""
    read = np.zeros((65_536, 200), dtype=np.int64)
    read[40_000, 110] = 1
    log = TracedLog((), (Heatmap("POSIX", 0.5, np.arange(65_536), read, np.zeros_like(read)),), 65_536, 100.0, ())
    found = heat_grids(log, "POSIX", Window(0.0, 100.0, 0, 65_535, 512, 5))
    assert found is not None
    kind, time, rows, grid, written = found
    assert (kind, time.count, time.width, rows.count) == ("HEATMAP", 5, 20.0, 512)
    assert np.argwhere(grid.busiest > 0).tolist() == [[312, 2]]
    assert grid.sums.sum() == 1
    assert not written.sums.any()


def test_bins_of_a_heatmap_are_joined_and_never_cut() -> None:
    """Seven bins of 0.1 s, 1 to 7 bytes, in at most three columns: three bins a column, the last reaches beyond."""
    read = np.arange(1, 8).reshape(1, 7)
    log = TracedLog((), (Heatmap("POSIX", 0.1, np.array([0]), read, np.zeros_like(read)),), 1, 0.7, ())
    found = heat_grids(log, "POSIX", Window(0.0, 0.7, 0, 0, 10, 3))
    assert found is not None
    assert found[3].sums.tolist() == [[6, 15, 7]]
    assert found[1].high == pytest.approx(0.9)


@pytest.mark.parametrize("most_rows", [1, 3, 8])
@pytest.mark.parametrize("ranks", [[0, 1, 2, 5, 7], [7, 2, 5, 0, 1], [2, 2, 0, 9, 5]])
def test_ranks_of_a_heatmap_are_summed_by_row_in_whatever_order_they_stand(ranks: list[int], most_rows: int) -> None:
    """Records of ranks 0 to 7, of which rank 9 is none; a rank may have two, which stand for two in `busiest`."""
    read = np.arange(5 * 6).reshape(5, 6)
    log = TracedLog((), (Heatmap("POSIX", 1.0, np.array(ranks), read, 10 * read),), 8, 6.0, ())
    found = heat_grids(log, "POSIX", Window(0.0, 6.0, 0, 7, most_rows, 3))
    assert found is not None
    _, time, rows, *grids = found
    for grid, moved in zip(grids, (read, 10 * read), strict=True):
        sums, busiest = np.zeros((rows.count, time.count)), np.zeros((rows.count, time.count))
        by_rank = dict.fromkeys(sorted({r for r in ranks if r < 8}), 0.0)
        for rank, amounts in zip(ranks, moved.reshape(5, 3, 2).sum(axis=2), strict=True):
            if rank < 8:
                row = rank * rows.count // 8
                sums[row] += amounts
                busiest[row] = np.maximum(busiest[row], amounts)
                by_rank[rank] += amounts.sum()
        assert grid.sums.tolist() == sums.tolist()
        assert grid.busiest.tolist() == (busiest if rows.joined else sums).tolist()
        assert dict(zip(grid.ranks.tolist(), grid.by_rank.tolist(), strict=True)) == by_rank


def test_a_call_shorter_than_any_clock_tells_gives_all_it_moved_and_nothing_more():
    time = Bins(0.0, 10.0, 4)
    start = np.array([1.0, 0.0])
    end = np.array([1.0 + 2e-16, 5e-324])
    rows, amount = np.zeros(2, np.int64), np.array([2.0**59, 2.0**59])
    assert spread(rows, start, end, amount, time, 1).sum() == 2.0**60
    assert spread_apart(rows, start, end, amount, time)[2].sum() == 2.0**60
