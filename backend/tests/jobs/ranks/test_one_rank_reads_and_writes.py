"""One rank that reads the mesh as text and writes what it has gathered, as ocean models do, and ranks beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from described import KIB, MIB, Part, Work, document, osts

MESH = tuple(
    Part(f"/scratch/mesh/{name}.out", range(1), reads=pieces, size=8 * KIB, read_s=took)
    for name, pieces, took in (("nod2d", 6500, 40.0), ("elem2d", 9500, 55.0), ("aux3d", 4500, 20.0))
)
FIELDS = tuple(
    Part(f"/scratch/out/{field}.fesom.1958.nc", range(1), writes=365, size=4 * MIB, write_s=12.0, osts=(3,))
    for field in ("sst", "temp", "salt", "u", "v", "w", "a_ice", "m_ice")
)
GATHERED = Work((*MESH, *FIELDS), nprocs=288, runtime_s=1200.0, nodes=8)


def test_what_is_read_is_not_told_to_be_written() -> None:
    """The file that takes longest is read, nearly all bytes are written."""
    found = document(GATHERED).headline
    assert found.rule == "serial-io"
    told = [a for f in document(GATHERED).findings if f.rule == "serial-io" for a in f.advice]
    assert told[0].text.startswith("Read elem2d.out in blocks of 1 MiB or more")
    assert "read(file, block" in (told[0].command or "")
    assert "nc_create_par" in (told[1].command or "")


def test_fesom_is_told_its_setting() -> None:
    action = document(replace(GATHERED, program="/home/u/fesom2/bin/fesom.x")).headline.action or ""
    assert "parallel_write = .true. in &io_parallel of namelist.config" in action


@pytest.mark.parametrize("servers", [4, 16])
def test_only_ranks_that_use_a_file_share_it(servers: int) -> None:
    """I/O servers write together; those that compute have no part in the file."""
    writing = range(512, 512 + servers)
    name = "/scratch/wrf/wrfout_d01"
    above = Part(name, writing, "MPI-IO", writes=4800 // servers, size=12 * MIB, write_s=300.0, collective=True)
    below = Part(name, writing[:4], writes=4800, size=3 * MIB, write_s=180.0, in_order=0.9, osts=osts(1))
    headline = document(Work((above, below), 512 + servers, 1500.0, nodes=8)).headline
    assert headline.rule == "ssf-understriped"
    assert headline.sentence.startswith(f"{servers} ranks share a file")
