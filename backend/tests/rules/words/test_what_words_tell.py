"""Which way of a finding its words tell, and what they leave out where its figure is not known."""

from __future__ import annotations

import pytest
from declared import context

from iotriage.metrics.core.metric import MetricValue
from iotriage.rules import all_rules

SHARED_LOCK = {"hints.shared_lock_mode": 1}
SYNCED = {"sync.calls": 1000, "sync.bytes_each": 4096.0}
TRIED = {"runs.striping_gain": 2.0, "runs.best_stripes": "8", "runs.enough_stripes": "8"}
OF_A_NODE = {
    "balance.slow_block": "128 to 255",
    "balance.block_nodes": 1,
    "balance.block_apart": 4.0,
    "balance.time": 4.0,
}
STRAGGLES = {"balance.slow_ranks": 1, "balance.time": 9.0, "job.nprocs": 64, "io.pattern": "shared-collective"}


def said(rule: str, figures: dict[str, MetricValue]) -> str:
    words = all_rules()[rule].says(context(figures))
    return f"{words.headline} {words.summary}"


@pytest.mark.parametrize(
    ("rule", "figures", "words", "tells"),
    [
        ("shared-lock-mode-unsafe", SHARED_LOCK, "There are independent calls", False),
        ("shared-lock-mode-unsafe", SHARED_LOCK | {"hints.shared_lock_independent": 0}, "independent calls", False),
        ("shared-lock-mode-unsafe", SHARED_LOCK | {"hints.shared_lock_independent": 16}, "independent calls", True),
        ("sync-heavy", SYNCED | {"sync.per_write": 1.0}, "after nearly every", True),
        ("sync-heavy", SYNCED, "after nearly every", False),
        ("many-small-files", {"file.usual_time": 20.0}, ", and each takes 20.0 s", True),
        ("many-small-files", {"file.usual_time": 20.0}, "10.0 ms of a small file on one OST, 0.20 s on 48", True),
        ("many-small-files", {"file.usual_time": 0.001}, ", and each", False),
        ("striping-experiment", TRIED | {"runs.processes": 16}, "With 16 processes there are few clients", True),
        ("striping-experiment", TRIED | {"runs.processes": 1024}, "few clients", False),
        ("striping-experiment", TRIED, "few clients", False),
        ("slow-moment", {"group.standstill_fraction": 0.5, "group.standstills": 1}, "At one moment the calls", True),
        ("slow-moment", {"group.standstill_fraction": 0.5, "group.standstills": 3}, "At 3 moments the calls", True),
        ("straggler-rank", OF_A_NODE, "Ranks 128 to 255, one node, it seems, take 4 times", True),
        ("straggler-rank", OF_A_NODE | {"job.nnodes": 4}, "Ranks 128 to 255, as many as a node has, take", True),
        ("straggler-rank", OF_A_NODE | {"balance.block_node_names": "nid7"}, "The ranks of one node, nid7, take", True),
    ],
)
def test_the_words_tell_of_a_figure_that_is_known_and_of_no_other(
    rule: str, figures: dict[str, MetricValue], words: str, tells: bool
) -> None:
    assert (words in said(rule, figures)) is tells


@pytest.mark.parametrize(("library", "shown"), [("cray-mpich", True), ("open-mpi", False)])
def test_crays_profile_is_offered_for_crays_library_alone(library: str, shown: bool) -> None:
    given = context(STRAGGLES | {"mpi.library": library}, site="archer2", program="sea")
    commands = [one.command or "" for one in all_rules()["straggler-rank"].advise(given)]
    assert any("pat_build" in command for command in commands) is shown
