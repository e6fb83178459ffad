"""Files alike on two file systems: an OST, a home, a byte is of one of them."""

from __future__ import annotations

import pytest
from described import MIB, Part, Work, document

from iotriage.analysis.document import CaseDocument


def labels(found: CaseDocument) -> list[str]:
    return [group.label for group in found.groups]


def test_mount_points_that_differ_in_digits_are_two_file_systems() -> None:
    """OST 3 of the one is slow; the other has an OST 3 of its own."""
    files = (
        Part(
            f"/scratch{system}/u/out.{rank}.dat",
            (rank,),
            writes=256,
            size=4 * MIB,
            write_s=60.0 if (system, rank % 8) == (1, 3) else 6.0 + 0.01 * rank,
            osts=(rank % 8,),
        )
        for system in (1, 2)
        for rank in range(32)
    )
    mounts = (("/scratch1", "lustre"), ("/scratch2", "lustre"))
    found = document(Work(tuple(files), nprocs=32, runtime_s=120.0, nodes=4, mounts=mounts))
    assert sorted(labels(found)) == ["scratch1/u/out.#.dat, 32 files", "scratch2/u/out.#.dat, 32 files"]
    slow = [f for f in found.findings if f.rule == "slow-ost" and f.verdict == "triggered"]
    assert [f.scope.label for f in slow] == ["scratch1/u/out.#.dat, 32 files"]


@pytest.mark.parametrize("first", [0, 8], ids=["of the same indices", "of other indices"])
@pytest.mark.parametrize("seconds", [6.0, 60.0])
def test_osts_of_two_file_systems_are_not_compared(first: int, seconds: float) -> None:
    """Nor taken for one where they have the same index."""
    fast = [Part(f"/scratch/o.{r}", range(r, r + 1), writes=200, write_s=10.0, osts=(r % 8,)) for r in range(64)]
    slow = [
        Part(f"/work/o.{r}", range(r, r + 1), writes=200, write_s=seconds, osts=(first + r % 2,)) for r in range(64)
    ]
    mounts = (("/scratch", "lustre"), ("/work", "lustre"))
    found = document(Work((*fast, *slow), nprocs=64, runtime_s=120.0, nodes=4, mounts=mounts))
    assert found.metrics["ost.slowest"].value is None
    assert found.metrics["ost.slowness"].value is None
    assert not [f for f in found.findings if f.rule in ("slow-ost", "crowded-ost") and f.verdict == "triggered"]


def test_small_files_alike_on_home_and_on_scratch_are_no_one_group() -> None:
    files = (
        Part(f"/p/{place}/u/{name}.dat", range(4), writes=2000, size=1000, write_s=10.0 + n)
        for n, name in enumerate("uvwxyz")
        for place in (("home", "scratch")[n % 2],)
    )
    mounts = (("/p/home", "nfs"), ("/p/scratch", "lustre"))
    found = document(Work(tuple(files), nprocs=4, runtime_s=200.0, mounts=mounts))
    assert sorted(labels(found)) == ["3 files such as u.dat", "3 files such as v.dat"]


def tried_next(of_work: dict[str, float], of_scratch: dict[str, float]) -> dict[str, str]:
    """What is asked of the unexplained seconds of each cell, where 64 ranks have a file each on two file systems."""
    parts = [
        Part(
            f"/{mount}/u/{mount}.{{}}",
            range(64),
            reads=int(does.get("reads", 0)),
            writes=int(does.get("writes", 0)),
            size=4 * MIB,
            read_s=does.get("read_s", 0.0),
            write_s=does.get("write_s", 0.0),
            meta_s=does.get("meta_s", 0.01),
            osts=tuple(rank % 48 for rank in range(64)),
        )
        for mount, does in (("work", of_work), ("scratch", of_scratch))
    ]
    mounts = (("/work", "lustre"), ("/scratch", "lustre"))
    found = document(Work(tuple(parts), nprocs=64, runtime_s=300.0, nodes=4, mounts=mounts))
    return {cell: asked[0].sentence for cell, asked in found.investigations.of_cells.items()}


@pytest.mark.parametrize(
    ("of_work", "of_scratch", "of_cells"),
    [
        ({"reads": 40, "read_s": 70.0}, {"writes": 400, "write_s": 50.0}, {"reads": "100 %", "writes": None}),
        ({"writes": 40, "write_s": 70.0}, {"writes": 400, "write_s": 20.0}, {"writes": "78 %"}),
        (
            {"reads": 40, "read_s": 70.0},
            {"reads": 400, "read_s": 5.0, "writes": 400, "write_s": 10.0},
            {"reads": "93 %", "writes": None},
        ),
        ({"reads": 2, "read_s": 0.1, "meta_s": 70.0}, {"writes": 40, "write_s": 50.0}, {"reads": None, "writes": None}),
    ],
    ids=["reads", "writes", "reads beside both", "opens"],
)
def test_where_the_time_passes_is_told_of_the_calls_that_have_it(of_work, of_scratch, of_cells) -> None:
    asked = tried_next(of_work, of_scratch)
    for cell, part in of_cells.items():
        told = f"{part} of that time passes on /work" if part is not None else None
        assert (told in asked[cell]) if told is not None else ("of that time passes on" not in asked[cell])
