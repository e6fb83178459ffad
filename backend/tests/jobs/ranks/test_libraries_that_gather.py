"""One rank writes what a library gathered on it: the advice is that library's, and other programs' their own."""

from __future__ import annotations

import pytest
from described import MIB, Part, Work, document, osts, own, uneven


def written_by_one(path: str, nodes: int) -> Work:
    """800 GiB by one of 4,096 ranks, beside the library's own small files."""
    return Work(
        (
            Part(path, range(1), writes=51_200, size=16 * MIB, write_s=900.0, osts=osts(4)),
            Part("/scratch/o.bp/md.0", range(1), writes=50, size=MIB, write_s=0.1),
            Part("/scratch/o.bp/md.idx", range(1), writes=50, size=64, write_s=0.1),
        ),
        nprocs=4096,
        runtime_s=1500,
        nodes=nodes,
    )


@pytest.mark.parametrize("nodes", [1, 64])
def test_adios_is_given_one_aggregator_a_node(nodes: int) -> None:
    found = document(written_by_one("/scratch/o.bp/data.0", nodes)).headline
    assert found.rule == "serial-io"
    assert "NumAggregators" in (found.action or "")
    assert (found.command or "").startswith('io.SetParameter("NumAggregators", "64")') is (nodes > 1)
    assert "MPI_File" not in (found.command or "")


def test_another_file_is_shared_out_by_the_program() -> None:
    found = document(written_by_one("/scratch/out/data.0", 64)).headline
    assert found.rule == "serial-io"
    assert (found.command or "").startswith("MPI_File_open(")


@pytest.mark.parametrize(
    ("path", "told", "lines"),
    [
        ("/scratch/big.h5", "write big.h5 together", "H5Pset_dxpl_mpio"),
        ("/scratch/big.nc", "write big.nc together", "nc_create_par"),
        ("/scratch/big.dat", "its part of big.dat by itself", ""),
    ],
)
def test_ranks_write_a_file_of_hdf5_or_netcdf_together_and_not_each_by_itself(path: str, told: str, lines: str) -> None:
    """Beside own files of all ranks, one rank has a file that no other uses."""
    parts = (
        Part("/scratch/m.{}", range(128), writes=256, size=4 * MIB, write_s=uneven(128, 30), osts=own(128)),
        Part(path, range(1), writes=8192, size=4 * MIB, write_s=100.0, osts=(47,)),
    )
    found = document(Work(parts, nprocs=128, runtime_s=300, nodes=2)).headline
    assert found.rule == "serial-io"
    assert told in (found.action or "")
    assert lines in (found.command or "")


@pytest.mark.parametrize("path", ["/scratch/o.bp/data.0", "/scratch/o.bp5/data.0", "/scratch/o.bp.dir/o.bp.0"])
def test_who_reads_what_adios_wrote_selects_by_all_ranks(path: str) -> None:
    part = Part(path, range(1), reads=51_200, size=4 * MIB, read_s=300.0, osts=osts(4))
    found = document(Work((part,), nprocs=512, runtime_s=600, nodes=8)).headline
    assert found.rule == "serial-io"
    assert "SetSelection" in (found.command or "")
    assert "NumAggregators" not in (found.action or "")


def test_another_file_that_one_rank_reads_is_read_by_all_with_mpi() -> None:
    """Beside subfiles of ADIOS2 that all ranks read."""
    parts = (
        Part("/scratch/in/data.0", range(1), reads=51_200, size=4 * MIB, read_s=300.0, osts=osts(4)),
        Part("/scratch/o.bp/data.{}", range(512), reads=512, size=MIB, read_s=2.0, osts=own(512)),
    )
    found = document(Work(parts, nprocs=512, runtime_s=600, nodes=8)).headline
    assert found.rule == "serial-io"
    assert (found.command or "").startswith("MPI_File_read_at_all(")
