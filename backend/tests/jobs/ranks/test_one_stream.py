"""One process that moves much through one OST, and those of which that is not what takes the time."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Work, above_info, document

from iotriage.analysis.document import CaseDocument

RULE, CALLS = "serial-io", 200 * 1024


def streamed(
    *,
    size: int = MIB,
    calls: int = CALLS,
    seconds: float = 220.0,
    osts: tuple[int, ...] = (9,),
    path: str = "/scratch/u/in.nc",
    reach: int | None = None,
    runtime_s: float = 480.0,
    program: str = "/sw/bin/cdo",
    ranks: int = 1,
) -> CaseDocument:
    """One process reads a file and writes another, as large: `calls` of `size` bytes in `seconds` each."""
    parts = (
        Part(path, range(1), reads=calls, size=size, read_s=seconds, reach=reach, osts=osts),
        Part(path.replace("in", "out"), range(1), writes=calls, size=size, write_s=seconds, osts=osts),
    )
    return document(Work(parts, ranks, runtime_s, program=program))


def said(found: CaseDocument) -> str:
    """What is found above info of one stream, and nothing otherwise."""
    mine = [f for f in found.findings if f.rule == RULE and f.verdict == "triggered" and f.severity != "info"]
    return " ".join(str(f.says) + str(f.advice) for f in mine)


@pytest.mark.parametrize(
    ("ranks", "path", "parts"), [(1, "/scratch/u/in.nc", "the time steps"), (2, "/scratch/u/in.bin", "the data")]
)
def test_one_process_is_one_stream_to_one_ost(ranks: int, path: str, parts: str) -> None:
    found = streamed(path=path, ranks=ranks, program="/sw/bin/post")

    assert f"several processes side by side, each for a part of {parts}" in said(found)
    assert "lfs setstripe -c 4" in said(found)
    assert found.headline.rule == RULE
    assert found.unexplained is not None
    assert found.unexplained.seconds < 5


@pytest.mark.parametrize(("threads", "one"), [(1, True), (8, False)])
def test_threads_that_read_a_file_each_are_several_streams(threads: int, *, one: bool) -> None:
    """Of several files that were there nobody is told to copy the first alone."""
    files = (
        Part(f"/scratch/u/f{k}.root", range(1), reads=4000, size=MIB, read_s=9.0,
             begins_s=1 + 9 * (k // threads) + k / 16, closes=True, osts=(k % 48,))
        for k in range(32)
    )  # fmt: skip
    found = document(Work(tuple(files), 1, 480.0, program="/sw/bin/rdf"))
    assert ("several processes side by side" in said(found)) is one
    assert ("the folder of the files" in said(found)) is one
    assert "cp /scratch" not in said(found)


def test_of_a_program_of_the_system_another_one_is_named() -> None:
    assert "dcp" in said(streamed(program="/usr/bin/cp"))


@pytest.mark.parametrize(
    "found",
    [
        pytest.param({"calls": 20_000, "seconds": 20.0, "runtime_s": 2000.0}, id="it takes two hundredths of the run"),
        pytest.param({"osts": tuple(range(8))}, id="eight stripes"),
        pytest.param({"size": 16 * KIB, "calls": CALLS * 16}, id="small pieces"),
        pytest.param({"seconds": 2000.0, "runtime_s": 4400.0}, id="a slow server"),
        pytest.param({"path": "/home/u/in.nc", "osts": ()}, id="on home"),
        pytest.param({"path": "/tmp/in.nc", "osts": ()}, id="in the memory of the node"),
        pytest.param({"reach": 2**30}, id="a GiB read again and again"),
        pytest.param({"calls": 4096, "seconds": 8.0, "runtime_s": 20.0}, id="8 GiB"),
    ],
)
def test_where_something_else_takes_the_time_nobody_is_told_of_a_stream(found: dict[str, object]) -> None:
    assert "side by side" not in said(streamed(**found))  # type: ignore[arg-type]


def test_chunks_that_threads_read_side_by_side_are_no_stream() -> None:
    chunks = tuple(
        Part(f"/scratch/u/era5.zarr/t2m/{k}.0", range(1), reads=1, size=64 * MIB, read_s=0.1, osts=(k % 48,))
        for k in range(400)
    )
    assert "side by side, each for a part of" not in said(document(Work(chunks, 1, 60.0)))


@pytest.mark.parametrize(("seconds", "slow"), [(220.0, False), (2200.0, True)])
def test_a_stream_as_fast_as_large_calls_of_one_process_is_not_held_up_by_small_ones(
    seconds: float, slow: bool
) -> None:
    parts = (
        Part("/scratch/u/r1.fq", range(1), "STDIO", reads=15_000_000, size=16 * KIB, read_s=seconds),
        Part("/scratch/u/out.sam", range(1), "STDIO", writes=1_000_000_000, size=400, write_s=seconds),
    )
    found = document(Work(parts, 1, 10_000.0, program="/sw/bin/bwa"))
    assert ("stdio-heavy" in above_info(found)) is slow


@pytest.mark.parametrize(("seconds", "blocks"), [(40.0, False), (400.0, True)])
def test_one_rank_as_fast_as_an_ost_is_not_told_of_larger_blocks(seconds: float, blocks: bool) -> None:
    """It writes 28 GiB of each checkpoint in pieces of 128 KiB, as `torch.save` does."""
    saved = tuple(
        Part(
            f"/scratch/ck/step_{k}.pt", range(1), writes=224_000, size=128 * 2**10, write_s=seconds,
            begins_s=900.0 * k + 60, osts=(k,),
        )
        for k in range(8)
    )  # fmt: skip
    shards = Part("/scratch/data/tokens.{}", range(64), reads=300, size=64 * MIB, read_s=20.0)
    found = document(Work((*saved, shards), 64, 9000.0, nodes=8, program="/sw/bin/python3.11 train.py"))
    advised = next(f for f in found.findings if f.rule == "serial-io").advice
    assert ("in blocks of 1 MiB" in advised[0].text) is blocks
    assert any("distributed checkpoint" in one.text for one in advised)


@pytest.mark.parametrize(
    ("beside", "seconds", "first"),
    [("lustre", 300.0, "Write o.nc on /scratch"), ("lustre", 12.0, "Let all ranks"), ("xfs", 300.0, "Let all ranks")],
)
def test_what_one_rank_writes_to_nfs_goes_to_the_parallel_file_system_first(
    beside: str, seconds: float, first: str
) -> None:
    part = Part("/project/o.nc", range(1), writes=8000, write_s=seconds)
    mounts = (("/project", "nfs"), ("/scratch", beside))
    found = document(Work((part,), nprocs=256, runtime_s=3 * seconds, mounts=mounts))
    assert (found.headline.rule, (found.headline.action or "")[: len(first)]) == ("serial-io", first)


@pytest.mark.parametrize(("name", "striped"), [("o.dat", True), ("o.nc", True), ("o.tar.gz", False), ("o.pt", False)])
def test_what_each_rank_writes_a_file_of_its_own_for_is_no_file_to_stripe(name: str, *, striped: bool) -> None:
    part = Part(f"/scratch/o/{name}", range(1), writes=40_000, write_s=100.0, osts=(3,))
    found = document(Work((part,), nprocs=64, runtime_s=250.0, nodes=4))
    (finding,) = (f for f in found.findings if f.rule == "serial-io" and f.verdict == "triggered")
    assert ("lfs setstripe" in " ".join(one.command or "" for one in finding.advice)) is striped
