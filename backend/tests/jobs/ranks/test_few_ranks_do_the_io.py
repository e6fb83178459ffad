"""Jobs in which 64 of 512 ranks do the I/O, as with I/O servers: what makes it slow is waited for as long as these
ranks take, and not for the eighth of it that the mean over all ranks is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from described import GIB, KIB, MIB, Part, Work, document, osts, own, uneven

SERVERS = range(0, 512, 8)
RANDOM_ORDER = {"in_order": 0.0, "forward": 0.0}


def takes(*parts: Part) -> dict[str, float]:
    """Seconds of the findings above info."""
    found = document(Work(parts, nprocs=512, runtime_s=1000, nodes=4)).findings
    return {f.rule: f.takes_s or 0.0 for f in found if f.verdict == "triggered" and f.severity != "info"}


SMALL = Part("/scratch/a.{}", SERVERS, writes=75_000, size=4 * KIB, write_s=300.0, osts=own(64))


@pytest.mark.parametrize(
    ("part", "rule", "least_s"),
    [
        (SMALL, "small-io", 299),
        (replace(SMALL, writes=0, reads=75_000, write_s=0.0, read_s=300.0), "small-io", 299),
        (
            Part("/scratch/d.{}", SERVERS, reads=60_000, read_s=300.0, size=4 * KIB, reach=GIB, **RANDOM_ORDER),
            "random-access",
            295,
        ),
        (
            Part("/scratch/o.{}", SERVERS, writes=320, write_s=300.0, meta_s=0.1, osts=osts(8)),
            "fpp-striped",
            295,
        ),
        (Part("/scratch/o.{}", SERVERS, writes=2000, write_s=300.0, syncs=2000, osts=own(64)), "sync-heavy", 299),
    ],
    ids=["small writes", "small reads", "random reads", "own files of many stripes", "syncs"],
)
def test_their_cause_has_all_their_seconds(part: Part, rule: str, least_s: float) -> None:
    assert takes(part)[rule] > least_s


def test_a_file_that_all_open_and_few_write_is_told_the_same() -> None:
    written = replace(SMALL, path="/scratch/a.dat", osts=osts(12))
    opened = Part("/scratch/a.dat", range(512), meta_s=0.01, osts=osts(12))
    assert takes(written, opened)["small-io"] == pytest.approx(300, rel=0.05)


def test_one_rank_alone_is_serial_and_not_few() -> None:
    found = takes(replace(SMALL, ranks=range(1)))
    assert found["serial-io"] == pytest.approx(300, rel=0.01)
    assert "small-io" not in found


def test_all_ranks_have_no_more_than_the_mean() -> None:
    assert takes(replace(SMALL, ranks=range(512), osts=own(512)))["small-io"] == pytest.approx(300, rel=0.01)


def test_seconds_of_few_are_not_those_of_small_files_beside_them() -> None:
    """All ranks write little in small pieces; 64 write much as they should."""
    small = replace(SMALL, path="/scratch/s.{}", ranks=range(512), writes=20_000, write_s=60.0, osts=own(512))
    large = Part("/scratch/b.{}", SERVERS, writes=24_000, size=MIB, write_s=300.0, osts=own(64))
    assert takes(small, large)["small-io"] == pytest.approx(60, rel=0.05)


def test_one_of_few_that_is_slower_has_what_it_takes_beyond_these() -> None:
    """The others of the 64 wait for it, and what makes them slow is waited for by all."""
    times = tuple(800.0 if i == 5 else 200.0 for i in range(64))
    found = takes(replace(SMALL, writes=50_000, write_s=times))
    assert found["straggler-rank"] == pytest.approx(600, rel=0.03)
    assert found["small-io"] == pytest.approx(200, rel=0.06)
    large = takes(replace(SMALL, writes=16_000, size=MIB, write_s=times))
    assert large == {"straggler-rank": pytest.approx(600, rel=0.03)}


def test_few_that_make_more_calls_are_not_on_a_slow_server() -> None:
    """Eight ranks read an input in pieces of 512 bytes before all write: of their calls it is told, and of the file."""
    reads = Part("/scratch/in.dat", range(0, 512, 64), reads=20_000, read_s=100.0, size=512, reach=GIB, **RANDOM_ORDER)
    writes = Part("/scratch/o.{}", range(512), writes=1000, write_s=uneven(512, 50.0), osts=own(512))
    found = document(Work((reads, writes), nprocs=512, runtime_s=1000, nodes=4))
    assert found.headline.sentence.startswith("8 ranks make far more calls than the others")
    (straggler,) = (f for f in found.findings if f.rule == "straggler-rank")
    assert "most of them in in.dat" in straggler.summary
    assert straggler.takes_s == pytest.approx(100, rel=0.05)
    assert [a.text for a in straggler.advice] == [
        "Let these ranks gather what they read or write in in.dat into few calls."
    ]


def test_few_that_make_as_many_calls_are_slow() -> None:
    times = tuple(300.0 if rank in (7, 90) else 50.0 for rank in range(512))
    writes = Part("/scratch/o.{}", range(512), writes=1000, write_s=times, osts=own(512))
    found = document(Work((writes,), nprocs=512, runtime_s=1000, nodes=4))
    assert found.headline.sentence.startswith("2 ranks spend up to")
    assert "so their server (OST), their node" in found.headline.action


def test_what_a_busy_rank_gives_away_the_others_take_time_for() -> None:
    """Of 64 ranks one has 20 times the data: shared out, each of them moves 1.3 times as much."""
    others = tuple(uneven(63, 10.0))
    parts = (
        Part("/scratch/o/f.{}", range(1, 64), writes=400, size=MIB, write_s=others, osts=own(63)),
        Part("/scratch/o/f.0", range(1), writes=8000, size=MIB, write_s=120.0, osts=osts(1)),
    )
    said = next(f for f in document(Work(parts, 64, 600.0, nodes=4)).findings if f.rule == "straggler-rank")
    least = 0.9 * (120.0 - max(others) * 83 / 64)
    assert said.could_save_at_least_s == pytest.approx(least, rel=0.02)


def test_what_the_others_move_is_not_left_to_the_one_rank() -> None:
    """45 GiB that one of 512 ranks reads are what the documented rate is for, and not the 100 GiB that all write."""
    alone = Part("/scratch/in/grid.nc", range(1), reads=46_080, size=MIB, read_s=140.0, osts=osts(1))
    four = tuple(rank % 4 for rank in range(512))
    of_all = Part("/scratch/out.{}", range(512), writes=100, size=2 * MIB, write_s=7.0, begins_s=200.0, osts=four)
    found = document(Work((alone, of_all), nprocs=512, runtime_s=900, nodes=4))
    said = next(f for f in found.findings if f.rule == "serial-io")
    assert said.could_save_at_least_s == pytest.approx(0.9 * (said.takes_s or 0.0) - 46_080 / 815, abs=1.0)


def test_a_few_lines_of_one_rank_are_not_the_io_of_the_job() -> None:
    """All bytes are the first rank's, and the time is in opens of all, or in a storage that stands still."""
    lines = Part("/scratch/run.txt", range(1), writes=10, size=400, write_s=0.01)
    opens = Part("/scratch/in.{}", range(512), opens=200, stats=200, meta_s=60.0)
    still = replace(lines, write_s=80.0)
    for parts in ((lines, opens), (still,)):
        found = document(Work(parts, nprocs=512, runtime_s=300, nodes=4))
        assert "serial-io" not in {f.rule for f in found.findings if f.verdict == "triggered"}
    # Many of them are a rank's work that others could share, few bytes or not.
    many = Part("/scratch/run.txt", range(1), writes=100_000, size=100, write_s=80.0)
    assert "serial-io" in takes(many)
    some = Part("/scratch/run.bin", range(1), writes=40, write_s=80.0)
    assert "serial-io" in takes(some)


