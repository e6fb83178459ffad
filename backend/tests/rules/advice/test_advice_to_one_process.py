"""What is advised where one process has many files to read."""

import pytest
from declared import GIB, context

from iotriage.rules import all_rules

READS = {"job.nprocs": 1, "io.layer": "POSIX", "io.bytes_read": GIB, "io.bytes_written": 0, "posix.reads": 4000.0}
SIDE_BY_SIDE = "xargs -a "


@pytest.mark.parametrize("rule", ["small-io", "random-access"])
@pytest.mark.parametrize(
    ("changed", "files", "several"),
    [
        ({}, 900, True),
        ({}, 3, False),
        ({"job.nprocs": 16}, 900, False),
        ({"io.bytes_read": 0, "io.bytes_written": GIB}, 900, False),
    ],
    ids=["many files", "few files", "several processes", "written"],
)
def test_several_processes_have_a_share_of_the_files_each(rule, changed, files, several):
    first, *_ = all_rules()[rule].advise(context(READS | changed, files=files))
    assert (first.command or "").startswith(SIDE_BY_SIDE) is several


def test_nobody_sorts_what_a_library_reads():
    given = [all_rules()["random-access"].advise(context(READS, file=name)) for name in ("tas_001.nc", "tas_001.dat")]
    assert [any("Sort the accesses" in one.text for one in advice) for advice in given] == [False, True]
