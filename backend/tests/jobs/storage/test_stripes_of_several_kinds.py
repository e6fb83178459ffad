"""Own files and shared ones that want other stripes: each is told of its own, and large ones may keep several."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Work, above_info, collective, document, osts, own

IN_THEIR_OWN = 'mkdir "${OWN_DIRECTORY:?a new directory for these files}" && lfs setstripe -c 1 -S 1M "$OWN_DIRECTORY"'


@pytest.mark.parametrize(
    ("shared", "its_osts", "command"),
    [
        ("/lus/p/out/fields.h5", 48, IN_THEIR_OWN),
        ("/lus/p/restart/fields.h5", 48, "lfs setstripe -c 1 -S 1M /lus/p/out"),
        ("/lus/p/out/fields.h5", 1, "lfs setstripe -c 1 -S 1M /lus/p/out"),
    ],
    ids=["in the same directory", "in another directory", "on one OST itself"],
)
def test_one_stripe_for_own_files_leaves_a_shared_file_beside_them_its_own(
    shared: str, its_osts: int, command: str
) -> None:
    own = Part("/lus/p/out/part.{}", range(512), writes=200, write_s=150.0, osts=osts(48))
    found = document(Work((own, *collective(shared, range(512), range(48), 20.0, osts(its_osts))), 512, 600))
    (finding,) = (f for f in found.findings if f.rule == "fpp-striped" and f.verdict == "triggered")
    assert finding.says is not None
    assert [a.command for a in finding.says.advice] == [command]
    assert ("fields.h5 lies beside them" in finding.says.advice[0].text) == (command == IN_THEIR_OWN)


@pytest.mark.parametrize(
    ("own_files", "place"),
    [
        ("/lus/p/out/part.{}", '"$SHARED_DIRECTORY"'),
        ("/lus/p/parts/part.{}", "/lus/p/out"),
        (None, "/lus/p/out"),
    ],
    ids=["in the same directory", "in another directory", "none"],
)
def test_stripes_for_a_shared_file_leave_the_own_files_beside_it_theirs(own_files: str | None, place: str) -> None:
    shared = (
        Part("/lus/p/out/fields.h5", range(512), "MPI-IO", writes=8, size=16 * MIB, write_s=200.0, collective=True),
        Part("/lus/p/out/fields.h5", range(1), writes=4096, size=16 * MIB, write_s=190.0, osts=osts(1)),
    )
    parts = (Part(own_files, range(512), writes=20, write_s=2.0, osts=own(512)),) if own_files else ()
    found = document(Work((*parts, *shared), 512, 600))
    (finding,) = (f for f in found.findings if f.rule == "single-aggregator" and f.verdict == "triggered")
    assert finding.says is not None
    (striped,) = (a for a in finding.says.advice if " lfs setstripe" in f" {a.command}")
    assert (striped.command or "").endswith(place)
    assert ("512 files of single ranks lie beside it" in striped.text) == (place != "/lus/p/out")


def test_own_files_and_a_shared_file_that_both_want_other_stripes_are_both_told() -> None:
    own_files = Part("/lus/p/out/part.{}", range(512), writes=200, write_s=150.0, osts=osts(48))
    shared = (
        Part("/lus/p/out/fields.h5", range(512), "MPI-IO", writes=8, size=16 * MIB, write_s=200.0, collective=True),
        *(
            Part(
                "/lus/p/out/fields.h5",
                range(128 * k, 128 * k + 1),
                writes=1024,
                size=16 * MIB,
                write_s=190.0,
                osts=osts(2),
            )
            for k in range(4)
        ),
    )
    found = document(Work((own_files, *shared), 512, 600, nodes=64))
    commands = [a.command for f in found.findings if f.verdict == "triggered" for a in f.advice if a.command]
    assert IN_THEIR_OWN in commands
    made = 'mkdir "${SHARED_DIRECTORY:?a new directory for the shared file}" && lfs setstripe -c '
    assert any(c.startswith(made) and c.endswith(' "$SHARED_DIRECTORY"') for c in commands)


@pytest.mark.parametrize("osts_in_fs", [48, None], ids=["of 48 OSTs", "of the OSTs on which they lie"])
@pytest.mark.parametrize(("writers", "calls", "named"), [(32, 3000, False), (32, 60, True), (256, 3000, True)])
def test_large_files_of_fewer_writers_than_osts_may_have_several_stripes(
    writers: int, calls: int, named: bool, osts_in_fs: int | None
) -> None:
    """One writer a node, or more, and three checkpoints of 24 GiB a file, or 480 MiB, each on four of 48 OSTs. As many
    files as the OSTs on which they lie would lie on all of these with one stripe each, however many there are."""
    files = tuple(
        Part(
            f"/scratch/ck/n{k:03}.{step}", range(k * 4, k * 4 + 1), writes=calls, size=8 * MIB, write_s=20.0,
            begins_s=100.0 + 300.0 * step, osts=osts(4, 4 * k),
        )
        for k in range(writers)
        for step in range(3)
    )  # fmt: skip
    said = above_info(document(Work(files, nprocs=1024, runtime_s=500, nodes=32, osts_in_fs=osts_in_fs)))
    assert ("fpp-striped" in said) is named


@pytest.mark.parametrize(
    ("ranks", "stripes", "first", "also"),
    [
        (1, 48, "overstriped-small", "many-small-files"),
        (1, 4, "overstriped-small", "many-small-files"),
        (1, 2, "many-small-files", "overstriped-small"),
        (64, 48, "fpp-striped", None),
        (64, 2, "many-small-files", "fpp-striped"),
    ],
)
def test_of_small_files_their_number_leads_or_their_stripes_by_what_each_takes(
    ranks: int, stripes: int, first: str, also: str | None
) -> None:
    """EPCC's slides: 36,000 files take 20 times as long on 48 stripes as on one."""
    name, files, runtime_s = ("t{}", 1600, 600.0) if ranks == 1 else ("{}/t.{{}}", 200, 200.0)
    small = tuple(
        Part(f"/in/{name.format(k)}", range(ranks), writes=1, size=4096, write_s=0.001, meta_s=0.2, osts=osts(stripes))
        for k in range(files)
    )
    found = document(Work(small, ranks, runtime_s, mounts=(("/in", "lustre"),)))
    assert found.headline.rule == first
    assert set(above_info(found)) == {first, also} - {None}


