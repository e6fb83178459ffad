"""Whether files are used from one node or from several."""

from dataclasses import replace

import numpy as np
import pytest
from evidence_by_hand import job, log, metric, table, value

from iotriage.metrics.core.metric import Absent
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.nodes import node_of_all
from iotriage.metrics.tables.selecting import select_files, select_job
from iotriage_parsers.evidence import SEGMENT, DxtTrace, Mount

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


def test_the_nodes_of_the_job_are_those_of_every_group_of_its_files() -> None:
    of_log = log(SHARED, nprocs=2)
    trace = DxtTrace("POSIX", np.zeros(0, SEGMENT), {0: "a", 1: "b"}, {})
    whole = select_job([(0, of_log), (0, trace)])
    mine = select_files(whole, {0: np.array([1], np.uint64)}, ["/scratch/file1"], "shared-independent", 1)
    assert value(whole, "job.nnodes") == 2
    assert value(mine, "file.on_nodes") == value(whole, "file.on_nodes") == "several"
    assert metric(mine, "mpiio.movers_per_node").reason == metric(whole, "mpiio.movers_per_node").reason
    assert metric(mine, "mpiio.movers_per_node").reason != metric(job(of_log), "job.nnodes").reason


def test_a_number_of_nodes_does_not_tell_which_ranks_are_on_them() -> None:
    selection = of_file("/scratch/out.h5")
    assert metric(selection, "job.nnodes").settled_by
    assert node_of_all(selection, selection.logs[0], [0, 1], [0, 1, 2, 3]) == Absent(
        "no source names the nodes of all ranks"
    )
