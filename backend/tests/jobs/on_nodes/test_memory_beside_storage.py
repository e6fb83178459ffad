"""What moves in the memory of the nodes is no rate of the file system."""

import pytest
from described import MIB, Part, Work, document, osts, own, uneven

RANKS = range(256)
STORED = Part("/scratch/r/o.{}", RANKS, writes=100, size=4 * MIB, write_s=uneven(256, 100.0), osts=own(256))
TOGETHER = (
    Part("/scratch/r/o.nc", RANKS, "MPI-IO", writes=25, size=16 * MIB, write_s=100.0, collective=True),
    Part("/scratch/r/o.nc", range(0, 256, 16), writes=400, size=16 * MIB, write_s=90.0, in_order=0.2, osts=osts(16)),
)


def in_memory(calls: int, seconds: float, folder: str = "/tmp") -> Part:
    return Part(f"{folder}/s.{{}}", RANKS, writes=calls, reads=calls, size=4 * MIB, write_s=seconds, read_s=seconds)


def rate(*parts: Part, metric: str = "io.bandwidth") -> float:
    mounts = (("/scratch", "lustre"), ("/home", "nfs"), ("/tmp", "tmpfs"), ("/local", "xfs"))
    found = document(Work(parts, 256, 600.0, nodes=8, mounts=mounts)).metrics[metric].value
    assert isinstance(found, float)
    return found / MIB


@pytest.mark.parametrize("stored", [(STORED,), TOGETHER], ids=["own files", "one file with collective calls"])
@pytest.mark.parametrize("metric", ["io.bandwidth", "io.write_bandwidth"])
def test_the_rate_is_that_of_the_file_system(stored: tuple[Part, ...], metric: str) -> None:
    alone = rate(*stored, metric=metric)
    assert rate(*stored, in_memory(4000, 5.0), metric=metric) == pytest.approx(alone)
    assert rate(*stored, in_memory(10, 0.1), metric=metric) == pytest.approx(alone, rel=0.25)


def test_where_memory_has_most_of_the_seconds_or_all_bytes_the_rate_is_of_that() -> None:
    assert rate(STORED, in_memory(4000, 100.0)) > 10 * rate(STORED)
    assert rate(in_memory(4000, 5.0)) > 10 * rate(STORED)


def test_a_disk_of_the_node_is_storage() -> None:
    assert rate(STORED, in_memory(4000, 5.0, "/local")) > 10 * rate(STORED)


PRINTED = Part("/home/u/log.{}", RANKS, "STDIO", writes=2000, size=512, write_s=uneven(256, 300.0))


@pytest.mark.parametrize("stored", [(STORED,), TOGETHER], ids=["own files", "one file with collective calls"])
def test_where_another_layer_has_most_of_the_seconds_there_it_is_that_of_both(stored: tuple[Part, ...]) -> None:
    both = rate(*stored, PRINTED)
    assert both < rate(*stored) / 2
    assert rate(*stored, PRINTED, in_memory(4000, 5.0)) == pytest.approx(both, rel=0.05)
