"""Whether files are used from one node or from several."""

from dataclasses import replace

import pytest
from evidence_by_hand import job, log, table, value

from iotriage.metrics.core.selection import Selection
from iotriage_parsers.evidence import Mount

SHARED = table("POSIX", (1, -1, {"POSIX_BYTES_WRITTEN": 2**30, "POSIX_MAX_BYTE_WRITTEN": 2**30 - 1}))


def of_file(name: str, *mounts: Mount, hosts: tuple[str, ...] = ()) -> Selection:
    of_log = log(SHARED, nprocs=4, names={1: name}, hostnames=dict(enumerate(hosts)))
    return job(replace(of_log, job=replace(of_log.job, mounts=mounts)))


@pytest.mark.parametrize(
    ("selection", "found"),
    [
        (of_file("/scratch/out.h5", hosts=("a", "a", "a", "a")), "one"),
        (of_file("/scratch/out.h5", hosts=("a", "a", "b", "b")), "several"),
        (of_file("/scratch/out.h5"), "unknown"),
        (of_file("/tmp/out.h5"), "one"),
        (of_file("/tmp/out.h5", Mount("/tmp", "lustre")), "unknown"),
        (of_file("/disk/out.h5", Mount("/disk", "ext4")), "one"),
        (of_file("/disk/out.h5", Mount("/", "ext4")), "unknown"),
    ],
)
def test_names_of_nodes_or_a_disk_of_one_tell(selection: Selection, found: str) -> None:
    assert value(selection, "file.on_nodes") == found
