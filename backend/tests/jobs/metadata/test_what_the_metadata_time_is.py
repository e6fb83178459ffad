"""Time in metadata calls that is not that of too many opens: files that are closed with their data, large ones of which
each rank reads a part, and those that somebody waits for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from described import KIB, MIB, Part, Work, above_info, document, log_of, osts, own, seconds_of, uneven

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.evidence import Evidence

RANKS = range(2048)


def own_files(place: str, meta_s: float, calls: int = 64) -> Part:
    return Part(
        f"{place}/run/restart.{{}}", RANKS, writes=calls, size=4 * MIB, write_s=uneven(2048, 6.0),
        meta_s=uneven(2048, meta_s),
    )  # fmt: skip


def diagnosed(
    part: Part, mount: tuple[str, str], *, opens: float, reduces: bool = True, beside: tuple[Part, ...] = ()
) -> CaseDocument:
    """With the times of one open and one close of each file: of the metadata time, this part is the open's."""
    mounts = (mount, ("/home", "nfs"))
    work = Work((part, *beside), nprocs=2048, runtime_s=600, nodes=32, mounts=mounts, reduces=reduces)
    log = log_of(work)
    table = log.posix
    assert table is not None
    floats = table.floats.copy()
    at = {name: place for place, name in enumerate(table.float_names)}
    took = floats[:, at["POSIX_F_META_TIME"]]
    wrote = floats[:, at["POSIX_F_WRITE_END_TIMESTAMP"]]
    times = {
        "OPEN_START": 0.5,
        "OPEN_END": 0.5 + opens * took,
        "CLOSE_START": wrote,
        "CLOSE_END": wrote + (1 - opens) * took,
    }
    for name, seconds in times.items():
        floats[:, at[f"POSIX_F_{name}_TIMESTAMP"]] = seconds
    timed = replace(log, posix=replace(table, floats=floats))
    return diagnose([ReadSource("job.darshan", "00", 1, Evidence("darshan_log", (timed,)))])


@pytest.mark.parametrize(
    ("place", "kind", "said"),
    [("/beegfs", "beegfs", "in closing files that were written"), ("/projects", "nfs4", "sent at the latest when")],
)
def test_closes_that_send_the_data_are_not_too_many_files(place: str, kind: str, said: str) -> None:
    found = diagnosed(own_files(place, 290.0), (place, kind), opens=0.01)
    assert not above_info(found)
    assert said in (found.headline.action or "")
    assert not any(f.rule == "metadata-bound" and f.verdict == "clear" for f in found.findings)


