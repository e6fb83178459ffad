"""Files that are opened again and again, alone and beside what else a job does. What a person would name, and what must
not be said, was written down before each was first diagnosed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from described import GIB, KIB, MIB, Part, Work, above_info, document, osts, own, uneven

RANKS = range(64)
STATE = Part(
    "/scratch/run/state.{}", RANKS, writes=500, size=64 * KIB, write_s=1.0, meta_s=25.0, opens=500, osts=own(64)
)
MODULES = tuple(
    Part(
        f"/scratch/env/lib/python3.11/site-packages/pkg/m{k}.py",
        RANKS,
        reads=1,
        size=8 * KIB,
        read_s=0.002,
        meta_s=0.08,
        osts=(k % 48,),
    )
    for k in range(400)
)
MESH = Part("/scratch/mesh.bin", RANKS, reads=4 * 512, size=4 * MIB, read_s=60.0, reach=2 * GIB, osts=osts(8))
LARGE = Part("/scratch/out.{}", RANKS, writes=1000, size=4 * MIB, write_s=uneven(64, 80.0), osts=own(64))

ALONE = Work((STATE,), nprocs=64, runtime_s=100)
BESIDE_IMPORTS = Work((STATE, *MODULES), nprocs=64, runtime_s=140)
BESIDE_REREADS = Work((STATE, MESH), nprocs=64, runtime_s=200)
BESIDE_LARGE_WRITES = Work((STATE, LARGE), nprocs=64, runtime_s=200)
LITTLE_BESIDE = Work(
    (Part("/scratch/run/state.{}", RANKS, writes=500, size=64 * KIB, write_s=0.1, meta_s=2.0, opens=500), LARGE),
    nprocs=64,
    runtime_s=200,
)
NEW_FILE_EACH_STEP = Work(
    tuple(
        Part(f"/scratch/run/step{k:03}.{{}}", RANKS, writes=1, size=64 * KIB, write_s=0.025, meta_s=0.6)
        for k in range(20)
    ),
    nprocs=64,
    runtime_s=40,
)
EPOCHS_OVER_MANY = Work(
    tuple(
        Part(f"/scratch/train/img{k:05}.jpg", range(1), reads=30, size=100 * KIB, read_s=0.003, meta_s=0.03, opens=30)
        for k in range(2000)
    ),
    nprocs=1,
    runtime_s=100,
    program="/usr/bin/python3",
)
DATA_BESIDE_IMPORTS = Work(
    (
        *MODULES,
        *(
            Part(f"/scratch/train/{k}_{{}}.npy", RANKS, reads=1, size=100 * KIB, read_s=0.01, meta_s=2.5)
            for k in range(20)
        ),
    ),
    nprocs=64,
    runtime_s=120,
    program="/usr/bin/python3",
)

GATHERED_BESIDE_FILES_OF_ALL = Work(
    (
        Part("/scratch/all.dat", range(1), writes=15_000, size=4 * MIB, write_s=40.0, osts=osts(8)),
        *(Part(f"/scratch/n{k:03}.{{}}", RANKS, writes=1, size=4 * KIB, write_s=0.005, meta_s=1.0) for k in range(20)),
    ),
    nprocs=64,
    runtime_s=110,
)

JOBS = {
    "alone": (ALONE, "reopened-files", set[str](), {"serial-io", "straggler-rank"}),
    "beside imports": (BESIDE_IMPORTS, "import-storm", {"reopened-files"}, {"serial-io"}),
    "beside reads of the same": (BESIDE_REREADS, "redundant-reads", {"reopened-files"}, {"serial-io"}),
    "beside large writes": (BESIDE_LARGE_WRITES, "reopened-files", set(), {"straggler-rank", "import-storm"}),
    "data beside imports": (DATA_BESIDE_IMPORTS, "many-small-files", {"import-storm"}, {"reopened-files"}),
}


def test_one_rank_alone_is_given_no_metadata_of_the_others() -> None:
    found = document(GATHERED_BESIDE_FILES_OF_ALL).findings
    takes = {f.rule: f.takes_s or 0.0 for f in found if f.verdict == "triggered"}
    assert takes["serial-io"] == pytest.approx(40.0, rel=0.05)
    assert takes["many-small-files"] == pytest.approx(20.0, rel=0.05)
    fewer = next(f for f in found if f.rule == "many-small-files").advice[1].text
    assert fewer == "Write fewer files: put what belongs together into one shared file, or one per node."


@pytest.mark.parametrize(("open_s", "first"), [(0.12, True), (0.021, True), (0.019, False)])
def test_of_files_slow_to_make_without_layouts_the_directory_is_asked(open_s: float, first: bool) -> None:
    """A file with one stripe takes 10 ms by EPCC's slides: what an open takes beyond, the stripes may."""
    work = replace(NEW_FILE_EACH_STEP, parts=tuple(replace(p, meta_s=open_s) for p in NEW_FILE_EACH_STEP.parts))
    found = next(f for f in document(work).findings if f.rule == "many-small-files")
    asked = [advice.command == "lfs getstripe -d /scratch/run" for advice in found.advice]
    assert asked == ([True, False] if first else [False, True])


