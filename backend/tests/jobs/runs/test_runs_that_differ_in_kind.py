"""Runs of which one is no repetition of the other, though no setting of theirs was written down: what the counters show
of the program is told, and what cannot be held against each other is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from described import GIB, KIB, MIB, Part, Work, collective, document, osts
from printed_by_mpich import SAMPLES, STORAGE, case, printed
from printed_by_mpich import written as printed_of

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.run_sets.comparison import Comparison, compare
from iotriage.analysis.run_sets.step import Step
from iotriage.metrics.runs.run_set import RunFigures, RunSet, compute_over_runs
from iotriage.reports.comparison_text import as_comparison_text
from iotriage.rules.core.advice import advice_text

RANKS = range(512)
OUT = "/scratch/out.dat"


def job(parts: Sequence[Part], *, ranks: int = 512, nodes: int = 4, lacks: tuple[str, ...] = ()) -> Work:
    return Work(tuple(parts), ranks, 1000.0, nodes=nodes, partial=lacks)


def written(
    took_s: float, *, writes: int = 160, ranks: range = RANKS, aligned: bool = True, in_order: float = 0.0
) -> Part:
    return Part(OUT, ranks, writes=writes, write_s=took_s, in_order=in_order, aligned=aligned, osts=osts(12))


def streamed(took_s: float, *, calls: int, size: int) -> Part:
    return Part("/scratch/o.{}", RANKS, "STDIO", writes=calls, size=size, write_s=took_s)


def compared(*runs: Work) -> Comparison:
    return compare([(f"run {i}", document(work)) for i, work in enumerate(runs)])


def only_step(*runs: Work) -> Step:
    (step,) = compared(*runs).steps
    return step


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (
            job([written(400.0, aligned=False)]),
            job([written(80.0)]),
            "accesses off the boundaries of blocks 100 % → 0 %",
        ),
        (
            job([written(60.0, in_order=1.0)]),
            job([written(300.0)]),
            "writes that go on where the last one ended over 99 % → 0 %",
        ),
        (
            job([streamed(300.0, calls=400_000, size=200)]),
            job([streamed(10.0, calls=20, size=4 * MIB)]),
            "average call on a stream 200 B → 4.00 MiB",
        ),
        (job([written(200.0)]), job([written(100.0)], nodes=8), "nodes 4 → 8"),
    ],
    ids=["alignment", "order in the file", "size of calls on streams", "nodes"],
)
def test_what_the_counters_show_of_the_program_makes_runs_no_repeats(before: Work, after: Work, told: str) -> None:
    found = compared(before, after)
    assert (found.kind, found.run_set) == ("change", ())
    assert told in found.steps[0].changed
    assert "Equal runs" not in as_comparison_text(found)


def test_a_few_accesses_more_that_are_off_a_boundary_are_no_other_way_to_write() -> None:
    header = Part(OUT, range(1), writes=2000, size=KIB, write_s=0.2, aligned=False, osts=osts(12))
    assert only_step(job([written(100.0)]), job([written(102.0), header])).changed == ()


def test_what_grows_with_the_bytes_or_the_ranks_is_not_told_beside_them() -> None:
    (twice,) = compared(job([written(100.0)]), job([written(200.0, writes=320)])).steps
    assert (twice.outcome, twice.changed) == ("same", ())
    half = job([written(100.0, ranks=range(256))], ranks=256, nodes=2)
    assert set(only_step(half, job([written(200.0)])).changed) == {"ranks 256 → 512", "nodes 2 → 4"}
    # Twice the opens of each rank are a change, whatever the number of ranks.
    again = Part(OUT, RANKS, writes=160, write_s=200.0, opens=2, in_order=0.0, osts=osts(12))
    assert "opens 256 → 1,024" in only_step(half, job([again])).changed


def test_counts_of_more_ranks_are_neither_better_nor_worse() -> None:
    half = job([written(200.0, writes=320, ranks=range(256))], ranks=256, nodes=2)
    rows = {row.id: row.changes[1] for row in compared(half, job([written(150.0)])).metrics}
    assert (rows["posix.opens"], rows["posix.metadata_time"], rows["io.bandwidth"]) == ("other", "other", "better")


def test_runs_that_write_other_amounts_are_no_equal_runs() -> None:
    found = compared(job([written(100.0)]), job([written(200.0, writes=320)]))
    assert (found.kind, found.run_set) == ("change", ())


def test_what_one_run_reads_besides_is_a_part_of_its_work() -> None:
    restart = Part("/scratch/restart.nc", RANKS, reads=160, read_s=100.0, osts=osts(12))
    step = only_step(job([written(100.0)]), job([written(100.0), restart]))
    assert (step.basis, step.outcome) == ("rate", "same")
    assert "the I/O takes 100 s in A and 3 min 20 s in B" in (step.note or "")
    # What is read again and again is no work: to read it once is what made the run faster.
    again = Part("/scratch/mesh", RANKS, reads=2000, read_s=300.0, osts=osts(1), reach=2000 * MIB)
    once = Part("/scratch/mesh", range(1), reads=2000, read_s=4.0, osts=osts(1))
    step = only_step(job([again]), job([once]))
    assert (step.basis, step.outcome) == ("time", "better")


def test_a_log_that_lacks_records_is_held_against_no_other_by_its_rate() -> None:
    whole, cut = job([written(200.0)]), job([written(100.0, writes=70)], lacks=("POSIX",))
    for runs in ((whole, cut), (cut, whole)):
        found = compared(*runs)
        assert found.outcome == "unknown"
        assert "lacks records" in found.sentence
        assert found.run_set == ()
        assert {c for row in found.metrics if row.unit == "B/s" for c in row.changes[1:]} <= {"unknown"}
    # What it has at least is no other amount while it is less, and is one when it is more.
    amounts = [row for row in compared(whole, cut).settings if row.kind == "work" and row.changed]
    assert amounts == []
    more = job([written(500.0, writes=400)], lacks=("POSIX",))
    (row,) = (row for row in compared(whole, more).settings if row.kind == "work" and row.changed)
    assert [v.value for v in row.values] == ["80.0 GiB", "at least 200 GiB"]


def test_records_of_another_layer_that_are_missing_take_no_rate_away() -> None:
    above = Part(OUT, RANKS, "MPI-IO", writes=160, write_s=200.0)
    step = only_step(job([above, written(200.0)]), job([above, written(200.0)], lacks=("POSIX",)))
    assert (step.basis, step.outcome) == ("rate", "same")


def test_a_run_that_hardly_does_io_is_no_faster_and_no_slower() -> None:
    log = Part("/scratch/log", range(1), "STDIO", writes=20, size=100, write_s=0.001)
    step = only_step(job([written(200.0)]), job([log]))
    assert (step.outcome, step.factor) == ("unknown", None)
    assert "B moves 1.95 KiB in 2.00 ms, too little for its rate to be compared with that of A" in step.sentence
    # It is held against one that moves as much, and against one that takes longer for less.
    assert only_step(job([written(200.0)]), job([written(0.5)])).outcome == "better"
    assert only_step(job([written(0.5)]), job([written(200.0, writes=20)])).outcome == "worse"


def test_stripes_that_came_with_other_calls_are_not_praised_alone() -> None:
    small = [
        Part(OUT, RANKS, "MPI-IO", writes=40960, size=4 * KIB, write_s=400.0),
        Part(OUT, RANKS, writes=40960, size=4 * KIB, write_s=400.0, in_order=0.0, osts=osts(1)),
    ]
    large = [
        Part(OUT, RANKS, "MPI-IO", writes=160, write_s=40.0),
        Part(OUT, RANKS, writes=160, write_s=40.0, in_order=0.0, osts=osts(12)),
    ]
    assert compared(job(small), job(large)).kind == "change"
    # What the library makes of the same calls follows the stripes.
    one, twelve = (collective(OUT, RANKS, range(count), 100.0, osts(count)) for count in (1, 12))
    assert compared(job(one), job(twelve)).kind == "striping"


def test_calls_that_became_collective_are_one_change() -> None:
    alone = [
        Part(OUT, RANKS, "MPI-IO", writes=160, write_s=400.0),
        Part(OUT, RANKS, writes=160, write_s=400.0, in_order=0.0, osts=osts(12)),
    ]
    together = [
        Part(OUT, RANKS, "MPI-IO", writes=160, write_s=60.0, collective=True),
        Part(OUT, range(12), writes=6827, write_s=50.0, in_order=0.2, osts=osts(12)),
    ]
    assert "changed together" not in (only_step(job(alone), job(together)).note or "")
    # With a file each before, another layout of the files came with it.
    own_files = [
        Part("/scratch/o.{}", RANKS, layer, writes=160, write_s=20.0, osts=osts(1)) for layer in ("MPI-IO", "POSIX")
    ]
    one_stripe = [replace(part, osts=osts(1)) if part.osts else part for part in together]
    assert "pattern" in (only_step(job(own_files), job(one_stripe)).note or "")


IOR = (SAMPLES / "ior/ssf-collective/ior-ssf-collective.txt").read_text()


def test_a_benchmark_takes_the_seconds_that_its_row_says() -> None:
    (best,) = (line for line in IOR.splitlines() if line.startswith("write     3158.32"))
    stopped = IOR.replace(best, f"WARNING: Using actual aggregate bytes moved = {2 * GIB}\n{best}")
    for text in (IOR, stopped):
        found = compare([("one", case(text.encode())), ("other", case(IOR.encode()))])
        assert found.runs[0].io_time_s == pytest.approx(15.56)


def test_one_process_among_larger_runs_leaves_their_pattern_known() -> None:
    def pattern_of(*patterns: tuple[int, str | None]) -> object:
        runs = RunSet("scaling", tuple(RunFigures(str(n), n, 1e9, pattern=pattern) for n, pattern in patterns))
        return compute_over_runs(runs)["runs.pattern"].value

    assert pattern_of((1, "serial"), (64, "file-per-process"), (128, "file-per-process")) == "file-per-process"
    assert pattern_of((1, "serial"), (1, "serial")) == "serial"
    assert pattern_of((1, "serial"), (64, "serial")) == "serial"
    assert pattern_of((64, "shared-collective"), (128, "file-per-process")) is None


def test_an_option_of_a_benchmark_is_what_was_changed() -> None:
    unsynced = IOR.replace(" -e -C", " -C").replace("-i 3", "-i 5").replace("shared.dat", "other.dat")
    found = compare([("synced", case(IOR.encode())), ("not synced", case(unsynced.encode()))])
    assert found.kind == "change"
    assert found.steps[0].changed == ("fsync behind the writing given → not set",)


MDTEST = (SAMPLES / "mdtest/shared-directory/mdtest-fjord.txt").read_text()


def of_mdtest(*changed: tuple[str, str]) -> Comparison:
    text = MDTEST
    for before, after in changed:
        assert before in text
        text = text.replace(before, after)
    return compare([("one", case(MDTEST.encode())), ("other", case(text.encode()))])


def test_rates_by_phase_are_held_against_one_another() -> None:
    same = of_mdtest(("19840.000", "20000.000"))
    assert (same.outcome, same.run_set) == ("same", ())
    assert same.sentence == "B is as fast as A in the 5 phases of both."
    own = of_mdtest(("19840.000", "99200.000"), ("'-F'", "'-F' '-u'"))
    assert own.outcome == "better"
    assert own.sentence == (
        "Of the 5 phases of both, B is faster in 1 (file creation, operations a second 19,840 → 99,200); changed: u "
        "not set → given."
    )
    assert {row.title: row.changes[1] for row in own.metrics} == {
        "file creation, operations a second": "better",
        "file stat, operations a second": "same",
        "file read, operations a second": "same",
        "file removal, operations a second": "same",
        "tree creation, operations a second": "same",
    }
    assert of_mdtest(("19840.000", "99200.000"), ("57600.000", "5760.000")).outcome == "mixed"


def test_rates_of_other_benchmarks_are_not_compared() -> None:
    folder = SAMPLES
    others = [case(file.read_bytes()) for file in sorted((folder / "elbencho/write-and-read").glob("*.txt"))]
    found = compare([("mdtest", case(MDTEST.encode())), ("elbencho", others[0])])
    assert found.outcome == "unknown"
    assert found.metrics == ()


def test_a_benchmark_that_failed_is_no_other_program() -> None:
    failed = IOR[: IOR.index("write     3087")] + "ior ERROR: open64() failed, errno 28, No space left on device\n"
    found = compare([("whole", case(IOR.encode())), ("failed", case(failed.encode()))])
    said = "Reads or writes of B failed: its times are not compared with those of A."
    assert (found.outcome, found.sentence) == ("unknown", said)
    # What has no word of the system's is no read or write that failed.
    given_up = failed.replace("errno 28, No space left on device", "see above")
    found = compare([("whole", case(IOR.encode())), ("given up", case(given_up.encode()))])
    assert (found.outcome, found.sentence) == ("unknown", "B and A cannot be compared by time.")


TIMED = (SAMPLES / "mpich_timers/times-alone/ripple-7305561.stderr.txt").read_text()


def test_times_alone_are_compared_by_the_rate_that_they_print() -> None:
    slower = TIMED.replace("3118.782", "1559.391")
    found = compare([("one", case(TIMED.encode())), ("other", case(slower.encode()))])
    (step,) = found.steps
    assert (step.basis, step.outcome) == ("rate", "worse")
    assert step.factor == pytest.approx(0.5)
    assert {run.rate_of for run in found.runs} == {"timers.net_bandwidth"}
    # It is that of one file, and no rate of a whole job.
    whole = compare([("one", case(TIMED.encode())), ("other", document(job([written(100.0)])))])
    assert (whole.outcome, whole.steps[0].factor) == ("unknown", None)


def test_a_run_that_writes_is_held_against_none_that_reads() -> None:
    reads = Part(OUT, RANKS, reads=160, read_s=20.0, osts=osts(12))
    found = compared(job([written(100.0)]), job([reads]))
    assert (found.outcome, found.steps[0].factor) == ("unknown", None)
    assert found.sentence.startswith("A writes and B reads: neither is the faster or the slower")
    # As many bytes of which fewer are written are other work.
    half = Part("/scratch/in.dat", RANKS, reads=80, read_s=50.0, osts=osts(12))
    assert only_step(job([written(100.0)]), job([written(50.0, writes=80), half])).basis == "rate"


def test_of_several_repeats_those_that_move_other_amounts_are_named() -> None:
    found = compared(job([written(100.0)]), job([written(104.0)]), job([written(40.0, writes=100)]))
    assert (found.kind, found.run_set[0].verdict) == ("repeats", "triggered")
    assert "C does not move as much as A." in (found.note or "")


def test_a_hint_that_one_script_sets_and_the_other_does_not_is_one_change() -> None:
    def scripted(took_s: float, line: str = "") -> CaseDocument:
        script = f"#!/bin/bash\n#SBATCH --nodes=4\n{line}\nsrun --ntasks=512 ./app\n"
        return case(script.encode(), work=job(collective(OUT, RANKS, range(0, 512, 43), took_s, osts(12))))

    hinted = scripted(150.0, 'export MPICH_MPIIO_HINTS="*:cb_nodes=48"')
    (step,) = compare([("before", scripted(300.0)), ("after", hinted)]).steps
    assert step.changed == ("aggregators (cb_nodes not set → 48)",)
    assert "changed together" not in (step.note or "")


def test_all_that_was_set_otherwise_in_a_benchmark_may_have_done_it() -> None:
    own = (SAMPLES / "ior/read-back/ior-read-back.txt").read_text()
    faster = own.replace("3158.87", "6317.74").replace("15.5600", "7.7800").replace("-w -r -e -i 3", "-w -r -i 3")
    found = compare([("shared", case(IOR.encode())), ("own", case(faster.encode()))])
    note = found.note or ""
    assert "5 settings changed together, collective calls, pattern, interface and 2 more" in note


@pytest.mark.parametrize(("stripe", "size"), [(MIB, "1M"), (8 * MIB, "8M")])
def test_the_best_of_the_stripe_counts_keeps_the_size_that_was_tried(stripe: int, size: str) -> None:
    def tried(count: int, took_s: float) -> Work:
        return job([Part(OUT, RANKS, writes=160, write_s=took_s, in_order=0.0, osts=osts(count), stripe=stripe)])

    (found,) = compared(tried(1, 400.0), tried(12, 80.0), tried(48, 110.0)).run_set
    (best,) = found.advice
    assert f"lfs setstripe -c 12 -S {size} " in (best.command or "")
    assert "default" not in advice_text(best)


WHOLE = printed(printed_of("o.dat", 40, STORAGE))
FAILED = (
    b"ADIOI_CRAY_WRITECONTIG(288): filename='o.dat'  error='Disk quota exceeded'  errno=122  PE=00012  W_rec=00000  "
    b"off=0000001048576  len=1048576  See MPICH_MPIIO_ABORT_ON_RW_ERROR.\n"
)
LIMIT = b"slurmstepd: error: *** JOB 99 ON nid002001 CANCELLED AT 2026-11-21T00:00:12 DUE TO TIME LIMIT ***\n"


def test_a_run_whose_writes_failed_is_no_faster() -> None:
    quick = printed(printed_of("o.dat", 8, STORAGE)) + FAILED
    found = compare([("whole", case(WHOLE)), ("failed", case(quick))])
    assert (found.outcome, found.steps[0].factor) == ("unknown", None)
    assert found.sentence.startswith("Reads or writes of B failed: its times are not compared with those of A")
    assert "Reads or writes failed in B: the files lack data." in (found.note or "")
    # Where both lost data, the one is still the faster.
    both = compare([("one", case(WHOLE + FAILED)), ("other", case(quick))])
    assert (both.outcome, both.steps[0].basis) == ("better", "time")
    assert "failed in A and B" in (both.note or "")


def test_a_run_that_was_ended_at_its_limit_is_told() -> None:
    five = printed(*(printed_of(f"o{i}.dat", 40, STORAGE) for i in range(5)))
    two = printed(*(printed_of(f"o{i}.dat", 40, STORAGE) for i in range(2)))
    found = compare([("whole", case(five)), ("cut", case(two + LIMIT))])
    assert "B did not come to the end: what was to come is not in the figures." in (found.note or "")
    assert "come to the end" not in (compare([("whole", case(five)), ("less", case(two))]).note or "")
    aborted = case(two + b"application called MPI_Abort(MPI_COMM_WORLD, 1) - process 0\n")
    assert "B did not come to the end" in (compare([("whole", case(five)), ("aborted", aborted)]).note or "")


LISTED = """{path}
lmm_stripe_count:  {count}
lmm_stripe_size:   1048576
lmm_pattern:       raid0
lmm_layout_gen:    0
lmm_stripe_offset: 3
"""


def test_stripes_that_lfs_lists_of_the_file_of_a_benchmark_are_those_of_its_run() -> None:
    path = next(line for line in IOR.splitlines() if line.startswith("test filename")).split(": ")[1]

    def tried(count: int, of: str = path) -> CaseDocument:
        rates = IOR.replace("3158.32", str(3158.32 * count))
        return case(f"{rates}\n{LISTED.format(path=of, count=count)}".encode())

    found = compare([("one", tried(1)), ("four", tried(4))])
    assert (found.kind, [run.stripes for run in found.runs]) == ("striping", [1, 4])
    # Those of another file are not.
    other = compare([("one", tried(1, "/scratch/else.dat")), ("four", tried(4, "/scratch/else.dat"))])
    assert [run.stripes for run in other.runs] == [None, None]
