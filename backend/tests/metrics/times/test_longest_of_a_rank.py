"""What one rank can have spent in files that all ranks share, of which only the slowest rank's seconds and their
variance over ranks are known."""

from __future__ import annotations

import numpy as np
import pytest
from evidence_by_hand import job, log, table, value
from numpy.typing import NDArray

from iotriage.metrics.tables.rank_times import longest_possible_of_a_rank, slowest_rank_time
from iotriage_parsers.evidence import CounterTable


def reduced(seconds: NDArray[np.float64], **known: float) -> CounterTable:
    """`seconds` (files, ranks)."""
    return table(
        "POSIX",
        *(
            (
                file,
                -1,
                {
                    "POSIX_OPENS": len(took),
                    "POSIX_READS": len(took),
                    "POSIX_BYTES_READ": len(took) << 20,
                    "POSIX_F_READ_TIME": float(took.sum()),
                    "POSIX_SLOWEST_RANK": int(took.argmax()),
                    "POSIX_F_SLOWEST_RANK_TIME": float(took.max()),
                    "POSIX_F_VARIANCE_RANK_TIME": float(took.var()),
                }
                | known,
            )
            for file, took in enumerate(seconds)
        ),
    )


def one_of_each(files: int, ranks: int) -> NDArray[np.float64]:
    """Half a second of another rank in each file, and a hundredth of all others."""
    seconds = np.full((files, ranks), 0.01)
    seconds[np.arange(files), np.arange(files) * 7 % ranks] = 0.5
    return seconds


def test_slow_ranks_of_many_files_are_not_one_rank() -> None:
    seconds = one_of_each(1000, 64)
    longest = seconds.sum(axis=0).max()
    files = reduced(seconds)
    assert slowest_rank_time((files,)) == pytest.approx(500)
    assert longest_possible_of_a_rank((files,), 64) == pytest.approx(longest)
    found = job(log(files, nprocs=64, runtime_s=100.0))
    assert value(found, "job.io_time") == pytest.approx(longest)
    assert value(found, "job.io_time_fraction") == pytest.approx(longest / 100)
    assert value(found, "io.bandwidth") == pytest.approx((64_000 << 20) / longest)


def test_one_that_is_the_slowest_of_all_has_their_sum() -> None:
    seconds = np.full((40, 64), 0.01)
    seconds[:, 5] = 0.5
    assert longest_possible_of_a_rank((reduced(seconds),), 64) == pytest.approx(20)


@pytest.mark.parametrize(
    "known",
    [{"POSIX_F_VARIANCE_RANK_TIME": 0.0}, {"POSIX_F_VARIANCE_RANK_TIME": float("nan")}, {"POSIX_SLOWEST_RANK": -1}],
    ids=["no variance", "none that is known", "nobody named"],
)
def test_what_cannot_be_so_or_is_not_known_bounds_nothing(known: dict[str, float]) -> None:
    files = reduced(one_of_each(100, 16), **known)
    assert longest_possible_of_a_rank((files,), 16) == pytest.approx(slowest_rank_time((files,)))


@pytest.mark.parametrize("draw", range(40))
def test_no_rank_spends_longer(draw: int) -> None:
    chance = np.random.default_rng(draw)
    files, ranks = int(chance.integers(1, 30)), int(chance.integers(2, 40))
    seconds = chance.lognormal(0, 2.0, (files, ranks)) * (chance.random((files, ranks)) < chance.uniform(0.2, 1))
    shared, alone = reduced(seconds), chance.random(ranks)
    own = table("STDIO", *((1, r, {"STDIO_F_WRITE_TIME": float(s)}) for r, s in enumerate(alone)))
    longest = float((seconds.sum(axis=0) + alone).max())
    most = longest_possible_of_a_rank((shared, own), ranks)
    assert longest <= most * (1 + 1e-6) + 1e-6
    assert most <= slowest_rank_time((shared, own)) + 1e-9
