"""Which question is put about a cell's unexplained seconds: tests/vectors/investigations.json."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from iotriage.analysis.decision.condition import answer
from iotriage.analysis.document.account import Account
from iotriage.analysis.evaluation import thresholds_in_force
from iotriage.analysis.investigations.choosing import investigations_of
from iotriage.analysis.investigations.moved import ThresholdsOfCase
from iotriage.metrics.core.metric import Metric
from iotriage.metrics.tables.account.cells import Basis, Cell, Cells
from iotriage.rules.core.condition import ALWAYS

AS_DECLARED = ThresholdsOfCase(thresholds_in_force(()), ())
VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "investigations.json").read_text(encoding="utf-8"))


def _metrics(values):
    return {
        id: Metric(id, id, "1", value, None if value is None else "measured", "not recorded" if value is None else None)
        for id, value in values.items()
    }


def _asked(cell, source, metrics, may_hold=()):
    account = Account(source, None, Cells(**{cell: 100.0}), {}, None, False)
    return investigations_of(account, _metrics(metrics), may_hold, AS_DECLARED)


@pytest.mark.parametrize("vector", VECTORS, ids=[v["name"] for v in VECTORS])
def test_what_would_tell_where_unexplained_seconds_go(vector):
    asked = _asked(vector["cell"], vector["source"], vector["metrics"]).of_cells[vector["cell"]]
    meant = next(one for one in asked if vector["seconds"] >= one.least_s)
    assert meant.sentence.startswith(vector["begins"])
    assert meant.command == vector["command"]


def test_lines_that_csh_refuses_have_what_stands_for_them_there():
    """Of each question, whoever asks it: none that has no such lines says a word of it."""
    for cell in get_args(Cell):
        for source in get_args(Basis):
            account = Account(source, None, Cells(**{cell: 100.0}), {}, None, False)
            metrics = _metrics(SIZES | {"io.pattern": "file-per-process"})
            plain, in_csh = (
                investigations_of(account, metrics, (), AS_DECLARED, of_csh=of_csh) for of_csh in (False, True)
            )
            asked = [
                *zip(plain.of_cells.get(cell, ()), in_csh.of_cells.get(cell, ()), strict=True),
                (plain.otherwise, in_csh.otherwise),
            ]
            for one, there in asked:
                assert there.command == one.command
                exports = "export " in (one.command or "")
                assert ("In csh" in there.sentence) == (exports or "${" in (one.command or ""))
                assert not exports or "setenv NAME VALUE stands for export" in there.sentence


@pytest.mark.parametrize("basis", get_args(Basis))
def test_every_cell_with_seconds_is_asked_about_and_no_other(basis):
    for cell in ("reads", "writes", "metadata", "exchange", "streams", "library", "imbalance"):
        assert list(_asked(cell, basis, {}).of_cells) == [cell]
    assert _asked("not_split", basis, {}).of_cells == {}


@pytest.mark.parametrize(
    ("may_hold", "asked"),
    [
        ((), [()]),
        (("ranks-in-turn",), [("ranks-in-turn",), ()]),
        (("slow-moment", "slower-and-slower"), [("slower-and-slower",), ("slow-moment",), ()]),
    ],
)
def test_other_ranks_are_tried_after_what_a_rule_names(may_hold, asked):
    found = _asked("exchange", "Darshan", {"mpiio.to_posix_time": 1.1}, may_hold).of_cells["exchange"]
    assert [one.if_hold for one in found] == asked


def test_what_does_not_ask_for_other_ranks_needs_no_rule_about_later_files():
    found = _asked("metadata", "Darshan", {}, ("slow-moment", "slower-and-slower")).of_cells["metadata"]
    assert [one.if_hold for one in found] == [()]


def test_phases_that_a_text_prints_stand_before_what_the_trace_shows():
    printed = {"timers.weight": 0.4, "timers.exchange_fraction": 0.5, "io.traced": "yes"}
    (found,) = _asked("exchange", "Darshan", printed).of_cells["exchange"]
    assert found.sentence.startswith(
        "Not explained: of the time in MPI-IO, MPICH_MPIIO_TIMERS prints 50 % as exchange. The timeline of this log's "
        "trace shows whether ranks come late"
    )
    assert found.command is None


def test_who_is_slow_is_asked_only_where_no_finding_says_it():
    paces = {"balance.two_paces": 2.0, "balance.two_paces_slow": 8}
    told, asked = _asked("writes", "Darshan", paces, ("slow-ost",)).of_cells["writes"]
    assert (told.if_hold, asked.if_hold) == (("slow-ost",), ())
    assert told.sentence.startswith("Not explained: trace one short run")
    assert asked.sentence.startswith("Not explained: 8 of the ranks that move the bytes take 2 times as long")


GIB = 2.0**30
SIZES = {
    "dfs.average_write_size": 262144.0,
    "dfs.average_read_size": 1048576.0,
    "daos.average_write_size": 131072.0,
    "daos.average_read_size": 65536.0,
}


@pytest.mark.parametrize(
    ("layer", "cell", "written", "size"),
    [
        ("DFS", "writes", GIB, "-t 256k"),
        ("DFS", "reads", GIB, "-t 1m"),
        ("DFS", "imbalance", 0.0, "-t 1m"),
        ("DAOS", "writes", GIB, "-t 128k"),
        ("DAOS", "reads", GIB, "-t 64k"),
    ],
)
def test_ior_in_daos_has_pieces_as_large_as_those_of_the_layer_that_the_job_calls(layer, cell, written, size):
    moved = {"io.layer": layer, "io.bytes_written": written, "io.bytes_read": GIB / 2}
    (one,) = _asked(cell, "Darshan", SIZES | moved).of_cells[cell]
    assert f"{size} -b " in one.command


BELOW = {"timers.file_write_fraction": 0.9, "io.pattern": "shared-collective", "file.other_osts": "unknown"}


@pytest.mark.parametrize(
    ("stripes", "begins"),
    [
        ({"file.stripe_count": 1, "file.stripe_size": 2.0**20, "file.size": GIB}, "mkdir "),
        ({"file.stripe_count": 32, "mpiio.movers_per_stripe": 1.0, "file.size": 535822336.0}, None),
        ({"file.stripe_count": 32, "mpiio.movers_per_stripe": 1.0, "file.size": 600 * GIB}, "module load darshan"),
    ],
)
def test_what_asks_for_no_trace_has_no_lines_that_make_one(stripes, begins):
    """Of the times of texts, too."""
    (one,) = _asked("exchange", "MPICH_MPIIO_TIMERS", BELOW | stripes).of_cells["exchange"]
    assert (one.command or "").startswith(begins or "")
    assert (one.command is None) == (begins is None)
    assert ("trace" in one.sentence) == ("DXT_ENABLE" in (one.command or ""))


@pytest.mark.parametrize(("ranks", "files"), [(1.0, "-F -w"), (64.0, "POSIX -w"), (None, "-F -w")])
def test_ior_has_one_file_where_the_streams_have_one(ranks, files):
    streams = {"stdio.average_size": 2.0**22, "stdio.sharing_ranks": ranks, "io.pattern": "file-per-process"}
    (one,) = _asked("streams", "Darshan", streams).of_cells["streams"]
    assert files in one.command


@pytest.mark.parametrize(
    ("library", "prints"),
    [
        ("cray-mpich", "MPICH_MPIIO_HINTS_DISPLAY=1"),
        ("openmpi", "OMPI_MCA_io_ompio_verbose_info_parsing=1"),
        ("intel-mpi", "ROMIO_PRINT_HINTS=1"),
        (None, "MPICH_MPIIO_HINTS_DISPLAY=1 with Cray MPICH, ROMIO_PRINT_HINTS=1 with others"),
    ],
)
def test_a_hint_that_nobody_has_printed_is_to_be_seen_as_its_library_prints_it(library, prints):
    alike = {"mpiio.to_posix_time": 1.1, "io.pattern": "shared-collective", "mpiio.effective_aggregators": 2.0}
    metrics = _metrics(alike | {"file.stripe_count": 24} | ({} if library is None else {"mpi.library": library}))
    asked = Metric("hints.cb_nodes", "hints.cb_nodes", "1", 24, "inferred", None)
    account = Account("Darshan", None, Cells(exchange=100.0), {}, None, False)
    question = investigations_of(account, metrics | {"hints.cb_nodes": asked}, (), AS_DECLARED).of_cells["exchange"][0]
    assert f"which hints the library prints when it opens this file ({prints}), and whether" in question.sentence


@pytest.mark.parametrize(
    ("movers", "among", "said"), [(32, 64, False), (8, 64, True), (9, 64, False), (32, 4096, True), (32, None, True)]
)
def test_ranks_that_may_be_on_one_node_are_few_of_their_own_step(movers, among, said):
    """The slowest rank is in another step, of 4,096."""
    seen = {"balance.moving_ranks_apart": 1, "balance.ranks": 4096, "balance.movers": movers}
    found = _asked("exchange", "Darshan", seen | {"balance.movers_among": among, "mpiio.to_posix_time": 1.1})
    assert ("perhaps all on one node" in found.of_cells["exchange"][0].sentence) is said


SYNCS = {"sync.calls": 5000.0, "posix.opens": 64.0, "sync.per_write": 0.25, "sync.bytes_each": 2.0**20}


def _by(moved):
    """What is asked about writes of a case whose document has the thresholds of syncs, with some of them moved."""
    case = ThresholdsOfCase(AS_DECLARED.in_force, {"sync-heavy.per-write", "sync-heavy.count"})
    account = Account("Darshan", None, Cells(writes=100.0), {}, None, False)
    metrics = _metrics(SYNCS)
    thresholds = {id: replace(t, value=moved.get(id, t.value)) for id, t in AS_DECLARED.in_force.items()}
    asked = investigations_of(account, metrics, (), case).of_cells["writes"]
    return next(one for one in asked if answer(one.when, metrics, thresholds)).sentence, asked


def test_who_moves_a_threshold_is_asked_what_is_asked_under_it():
    (synced, asked), (otherwise, _) = _by({}), _by({"sync-heavy.per-write": 0.3})
    assert "a sync waits until the data is on disk" in synced
    assert "sync" not in otherwise
    assert _by({"sync-heavy.count": 10_000.0})[0] == otherwise
    assert [one.when == ALWAYS for one in asked] == [False, True]


def test_what_no_threshold_of_the_document_can_change_is_decided_once():
    assert {one.when for one in _asked("writes", "Darshan", SYNCS).of_cells["writes"]} == {ALWAYS}
    few = SYNCS | {"sync.per_write": 0.1}
    assert len(_asked("writes", "Darshan", few).of_cells["writes"]) == 1