@pytest.mark.parametrize(
    ("name", "file_gib", "opens", "told"),
    [
        ("out.nc", 32, 1, "NC_NOFILL"),
        ("out.h5", 32, 1, "H5D_FILL_TIME_NEVER"),
        ("out.nc", 32, 2, None),
        ("out.nc", 64, 1, None),
        ("out.nc", 16, 1, None),
        ("out.dat", 32, 1, None),
    ],
    ids=["netCDF, twice", "HDF5, twice", "opened again", "written once", "four times", "another file"],
)
def test_one_rank_that_writes_a_file_twice_over_may_write_fill_values(
    name: str, file_gib: int, opens: int, told: str | None
) -> None:
    file = Part(
        f"/scratch/{name}", range(1), writes=16_384, size=4 * MIB, write_s=120, reach=file_gib * 1024 * MIB, opens=opens
    )
    said = next(f for f in document(Work((file,), 64, 400.0)).findings if f.rule == "serial-io")
    filled = [one.command or "" for one in said.advice if "fill values" in one.text]
    assert [told in command for command in filled if told] == ([True] if told else [])
    assert bool(filled) is (told is not None)


@pytest.mark.parametrize(
    ("ranks", "said"),
    [(range(510, 512), "2 of 512 ranks move the data for all, in 2,400,000"), (range(512), "The data moves in")],
)
def test_small_accesses_of_a_few_servers_are_said_to_be_theirs(ranks: range, said: str) -> None:
    small = Part("/scratch/x.{}", ranks, writes=1_200_000, size=4 * KIB, write_s=400.0, osts=own(512)[: len(ranks)])
    assert document(Work((small,), nprocs=512, runtime_s=1000, nodes=4)).headline.sentence.startswith(said)