@pytest.mark.parametrize("job", JOBS)
def test_what_is_opened_again_is_named(job: str) -> None:
    work, first, also, never = JOBS[job]
    found = document(work)
    named = above_info(found)
    assert found.headline.rule == first, named
    assert also <= set(named)
    assert not never & set(named)


@pytest.mark.parametrize(
    "work", [NEW_FILE_EACH_STEP, EPOCHS_OVER_MANY, LITTLE_BESIDE], ids=["steps", "epochs", "little"]
)
def test_what_is_not(work: Work) -> None:
    assert "reopened-files" not in above_info(document(work))


def test_shared_files_of_many_steps_are_not_to_become_one_a_node() -> None:
    steps = tuple(
        part
        for k in range(100)
        for part in (
            Part(f"/scratch/run/s{k:03}", RANKS, "MPI-IO", writes=1, size=32 * MIB, write_s=0.05, collective=True),
            Part(f"/scratch/run/s{k:03}", RANKS, writes=8, size=4 * MIB, write_s=0.04, meta_s=0.4, osts=osts(8, k)),
        )
    )
    found = next(f for f in document(Work(steps, nprocs=64, runtime_s=120)).findings if f.rule == "metadata-bound")
    assert found.verdict == "triggered"
    assert found.advice[0].text.startswith("Put several steps")
    assert "64 ranks open each" in found.advice[0].text
    assert not any("one per node" in one.text for one in found.advice)


def streams(opens: int, meta_s: float = 75.0, writes: int = 1000) -> Work:
    """Each of 512 ranks opens its log as a stream so many times, and writes lines to it."""
    log = Part(
        "/scratch/run/rank{}.log", range(512), "STDIO", opens=opens, writes=writes, size=400, write_s=0.8,
        meta_s=uneven(512, meta_s),
    )  # fmt: skip
    return Work((log,), nprocs=512, runtime_s=300, nodes=4)


def test_streams_that_are_opened_again_and_again_are_told_so_and_not_of_their_small_calls() -> None:
    found = document(streams(1000))
    finding = next(f for f in found.findings if f.rule == "reopened-files")
    assert found.headline.rule == "reopened-files"
    assert set(above_info(found)) == {"reopened-files"}
    assert finding.takes_s == pytest.approx(82.3, rel=0.02)
    assert "fopen" in (finding.advice[0].command or "")


def test_streams_that_are_opened_once_and_written_line_by_line_are_told_of_the_lines() -> None:
    lines = Part("/scratch/run/rank{}.log", range(512), "STDIO", writes=400_000, size=100, write_s=60.0, meta_s=2.0)
    said = above_info(document(Work((lines,), nprocs=512, runtime_s=300, nodes=4)))
    assert set(said) == {"stdio-heavy"}


@pytest.mark.parametrize("size", [200, 4 * KIB])
@pytest.mark.parametrize(("stats", "rule"), [(2000, "reopened-files"), (50_000, "metadata-bound")])
def test_where_ranks_mostly_ask_about_the_files_keeping_them_open_is_no_cure(stats: int, rule: str, size: int) -> None:
    state = Part(
        "/scratch/run/state.{}", RANKS, writes=500, size=size, write_s=0.5, meta_s=45.0, opens=500, stats=stats
    )
    assert document(Work((state,), nprocs=64, runtime_s=150, nodes=1)).headline.rule == rule


