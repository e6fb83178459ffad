"""Jobs whose processes each kept a log: what ran at the same time is one run, what followed adds up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from described import GIB, MIB, Part, Work, document, in_steps, log_at, number, osts

from iotriage.analysis.document import CaseDocument, Finding
from iotriage.analysis.inputs import ReadSource
from iotriage.analysis.portrait import portrait_of
from iotriage.analysis.views.rank_table import rank_table
from iotriage_parsers.evidence import DxtTrace, Evidence, Heatmap
from iotriage_parsers.evidence.dxt import SEGMENT

At = tuple[Work, float]


def process(*parts: Part, runtime_s: float = 200.0, program: str = "/usr/bin/python3") -> Work:
    return Work(parts, 1, runtime_s, program=program, nodes=1)


def reads(path: str, seconds: float) -> Part:
    """Small and in no order."""
    return Part(path, range(1), reads=20_000, size=4096, read_s=seconds, in_order=0.1, forward=0.2)


def uneven(i: int, seconds: float) -> float:
    return seconds * (1 + 0.01 * float(np.sin(i + 1)))


def leading(found: CaseDocument) -> Finding:
    return next(f for f in found.findings if f.rule == found.headline.rule)


def advised(finding: Finding) -> str:
    return " ".join(f"{one.text} {one.command or ''}" for one in finding.advice)


def test_processes_at_the_same_time_are_the_ranks_of_one_run() -> None:
    found = in_steps(*((process(reads(f"/scratch/in.{i}", uneven(i, 100.0))), 0.0) for i in range(64)))
    assert (number(found, "job.runtime"), number(found, "job.nprocs")) == (200.0, 64)
    assert number(found, "job.separate_processes") == 64
    assert number(found, "job.io_time") == pytest.approx(101, rel=0.01)
    assert found.metrics["io.pattern"].value == "file-per-process"
    assert found.headline.rule == "random-access"
    assert found.account is not None
    assert found.account.cells.mean_rank == pytest.approx(100, rel=0.01)
    assert not any(s.warnings for s in found.sources)


def test_processes_that_follow_one_another_add_up() -> None:
    found = in_steps(*((process(reads(f"/scratch/in.{i}", 100.0)), 200.0 * i) for i in range(8)))
    assert (number(found, "job.runtime"), number(found, "job.nprocs")) == (1600.0, 1)
    assert number(found, "job.io_time") == pytest.approx(800.0, rel=1e-3)


def test_tasks_on_a_few_slots_are_as_many_ranks_as_ran_at_a_time() -> None:
    found = in_steps(*((process(reads(f"/scratch/in.{i}", uneven(i, 100.0))), 200.0 * (i // 16)) for i in range(64)))
    assert (number(found, "job.runtime"), number(found, "job.nprocs")) == (800.0, 16)
    assert number(found, "job.io_time") == pytest.approx(400, rel=0.02)


def test_a_tasks_end_in_the_second_of_the_nexts_start_is_no_overlap() -> None:
    """Darshan before 3.4 kept whole seconds."""
    found = in_steps(*((process(reads(f"/scratch/in.{i}", 100.0)), 199.0 * i) for i in range(4)))
    assert number(found, "job.nprocs") == 1


def test_a_program_and_the_processes_after_it_are_two_stages() -> None:
    solver = Work((Part("/scratch/o.dat", range(512), writes=10, write_s=2.0, osts=osts(12)),), 512, 1000.0, nodes=4)
    after = [(process(reads(f"/home/u/x.{i}", uneven(i, 80.0)), runtime_s=100.0), 1000.0) for i in range(100)]
    found = in_steps((solver, 0.0), *after)
    assert (number(found, "job.runtime"), number(found, "job.nprocs")) == (1100.0, 512)
    assert number(found, "job.io_time") == pytest.approx(82.8, rel=0.01)
    assert found.headline.rule == "wrong-filesystem"


def test_a_wrapper_beside_the_program_makes_the_run_no_longer() -> None:
    solver = Work((Part("/scratch/o.dat", range(512), writes=10, write_s=20.0, osts=osts(12)),), 512, 900.0, nodes=4)
    wrapper = process(Part("/home/u/run.log", range(1), "STDIO", writes=10, size=60, write_s=0.1), runtime_s=1000.0)
    alone, beside = in_steps((solver, 0.0)), in_steps((wrapper, -50.0), (solver, 0.0))
    assert number(beside, "job.runtime") == 1000.0
    assert number(beside, "job.io_time") == pytest.approx(number(alone, "job.io_time"))
    assert beside.account is not None
    assert alone.account is not None
    assert beside.account.cells.mean_rank == pytest.approx(alone.account.cells.mean_rank, rel=0.01)


def test_a_shell_that_waits_for_its_program_is_no_rank_of_it() -> None:
    shell = process(Part("/home/u/.bashrc", range(1), reads=1, size=100, read_s=0.0), program="/usr/bin/bash")
    found = in_steps((shell, -1.0), (process(reads("/scratch/in.dat", 100.0), runtime_s=198.0), 0.0))
    assert number(found, "job.nprocs") == 1
    assert found.account is not None
    assert found.account.cells.mean_rank == pytest.approx(100, rel=0.01)
    assert leading(found).takes_s == pytest.approx(100, rel=0.01)


def test_two_programs_side_by_side_share_what_both_take_and_the_rest_is_of_the_longer() -> None:
    reader = process(reads("/scratch/in.dat", 100.0), program="/usr/bin/tar")
    writer = process(
        Part("/scratch/out.zst", range(1), writes=800, size=MIB, write_s=60.0, begins_s=1.0), program="/usr/bin/zstd"
    )
    found = in_steps((reader, 0.0), (writer, 0.0))
    assert number(found, "job.io_time") == pytest.approx(100, rel=0.01)
    assert found.account is not None
    cells = found.account.cells
    assert (cells.reads, cells.writes, cells.imbalance) == pytest.approx((70, 30, 0), rel=0.01, abs=0.1)


def test_equal_processes_in_one_second_are_no_copies() -> None:
    found = in_steps(*((process(reads("/scratch/in.dat", uneven(i, 100.0))), 0.0) for i in range(64)))
    assert number(found, "job.nprocs") == 64
    assert found.headline.sentence.startswith("All 64 ranks read the same file in full.")


def test_the_same_log_again_is_a_copy() -> None:
    one = process(reads("/scratch/in.dat", 100.0))
    found = in_steps((one, 0.0), (one, 0.0))
    assert number(found, "job.nprocs") == 1
    assert "same run" in found.sources[1].warnings[0].message


@pytest.mark.parametrize(
    "part",
    [
        reads("/scratch/in.dat", 100.0),
        Part("/scratch/all.log", range(1), writes=20_000, size=200, write_s=100.0, in_order=0.0, forward=1.0),
        Part("/scratch/out.bin", range(1), writes=20_000, size=4096, write_s=100.0, in_order=0.0, reach=2**36),
    ],
    ids=["read", "log", "shared"],
)
def test_processes_without_mpi_are_told_of_no_calls_of_it(part: Part) -> None:
    seconds = part.read_s or part.write_s
    assert isinstance(seconds, float)
    each = (
        replace(part, read_s=uneven(i, seconds)) if part.reads else replace(part, write_s=uneven(i, seconds))
        for i in range(64)
    )
    finding = leading(in_steps(*((process(one), 0.0) for one in each)))
    assert finding.advice
    said = advised(finding)
    assert "collective" not in said
    assert not any(word in said for word in ("MPI_", "MPI.", "comm.", "mpio", "_at_all"))


def test_one_of_many_processes_is_told_of_files_and_a_rank_of_mpi() -> None:
    much, little = Part("/scratch/o.{}", range(1), writes=800, write_s=100.0), Part("/scratch/o.{}", range(1), writes=1)
    works = [process(replace(much if i == 5 else little, path=f"/scratch/o.{i}")) for i in range(64)]
    processes = leading(in_steps(*((work, 0.001 * i) for i, work in enumerate(works))))
    ranks = leading(document(Work((much,), 64, 200.0, nodes=1)))
    assert (processes.rule, ranks.rule) == ("serial-io", "serial-io")
    assert "MPI_File_write" in advised(ranks)
    assert "a file of its own" in advised(processes)
    assert "MPI_" not in advised(processes)


def test_evidence_of_a_process_names_its_own_log() -> None:
    large = Part("/scratch/large.dat", range(1), writes=800, size=MIB, write_s=100.0)
    small = Part("/scratch/small.{}", range(1), writes=1, size=MIB, write_s=0.1)
    works = [process(replace(small, path=f"/scratch/small.{i}"), large) if i == 5 else process(small) for i in range(8)]
    found = in_steps(*((work, float(i) * 1e-3) for i, work in enumerate(works)))
    where = found.metrics["file.size"].where
    assert {found.places[at].source for at in where} == {5}


def test_ranks_traces_and_heatmaps_of_processes_are_joined() -> None:
    """In the seconds of the whole run, each process a rank."""

    def traced(i: int) -> Evidence:
        log = log_at(process(reads(f"/scratch/in.{i}", uneven(i, 100.0))), 10.0 * i)
        bins = np.zeros((1, 20), np.int64)
        bins[0, 3] = 4096 * 20_000
        width = 10.0 if i % 2 else 20.0
        heat = Heatmap("POSIX", width, np.zeros(1, np.int64), bins, np.zeros_like(bins))
        calls = np.array([(7, 0, False, 0, 4096, 1.0, 2.0, 0)], dtype=SEGMENT)
        return Evidence(
            "darshan_log", (replace(log, heatmaps=(heat,)), DxtTrace("POSIX", calls, {0: f"n{i}"}, {7: "x"}))
        )

    given = [ReadSource(f"{i}.darshan", f"{i:064}", 1, traced(i)) for i in range(4)]
    table = rank_table(given)
    (layer,) = table.layers
    assert layer.bytes_read == [4096 * 20_000] * 4
    assert table.nodes == ["n0", "n1", "n2", "n3"]


def test_tasks_that_overlap_in_a_chain_are_one_run() -> None:
    works: Sequence[At] = [(process(reads(f"/scratch/in.{i}", 1.0), runtime_s=5.0), 0.1 * i) for i in range(400)]
    found = in_steps(*works)
    assert number(found, "job.runtime") == pytest.approx(44.9)
    assert number(found, "job.nprocs") <= 50


@pytest.mark.parametrize(("apart_s", "times"), [(0.0, 1), (200.0, 8), (100.0, 4)], ids=["at once", "in turn", "chain"])
def test_programs_with_ranks_that_ran_at_once_took_their_seconds_once(apart_s: float, times: int) -> None:
    """`srun … & srun … & wait`, and one after the other; in a chain each ends as the next but one begins."""

    def step(i: int) -> Work:
        one = Part(f"/scratch/o.{i}", range(64), writes=1600, write_s=91.0, meta_s=9.0, opens=30, osts=osts(4, 4 * i))
        return Work((one,), 64, 200.0, nodes=1)

    found = in_steps(*((step(i), apart_s * i) for i in range(8)))
    assert number(found, "job.io_time") == pytest.approx(100 * times)
    assert number(found, "io.bandwidth") == pytest.approx(8 * 1024 * MIB / times)
    assert number(found, "io.write_bandwidth") == pytest.approx(8 * 1024 * MIB / times)
    assert number(found, "posix.time") == pytest.approx(100 * times)
    assert number(found, "posix.metadata_time_busiest") == pytest.approx(9 * times)
    assert number(found, "posix.data_metadata_io_fraction") == pytest.approx(0.09)
    assert "metadata-bound" not in {f.rule for f in found.findings if f.verdict == "triggered"}


@pytest.mark.parametrize(
    ("apart_s", "times", "importing"),
    [(0.0, 1, 256), (200.0, 4, 64), (100.0, 2, 128)],
    ids=["at once", "in turn", "chain"],
)
def test_what_is_beyond_the_mean_of_programs_at_once_is_waited_for_once(
    apart_s: float, times: int, importing: int
) -> None:
    """Half of the ranks write, and all read a module of Python for a second."""

    def step(i: int) -> Work:
        half = Part(f"/scratch/o.{i}.{{}}", range(0, 64, 2), writes=1600, write_s=90.0, meta_s=10.0)
        module = Part("/sw/lib/python3.11/site-packages/m.py", range(64), reads=10, size=4096, read_s=1.0)
        return Work((half, module), 64, 200.0, nodes=1)

    found = in_steps(*((step(i), apart_s * i) for i in range(4)))
    assert number(found, "balance.writes_beyond_mean") == pytest.approx(45 * times, rel=0.01)
    assert number(found, "posix.data_metadata_beyond_mean") == pytest.approx(5 * times, rel=0.01)
    assert number(found, "file.imported_read_time") == pytest.approx(times, rel=0.01)
    assert number(found, "file.importing_ranks") == importing


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("bytes_of_slow", [1, 12])
def test_a_slow_rank_of_a_small_step_is_told_beside_a_large_one(bytes_of_slow: int, *, first: bool) -> None:
    """64 ranks read four times as much in a minute; of 32 that write afterwards, or before, one takes 400 s."""
    ranks = range(64)
    large = Work(
        (Part("/scratch/in/m.{}", ranks, reads=2000, size=4 * MIB, read_s=60.0, osts=osts(48) + osts(16)),), 64, 3600.0
    )
    writes = [500 * (bytes_of_slow if r == 7 else 1) for r in range(32)]
    small = Work(
        tuple(
            Part("/scratch/p/o.{}", range(r, r + 1), writes=n, write_s=400.0 if r == 7 else 40.0, osts=(r,))
            for r, n in enumerate(writes)
        ),
        32,
        500.0,
        program="/sw/post",
    )
    steps = [(small, 0.0), (large, 600.0)] if first else [(large, 0.0), (small, 3700.0)]
    found = in_steps(*steps)
    assert found.headline.rule == "straggler-rank"
    more = "moves far more data" in found.headline.sentence
    assert more == (bytes_of_slow > 1)
    assert number(found, "balance.slowest_rank_share") == pytest.approx(1 / 64)
    assert number(found, "balance.busiest_share") == pytest.approx(writes[7] * MIB / number(found, "io.bytes"))


def plotfiles(step: int, write_s: float, *, writers: int = 8) -> Work:
    """2,048 ranks on 32 nodes, of which 8 write 58.6 GiB each."""
    path = f"/scratch/amr/plt{step}/Cell_D_{{}}"
    lies_on = osts(writers, first=8 * step)
    part = Part(path, range(0, 2048, 2048 // writers), writes=15_000, size=4 * MIB, write_s=write_s, osts=lies_on)
    return Work((part,), 2048, 1200.0, program="/sw/main3d.ex", nodes=32)


PREPARED = Work((Part("/scratch/mesh.in", range(1), reads=100, read_s=0.5, osts=(1,)),), 1, 20.0, nodes=1)
READ_BY_ALL = Work(
    (Part("/scratch/amr/in.{}", range(64), reads=15_000, size=4 * MIB, read_s=300.0),), 64, 400.0, nodes=2
)


def taken(*steps: At) -> float | None:
    return next(
        (f.takes_s for f in in_steps(*steps).findings if f.rule == "few-writers" and f.verdict == "triggered"), None
    )


@pytest.mark.parametrize(
    ("steps", "seconds"),
    [
        (((plotfiles(0, 300.0), 0.0),), 300.0),
        (((PREPARED, 0.0), (plotfiles(0, 300.0), 100.0)), 300.0),
        (((plotfiles(0, 300.0), 0.0), (plotfiles(1, 320.0), 1300.0)), 620.0),
        (((PREPARED, 0.0), (plotfiles(0, 300.0), 100.0), (plotfiles(1, 320.0, writers=4), 1400.0)), 620.0),
    ],
    ids=["one step", "after a small one", "two alike", "with other numbers of writers"],
)
def test_steps_in_which_few_ranks_write_add_up(steps: tuple[At, ...], seconds: float) -> None:
    assert taken(*steps) == pytest.approx(seconds, abs=1.0)


@pytest.mark.parametrize("after_s", [0.0, 1300.0], ids=["at the same time", "in another step"])
def test_what_others_move_in_another_log_is_not_theirs(after_s: float) -> None:
    assert taken((plotfiles(0, 300.0), 0.0), (READ_BY_ALL, after_s)) is None


def test_writers_beside_another_program_that_moves_bytes_are_not_counted() -> None:
    assert taken((plotfiles(0, 300.0), 0.0), (plotfiles(1, 320.0), 0.0)) is None


def test_what_a_later_step_did_stands_where_it_ran() -> None:
    """The first step has no heatmap; the second runs from 1,000 s to 2,000 s and writes all along."""
    part = Part("/scratch/ck.{}", range(8), writes=1000, write_s=900.0)
    written = np.full((8, 100), 10 * MIB, np.int64)
    first = Work((Part("/scratch/in.dat", range(8), reads=1000, read_s=500.0),), 8, 1000.0)
    second = Work((part,), 8, 1000.0, heat=(Heatmap("POSIX", 10.0, np.arange(8), np.zeros_like(written), written),))
    found = in_steps((first, 0.0), (second, 1000.0))
    activity, drawn = found.charts.activity, portrait_of(found)
    assert activity is not None
    assert drawn is not None
    assert [grid.after_s for grid in activity.grids] == [1000.0]
    (band,) = (b for b in drawn.bands if b.layer == "POSIX")
    cells = np.array(band.cells).reshape(drawn.rows, drawn.columns)
    half = drawn.columns // 2
    assert not cells[:, : half - 1].any()
    assert cells[:, half + 1 : -1].all()


def test_processes_of_a_tool_are_told_what_its_user_can_do() -> None:
    """30 of them read one index in full."""
    index = [
        Part("/scratch/ref/hg38.bwt", range(1), reads=5000, read_s=uneven(i, 64.0), reach=5000 * MIB, osts=(3,))
        for i in range(30)
    ]
    found = in_steps(*((process(part, runtime_s=100.0, program="/usr/bin/bwa mem"), 0.0) for part in index))
    (first,) = (f for f in found.findings if f.rule == "redundant-reads" and f.verdict == "triggered")
    assert first.advice[0].text.startswith("As the code of BWA is not yours to change")
    assert not any("only the part that it needs" in one.text for one in first.advice)


@pytest.mark.parametrize(("restarts", "copies"), [(4, False), (1, True)])
def test_the_steps_of_one_program_are_longest_together(restarts: int, copies: bool) -> None:
    """One rank of the model writes for 60 s in each, and the copy before them takes 100 s."""
    copied = Part("/scratch/old/geo.nc", range(1), reads=100, read_s=100.0, reach=GIB, osts=(1,))
    steps = [(process(copied, program="/usr/bin/cp"), 0.0)]
    for k in range(restarts):
        written = Part(f"/scratch/run/out_{k}", range(1), writes=600, size=8 * MIB, write_s=60.0, osts=(k,))
        steps.append((Work((written,), 384, 300.0, program="./model.exe", nodes=10), 500.0 * (k + 1)))
    found = [f for f in in_steps(*steps).findings if f.verdict == "triggered" and f.severity != "info"]
    assert any("dcp" in advised(f) for f in found) is copies


TOGETHER = (
    Part("/scratch/all.nc", range(2048), "MPI-IO", writes=8, size=16 * MIB, write_s=300.0, collective=True),
    Part("/scratch/all.nc", range(0, 2048, 64), writes=512, size=16 * MIB, write_s=270.0, in_order=0.2, osts=osts(16)),
)


def test_what_all_write_with_collective_calls_is_not_written_by_few() -> None:
    """In the log of these it stands beside the files of few; in another, few do not move nearly all bytes."""
    few = plotfiles(0, 300.0)
    beside = replace(few, parts=(*few.parts, *TOGETHER))
    (told,) = (f for f in in_steps((beside, 0.0)).findings if f.rule == "few-writers")
    assert told.headline == "8 of 2,048 ranks write Cell_D_# for all, one for 4 nodes."
    assert taken((Work(TOGETHER, 2048, 1200.0, nodes=32), 0.0), (few, 1300.0)) is None
