"""Programs of one job side by side, each with its log: their ranks are added, and the run waits for the longest."""

from __future__ import annotations

from dataclasses import replace

import pytest
from described import MIB, Part, Work, in_steps, log_at, number, osts

from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.evidence import Evidence


def mpi_program(ranks: int, name: str, seconds: float, *, calls: int = 100) -> Work:
    part = Part(f"/scratch/p/{name}.{{}}", range(ranks), writes=calls, size=8 * MIB, write_s=seconds, osts=osts(48))
    return Work((part,), ranks, 600.0, program=f"/sw/{name}.exe", nodes=ranks // 64)


@pytest.mark.parametrize(
    ("ocean", "atmosphere", "after_s", "ranks"),
    [(512, 64, 0.0, 576), (256, 256, 0.0, 512), (512, 64, 300.0, 576), (512, 64, 700.0, 512)],
)
def test_mpi_programs_side_by_side_are_rated_by_the_ranks_of_both(
    ocean: int, atmosphere: int, after_s: float, ranks: int
) -> None:
    works = (mpi_program(ocean, "ocean", 100.0), 0.0), (mpi_program(atmosphere, "atm", 300.0), after_s)
    found = in_steps(*works)
    assert number(found, "job.nprocs") == number(found, "balance.movers") == ranks
    assert found.unexplained is not None
    assert {rate.of: rate.count for rate in found.unexplained.rates}["rank"] == ranks


def test_ranks_that_move_the_bytes_are_no_more_than_ran_at_a_time() -> None:
    """Two processes one after the other beside 256 ranks; and one beside 256, before others that take far longer."""
    model = mpi_program(256, "model", 100.0)
    short, other = (replace(mpi_program(1, name, 20.0), runtime_s=200.0, nodes=1) for name in ("post", "pack"))
    assert number(in_steps((model, 0.0), (short, 50.0), (other, 300.0)), "balance.movers") == 257
    later = replace(mpi_program(256, "later", 500.0), runtime_s=900.0)
    quick = replace(mpi_program(256, "model", 10.0, calls=400), nodes=4)
    found = in_steps((quick, 0.0), (replace(mpi_program(1, "post", 0.3), nodes=1), 0.0), (later, 700.0))
    assert [number(found, id) for id in ("job.nprocs", "balance.movers", "balance.movers_among")] == [257] * 3


@pytest.mark.parametrize(("ranks", "beside_s", "takes_s"), [(1, 5.0, 295.0), (48, 100.0, 208.6), (48, 0.001, 300.0)])
def test_the_run_waits_for_the_program_that_takes_longest(ranks: int, beside_s: float, takes_s: float) -> None:
    """One makes small accesses for 300 s, a few of them or many, beside 512 ranks that are done after some seconds."""
    pieces = Part("/scratch/p/line.{}", range(ranks), writes=60_000, size=4096, write_s=300.0, osts=osts(48)[:ranks])
    post = Work((pieces,), ranks, 600.0, program="/sw/post.exe", nodes=1)
    found = in_steps((mpi_program(512, "ocean", beside_s), 0.0), (post, 0.0))
    assert found.headline.rule == "small-io"
    assert next(f.takes_s for f in found.findings if f.rule == "small-io") == pytest.approx(takes_s, rel=0.01)
    assert found.account is not None
    assert found.account.cells.imbalance < 1.0


def test_what_one_rank_takes_is_waited_for_beside_the_mean_of_another_program() -> None:
    """The slowest of the model's ranks takes 300 s; beside it all of the atmosphere's take 100 s."""
    took = tuple(300.0 if rank == 77 else 10.0 for rank in range(256))
    model = Work(
        (Part("/scratch/p/o.{}", range(256), writes=100, size=8 * MIB, write_s=took, osts=osts(1)),), 256, 600.0
    )
    found = in_steps((model, 0.0), (mpi_program(512, "atm", 100.0), 0.0))
    assert found.headline.rule == "straggler-rank"
    assert found.account is not None
    # Of 100 s the ranks of both have their share, and 200 s are the model's alone.
    assert found.account.cells.mean_rank == pytest.approx(100 * 2 / 3 + 11.1 * (100 / 3 + 200) / 300, rel=0.01)


def test_programs_that_follow_one_another_are_waited_for_together() -> None:
    """Five processes of 60 s each beside a model that takes 200 s: 100 s more than it takes."""
    pieces = [
        Work((Part(f"/scratch/p/{k}", range(1), reads=5000, size=MIB, read_s=60.0),), 1, 80.0, program=f"/sw/post{k}")
        for k in range(5)
    ]
    account = in_steps((mpi_program(512, "model", 200.0), 0.0), *((p, 100.0 * k) for k, p in enumerate(pieces))).account
    assert account is not None
    cells = account.cells
    assert (cells.writes, cells.reads) == pytest.approx((200 * 512 / 513, 100 + 200 / 513), rel=0.01)


def test_a_program_that_does_next_to_no_io_beside_another_adds_no_ranks() -> None:
    found = in_steps((mpi_program(512, "ocean", 300.0), 0.0), (mpi_program(64, "atm", 0.1, calls=1), 0.0))
    assert number(found, "job.nprocs") == number(found, "balance.movers") == 512


def test_nodes_of_programs_side_by_side_are_those_of_both_where_they_are_named() -> None:
    """Where they are only counted, both may be on the same."""
    ocean, atmosphere = mpi_program(512, "ocean", 100.0), mpi_program(128, "atm", 300.0)
    assert number(in_steps((ocean, 0.0), (atmosphere, 0.0)), "job.nnodes") == 8
    logs = [log_at(ocean, 0.0), log_at(atmosphere, 0.0)]
    logs[1] = replace(logs[1], hostnames={r: f"nid9{r // 64:05}" for r in range(128)})
    both = [ReadSource(f"{i}.darshan", f"{i:064}", 1, Evidence("darshan_log", (log,))) for i, log in enumerate(logs)]
    assert number(diagnose(both), "job.nnodes") == 10
    counted = (replace(work, named=False) for work in (ocean, atmosphere))
    unknown = in_steps(*((work, 0.0) for work in counted)).metrics["job.nnodes"]
    assert unknown.value is None


@pytest.mark.parametrize(("nodes", "leads"), [(1, "few-nodes"), (4, None)])
def test_servers_that_are_a_program_of_their_own_are_on_the_nodes_that_their_log_names(
    nodes: int, leads: str | None
) -> None:
    model = Part("/scratch/p/ocean.output", range(1), "STDIO", writes=4000, size=80, write_s=0.5)
    files = (
        Part(f"/scratch/p/O_{k}.nc", range(k, k + 1), writes=5000, size=4 * MIB, write_s=200.0, osts=(k,))
        for k in range(4)
    )
    nemo = Work((model,), 1024, 900.0, nodes=16, program="/work/nemo.exe")
    servers = Work(tuple(files), 4, 900.0, nodes=nodes, program="/work/xios_server.exe")
    assert in_steps((nemo, 0.0), (servers, 0.0)).headline.rule == leads


def test_ranks_that_do_next_to_nothing_beside_another_program_are_as_many_as_they_are() -> None:
    """64 ranks start while 4 write: what the mean one of them reads is of 64, and of all while it reads."""
    modules = tuple(
        Part(f"/sw/lib/python3.11/site-packages/m{k}.py", range(64), reads=2, size=8192, read_s=0.02, meta_s=0.02)
        for k in range(20)
    )
    started = Work(modules, 64, 100.0, program="/sw/python3", nodes=1)
    found = in_steps((mpi_program(4, "writer", 200.0), 0.0), (started, 400.0))
    assert number(found, "file.imported_time") == pytest.approx(0.8 * 64 / 68)
    assert number(found, "file.importing_ranks") == number(found, "file.importing_ranks_of") == 64
