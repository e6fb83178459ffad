"""How a run of some size is started at each centre."""

from __future__ import annotations

import pytest

from iotriage.sites import all_sites
from iotriage.sites.launcher import started, started_at
from iotriage_parsers.evidence.job_context import Launcher


@pytest.mark.parametrize(
    ("site", "words"),
    [
        ("lumi", "srun --ntasks=128 --nodes=4"),
        ("theta", "aprun -n 128 -N 32"),
        ("polaris", "mpiexec -n 128 --ppn 32"),
        ("aurora", "mpiexec -n 128 -ppn 32"),
        ("derecho", "mpiexec -n 128 -ppn 32"),
        ("stampede3", "ibrun"),
        ("generic", ""),
    ],
)
def test_as_many_ranks_on_each_node_as_there_were(site: str, words: str) -> None:
    assert " ".join(started_at(all_sites()[site], 128, 4)) == words


@pytest.mark.parametrize(
    ("launcher", "ranks", "nodes", "words"),
    [
        ("flux", 16, None, "flux run -n 16"),
        ("flux", 16, 2, "flux run -n 16 -N 2"),
        ("flux", None, None, "flux run"),
        ("jsrun", 16, 2, "jsrun -p 16"),
        ("mpirun", 16, 2, "mpirun -n 16"),
        ("mpiexec", None, 2, "mpiexec"),
        ("srun", None, 2, "srun --nodes=2"),
        ("ibrun", 16, 2, "ibrun"),
    ],
)
def test_each_launcher_is_told_its_own_way(
    launcher: Launcher, ranks: int | None, nodes: int | None, words: str
) -> None:
    assert " ".join(started(launcher, ranks, nodes, None)) == words


def test_ranks_that_do_not_divide_are_put_on_no_more_nodes_than_there_were() -> None:
    assert started("aprun", 100, 3, "-N") == ("aprun", "-n", "100", "-N", "34")