@pytest.mark.parametrize(("opens", "told"), [(0.01, False), (0.9, True)])
def test_the_time_of_closes_is_not_told_as_that_of_opens(opens: float, told: bool) -> None:
    """Every other file has little, so that all of them are small on average."""
    path = "/beegfs/run/restart.{}"
    large = Part(path, RANKS[::2], writes=3, size=MIB // 2, write_s=0.02, meta_s=290.0)
    small = Part(path, RANKS[1::2], writes=1, size=4 * KIB, write_s=0.02, meta_s=0.1)
    found = diagnosed(large, ("/beegfs", "beegfs"), opens=opens, beside=(small,))
    mine = next(f for f in found.findings if f.rule == "many-small-files" and f.verdict == "triggered")
    assert ("each open takes" in mine.headline) is told
    assert ("An open takes" in mine.summary) is told


def asked_of_metadata(*parts: Part) -> str:
    work = Work(parts, nprocs=2048, runtime_s=600, nodes=32)
    return document(work).investigations.of_cells["metadata"][-1].sentence


LOGS = Part("/home/u/run.{}.log", RANKS, writes=4, size=KIB, write_s=60.0, meta_s=290.0)
RESULTS = Part("/home/u/out.{}", RANKS, writes=2, size=4 * MIB, write_s=1.0, meta_s=290.0)


@pytest.mark.parametrize(("on_nfs", "sent"), [(LOGS, False), (RESULTS, True)])
def test_what_closes_send_is_what_was_written_on_their_own_mount(on_nfs: Part, sent: bool) -> None:
    """Beside as much as ever on Lustre, in less time than the one and more than the other."""
    beside = own_files("/scratch/u", 0.01)
    assert ("sent at the latest" in asked_of_metadata(beside, on_nfs)) is sent


SHARED = Part("/beegfs/u/out.nc", RANKS, writes=64, size=4 * MIB, write_s=6.0, meta_s=290.0)


def test_a_mount_on_which_nothing_is_written_has_no_rate_of_writing() -> None:
    read = Part("/home/u/in.{}", RANKS, reads=2, write_s=0.0, read_s=1.0, meta_s=290.0)
    found = document(Work((read,), nprocs=2048, runtime_s=600, nodes=32)).metrics
    assert found["file.metadata_mount_type"].value == "nfs"
    assert found["file.metadata_mount_written"].value == 0
    assert found["file.metadata_mount_write_rate"].value is None


@pytest.mark.parametrize(("part", "own"), [(own_files("/beegfs", 290.0), True), (SHARED, False)])
def test_what_closes_send_is_measured_as_the_job_has_its_files(part: Part, own: bool) -> None:
    found = diagnosed(part, ("/beegfs", "beegfs"), opens=0.01, reduces=own)
    asked = found.investigations.of_cells["metadata"][-1]
    assert "in closing files that were written" in asked.sentence
    assert (" -F " in (asked.command or "")) is own


@pytest.mark.parametrize(
    ("opens", "calls"),
    [
        pytest.param(0.9, 64, id="slow creates"),
        pytest.param(0.3, 64, id="a server that answers slowly to both"),
        pytest.param(0.01, 0, id="nothing was written"),
    ],
)
def test_other_metadata_time_is_that_of_the_calls(opens: float, calls: int) -> None:
    found = diagnosed(own_files("/beegfs", 290.0, calls), ("/beegfs", "beegfs"), opens=opens)
    assert found.headline.rule == "metadata-bound"


def advised(rule: str, parts: Sequence[Part], nprocs: int = 4096) -> str:
    work = Work(tuple(parts), nprocs=nprocs, runtime_s=400, nodes=32)
    found = next(f for f in document(work).findings if f.rule == rule and f.verdict == "triggered")
    return " ".join(f"{one.text} {one.command or ''}" for one in found.advice)


def opened_by_all(path: str, *, size: int, reads: int, readers: range, meta_s: float = 46.0) -> tuple[Part, ...]:
    ranks = range(4096)
    return (
        Part(path, ranks, meta_s=meta_s, osts=osts(8)),
        Part(path, readers, reads=reads, size=size, read_s=0.9, meta_s=0.0, opens=0, osts=osts(8)),
    )


def test_of_a_large_file_that_all_open_each_its_part_nobody_sends_all_to_all() -> None:
    calls = Part(
        "/scratch/mesh.exo", range(4096), "MPI-IO", reads=4, size=2 * MIB, read_s=1.2, meta_s=47.0, collective=True
    )
    below = opened_by_all("/scratch/mesh.exo", size=MIB, reads=1024, readers=range(0, 4096, 128))
    said = advised("metadata-bound", (calls, *below))
    assert "romio_no_indep_rw" in said
    assert "MPI_Bcast" not in said


def test_so_it_is_of_several_and_without_mpi_io() -> None:
    parts = [
        p
        for k in range(4)
        for p in opened_by_all(f"/scratch/m{k}.bin", size=4 * MIB, reads=2, readers=range(4096), meta_s=12.0)
    ]
    said = advised("metadata-bound", parts)
    assert "one rank of each node reads what its node needs" in said
    assert "MPI_Bcast" not in said


@pytest.mark.parametrize(
    ("size", "reads", "reach"),
    [(4 * KIB, 2, 40 * MIB), (4 * MIB, 256, 1024 * MIB)],
    ids=["small", "read whole by each"],
)
def test_small_files_and_those_that_each_reads_whole_are_sent_to_all(size: int, reads: int, reach: int) -> None:
    part = Part("/scratch/tab.bin", range(4096), reads=reads, size=size, read_s=0.9, meta_s=46.0, reach=reach)
    assert "MPI_Bcast" in advised("metadata-bound", (part,))


def waiting(**more: int) -> tuple[Part, ...]:
    flag = Part("/scratch/cpl/ready.{}", range(64), opens=9000, stats=9000, meta_s=uneven(64, 240.0), **more)
    return flag, Part("/scratch/cpl/flux.{}", range(64), writes=20, size=4 * MIB, write_s=1.0)


def test_who_opens_files_to_see_whether_they_are_there_is_told_to_look_less_often() -> None:
    said = advised("reopened-files", waiting(), nprocs=64)
    assert "sleep a few seconds" in said
    assert "before the first step" not in said


@pytest.mark.parametrize("used", [{"writes": 9000}, {"mmaps": 9000}])
def test_what_is_used_is_kept_open(used: dict[str, int]) -> None:
    assert "before the first step" in advised("reopened-files", waiting(**used), nprocs=64)


def test_a_wait_for_files_is_no_time_that_is_sure_to_be_saved() -> None:
    found = document(Work(waiting(), nprocs=64, runtime_s=600, nodes=1))
    finding = next(f for f in found.findings if f.rule == "reopened-files")
    assert finding.could_save_s is None
    assert np.isclose(finding.takes_s or 0.0, 264.0, atol=1.0)


@pytest.mark.parametrize(
    ("size", "kind", "named"), [(4 * MIB, "nfs4", False), (4 * KIB, "nfs4", True), (4 * MIB, "lustre", True)]
)
def test_files_that_are_written_again_and_again_to_nfs_send_their_data_in_each_close(
    size: int, kind: str, named: bool
) -> None:
    """Each rank writes its restart 20 times."""
    again = Part(
        "/projects/run/restart.{}", range(128), writes=400, size=size, opens=20, write_s=4.0, meta_s=uneven(128, 160.0)
    )
    found = document(Work((again,), nprocs=128, runtime_s=400, nodes=4, mounts=(("/projects", kind), ("/home", "nfs"))))
    assert bool({"reopened-files", "metadata-bound"} & set(above_info(found))) is named


def steps(open_s: float, *, below: float | None = None) -> Work:
    """500 outputs of 40 MiB, which eight of 256 ranks write for all; so long an open takes, and theirs in the storage
    `below`."""
    parts = (
        part
        for k in range(500)
        for name in [f"/scratch/k/step{k:05}.h5"]
        for part in (
            Part(name, range(256), "MPI-IO", writes=1, size=160 * KIB, write_s=0.12, meta_s=open_s, collective=True),
            Part(name, range(0, 256, 32), writes=5, size=MIB, write_s=0.1, meta_s=open_s if below is None else below,
                 osts=(k % 48,)),
        )
    )  # fmt: skip
    return Work(tuple(parts), nprocs=256, runtime_s=500, nodes=8)


def test_all_ranks_wait_for_the_opens_of_those_that_move_the_bytes() -> None:
    found = document(steps(0.25))
    assert found.headline.rule == "metadata-bound"
    assert seconds_of(steps(0.25))["metadata-bound"] == pytest.approx(125, rel=0.02)
    assert "several steps" in (found.headline.action or "")
    assert "MPI_Comm_split_type" not in (found.headline.command or "")


def test_who_is_late_to_an_open_is_no_metadata_server() -> None:
    assert "metadata-bound" not in above_info(document(steps(0.25, below=0.004)))


def waiting_for(written_s: float) -> str:
    """All ranks but the first ask for 100 s whether a file is there, which nobody opens; the first writes meanwhile."""
    output = Part("/scratch/run/out.dat", range(1), writes=6000, size=MIB, write_s=written_s)
    flag = Part("/scratch/run/done.flag", range(1, 256), stats=100_000, meta_s=100.0, opens=0)
    found = document(Work((output, flag), nprocs=256, runtime_s=150, nodes=2))
    return next(f.summary for f in found.findings if f.rule == "metadata-bound")


def test_who_is_busy_while_the_others_ask_is_named() -> None:
    said = " ".join(waiting_for(100.0).split())
    assert "done.flag, which many ranks ask about." in said
    assert "One rank takes 100 s in out.dat, which no other uses: the others may be waiting for that." in said
    assert "out.dat" not in waiting_for(20.0)


@pytest.mark.parametrize(
    ("layer", "meta_s", "takes"),
    [("POSIX", 0.45, 7.2), ("MPI-IO over POSIX", 0.3, 4.8), ("POSIX", 0.2, 0.0)],
    ids=["nearly half of the I/O", "a third of it, below MPI-IO", "little of the run"],
)
def test_opens_that_take_a_good_part_of_the_run_are_named_beside_writes_as_long(
    layer: str, meta_s: float, takes: float
) -> None:
    ranks, parts = range(128), []
    for k in range(16):
        one = Part(f"/scratch/o/s{k}.{{}}", ranks, writes=64, write_s=0.55, meta_s=meta_s, osts=own(128))
        parts += [one] if layer == "POSIX" else [replace(one, layer="MPI-IO"), one]
    assert seconds_of(Work(tuple(parts), 128, 90.0, nodes=4)).get("metadata-bound", 0.0) == pytest.approx(takes)


@pytest.mark.parametrize("outputs", [100, 400], ids=["few opens", "opens and stats are many together"])
def test_what_one_rank_opens_and_asks_about_is_named_however_many_it_is(outputs: int) -> None:
    """A checkpoint each step, asked about twice: 800 stats and 400 opens are 1,200 calls, and neither are many."""
    parts = tuple(
        Part(
            f"/scratch/g/state{k}.cpt",
            range(1),
            writes=20,
            size=16 * KIB,
            write_s=0.01,
            meta_s=1.2,
            stats=2,
            osts=(k % 48,),
        )
        for k in range(outputs)
    )
    took = seconds_of(Work(parts, 64, 9.0 * outputs, nodes=2))
    named = ("serial-io", "metadata-bound", "many-small-files")
    assert sum(took.get(rule, 0.0) for rule in named) == pytest.approx(1.2 * outputs, rel=0.05)


@pytest.mark.parametrize(("read_s", "in_opens"), [(0.01, True), (1.9, True), (2.1, False)])
def test_a_few_opens_that_nobody_explains_are_named_and_have_no_rate(read_s: float, in_opens: bool) -> None:
    """500 opens of two seconds each are too few to load a server."""
    files = tuple(Part(f"/scratch/f{k}", range(1), reads=1, read_s=read_s, meta_s=2.0) for k in range(500))
    said = document(Work(files, 1, 2500.0, nodes=1)).headline
    assert said.rule is None
    assert ("in opening, closing and asking about files, but none" in said.sentence) is in_opens
    assert ("KiB/s" in f"{said.sentence} {said.action}") is not in_opens


@pytest.mark.parametrize(("kind", "ranks", "rate"), [("nfs", 1, "16.3"), ("nfs", 16, "269"), ("gpfs", 16, None)])
def test_the_rate_is_told_where_closes_may_have_sent_the_data(kind: str, ranks: int, rate: str | None) -> None:
    """On NFS the experiment holds the job's rate against what the server gives."""
    files = tuple(
        Part(
            f"/scratch/o{k}.{{}}", range(ranks), writes=64, size=8 * MIB, write_s=0.5 if ranks > 1 else 1.5, meta_s=30.0
        )
        for k in range(5)
    )
    said = document(Work(files, ranks, 400.0, nodes=max(1, ranks // 8), mounts=(("/scratch", kind),))).headline
    assert said.rule is None
    at = "" if rate is None else f", at {rate} MiB/s"
    assert f" of the run{at}, most of it in opening, closing and asking about files" in said.sentence
    assert ("That is" in (said.action or "")) is (rate is not None)


@pytest.mark.parametrize(("shared_s", "in_opens"), [(10.0, True), (300.0, False)])
def test_opens_are_not_most_of_a_time_that_no_source_splits(shared_s: float, in_opens: bool) -> None:
    """Of a file that MPI-IO alone has, collectively, nobody knows what its seconds are."""
    opened = tuple(Part(f"/scratch/f{k}.{{}}", range(4), reads=1, read_s=0.01, meta_s=2.0) for k in range(10))
    shared = Part("/scratch/s.dat", range(4), "MPI-IO", writes=400, size=16 * MIB, write_s=shared_s, collective=True)
    said = document(Work((*opened, shared), 4, 600.0 if shared_s > 100 else 60.0, nodes=1)).headline
    assert said.rule is None
    assert ("most of it in opening" in said.sentence) is in_opens


@pytest.mark.parametrize(
    ("opens", "known"),
    [
        (1, "the only open took 3 min 20 s, with its close."),
        (4, "4 opens took 50.0 s each on average, with the closes."),
    ],
)
def test_how_long_a_few_opens_took_is_said_of_one_too(opens: int, known: str) -> None:
    read = Part("/scratch/in.dat", range(1), reads=1, read_s=0.01, opens=opens, meta_s=200.0)
    said = document(Work((read,), 1, 600.0, nodes=1)).unexplained
    assert said is not None
    assert known in (said.experiment or "")
