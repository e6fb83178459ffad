"""Ranks that move the bytes for all, and the nodes that they are on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from described import (
    KIB,
    MIB,
    Part,
    Work,
    above_info,
    collective,
    document,
    in_steps,
    log_of,
    osts,
    own,
    seconds_of,
    uneven,
)
from printed_by_mpich import GIB, case, phases, statistics

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.document.metrics import KnownMetric
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.reports.terminal import as_text
from iotriage.rules.core.words import size
from iotriage_parsers.evidence import Evidence, Heatmap

RANKS, NODES = 1024, 16


def gathered(movers: Sequence[int], *, stripes: int = 16, seconds: float = 300.0, **changed: object) -> Work:
    """All ranks write 128 GiB with collective calls, and `movers` alone below them."""
    name = "/scratch/p/h0.nc"
    below = (
        Part(name, range(m, m + 1), writes=8192 // len(movers), size=16 * MIB, write_s=0.97 * seconds, in_order=0.3)
        for m in movers
    )
    above = Part(name, range(RANKS), "MPI-IO", writes=8, size=16 * MIB, write_s=seconds, collective=True)
    laid = [Part(name, range(0), osts=osts(stripes))]
    return Work((above, *below, *laid), RANKS, 1200.0, **({"nodes": NODES} | changed))  # type: ignore[arg-type]


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("movers", [range(16), range(192, 208), range(32)])
def test_aggregators_of_one_node_of_many_are_the_cause_and_more_stripes_no_cure(movers: range, named: bool) -> None:
    work = gathered(movers, named=named)
    found = document(work)
    assert found.headline.rule == "few-nodes"
    assert found.headline.sentence.startswith("All ranks that write the data are on 1 of 16 nodes.")
    assert "MPICH_MPIIO_AGGREGATOR_PLACEMENT_STRIDE=-1" in (found.headline.command or "")
    assert list(above_info(document(work))) == ["few-nodes"]
    assert 290 < seconds_of(work)["few-nodes"] < 335
    mine = next(f for f in found.findings if f.rule == "few-nodes")
    assert ("No source names the node of each rank" in (mine.summary or "")) is not named


@pytest.mark.parametrize(
    "work",
    [
        gathered(range(0, RANKS, 64)),
        gathered(range(0, RANKS, 16), stripes=48),
        gathered(range(16), nodes=1),
        gathered(range(16), nodes=None),
        gathered(range(16), stripes=1),
        gathered(range(16), seconds=15.0),
        gathered(range(16), mounts=(("/scratch", "xfs"),)),
    ],
    ids=["one a node", "four a node", "one node", "nodes not known", "one stripe", "fast", "disks of the nodes"],
)
def test_it_is_not_the_node_where_the_ranks_lie_apart_or_something_else_is_narrower(work: Work) -> None:
    assert "few-nodes" not in above_info(document(work))


MOST_ON_ONE = [*range(56), *range(64, RANKS, 120)]
SOME_MORE_ON_ONE = [*range(7), *(64 * node + k for node in range(1, NODES) for k in range(4))]


def placed(ranks: Sequence[int]) -> str:
    """What Cray MPICH prints of the aggregators of a file."""
    rows = "".join(f" {i:3d}  {rank:6d}  nid{rank // 64:06d}\n" for i, rank in enumerate(ranks))
    head = "Aggregator Placement for /scratch/p/h0.nc\nRankReorderMethod=1  AggPlacementStride=1\n"
    return f"{head} AGG    Rank       nid\n ----  ------  --------\n{rows}"


WRITING = {"wait for coll": 0.05, "data send (*)": 0.2, "file write": 0.8}


def by_text(ranks: Sequence[int], took_s: float, before: str = "", what: Mapping[str, float] = WRITING) -> CaseDocument:
    block = statistics("/scratch/p/h0.nc", 128 * GIB, aggregators=len(ranks), stripe_count=len(ranks))
    times = phases("/scratch/p/h0.nc", 128 * GIB, took_s, what)
    return case(f"+ srun --nodes=16 --ntasks=1024 ./app\n{before}{placed(ranks)}{block}{times}".encode())


@pytest.mark.parametrize("told_by", ["records", "table"])
@pytest.mark.parametrize(("movers", "share"), [(MOST_ON_ONE, "88 %"), ([*range(64), *range(64, RANKS, 40)], "73 %")])
def test_most_on_one_node_is_as_slow_as_all_there(movers: Sequence[int], share: str, told_by: str) -> None:
    """Whoever waits for all waits for the busiest."""
    found = document(gathered(movers, stripes=64)) if told_by == "records" else by_text(movers, 310.0)
    assert found.headline.rule == "few-nodes"
    says = f"One of 16 nodes {'writes' if told_by == 'records' else 'has'} {share} of the "
    assert found.headline.sentence.startswith(says)
    mine = next(f for f in found.findings if f.rule == "few-nodes" and f.verdict == "triggered")
    rate = found.metrics["balance.moving_node_rate"]
    assert isinstance(rate, KnownMetric)
    assert isinstance(rate.value, float)
    assert f"moved their part of 128 GiB at {size(rate.value)}/s" in (mine.summary or "")
    of_each = [one.command for one in mine.advice if "cb_config_list" in (one.command or "")]
    assert all(f'"*:{-(-len(movers) // NODES)}"' in (command or "") for command in of_each)


@pytest.mark.parametrize("told_by", ["records", "table"])
def test_some_more_on_one_node_than_on_others_are_not(told_by: str) -> None:
    found = document(gathered(SOME_MORE_ON_ONE, stripes=64)) if told_by == "records" else by_text(SOME_MORE_ON_ONE, 310)
    assert "few-nodes" not in above_info(found)
    assert "nodes has" not in ((found.unexplained and found.unexplained.experiment) or "")


@pytest.mark.parametrize(("last", "rule"), [(range(32), "few-nodes"), (range(0, RANKS, 32), None)])
def test_of_a_file_that_is_opened_again_the_aggregators_of_its_last_open_count(
    last: Sequence[int], rule: str | None
) -> None:
    first = range(0, RANKS, 32) if rule else range(32)
    assert by_text(last, 310.0, before=placed(first)).headline.rule == rule


def test_where_most_are_on_one_slow_node_they_are_spread_before_others_are_tried() -> None:
    found = by_text(MOST_ON_ONE, 1500.0)
    assert not above_info(found)
    assert found.unexplained is not None
    assert "one of 16 nodes has 88 % of the aggregators, and moves" in (found.unexplained.experiment or "")
    by_records = document(gathered(MOST_ON_ONE, stripes=64, seconds=1000.0))
    assert by_records.unexplained is not None
    assert "one of 16 nodes has 88 % of the bytes to move" in (by_records.unexplained.experiment or "")


@pytest.mark.parametrize(
    ("ranks", "now"),
    [
        ([*range(64)], "one holds them now"),
        ([*range(16), *range(64, 80)], "2 hold them now"),
        ([*range(8), *range(64, 72), *range(128, 136)], "3 hold them now"),
        (MOST_ON_ONE, "one has 88 % of them now"),
    ],
)
def test_nodes_that_have_as_many_aggregators_each_are_counted(ranks: Sequence[int], now: str) -> None:
    sent = {"wait for coll": 0.05, "data send (*)": 0.8, "file write": 0.1}
    found = by_text(ranks, 1000.0, what=sent)
    mine = next(f for f in found.findings if f.rule == "data-send-bound" and f.verdict == "triggered")
    assert now in mine.advice[0].text


def test_the_node_is_not_what_small_pieces_wait_for() -> None:
    part = Part("/scratch/p/r.{}", range(32), writes=100_000, size=4 * KIB, write_s=200.0, osts=own(32))
    assert next(iter(above_info(document(Work((part,), RANKS, 500.0, nodes=32))))) == "small-io"


@pytest.mark.parametrize(
    ("program", "said", "command"),
    [
        ("/work/cesm.exe", "16 of them, every 64th rank", "./xmlchange PIO_NUMTASKS=16,PIO_STRIDE=64"),
        ("/work/atmosphere_model", "config_pio_num_iotasks = 16, config_pio_stride = 64", None),
        ("/work/romsM", "In roms.in PIO_IOTASKS = 16, PIO_STRIDE = 64", None),
        ("/work/app", "16 of them, every 64th rank", None),
        ("/work/nemo.exe", "start the XIOS servers a few to a node", None),
    ],
)
def test_where_the_program_chose_them_its_own_setting_is_named(program: str, said: str, command: str | None) -> None:
    files = (collective(f"/scratch/p/h{k}.nc", range(16), range(16), 25.0, osts(16, k)) for k in range(8))
    top = document(Work(tuple(p for f in files for p in f), RANKS, 600.0, nodes=NODES, program=program)).headline
    assert top.rule == "few-nodes"
    assert said in (top.action or "")
    assert top.command == command


@pytest.mark.parametrize(
    ("program", "asked"),
    [
        ("cesm.exe", "spread over all nodes (./xmlchange PIO_STRIDE)"),
        ("ocean_model", "spread over all nodes (config_pio_stride in &io of its namelist)"),
        ("romsM", "spread over all nodes (PIO_STRIDE in roms.in)"),
        ("app", "spread over all nodes (libraries that gather have a stride for it, as PIO's)"),
        ("padcirc", "twice as many of these ranks (-W on its command line)"),
        ("nemo.exe", "twice as many servers"),
    ],
)
def test_who_can_spread_them_is_asked_to_by_the_name_of_the_setting(program: str, asked: str) -> None:
    """They are too slow for a node to be what they wait for."""
    files = (Part(f"/scratch/p/h{k}.nc", range(16), writes=100, write_s=20.0, osts=osts(16, k)) for k in range(4))
    found = document(Work(tuple(files), RANKS, 300.0, nodes=NODES, program=f"/work/{program}"))
    assert "few-nodes" not in above_info(found)
    assert found.unexplained is not None
    assert asked in (found.unexplained.experiment or "")


@pytest.mark.parametrize(
    ("program", "movers", "served"),
    [
        ("/work/wrf.exe", range(1024, 1088), True),
        ("/work/icon", range(1072, 1088), True),
        ("/work/app", range(1024, 1080), False),
        ("/work/app", range(64), False),
        ("/work/cesm.exe", range(1024, 1088), False),
        ("/work/ocean_model", range(1072, 1088), False),
    ],
    ids=["quilting", "of ICON", "ranks after them", "the first", "by PIO's stride", "by that of MPAS"],
)
@pytest.mark.parametrize("layer", ["POSIX", "MPI-IO"])
def test_the_last_ranks_of_a_program_may_be_servers_for_which_nobody_waits(
    program: str, movers: range, layer: str, *, served: bool
) -> None:
    files = [
        Part(f"/scratch/p/h{k}.nc", movers, one, writes=100, size=4 * MIB, write_s=20.0, osts=osts(16, k))
        for k in range(10)
        for one in {layer, "POSIX"}
    ]
    found = document(Work(tuple(files), 1088, 1500.0, nodes=17, program=program))
    mine = next(f for f in found.findings if f.rule == "few-nodes" and f.verdict == "triggered")
    assert ("Those that write are the last ranks: as I/O servers" in (mine.summary or "")) is served
    assert mine.advice[0].text.startswith("Time an output" if served else "Let the ranks that write lie")
    said = " ".join(one.text for one in mine.advice)
    assert ("more of them, where it has some already" in said) is served
    # Settings of the package stand before it: it is understood without what stands before these.
    assert mine.advice[-1].text.startswith("Where an output takes the ranks that compute longer,") is served


def beside_a_larger_step(work: Work, *, reads: bool) -> CaseDocument:
    """Four times as many ranks and nodes follow it, of which one rank reads or adds a line of its files."""
    names = dict.fromkeys(part.path for part in work.parts)
    line = Part("", range(1), reads=1, read_s=0.001, size=KIB) if reads else Part("", range(1), writes=1, size=KIB)
    lines = tuple(replace(line, path=name) for name in names)
    larger = Work(lines, 4 * work.nprocs, 300.0, nodes=4 * (work.nodes or 1), program=work.program)
    return in_steps((work, 0.0), (larger, 2000.0))


@pytest.mark.parametrize("reads", [True, False])
@pytest.mark.parametrize("layer", ["POSIX", "MPI-IO"])
def test_the_nodes_and_ranks_are_those_of_the_step_that_moves_the_bytes(layer: str, *, reads: bool) -> None:
    if layer == "MPI-IO":
        found = beside_a_larger_step(gathered(range(16)), reads=reads)
        assert found.headline.sentence.startswith("All ranks that write the data are on 1 of 16 nodes.")
        return
    part = Part("/scratch/p/h.nc", range(16), writes=8192, size=MIB, write_s=180.0, osts=osts(16))
    found = beside_a_larger_step(Work((part,), RANKS, 900.0, nodes=NODES, program="/work/cesm.exe"), reads=reads)
    mine = next(f for f in found.findings if f.rule == "few-nodes" and f.verdict == "triggered")
    assert (mine.headline or "").startswith("All ranks that write the data are on 1 of 16 nodes.")
    assert mine.advice[0].command == "./xmlchange PIO_NUMTASKS=16,PIO_STRIDE=64"


@pytest.mark.parametrize("reads", [True, False])
@pytest.mark.parametrize("size", [4 * MIB, 64 * MIB])
def test_a_larger_step_beside_it_makes_no_few_nodes_of_one_of_two(size: int, *, reads: bool) -> None:
    files = (
        Part(f"/scratch/p/h{k}.nc", range(16), writes=100, size=size, write_s=20.0, osts=osts(16, k)) for k in range(4)
    )
    work = Work(tuple(files), 128, 300.0, nodes=2)
    found = beside_a_larger_step(work, reads=reads)
    assert found.metrics["balance.nodes_per_moving_node"].value == 2
    assert "few-nodes" not in above_info(found)
    asked = [one.unexplained and one.unexplained.experiment for one in (document(work), found)]
    assert asked[0] == asked[1]
    assert "nodes, whose links" not in (asked[1] or "")


@pytest.mark.parametrize(("writers", "nodes"), [(256, 8), (64, 2), (128, 10)])
def test_a_part_of_the_program_that_writes_its_own_data_on_its_nodes_is_no_gathering(writers: int, nodes: int) -> None:
    part = Part("/scratch/p/h.{}", range(writers), writes=100, size=8 * MIB, write_s=120.0, osts=own(writers))
    assert "few-nodes" not in above_info(document(Work((part,), 64 * nodes, 300.0, nodes=nodes)))


def opened_by_all(layer: str, movers: Sequence[int], *, collective: bool = False) -> Work:
    """A file of all ranks that `movers` alone write, by calls of this layer; the heatmap tells them apart."""
    name = "/scratch/p/h0.nc"
    opened = [Part(name, range(RANKS), one, meta_s=0.01) for one in {layer, "POSIX"}]
    parts = [
        Part(name, range(m, m + 1), one, writes=512, size=16 * MIB, write_s=290.0, in_order=0.3, collective=collective)
        for one in {layer, "POSIX"}
        for m in movers
    ]
    written = np.zeros((RANKS, 10), dtype=np.int64)
    written[list(movers), 3] = 512 * 16 * MIB
    heat = Heatmap("POSIX", 100.0, np.arange(RANKS), np.zeros_like(written), written)
    return Work((*opened, *parts, Part(name, range(0), osts=osts(16))), RANKS, 1200.0, nodes=4, heat=(heat,))


@pytest.mark.parametrize(
    ("layer", "collective", "by"),
    [("POSIX", False, "program"), ("MPI-IO", False, "program"), ("MPI-IO", True, "library")],
)
@pytest.mark.parametrize("movers", [range(16), range(256, 288)])
def test_a_library_chooses_the_ranks_of_collective_calls_alone(
    movers: range, layer: str, by: str, *, collective: bool
) -> None:
    """That all ranks opened the file makes none of them hand anything over."""
    found = document(opened_by_all(layer, movers, collective=collective))
    assert found.metrics["balance.moving_nodes"].value == 1
    assert found.metrics["balance.moved_by"].value == by
    commands = [one.command or "" for f in found.findings if f.verdict == "triggered" for one in f.advice]
    assert any("AGGREGATOR_PLACEMENT" in command for command in commands) is (by == "library")


def test_the_threshold_that_is_told_is_that_of_who_chose_the_ranks() -> None:
    files = (collective(f"/scratch/p/h{k}.nc", range(16), range(16), 25.0, osts(16, k)) for k in range(8))
    by_program = Work(tuple(p for f in files for p in f), RANKS, 600.0, nodes=NODES, program="/work/app")
    for work, who, least in ((gathered(range(16)), "library", 2), (by_program, "program", 8)):
        said = as_text(document(work), width=1000)
        assert f"Who chose the ranks that move the bytes: {who}" in said
        assert said.count("Nodes for each as busy as the busiest: ") == 1
        assert f"Nodes for each as busy as the busiest: 16 ×, threshold ≥ {least} × [ours]" in said


def rates(found: CaseDocument) -> dict[str, float]:
    assert found.unexplained is not None
    return {rate.of: rate.count for rate in found.unexplained.rates}


def test_the_rate_of_a_node_is_that_of_those_that_move_the_bytes() -> None:
    """By records of single ranks, and where all ranks have one record, by the heatmap."""
    slow = gathered(range(4), seconds=1000.0, stripes=48)
    assert rates(document(slow))["node"] == 1
    reduced = gathered(range(0, RANKS, 64), seconds=1000.0)
    written = np.zeros((RANKS, 10), dtype=np.int64)
    written[::64, 3] = 8 * 1024**3
    heat = Heatmap("POSIX", 100.0, np.arange(RANKS), np.zeros_like(written), written)
    opened = Part("/scratch/p/h0.nc", range(RANKS), meta_s=0.01)
    as_one = Work((*reduced.parts, opened), RANKS, 1200.0, nodes=64)
    assert "node" not in rates(document(as_one))
    assert rates(document(Work(as_one.parts, RANKS, 1200.0, nodes=64, heat=(heat,))))["node"] == 16
    assert "for each node that moves the bytes (16 of 64)" in (
        document(Work(as_one.parts, RANKS, 1200.0, nodes=64, heat=(heat,))).headline.action or ""
    )


@pytest.mark.parametrize(("movers", "asked"), [(range(16), True), (range(0, RANKS, 64), False), (range(512), False)])
def test_where_no_source_states_the_nodes_few_ranks_beside_one_another_have_them_asked_for(
    movers: Sequence[int], *, asked: bool
) -> None:
    found = document(gathered(movers, nodes=None, stripes=48))
    assert found.unexplained is not None
    said = "perhaps all on one node: add what says how many nodes" in (found.unexplained.experiment or "")
    assert said == asked


@pytest.mark.parametrize(
    ("program", "tried"),
    [
        ("cesm.exe", "as many of these ranks, spread over all nodes (./xmlchange PIO_STRIDE)"),
        ("ufs_model", "twice as many of these ranks (write_tasks_per_group"),
    ],
)
def test_more_of_ranks_beside_one_another_would_lie_there_too(program: str, tried: str) -> None:
    """Those of UFS are started behind the others: no setting spreads them."""
    part = Part("/scratch/p/h.{}", range(16), writes=3000, size=4 * MIB, write_s=uneven(16, 300.0), osts=own(16))
    found = document(Work((part,), RANKS, 1200.0, f"/work/{program}"))
    assert found.unexplained is not None
    told = found.unexplained.experiment or ""
    assert "perhaps all on one node" in told
    assert tried in told


@pytest.mark.parametrize("program", ["/work/app", "/work/cesm.exe", "/work/atmosphere_model"])
@pytest.mark.parametrize(("fat", "thin"), [(128, 4), (96, 5)])
def test_where_one_node_has_most_ranks_no_stride_spreads_them(fat: int, thin: int, program: str) -> None:
    """Every second rank, and so the first, would lie on the same node again."""
    part = Part("/scratch/p/h.{}", range(fat), writes=3000, size=MIB, write_s=300.0, osts=own(fat))
    work = Work((part,), fat + 15 * thin, 1000.0, nodes=16, program=program)
    log = log_of(work)
    hosts = {rank: f"nid{0 if rank < fat else 1 + (rank - fat) // thin:06}" for rank in range(work.nprocs)}
    found = diagnose(
        [ReadSource("job.darshan", "0" * 64, 1, Evidence("darshan_log", (replace(log, hostnames=hosts),)))], None
    )
    assert found.headline.rule == "few-nodes"
    assert f"{-(-fat // 16)} of each of the 16 nodes" in (found.headline.action or "")
    assert found.headline.command is None


@pytest.mark.parametrize(("moving", "nodes"), [(2, 16), (2, 64), (3, 64)])
@pytest.mark.parametrize("layer", ["POSIX", "STDIO"])
def test_slow_ranks_on_few_nodes_are_spread_before_there_are_more_of_them(moving: int, nodes: int, layer: str) -> None:
    """At 190 MiB/s it is not their links that are known to be full."""
    part = Part("/scratch/p/o.{}", range(0, 32 * moving, 4), layer, writes=800, size=8 * MIB, write_s=270.0)
    found = document(Work((part,), 32 * nodes, 1000.0, nodes=nodes))
    assert not above_info(found)
    assert found.unexplained is not None
    asked = found.unexplained.experiment or ""
    assert f"on {moving} of {nodes} nodes" in asked
    assert "twice as many" not in asked


def test_slow_ranks_on_half_of_the_nodes_are_not_called_few() -> None:
    part = Part("/scratch/p/o.{}", range(512), writes=1250, write_s=400.0, osts=own(512))
    found = document(Work((part,), 1024, 1000.0, nodes=32))
    assert found.unexplained is not None
    assert "spread" not in (found.unexplained.experiment or "")


@pytest.mark.parametrize(("on_first", "logged"), [(2, True), (2, False), (49, False)])
def test_the_part_of_the_aggregators_on_a_node_is_that_of_the_table_and_not_of_the_bytes(
    on_first: int, logged: bool
) -> None:
    """By the log the ranks of the first node write most, with as many aggregators on each."""
    ranks = [*range(on_first), *(64 * n + k for n in range(1, NODES) for k in range(2 if on_first == 2 else 1))]
    name, sent = "/scratch/p/h0.nc", {"wait for coll": 0.05, "data send (*)": 0.7, "file write": 0.15}
    text = statistics(name, 128 * GIB, aggregators=len(ranks), stripe_count=16) + phases(name, 128 * GIB, 300.0, sent)
    below = (Part(name, range(m, m + 1), writes=2000 if m < 64 else 100, size=16 * MIB, write_s=60.0) for m in ranks)
    above = Part(name, range(RANKS), "MPI-IO", writes=8, size=16 * MIB, write_s=300.0, collective=True)
    work = Work((above, *below, Part(name, range(0), osts=osts(16))), RANKS, 1200.0, nodes=NODES)
    texts = f"+ srun --nodes=16 --ntasks=1024 ./app\n{placed(ranks)}{text}".encode()
    found = case(texts, work=work if logged else None)
    mine = next(f for f in found.findings if f.rule == "data-send-bound" and f.verdict == "triggered")
    said = "one has 77 % of them now" if on_first == 49 else "one has"
    assert any(said in one.text for one in mine.advice) is (on_first == 49)


@pytest.mark.parametrize("moving", [2, 49, 103])
def test_half_of_the_nodes_are_one_of_each_two(moving: int) -> None:
    """By their count: a part that no double holds exactly makes it no less."""
    table = placed([64 * n + k for n in range(moving) for k in range(2)])
    block = statistics("/scratch/p/h0.nc", 128 * GIB, aggregators=2 * moving, stripe_count=4 * moving)
    metrics = case(f"+ srun --nodes={2 * moving} --ntasks={128 * moving} ./app\n{table}{block}".encode()).metrics
    of = ("nodes_per_moving_node", "stripes_per_moving_node", "busiest_node_fraction")
    assert [metrics[f"balance.{each}"].value for each in of] == [2.0, 4.0, 1 / moving]


@pytest.mark.parametrize(("ranks", "nodes"), [([*range(60), *range(512, 516)], 2), ([*range(60), 512], 2)])
@pytest.mark.parametrize("told_by", ["records", "table"])
def test_nodes_with_little_beside_the_busiest_make_it_no_less_busy(
    ranks: Sequence[int], nodes: int, told_by: str
) -> None:
    name, what = "/scratch/p/h0.nc", {"wait for coll": 0.05, "data send (*)": 0.2, "file write": 0.8}
    table = "".join(f" {i:3d}  {rank:6d}  nid{rank // 512:06d}\n" for i, rank in enumerate(ranks))
    head = f"Aggregator Placement for {name}\nRankReorderMethod=1  AggPlacementStride=1\n AGG    Rank       nid\n"
    block = statistics(name, 128 * GIB, aggregators=len(ranks), stripe_count=64) + phases(name, 128 * GIB, 310.0, what)
    text = f"+ srun --nodes={nodes} --ntasks={RANKS} ./app\n{head} ----  ------  --------\n{table}{block}".encode()
    by_records = told_by == "records"
    found = document(gathered(ranks, stripes=64, nodes=nodes)) if by_records else case(text)
    assert found.metrics["balance.nodes_per_moving_node"].value == nodes
    part = "94 %" if len(ranks) == 64 else "98 %"
    even = f"All ranks that write the data are on 1 of {nodes} nodes."
    uneven = f"One of {nodes} nodes {'writes' if by_records else 'has'} {part} of the"
    assert found.headline.rule == "few-nodes"
    assert found.headline.sentence.startswith(even if part == "98 %" else uneven)
