"""Files of HDF5 and netCDF without MPI: what is done about what their libraries read."""

from __future__ import annotations

import pytest
from described import GIB, KIB, MIB, Part, Work, document, osts, own, uneven

from iotriage.analysis.document import CaseDocument


def first_advice(found: CaseDocument) -> str:
    finding = next(f for f in found.findings if f.verdict == "triggered" and f.rule == found.headline.rule)
    return "\n".join(f"{one.text}\n{one.command or ''}" for one in finding.advice)


def samples(path: str, size: int, program: str = "/sw/app") -> CaseDocument:
    """Of a training: read by all ranks at random places of one large file."""
    part = Part(
        path, range(128), reads=20_000, size=size, read_s=uneven(128, 80), in_order=0.0, aligned=False, reach=400 * GIB,
        osts=osts(32),
    )  # fmt: skip
    return document(Work((part,), nprocs=128, runtime_s=300.0, program=program))


def test_samples_of_a_hundred_kib_are_data_and_not_looked_up() -> None:
    found = samples("/scratch/train.h5", 147 * KIB)
    assert found.headline.rule == "random-access"
    assert "shuffle such blocks" in first_advice(found)
    assert "look up" not in first_advice(found)


def test_reads_of_a_few_kib_may_be_what_tells_where_the_data_lies() -> None:
    assert "to look up where its data lies" in first_advice(samples("/scratch/train.h5", 4 * KIB))


def along_time(path: str, program: str) -> CaseDocument:
    """Each rank reads a file of its own along time, and its chunks for each step anew."""
    part = Part(
        path, range(32), reads=40_000, size=1_200_000, read_s=300.0, in_order=0.02, reach=1_200_000_000, aligned=False,
        osts=own(32),
    )  # fmt: skip
    return document(Work((part,), nprocs=32, runtime_s=400.0, program=program))


@pytest.mark.parametrize(
    ("path", "program", "cure"),
    [
        ("/scratch/tas_{}.nc", "/sw/app", "nc_set_var_chunk_cache"),
        ("/scratch/tas_{}.h5", "/sw/app", "H5Pset_chunk_cache"),
        ("/scratch/tas_{}.nc", "/sw/bin/python3 trend.py", "set_var_chunk_cache(size="),
        ("/scratch/tas_{}.h5", "/sw/bin/python3 trend.py", "rdcc_nbytes"),
    ],
)
def test_chunks_that_are_read_again_stay_in_the_cache(path: str, program: str, cure: str) -> None:
    found = along_time(path, program)
    assert found.headline.rule == "redundant-reads"
    said = first_advice(found)
    assert "cache of chunks" in said
    assert cure in said


def test_who_runs_cdo_has_no_cache_of_chunks_to_set() -> None:
    finding = along_time("/scratch/tas_{}.nc", "/sw/bin/cdo").headline
    told = [
        a for f in along_time("/scratch/tas_{}.nc", "/sw/bin/cdo").findings if f.rule == finding.rule for a in f.advice
    ]
    assert not any(a.kind == "code" for a in told)
    assert any("nccopy -c" in a.text for a in told)


def test_chunks_that_several_ranks_read_each_for_itself_are_told_of_too() -> None:
    """Of 16 GiB each of 32 ranks reads a third, and no rank the same twice: 10 times in all."""
    part = Part(
        "/scratch/era.nc", range(32), reads=1300, size=4 * MIB, read_s=uneven(32, 150), in_order=0.1,
        reach=4096 * 4 * MIB, osts=osts(8),
    )  # fmt: skip
    found = document(Work((part,), nprocs=32, runtime_s=400.0))
    (finding,) = (f for f in found.findings if f.rule == "redundant-reads")
    assert any("nccopy -c" in a.text for a in finding.advice)


def test_of_other_files_nothing_is_said_of_chunks() -> None:
    assert "chunk" not in first_advice(along_time("/scratch/tas_{}.bin", "/sw/app"))


def headers(path: str) -> CaseDocument:
    """Which all ranks read whole."""
    parts = tuple(
        Part(
            path.format(day),
            range(256),
            reads=6,
            size=8 * KIB,
            read_s=0.2,
            meta_s=0.04,
            reach=48 * KIB,
            osts=osts(1, day),
        )
        for day in range(200)
    )
    return document(Work(parts, nprocs=256, runtime_s=200.0))


@pytest.mark.parametrize(
    ("path", "call"), [("/s/{}.nc", "nc_get_var"), ("/s/{}.h5", "H5Dread"), ("/s/{}.txt", "fread")]
)
def test_one_rank_reads_by_the_library_of_the_file_and_sends_the_values(path: str, call: str) -> None:
    found = headers(path.replace("/s/", "/scratch/forcing"))
    assert found.headline.rule == "redundant-reads"
    assert call in first_advice(found)


@pytest.mark.parametrize(
    ("path", "told", "not_told"),
    [
        ("/scratch/o.h5", "chunks of 1 MiB", "buffering="),
        ("/scratch/o.nc", "chunks of 1 MiB", "buffering="),
        ("/scratch/o.dat", "buffering=", "chunks"),
    ],
)
def test_small_writes_of_one_rank_are_made_larger_by_the_library_of_the_file(
    path: str, told: str, not_told: str
) -> None:
    part = Part(path, range(1), writes=400_000, size=512, write_s=80.0, in_order=0.4, aligned=False, osts=(1,))
    found = document(Work((part,), nprocs=32, runtime_s=200.0, nodes=1, program="/sw/bin/python3"))
    assert found.headline.rule == "serial-io"
    leading = f"{found.headline.action}\n{found.headline.command or ''}"
    assert told in leading
    assert not_told not in leading


@pytest.mark.parametrize(("path", "call"), [("/scratch/o.h5", "H5Pset_alignment("), ("/scratch/o.dat", "offset = ")])
def test_a_file_of_hdf5_is_aligned_by_hdf5_where_no_log_has_its_layer(path: str, call: str) -> None:
    every = range(512)
    parts = (
        Part(path, every, "MPI-IO", writes=200, size=4 * MIB, write_s=uneven(512, 60)),
        Part(
            path, every, writes=200, size=4 * MIB, write_s=uneven(512, 59), aligned=False, in_order=0.0, osts=osts(16)
        ),
    )
    found = document(Work(parts, nprocs=512, runtime_s=120.0, nodes=8))
    assert found.headline.rule == "misaligned-io"
    assert (found.headline.command or "").startswith(call)