@pytest.mark.parametrize("written", [0, 1, 40])
def test_what_is_read_at_each_open_is_sent_by_no_close(written: int) -> None:
    """A program that looks into its settings each step, and changes them now and then."""
    reads = Part("/scratch/run/state.json", range(1), reads=3000, size=100, opens=3000, read_s=30.0, meta_s=0.5)
    writes = replace(reads, reads=0, writes=written, opens=written, read_s=0.0, write_s=0.01)
    found = document(Work((reads, writes)[: 1 + bool(written)], nprocs=1, runtime_s=100.0))
    assert found.headline.rule == "small-io"
    assert "reopened-files" not in [f.rule for f in found.findings if f.verdict == "triggered"]


@pytest.mark.parametrize("header", [False, True])
def test_a_header_makes_no_lines_of_pages(header: bool) -> None:
    pages = Part("/scratch/run/pages.{}", RANKS, writes=500, size=4 * KIB, write_s=20.0, meta_s=0.5, opens=500)
    before = Part("/scratch/run/pages.{}", RANKS, writes=1, size=96, write_s=0.0, meta_s=0.0, opens=1)
    found = document(Work((pages, before) if header else (pages,), nprocs=64, runtime_s=150, nodes=1))
    assert found.headline.rule == "small-io"


def test_what_is_added_at_each_of_many_opens_takes_no_time_of_its_own() -> None:
    took, opening = uneven(64, 8.0), uneven(64, 60.0)
    log = Part(
        "/scratch/hist.{}.txt", RANKS, writes=3000, size=200, write_s=took, meta_s=opening, opens=3000, in_order=0.0,
        aligned=False, osts=own(64),
    )  # fmt: skip
    found = document(Work((log,), nprocs=64, runtime_s=150))
    assert found.headline.rule == "reopened-files"
    assert sorted(above_info(found)) == ["reopened-files"]


@pytest.mark.parametrize(
    ("name", "layer", "written", "opened"),
    [
        ("forcing.nc", "POSIX", 0, "nc_open(name, NC_NOWRITE, &ncid);"),
        ("forcing.nc", "POSIX", 1, "nc_open(name, NC_WRITE, &ncid);"),
        ("forcing.h5", "POSIX", 0, "hid_t file = H5Fopen(name, H5F_ACC_RDONLY, access);"),
        ("table.bin", "POSIX", 0, "int file = open(name, O_RDONLY);"),
        ("table.txt", "STDIO", 0, 'FILE *stream = fopen(name, "r");'),
        ("table.txt", "STDIO", 1, 'FILE *stream = fopen(name, "a");'),
    ],
)
def test_what_is_only_read_is_kept_open_to_be_read(name: str, layer: str, written: int, opened: str) -> None:
    part = Part(
        f"/scratch/{name}", RANKS, layer, reads=12 * 365, writes=written, size=256 * KIB, opens=365, read_s=5.0,
        meta_s=30.0, reach=3 * GIB, osts=osts(4),
    )  # fmt: skip
    case = document(Work((part,), nprocs=64, runtime_s=200))
    command = next(f for f in case.findings if f.rule == "reopened-files").advice[0].command or ""
    assert command.splitlines()[0] == f"{opened}  /* once, before the first step */"


def epochs(files: int, size: int, opens: int) -> Work:
    """12 times over so many files, in 10 minutes, of which four pass in opening them."""
    part = Part("", range(1), reads=12, size=size, read_s=360.0 / files, meta_s=240.0 / files, opens=opens, reach=size)
    return Work(tuple(replace(part, path=f"/scratch/train/img{k:05}.jpg") for k in range(files)), 1, 1000.0)


