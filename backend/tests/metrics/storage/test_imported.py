"""Which files a program reads while it starts."""

import numpy as np
import pytest
from evidence_by_hand import job, log, metric, table, value

from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.selecting import select_files

ENV = "/work/me/env/lib/python3.11"
READ = {"POSIX_OPENS": 64, "POSIX_BYTES_READ": 64 * 6000, "POSIX_F_META_TIME": 9.0}


def of_names(*names: str, written: float = 0.0) -> Selection:
    """Each file read by 64 ranks, and 20 seconds of an output file beside them."""
    rows = [(n, -1, READ | {"POSIX_BYTES_WRITTEN": written}) for n, _ in enumerate(names, 2)]
    output = (1, -1, {"POSIX_OPENS": 64, "POSIX_BYTES_WRITTEN": 2**30, "POSIX_F_WRITE_TIME": 20.0})
    known = {1: "/work/me/out.dat", **dict(enumerate(names, 2))}
    return job(log(table("POSIX", output, *rows), nprocs=64, names=known))


def test_modules_and_libraries_are_told_by_their_names() -> None:
    started = of_names(f"{ENV}/os.py", f"{ENV}/site-packages/numpy/core.cpython-311.so", "/work/me/lib/libm.so.6")
    assert value(started, "file.imported") == 3
    assert value(started, "file.imported_opens") == 3 * 64
    assert value(started, "file.imported_time_fraction") == pytest.approx(27 / 47)
    assert value(started, "file.environment") == "/work/me/env"


def test_data_is_not_imported() -> None:
    data = of_names("/work/me/input.nc", "/work/me/absorption.dat", "/work/me/run.python.txt")
    assert value(data, "file.imported") == 0
    assert value(data, "file.imported_time_fraction") == 0.0
    assert metric(data, "file.environment").value is None


def test_what_the_run_writes_itself_is_not_imported() -> None:
    assert value(of_names(f"{ENV}/os.py", written=100.0), "file.imported") == 0


@pytest.mark.parametrize("names", [(f"{ENV}/os.py", f"{ENV}/re.py"), ("<STDOUT>",), (f"{ENV}/os.py", "<STDERR>")])
def test_of_a_run_without_data_nobody_is_asked_for_the_records_that_are_there(names: tuple[str, ...]) -> None:
    rows = [(n, -1, READ) for n, _ in enumerate(names)]
    without = metric(job(log(table("POSIX", *rows), names=dict(enumerate(names)))), "file.not_written_fraction")
    assert (without.value, without.settled_by) == (None, ())
    assert "modules and libraries" in (without.reason or "")


def test_metadata_of_data_is_without_that_of_imports() -> None:
    both = of_names(f"{ENV}/os.py", f"{ENV}/re.py", "/work/me/input.nc")
    assert value(both, "posix.metadata_time_busiest") == pytest.approx(27.0 / 64)
    assert value(both, "posix.data_metadata_time_busiest") == pytest.approx(9.0 / 64)
    assert value(both, "posix.data_opens") == 2 * 64
    assert value(of_names("/work/me/input.nc"), "posix.data_opens") == value(
        of_names("/work/me/input.nc"), "posix.opens"
    )
    assert value(of_names(f"{ENV}/os.py"), "posix.data_metadata_time_busiest") == 0.0


def test_a_group_of_files_is_imported_or_data() -> None:
    started = of_names(f"{ENV}/os.py", f"{ENV}/re.py", "/work/me/input.nc")
    of_ids = {name: np.array(ids, np.uint64) for name, ids in (("modules", [2, 3]), ("data", [4]))}
    found = {
        name: value(select_files(started, {0: ids}, set(), "", len(ids)), "group.imported")
        for name, ids in of_ids.items()
    }
    assert found == {"modules": "yes", "data": "no"}


def test_a_step_that_only_imports_has_no_file_that_takes_the_metadata_time() -> None:
    read = {"POSIX_OPENS": 64, "POSIX_BYTES_READ": 2**20, "POSIX_F_META_TIME": 9.0}
    started = log(table("POSIX", (1, -1, READ)), nprocs=64, names={1: f"{ENV}/os.py"})
    ran = log(table("POSIX", (2, -1, read)), nprocs=64, names={2: "/work/me/input.nc"})
    assert value(job(started, ran), "posix.metadata_read_file") == "input.nc"
