"""Files on a disk of the node, or in its memory, are not sent there."""

import pytest
from described import GIB, KIB, Part, Work, document, uneven

RANKS = range(16)
MOUNTS = (("/scratch", "lustre"), ("/home", "nfs"), ("/local", "xfs"), ("/dev/shm", "tmpfs"))


def at_random(name: str) -> tuple[Part, ...]:
    return (Part(name, RANKS, reads=400_000, size=8 * KIB, read_s=uneven(16, 400.0), in_order=0.05, reach=100 * GIB),)


def larger(name: str) -> tuple[Part, ...]:
    return (Part(name, RANKS, reads=40_000, size=32 * KIB, read_s=uneven(16, 400.0), in_order=0.05, reach=100 * GIB),)


def small_files(name: str) -> tuple[Part, ...]:
    return tuple(
        Part(f"{name}/k{k}/x.{{}}.jpg", RANKS, reads=2, size=50 * KIB, read_s=0.125, meta_s=2.5) for k in range(80)
    )


JOBS = {
    "of no format": lambda at: at_random(f"{at}/d/x.{{}}"),
    "HDF5": lambda at: at_random(f"{at}/d/x.{{}}.h5"),
    "HDF5 in larger pieces": lambda at: larger(f"{at}/d/x.{{}}.h5"),
    "SQLite": lambda at: at_random(f"{at}/d/x.sqlite"),
    "RocksDB": lambda at: at_random(f"{at}/d/000123.sst"),
    "sequences": lambda at: at_random(f"{at}/d/x.ffdata"),
    "small files": lambda at: small_files(f"{at}/d"),
}
WRITTEN = {"RocksDB": "000123.sst", "sequences": "x.ffdata", "what Spark shuffles": "shuffle_0_12_0.data"}
TO_THE_NODE = ("opy the", "copy it to", "unpack one archive", "Keep the store on", "Build the database in", "Keep what")


def is_sent_to_the_node(parts: tuple[Part, ...]) -> bool:
    said = advised(parts)
    return any(text in said for text in TO_THE_NODE)


def advised(parts: tuple[Part, ...]) -> str:
    found = document(Work(parts, 16, 900.0, nodes=1, mounts=MOUNTS, program="/usr/bin/python3"))
    loud = [f for f in found.findings if f.verdict == "triggered" and f.severity != "info"]
    assert loud
    return " ".join(one.text for f in loud for one in f.advice if one.withheld is None)


@pytest.mark.parametrize("job", JOBS)
def test_what_is_far_is_copied_and_what_is_there_is_not(job: str) -> None:
    parts = JOBS[job]
    assert is_sent_to_the_node(parts("/scratch"))
    for there in ("/local", "/dev/shm"):
        assert not is_sent_to_the_node(parts(there))


@pytest.mark.parametrize("name", WRITTEN.values(), ids=list(WRITTEN))
def test_nor_is_what_is_written_there(name: str) -> None:
    def parts(at: str) -> tuple[Part, ...]:
        written = Part(
            f"{at}/d/{{}}/{name}", RANKS, writes=400_000, size=8 * KIB, write_s=uneven(16, 400.0), in_order=0.05
        )
        return (written,)

    assert is_sent_to_the_node(parts("/scratch"))
    for there in ("/local", "/dev/shm"):
        assert not is_sent_to_the_node(parts(there))


def test_what_names_no_place_on_the_node_cites_none() -> None:
    found = document(Work(small_files("/local/d"), 16, 900.0, nodes=1, mounts=MOUNTS)).findings
    packed = [one for f in found for one in f.advice if one.text.startswith("Most of the files are only read")]
    assert packed
    assert all(one.citation is None for one in packed)


def test_fragments_of_an_array_are_put_together() -> None:
    parts = tuple(
        Part(f"/scratch/gdb/chr1/__{k}/x.tdb", range(1), writes=3, size=8 * KIB, write_s=0.02, meta_s=0.4)
        for k in range(1000)
    )
    found = document(Work(parts, 1, 900.0, program="/usr/bin/java -jar gatk.jar", nodes=1)).headline
    assert found.rule == "many-small-files"
    assert "--consolidate" in advised(parts)


@pytest.mark.parametrize(
    ("place", "kind", "counted"),
    [("/tmp", "xfs", False), ("/dev/shm", "tmpfs", False), ("/lscratch/7", None, False), ("/scratch", "lustre", True)],
)
def test_directories_of_the_nodes_have_no_metadata_server(place: str, kind: str | None, *, counted: bool) -> None:
    parts = tuple(
        Part(f"{place}/x/{k}.{{}}", range(64), writes=1, size=4000, write_s=0.01, meta_s=0.2) for k in range(200)
    )
    mounts = (("/scratch", "lustre"), *(((place, kind),) if kind else ()))
    found = document(Work(parts, 64, 200.0, nodes=2, mounts=mounts))
    assert (found.metrics["file.per_directory"].value is not None) is counted
    said = {f.rule for f in found.findings if f.verdict == "triggered"}
    assert ("too-many-files-per-directory" in said) is counted