@pytest.mark.parametrize(
    ("work", "rule"),
    [
        (epochs(1500, 100 * KIB, 12), "many-small-files"),
        (epochs(1500, 40 * MIB, 12), "redundant-reads"),
        (epochs(20, 100 * MIB, 1), "redundant-reads"),
    ],
    ids=["small files", "larger files", "a few that stay open"],
)
def test_small_files_of_every_epoch_are_too_small_and_large_ones_are_read_too_often(work: Work, rule: str) -> None:
    assert document(work).headline.rule == rule


def samples(reach: int) -> Work:
    """Ten epochs over 200 files, of which each open reads 100 KiB."""
    files = (
        Part(
            f"/scratch/train/s{k:04}.npy", range(1), reads=10, size=100 * KIB, read_s=0.01, meta_s=0.1, opens=10,
            reach=reach,
        )
        for k in range(200)
    )  # fmt: skip
    return Work(tuple(files), nprocs=1, runtime_s=60, program="/usr/bin/python3")


@pytest.mark.parametrize(
    ("reach", "said"),
    [(100 * KIB, "Read each file once and keep what it has in memory"), (1000 * KIB, "Open the file once")],
    ids=["read whole", "read on from where it was"],
)
def test_samples_that_each_epoch_reads_whole_are_kept_in_memory(reach: int, said: str) -> None:
    found = document(samples(reach))
    assert found.headline.rule == "reopened-files"
    assert found.headline.action is not None
    assert found.headline.action.startswith(said)


def slow_at(rank: int, slow_s: float, others_s: float) -> tuple[float, ...]:
    return tuple(slow_s if r == rank else others_s + 0.1 * (r % 9) for r in range(128))


TABLE_OPENED_AGAIN = Part(
    "/scratch/r/tab.dat", range(128), reads=3000, size=4 * KIB, opens=3000, meta_s=uneven(128, 60.0), read_s=1.0,
    osts=(3,),
)  # fmt: skip
OPENED_FOR_EACH_WRITE = {"writes": 2000, "size": 64 * KIB, "opens": 2000, "osts": tuple(r * 7 % 48 for r in range(128))}


@pytest.mark.parametrize(
    ("parts", "takes"),
    [
        # Its waiting is in another file than those that all open.
        (
            (
                TABLE_OPENED_AGAIN,
                Part("/scratch/r/o.{}", range(128), writes=200, size=4 * MIB, write_s=slow_at(77, 250.0, 20.0)),
            ),
            {"straggler-rank": 222.0, "reopened-files": 60.0},
        ),
        # It opens them as fast as the others, and writes slowly.
        (
            (
                Part(
                    "/scratch/r/o.{}", range(128), write_s=slow_at(77, 150.0, 5.0), meta_s=60.0, **OPENED_FOR_EACH_WRITE
                ),
            ),
            {"straggler-rank": 143.0, "reopened-files": 60.0},
        ),
        # It opens them slowly.
        (
            (
                Part(
                    "/scratch/r/o.{}", range(128), write_s=5.0, meta_s=slow_at(77, 200.0, 40.0), **OPENED_FOR_EACH_WRITE
                ),
            ),
            {"reopened-files": 200.0},
        ),
    ],
    ids=["elsewhere", "in writes", "in opens"],
)
def test_a_slow_rank_beside_them_has_what_it_does_not_open(parts: tuple[Part, ...], takes: dict[str, float]) -> None:
    found = document(Work(parts, nprocs=128, runtime_s=500.0, nodes=4))
    causes = {
        f.rule: f.takes_s for f in found.findings if f.verdict == "triggered" and f.severity in ("medium", "high")
    }
    assert causes == {rule: pytest.approx(seconds, abs=3.0) for rule, seconds in takes.items()}


