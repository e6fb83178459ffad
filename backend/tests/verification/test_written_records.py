"""Records of every version of the modules that no real log of ours has, packed by hand: pydarshan reads them alike."""

from __future__ import annotations

import pytest
from darshan_writer import Log, Raw, build
from library_records import STORED, apmpi, apxc, written
from second_opinions import compared, second_opinions

ROUTERS = ((0, 1, 2, 3), (4, 5, 6, 7))


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("written")
    logs = {(module, version): written(module, version) for module, version in STORED}
    logs["APXC", 1] = build(Log(modules=(Raw("APXC", 1, apxc(*ROUTERS)),)))
    logs["APMPI", 1] = build(Log(modules=(Raw("APMPI", 1, apmpi((0, b"nid1"), (1, b"nid2"))),)))
    paths = {key: folder / f"{number}.darshan" for number, key in enumerate(logs)}
    for key, path in paths.items():
        path.write_bytes(logs[key])
    theirs = second_opinions(list(paths.values()))
    return {key: compared(path, theirs[path]) for key, path in paths.items()}


@pytest.mark.parametrize(("module", "version"), [*STORED, ("APXC", 1)])
def test_pydarshan_says_the_same(found, module, version):
    (part,) = (part for part in found[module, version] if part.part == module)
    assert part.differences == ()
    assert part.agreed >= 10


def test_the_routers_are_compared_with_their_places(found):
    (part,) = (part for part in found["APXC", 1] if part.part == "APXC")
    # Of each router id, rank, place and counters.
    assert part.agreed == 2 * (2 + 4 + 392)


def test_what_autoperf_did_not_time_differs_and_says_why(found):
    (part,) = (part for part in found["APMPI", 1] if part.part == "APMPI")
    assert {d.what for d in part.differences} > {"MPI_BARRIER_TOTAL_SYNC_TIME", "MPI_TOTAL_COMM_SYNC_TIME"}
    assert all(d.ours is None and d.theirs == 0.0 and d.reason for d in part.differences)
    (nodes,) = (part for part in found["APMPI", 1] if part.part == "nodes")
    assert (nodes.agreed, nodes.differences) == (2, ())
