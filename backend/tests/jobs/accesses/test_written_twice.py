"""Variables that a library fills before their data comes: nobody is sent to look at the storage for these bytes."""

import hashlib
from dataclasses import replace

import pytest
from described import GIB, MIB, Part, Work, document, log_of, osts, records_of
from evidence_by_hand import table

from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.evidence import Evidence

FILE = "/scratch/pn/o.nc"
WORK = Work(
    (
        Part(FILE, range(512), "MPI-IO", writes=80, size=4 * MIB, write_s=100.0, collective=True),
        Part(FILE, range(0, 512, 32), writes=2560, size=4 * MIB, write_s=95.0, in_order=0.3, osts=osts(16)),
    ),
    nprocs=512,
    runtime_s=250.0,
    nodes=16,
)


def experiment(**tables: dict[str, float]) -> str:
    """What is to be tried, where the library's records (by module) have these counters."""
    record = records_of(WORK)[FILE]
    made = {
        module.lower(): table(module, (record + own, -1, counters), files=[record] if own else None)
        for own, (module, counters) in enumerate(tables.items())
    }
    log = replace(log_of(WORK), **made)
    digest = hashlib.sha256(FILE.encode()).hexdigest()
    found = diagnose([ReadSource("job.darshan", digest, 1, Evidence("darshan_log", (log,)))], None).unexplained
    assert found is not None
    return found.experiment or ""


@pytest.mark.parametrize(("given", "filled"), [(80 * GIB, True), (159 * GIB, False)])
def test_who_has_pnetcdf_write_twice_as_much_tries_without_fill_values(given: float, filled: bool) -> None:
    said = experiment(
        PNETCDF_FILE={"PNETCDF_FILE_CREATES": 512, "PNETCDF_FILE_BYTES_WRITTEN": 160 * GIB},
        PNETCDF_VAR={"PNETCDF_VAR_COLL_WRITES": 20_480, "PNETCDF_VAR_BYTES_WRITTEN": given},
    )
    assert ("NC_NOFILL" in said) == filled


@pytest.mark.parametrize(("given", "filled"), [(80 * GIB, True), (159 * GIB, False)])
def test_who_has_hdf5_write_twice_as_much_tries_without_fill_values(given: float, filled: bool) -> None:
    said = experiment(
        H5F={"H5F_OPENS": 512, "H5F_USE_MPIIO": 1},
        H5D={"H5D_OPENS": 512, "H5D_WRITES": 20_480, "H5D_BYTES_WRITTEN": given, "H5D_USE_MPIIO_COLLECTIVE": 1},
    )
    assert ("H5D_FILL_TIME_NEVER" in said) == filled


def written(path: str, times: int, spans: int) -> Work:
    """By POSIX calls of all, whose library has no records: so often, over so many parts of each rank."""
    part = Part(
        path, range(512), writes=10 * times, size=16 * MIB, write_s=200.0, reach=spans * 512 * 160 * MIB, osts=osts(16)
    )
    return Work((part,), nprocs=512, runtime_s=500.0, nodes=16)


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (written("/scratch/e/o.nc", 2, 1), "2 bytes are written for each that the files have, as where the library"),
        (written("/scratch/e/o.dat", 2, 1), "what was written is replaced in place"),
        (written("/scratch/e/o.nc", 8, 1), "what was written is replaced in place"),
        (written("/scratch/e/o.nc", 2, 2), "trace one short run"),
    ],
    ids=["netCDF, twice", "of a program, twice", "netCDF, eight times", "two parts"],
)
def test_without_records_of_the_library_the_bytes_of_the_files_tell(work: Work, said: str) -> None:
    found = document(work).unexplained
    assert found is not None
    assert said in (found.experiment or "")