@pytest.mark.parametrize("ranks", [1, 8])
@pytest.mark.parametrize(("opens", "syncs", "rule"), [(1000, 0, "reopened-files"), (1, 1000, "sync-heavy")])
def test_one_rank_of_mpi_io_is_told_what_to_do_as_several_are(ranks: int, opens: int, syncs: int, rule: str) -> None:
    took = {"meta_s": 60.0 if opens > 1 else 0.01, "write_s": 60.0 if syncs else 1.0}
    parts = tuple(
        Part("/scratch/r/h.{}", range(ranks), layer, writes=1000, size=64 * KIB, opens=opens, syncs=syncs, **took)
        for layer in ("MPI-IO", "POSIX")
    )
    found = document(Work(parts, ranks, 200.0, nodes=1))
    leading = next(f for f in found.findings if f.rule == found.headline.rule)
    assert leading.rule == rule
    assert "MPI_File_" in (leading.advice[0].command or "")


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (Part("/scratch/l.csv", range(1), writes=3000, size=15, opens=3000, meta_s=60.0), "Each open is for 15 B"),
        (Part("/scratch/{}.csv", range(4), writes=3000, reads=3000, size=15, opens=3000, meta_s=60.0), "is for 30 B"),
        (Part("/scratch/state", range(1), reads=3000, writes=1, size=15, opens=3000, meta_s=60.0), None),
        (Part("/scratch/state", range(1), reads=3000, size=15, opens=3000, meta_s=60.0), None),
    ],
    ids=["written", "read and written", "looked at", "read"],
)
def test_what_each_open_writes_is_told_where_files_are_not_mostly_read(part: Part, said: str | None) -> None:
    found = document(Work((part,), len(part.ranks), 100.0, nodes=1))
    (mine,) = (f for f in found.findings if f.rule == "reopened-files")
    assert ("sent on its own" in mine.summary) is (said is not None)
    assert (said or "") in mine.summary


def test_files_that_grow_each_time_that_they_are_opened_are_not_called_small() -> None:
    """Exodus: 120 MiB of each of 1,024 ranks, 600 KiB at each of 200 steps."""
    part = Part(
        "/scratch/out.e.{}", range(1024), writes=6000, size=20 * KIB, write_s=6.0, meta_s=60.0, opens=200, stats=200,
        osts=own(1024),
    )  # fmt: skip
    said = above_info(document(Work((part,), nprocs=1024, runtime_s=300)))
    assert "reopened-files" in said
    assert "many-small-files" not in said


def test_opens_of_one_rank_are_not_counted_as_ranks_that_open_a_file() -> None:
    """Four ranks open a file of their own 20,000 times, and all open another once: 13.6 ranks for each of the five."""
    again = Part("/scratch/o.{}", range(60, 64), writes=2000, size=8, write_s=1.0, opens=20_000, meta_s=200.0)
    read = Part("/scratch/in.dat", RANKS, reads=40, size=MIB, read_s=3.0)
    found = document(Work((again, read), nprocs=64, runtime_s=600.0, nodes=2))
    advised = " ".join(a.text or "" for f in found.findings if f.rule == "metadata-bound" for a in f.advice)
    assert "now 14 ranks open each." in advised


@pytest.mark.parametrize(("ranks", "who"), [(range(1), "One rank"), (RANKS, "Each rank")])
def test_who_opens_them_is_said(ranks: range, who: str) -> None:
    parts = (
        Part(f"/scratch/run/{name}.{{}}", ranks, writes=3000, size=20 * KIB, opens=3000, meta_s=60.0, reach=20 * KIB)
        for name in ("detailed", "charges")
    )
    found = document(Work(tuple(parts), nprocs=64, runtime_s=400.0, nodes=1))
    assert found.headline.sentence.startswith(f"{who} opens and closes its files")


def test_it_is_one_rank_whatever_the_mean_of_its_opens_is_rounded_to() -> None:
    """2,005 opens of 15 files: (2005 / 15) × 15 is less than 2005."""
    parts = (
        Part(
            f"/scratch/run/{name}",
            range(1),
            writes=100,
            size=20 * KIB,
            opens=134 - (at < 5),
            meta_s=14.0,
            reach=20 * KIB,
        )
        for at, name in enumerate("abcdefghijklmno")
    )
    found = document(Work(tuple(parts), nprocs=64, runtime_s=400.0, nodes=1))
    assert found.headline.sentence == "One rank opens and closes its files 134 times."


def test_a_rank_that_writes_what_all_open_is_not_the_one_that_opens_it() -> None:
    opened = Part("/scratch/run/state", range(1, 64), opens=3000, meta_s=60.0)
    written = Part("/scratch/run/state", range(1), writes=3000, size=20 * KIB, opens=3000, meta_s=60.0, reach=20 * KIB)
    found = document(Work((opened, written), nprocs=64, runtime_s=400.0, nodes=1))
    (mine,) = (f for f in found.findings if f.rule == "reopened-files")
    assert mine.headline.startswith("Each rank")