def of_the_first_rank(meta_s: float, write_s: float, size: int = 16 * KIB) -> Work:
    """A hundred of twenty writes each by the first rank, beside its longest single file."""
    files = (
        Part(
            f"/scratch/g/state_step{k}.cpt", range(1), writes=20, size=size, write_s=write_s, syncs=2, stats=2,
            meta_s=meta_s, osts=(k % 48,),
        )
        for k in range(100)
    )  # fmt: skip
    frames = Part("/scratch/g/traj.xtc", range(1), "STDIO", writes=3000, size=100 * KIB, write_s=2.0)
    return Work((*files, frames), nprocs=64, runtime_s=900.0, nodes=2)


@pytest.mark.parametrize(
    ("work", "headline", "advised"),
    [
        (
            of_the_first_rank(1.2, 0.01),
            "One rank of 64 does the I/O of the whole job, and mostly opens and closes files.",
            "Share 101 files such as state_step0.cpt out among the ranks, so that they are opened side by side",
        ),
        (
            of_the_first_rank(0.01, 1.2),
            "One rank of 64 does the I/O of the whole job.",
            "Force 101 files such as state_step0.cpt out to disk less often, once a file at its end: it is done 200 ",
        ),
        (
            of_the_first_rank(0.01, 1.2, size=16 * MIB),
            "One rank of 64 does the I/O of the whole job.",
            "Let all ranks write their part of one file with collective calls",
        ),
    ],
    ids=["opened and renamed", "forced out", "large"],
)
def test_what_takes_the_time_of_the_one_rank_is_said_and_advised(work: Work, headline: str, advised: str) -> None:
    found = document(work)
    assert (found.headline.rule, found.headline.sentence) == ("serial-io", headline)
    assert (found.headline.action or "").startswith(advised)


def servers(*written: tuple[str, int, float]) -> Work:
    """Two I/O servers behind 512 ranks: who writes which file, and for how long."""
    parts = (
        Part(f"/scratch/x/{name}.nc", range(rank, rank + 1), writes=int(166 * s), size=4 * MIB, write_s=s, osts=osts(4))
        for name, rank, s in written
    )
    return Work(tuple(parts), nprocs=514, runtime_s=600, nodes=4)


def test_two_servers_that_write_as_long_are_not_one_rank_alone() -> None:
    found = document(servers(("grid_T", 512, 90.0), ("icemod", 513, 88.0)))
    assert not any(f.rule == "serial-io" and f.verdict == "triggered" for f in found.findings)
    assert "few of the ranks move all of the bytes" in (found.headline.action or "")


def test_of_two_that_one_which_has_far_more_is_told_of_what_it_has_beyond_the_other() -> None:
    found = document(servers(("grid_T", 512, 45.0), ("grid_U", 512, 45.0), ("icemod", 513, 30.0)))
    (said,) = (f.summary or "" for f in found.findings if f.rule == "serial-io" and f.verdict == "triggered")
    assert "Beyond what others have of their own, that is 67 % of the I/O time." in said


@pytest.mark.parametrize(("lies_on", "stripes", "least"), [(1, True, 162.0), (8, False, 139.0)])
def test_what_all_are_to_write_gets_the_osts_for_it(lies_on: int, stripes: bool, least: float) -> None:
    """64 GiB by one rank: on one OST all ranks together would be hardly faster."""
    part = Part("/scratch/a/r.dat", range(1), writes=4096, size=16 * MIB, write_s=200.0, osts=osts(lies_on))
    found = document(Work((part,), 256, 600.0, nodes=64))
    (alone,) = (f for f in found.findings if f.rule == "serial-io")
    assert any("setstripe -c 24" in (one.command or "") for one in alone.advice) == stripes
    assert alone.could_save_at_least_s == pytest.approx(least, abs=1.0)
