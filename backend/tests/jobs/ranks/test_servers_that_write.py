"""Ranks that are there to write for the others: whatever they take, nobody may wait for it, and no saving is sure."""

from __future__ import annotations

import pytest
from described import MIB, Part, Work, above_info, document, osts, own

from iotriage.analysis.document import Finding

SERVERS = range(1008, 1024)


def gathered(servers: range, aggregators: range) -> Work:
    """Twelve outputs of WRF by PnetCDF, each on one OST."""
    parts = []
    for k in range(12):
        path, begins_s = f"/scratch/wrf/wrfout_d01_{k:02}", 100 + 250.0 * k
        parts += [
            Part(path, servers, "MPI-IO", writes=50, size=16 * MIB, write_s=120, collective=True, begins_s=begins_s),
            Part(path, aggregators, writes=3200, size=4 * MIB, write_s=110, osts=osts(1, k), begins_s=begins_s),
        ]
    return Work(tuple(parts), nprocs=1024, runtime_s=3600, program="/scratch/wrf.exe", nodes=16)


def aggregated(work: Work) -> Finding:
    return next(f for f in document(work).findings if f.rule == "single-aggregator" and f.verdict == "triggered")


def test_of_what_the_last_ranks_write_alone_no_saving_is_sure() -> None:
    found = aggregated(gathered(SERVERS, range(1008, 1009)))
    assert found.takes_s == pytest.approx(1440, rel=0.01)
    assert (found.could_save_at_least_s, found.could_save_s) == (None, None)
    assert "whether anybody waits for them is not in the log" in (found.summary or "")


@pytest.mark.parametrize("ranks", [range(16), range(1000, 1016), range(512, 1024)], ids=["first", "middle", "half"])
def test_ranks_elsewhere_compute_as_the_others_do(ranks: range) -> None:
    found = aggregated(gathered(ranks, range(ranks.start, ranks.start + 1)))
    assert (found.could_save_at_least_s or 0.0) > 400
    assert "anybody waits" not in (found.summary or "")


def one_of_each_group(took: tuple[float, ...]) -> Work:
    """Every 250 s the first server of another group writes."""
    parts = tuple(
        Part(
            f"/scratch/wrf/wrfout_d01_{k:02}",
            range(rank, rank + 1),
            writes=4000,
            size=4 * MIB,
            write_s=took[k % len(took)],
            osts=osts(4, k),
            begins_s=100 + 250.0 * k,
        )
        for k, rank in enumerate(range(1000, 1024, 2))
    )
    return Work(parts, nprocs=1024, runtime_s=3600, program="/scratch/wrf.exe", nodes=16)


@pytest.mark.parametrize("took", [(180.0,), (180.0, 171.0, 190.0, 165.0, 200.0)], ids=["alike", "uneven"])
def test_outputs_at_even_distances_are_no_turns(took: tuple[float, ...]) -> None:
    work = one_of_each_group(took)
    assert "ranks-in-turn" not in above_info(document(work))
    assert (document(work).headline.action or "").startswith("Time an output on the ranks that compute")


def test_where_each_begins_as_another_ends_they_are() -> None:
    assert "ranks-in-turn" in above_info(document(one_of_each_group((249.0,))))


@pytest.mark.parametrize(("slow_s", "is_told"), [(1500.0, True), (850.0, True), (500.0, False)])
def test_of_four_servers_the_slow_one_is_held_against_the_others(slow_s: float, *, is_told: bool) -> None:
    """All ranks read a file beside it: Darshan has one record of that for all."""
    namelist = Part("/scratch/nemo/namelist", range(512), "STDIO", reads=20, size=4096, read_s=0.02, reach=81_920)
    took = (200.0, 205.0, 210.0, slow_s)
    files = Part("/scratch/nemo/T_{}.nc", range(508, 512), writes=2000, size=4 * MIB, write_s=took, osts=own(4))
    found = document(Work((namelist, files), 512, 3600.0, program="/scratch/nemo.exe", nodes=8))
    assert ("straggler-rank" in above_info(found)) is is_told