def test_of_streams_that_are_opened_and_flushed_for_each_line_opening_has_its_own_seconds() -> None:
    """Darshan adds the seconds of flushes to those of writes; those of opens and closes stand apart."""
    lines = Part(
        "/scratch/log.{}.txt",
        range(128),
        "STDIO",
        writes=900,
        size=100,
        opens=900,
        syncs=900,
        write_s=30.0,
        meta_s=60.0,
    )
    found = document(Work((lines,), nprocs=128, runtime_s=200, nodes=2))
    takes = {f.rule: f.takes_s for f in found.findings if f.verdict == "triggered"}
    assert found.headline.rule == "reopened-files"
    assert takes["reopened-files"] == pytest.approx(60.0, rel=0.01)
    assert takes["sync-heavy"] == pytest.approx(30.0, rel=0.01)


@pytest.mark.parametrize(("writers", "said"), [(1, "the rank that writes"), (40, "the 40 ranks that write")])
def test_a_file_that_all_open_and_few_write_is_opened_by_those_few(writers: int, said: str) -> None:
    opened = Part("/scratch/chk.bin", range(1000), meta_s=60.0, osts=(2,))
    written = Part("/scratch/chk.bin", range(writers), writes=1000, write_s=2.0, osts=(2,))
    found = document(Work((opened, written), nprocs=1000, runtime_s=200, nodes=8))
    told = next(f for f in found.findings if f.rule == "metadata-bound" and f.verdict == "triggered")
    assert told.advice[0].text.startswith(f"Let only {said} open the file: now 1,000 ranks open each")
    assert told.could_save_at_least_s is None


def test_a_file_that_one_rank_writes_and_the_others_read_is_not_left_to_the_one() -> None:
    read = Part("/scratch/chk.bin", range(1000), reads=1, size=MIB // 2, meta_s=60.0, osts=(2,))
    written = Part("/scratch/chk.bin", range(1), writes=10_000, write_s=2.0, osts=(2,))
    found = document(Work((read, written), nprocs=1000, runtime_s=200, nodes=8, reduces=False))
    told = next(f for f in found.findings if f.rule == "metadata-bound" and f.verdict == "triggered")
    assert found.metrics["file.writing_ranks"].value == 1
    assert not [one.text for one in told.advice if "Let only the rank" in one.text]


def test_who_writes_the_largest_of_several_files_is_not_who_writes_the_others() -> None:
    opened = Part("/scratch/state.bin", range(1000), meta_s=30.0, osts=(2,))
    written = Part("/scratch/state.bin", range(1), writes=10_000, write_s=2.0, osts=(2,))
    by_all = Part("/scratch/log.bin", range(1000), writes=1, write_s=0.1, meta_s=30.0, osts=(3,))
    found = document(Work((opened, written, by_all), nprocs=1000, runtime_s=200, nodes=8))
    told = next(f for f in found.findings if f.rule == "metadata-bound" and f.verdict == "triggered")
    assert found.metrics["file.writing_ranks"].value == 1
    assert not [one.text for one in told.advice if "Let only the rank" in one.text]


@pytest.mark.parametrize(("files", "size"), [(2000, 90 * KIB), (900, 10 * MIB)], ids=["too many", "read whole"])
def test_samples_of_each_epoch_are_kept_in_memory_and_not_open(files: int, size: int) -> None:
    each = (
        Part(f"/scratch/d/{k}_{{}}.jpg", range(2), reads=30, size=size, read_s=0.05, meta_s=0.3, opens=30, reach=size)
        for k in range(files)
    )
    found = document(Work(tuple(each), nprocs=2, runtime_s=2000.0, nodes=1))
    told = [a.text for f in found.findings if f.verdict == "triggered" and f.severity != "info" for a in f.advice]
    assert any(text.startswith("Read each file once and keep what it has in memory") for text in told)
    assert not any("keep it open" in text for text in told)