def lines_of(rule: str, path: str) -> tuple[str, ...]:
    """What a job is told to type that leaves each of 64 ranks 60 files on 48 OSTs."""
    parts = (
        Part(path.format(rank="{}", k=k), range(64), writes=2, size=8 * KIB, write_s=0.01, meta_s=0.2, osts=osts(48))
        for k in range(60)
    )
    found = document(Work(tuple(parts), nprocs=64, runtime_s=30, nodes=1)).findings
    (told,) = (f for f in found if f.rule == rule and f.verdict == "triggered")
    return tuple(f"{one.text} {one.command}" for one in told.advice)


def test_files_in_a_directory_of_each_rank_are_striped_by_the_one_above() -> None:
    (line,) = lines_of("fpp-striped", "/scratch/p1/run/{rank}/f{k}")
    assert line.endswith("lfs setstripe -c 1 -S 1M /scratch/p1/run")
    assert "Directories that are made below it take it over" in line


def test_where_all_lie_in_one_directory_or_have_only_the_mount_in_common_no_other_is_named() -> None:
    (line,) = lines_of("fpp-striped", "/scratch/p1/run/{rank}.f{k}")
    assert line.endswith("lfs setstripe -c 1 -S 1M /scratch/p1/run")
    assert "below it" not in line
    (line,) = lines_of("fpp-striped", "/scratch/{rank}/f{k}")
    assert line.endswith('lfs setstripe -c 1 -S 1M "${OUTPUT_DIRECTORY:?the directory in which the job writes}"')
