"""A text beside a Darshan log, or beside another text: what each is believed. Each was written down before it was
asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from io import BytesIO

import pytest
from described import MIB, Part, Work, collective, log_of, osts
from printed_by_mpich import GIB, LATE, MOVERS, RANKS, SAMPLES, case, phases, printed, statistics, takes, written

from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import DarshanLog, Evidence, Problem


def test_a_trace_that_stands_twice_is_counted_once() -> None:
    text = (SAMPLES / "darshan_dxt_text" / "shared-collective" / "dxt.txt").read_bytes()
    once = case(text).metrics["io.bytes"]
    assert case(text + b"\n" + text).metrics["io.bytes"].value == once.value
    assert case(text, b"# of the second screen\n" + text).metrics["io.bytes"].value == once.value
    assert case(text, text.replace(b"# jobid: ", b"# jobid: 9")).metrics["io.bytes"].value != once.value


def test_statistics_of_a_file_that_the_log_lacks_take_none_of_its_seconds() -> None:
    work = Work(collective("/scratch/o.dat", RANKS, MOVERS, 160.0, osts(12)), 512, 600.0)
    document = case(printed(written("/scratch/other.dat", 300, LATE)), work=work)
    (said,) = (w.message for source in document.sources for w in source.warnings if w.code == "other-job")
    assert said.startswith("it has statistics of /scratch/other.dat, which the Darshan log does not have")
    assert "wait-for-coll" not in {f.rule for f in document.findings if f.verdict == "triggered"}
    assert document.metrics["mpiio.aggregators"].value is None


@pytest.mark.parametrize(
    "name", ["/scratch/o.dat", "o.dat", "lustre:o.dat", "/lus/work/o.dat"], ids=["whole", "relative", "ROMIO's", "link"]
)
def test_statistics_of_a_file_by_another_name_are_its_own(name: str) -> None:
    work = Work(collective("/scratch/o.dat", RANKS, MOVERS, 160.0, osts(12)), 512, 600.0)
    document = case(printed(written(name, 160, LATE)), work=work)
    assert not [w for source in document.sources for w in source.warnings if w.code == "other-job"]
    assert document.headline.rule == "wait-for-coll"


def test_a_log_that_lacks_records_says_nothing_of_what_it_lacks() -> None:
    work = Work(collective("/scratch/o.dat", RANKS, MOVERS, 160.0, osts(12)), 512, 600.0)
    text = printed(written("/scratch/other.dat", 300, LATE))
    cut = Evidence("darshan_log", (log_of(work),), (Problem("truncated", "it ends early", loses_data=True),))
    sources = [
        ReadSource("job.darshan", "0" * 64, 1, cut),
        ReadSource("job.err", "1" * 64, len(text), read(BytesIO(text))),
    ]
    document = diagnose(sources)
    assert not [w for source in document.sources for w in source.warnings if w.code == "other-job"]


def test_what_evidence_lacks_is_asked_for_and_what_is_not_explained_is_said() -> None:
    """A log with 300 s of which nothing is known, and a script that asked for statistics: they are in a file."""
    script = b"#!/bin/bash\n#SBATCH --nodes=4\nexport MPICH_MPIIO_STATS=1\nsrun -n 512 ./app\n"
    work = Work(collective("/scratch/o.dat", RANKS, MOVERS, 300.0, osts(12)), 512, 600.0)
    found = case(script, work=work).headline
    assert found.sentence.startswith("I/O takes 50 % of the run")
    assert "has no known cause" in found.sentence
    assert (found.action or "").startswith("Give the job's stderr too.")
    # Of seconds it is what there is to say.
    work = Work(collective("/scratch/o.dat", RANKS, MOVERS, 3.0, osts(12)), 512, 600.0)
    assert "no known cause" not in case(script, work=work).headline.sentence


@pytest.mark.parametrize("read_s", [0.0, 100.0], ids=["written alone", "read too, without times"])
@pytest.mark.parametrize("told", [written, phases], ids=["with seconds", "by ticks alone"])
def test_waiting_takes_the_seconds_that_the_chart_has_whatever_the_log_has_beside_it(
    told: Callable[..., str], read_s: float
) -> None:
    """Of 160 s in MPI-IO 136 are waiting; the storage has most of the others, and they are no part of the exchange."""
    writes = Part("/scratch/o.dat", RANKS, "MPI-IO", writes=10, size=5 * MIB, write_s=160.0, collective=True)
    moved = Part("/scratch/o.dat", MOVERS, writes=300, size=6 * MIB, write_s=20.0, osts=osts(12), in_order=0.3)
    work = Work((replace(writes, reads=int(read_s), read_s=read_s), moved), 512, 600.0)
    text = told("/scratch/o.dat", 160, LATE) if told is written else told("/scratch/o.dat", 24 * GIB, 160, LATE)
    document = case(printed(text), work=work)
    expected = LATE["wait for coll"] * (160.0 + (read_s if told is phases else 0.0))
    assert takes(document, "wait-for-coll") == pytest.approx(expected, rel=0.001)
    (timed,) = document.charts.timers
    if timed.total_s is not None:
        drawn = next(p for p in timed.phases if p.label == "wait for coll")
        assert drawn.time_s == pytest.approx(expected, rel=1e-6)


def started(log: DarshanLog, after_s: float) -> DarshanLog:
    began = 1.7e9 + after_s
    return replace(log, job=replace(log.job, start_time=began, end_time=began + 600.0))


@pytest.mark.parametrize(
    ("told", "took_s"), [((0,), 160.0), ((1,), 80.0), ((0, 1), 240.0)], ids=["the large step", "the small one", "both"]
)
def test_ticks_take_the_seconds_of_their_files_in_steps_of_any_size(told: tuple[int, ...], took_s: float) -> None:
    def step(name: str, ranks: int, movers: range, seconds: float) -> Work:
        above = Part(name, range(ranks), "MPI-IO", writes=10, size=5 * MIB, write_s=seconds, collective=True)
        below = Part(name, movers, writes=300, size=6 * MIB, write_s=seconds / 8, osts=osts(12), in_order=0.3)
        return Work((above, below), ranks, 600.0)

    works = step("/scratch/o.dat", 512, MOVERS, 160.0), step("/scratch/p.dat", 64, range(0, 64, 6), 80.0)
    text = printed(*(phases(("/scratch/o.dat", "/scratch/p.dat")[k], 24 * GIB, 160, LATE) for k in told))
    sources = [
        ReadSource(f"{k}.darshan", f"{k:064}", 1, Evidence("darshan_log", (started(log_of(work), 1000.0 * k),)))
        for k, work in enumerate(works)
    ]
    document = diagnose([*sources, ReadSource("err.txt", "f" * 64, len(text), read(BytesIO(text)))])
    waited = document.metrics["timers.wait_for_coll_time"].value
    assert waited == pytest.approx(LATE["wait for coll"] * took_s, rel=0.001)
    found = [f.takes_s or 0.0 for f in document.findings if f.rule == "wait-for-coll" and f.verdict == "triggered"]
    assert sum(found) == pytest.approx(waited, rel=0.001)


def test_sources_that_have_another_striping_of_a_file_say_so() -> None:
    head = "lmm_stripe_count:  4\nlmm_stripe_size:   1048576\nlmm_pattern:       raid0\nlmm_layout_gen:    0\n"
    rows = "".join(f"\t{i}\t{9000 + i}\t0x{9000 + i:x}\t0\n" for i in range(4))
    text = f"/scratch/o.dat\n{head}lmm_stripe_offset: 0\n\tobdidx\t\t objid\t\t objid\t\t group\n{rows}".encode()
    work = Work(collective("/scratch/o.dat", RANKS, MOVERS, 300.0, osts(12)), 512, 600.0)
    (told,) = (a for a in case(text, work=work).agreement if a.quantity == "stripe count")
    assert ([s.value for s in told.statements], told.agrees) == ([12, 4], False)
    same = case(printed(statistics("/scratch/o.dat", 24 * GIB)), work=work)
    assert [a.agrees for a in same.agreement if a.quantity == "stripe count"] == [True]


def test_what_a_job_printed_twice_is_counted_once() -> None:
    """Its output, and the copy that `tee` kept."""
    block = written("o.dat", 90, LATE)
    document = case(printed(block), f"Loading modules\n{block}bye\n".encode())
    assert document.metrics["job.io_time"].value == pytest.approx(90.0, abs=0.1)
    assert document.metrics["io.bytes"].value == 24 * GIB
    (told,) = (w.message for w in document.sources[1].warnings if w.code == "duplicate-block")
    assert told == "what MPI-IO printed stands in 0.txt too, and is not counted again."
    # Another close of the file, in the output of another step, has the same statistics and takes as long as it takes.
    again = case(printed(block), printed(written("o.dat", 91, LATE)))
    assert again.metrics["job.io_time"].value == pytest.approx(181.0, abs=0.1)
    assert again.metrics["io.bytes"].value == 48 * GIB
    # Without times it is a copy where nothing else is in it.
    untimed = statistics("o.dat", 24 * GIB)
    assert case(printed(untimed), f"out\n{untimed}".encode()).metrics["io.bytes"].value == 24 * GIB
    more = f"out\n{untimed}{statistics('p.dat', 24 * GIB)}".encode()
    assert case(printed(untimed), more).metrics["io.bytes"].value == 72 * GIB
