"""The library that a file went through: told by its records, drawn as a layer, and advised in its own words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from iotriage.analysis.document import CaseDocument, Finding
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import DarshanLog, Evidence

SAMPLES = Path(__file__).resolve().parents[3] / "sample-logs" / "darshan_log"


def evidence(name: str) -> Evidence:
    with (SAMPLES / name / f"{name}.darshan").open("rb") as stream:
        found = read(stream)
    assert isinstance(found, Evidence)
    return found


def document(name: str, **changes: object) -> CaseDocument:
    found = evidence(name)
    parts = tuple(replace(p, **changes) if isinstance(p, DarshanLog) else p for p in found.parts)  # type: ignore[arg-type]
    return diagnose([ReadSource(name, "0" * 64, 1, replace(found, parts=parts))])


def finding(case: CaseDocument, rule: str) -> Finding:
    return next(f for f in case.findings if f.rule == rule)


def commands(found: Finding) -> str:
    return "\n".join(a.command or "" for a in (found.says.advice if found.says else ()))


@pytest.mark.parametrize(
    ("sample", "layers"),
    [
        ("23-hdf5-indep-rows", ["HDF5", "MPI-IO", "POSIX"]),
        ("27-pnetcdf-collective", ["PnetCDF", "MPI-IO", "POSIX"]),
        ("39-heat2d-legacy", ["HDF5", "MPI-IO", "POSIX", "STDIO"]),
        ("08-shared-strided-collective", ["MPI-IO", "POSIX"]),
    ],
)
def test_the_layers_from_the_call_to_the_disk(sample: str, layers: list[str]) -> None:
    assert [share.layer for share in document(sample).charts.layers] == layers


def test_the_layer_of_hdf5_has_the_figures_of_its_datasets() -> None:
    shares = {share.layer: share for share in document("24-hdf5-collective").charts.layers}
    # 8 datasets of (8 x 101) x 1003 floats.
    assert (shares["HDF5"].bytes_written, shares["HDF5"].bytes_read) == (25_933_568, 25_933_568)
    assert shares["HDF5"].calls == 64 + 64
    assert shares["HDF5"].ranks == 8
    assert shares["HDF5"].seconds == pytest.approx(0.1411, abs=1e-4)


def test_the_ranks_of_hdf5_are_those_that_have_records_where_none_is_of_all() -> None:
    (log,) = evidence("24-hdf5-collective").of(DarshanLog)
    assert log.h5d is not None
    own = replace(log.h5d, ranks=np.arange(len(log.h5d), dtype=np.int64) % 2)
    shares = {share.layer: share for share in document("24-hdf5-collective", h5d=own).charts.layers}
    assert shares["HDF5"].ranks == 2


@pytest.mark.parametrize(
    ("sample", "library"),
    [("23-hdf5-indep-rows", "H5Pset_dxpl_mpio"), ("26-pnetcdf-indep-small", "ncmpi_put_vara_double_all")],
)
def test_a_file_is_advised_by_its_records_whatever_its_name(sample: str, library: str) -> None:
    renamed = without_endings(sample)
    case = document(sample, names=renamed)
    assert library in commands(finding(case, "independent-shared"))
    plain = document(sample, names=renamed, h5f=None, pnetcdf_file=None)
    assert "MPI_File_write_at_all" in commands(finding(plain, "independent-shared"))


def test_where_darshan_was_built_without_hdf5_the_name_of_the_file_tells() -> None:
    case = document("23-hdf5-indep-rows", h5f=None, h5d=None)
    assert "H5Pset_dxpl_mpio" in commands(finding(case, "independent-shared"))
    assert "MPI_File" not in commands(finding(case, "independent-shared"))


def without_endings(sample: str) -> dict[int, str]:
    log = next(p for p in evidence(sample).parts if isinstance(p, DarshanLog))
    return {record: name.replace(".h5", ".out").replace(".nc", ".out") for record, name in log.names.items()}


def test_metadata_of_each_rank_is_found_where_it_is_and_not_where_it_is_collective() -> None:
    before, after = document("24-hdf5-collective"), document("25-hdf5-collective-metadata-aligned")
    found = finding(before, "hdf5-independent-metadata")
    assert (found.verdict, found.severity, found.confidence) == ("triggered", "info", "inferred")
    assert "124 independent accesses" in (found.summary or "")
    assert "H5Pset_all_coll_metadata_ops(dataset_access, true)" in commands(found)
    assert finding(after, "hdf5-independent-metadata").verdict == "clear"
    assert finding(document("23-hdf5-indep-rows"), "hdf5-independent-metadata").verdict == "not_applicable"
    assert finding(document("27-pnetcdf-collective"), "hdf5-independent-metadata").verdict == "not_applicable"


def test_nodes_of_the_traced_samples() -> None:
    assert document("40-heat2d-tuned").job.nnodes == 2
    assert document("47-darshan-main-apmpi").job.nnodes == 2
    assert document("24-hdf5-collective").job.nnodes is None
