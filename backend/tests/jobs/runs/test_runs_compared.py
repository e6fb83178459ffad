"""Runs of a job held against one another, where it is easy to say the wrong thing of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import pytest
from described import GIB, MIB, Part, Seconds, Work, document, osts, own
from printed_by_mpich import SAMPLES, STORAGE, case, phases, printed, statistics

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.run_sets.comparison import Comparison, compare
from iotriage.analysis.run_sets.step import Step
from iotriage.rules.core.advice import advice_text

RANKS = range(512)


def shared(seconds: float, *, writes: int = 160, path: str = "/scratch/out.dat", count: int = 12) -> tuple[Part, ...]:
    """Blocks of 1 MiB by each rank to one file."""
    return (
        Part(path, RANKS, "MPI-IO", writes=writes, write_s=seconds),
        Part(path, RANKS, writes=writes, write_s=seconds, in_order=0.0, osts=osts(count)),
    )


def own_files(where: str, seconds: Seconds, lies_on: tuple[int, ...] = ()) -> tuple[Part, ...]:
    return (Part(f"{where}/out.{{}}", RANKS, writes=320, write_s=seconds, osts=lies_on),)


def run(parts: Iterable[Part], runtime_s: float = 1000.0, *, program: str = "/sw/app") -> Work:
    return Work(tuple(parts), 512, runtime_s, nodes=4, program=program)


def compared(*runs: Work) -> Comparison:
    return compare([(f"run {i}", document(work)) for i, work in enumerate(runs)])


def only_step(*runs: Work) -> Step:
    (step,) = compared(*runs).steps
    return step


def test_other_programs_that_move_other_amounts_are_neither_faster_nor_slower() -> None:
    small = run(shared(2.0, writes=1), 100.0, program="/sw/vasp_std")
    found = compared(run(shared(300.0), program="/sw/wrf.exe"), small)
    (step,) = found.steps
    assert (step.outcome, step.factor) == ("unknown", None)
    assert "different programs" in found.sentence
    assert {change for row in found.metrics for change in row.changes} <= {"same", "other", "usual", "unknown"}


def test_another_version_of_a_program_is_the_same_program() -> None:
    step = only_step(run(shared(300.0), program="/sw/app-1.2.exe"), run(shared(60.0, writes=40), program="/sw/app-2.0"))
    assert step.factor is not None
    assert "not the same program" not in (step.note or "")


@pytest.mark.parametrize(
    ("one", "other", "kind", "changed"),
    [
        ("/usr/bin/python3 a.py", "/usr/bin/python3 b.py", "change", ("program a.py → b.py",)),
        ("python3.9 a.py", "python3.11 a.py", "change", ("interpreter python3.9 → python3.11",)),
        ("/sw/app -i a.in", "/sw/app -i b.in", "change", ("i a.in → b.in",)),
        ("/sw/lmp -in run/in.lj", "/sw/lmp -in run/in.eam", "change", ("in run/in.lj → run/in.eam",)),
        ("/sw/app one/a.in x.h5", "/sw/app two/a.in y.h5", "repeats", ()),
        ("/sw/app m001.nml", "/sw/app m002.nml", "repeats", ()),
    ],
)
def test_another_script_or_input_is_a_change_and_another_directory_is_none(
    one: str, other: str, kind: str, changed: tuple[str, ...]
) -> None:
    found = compared(run(shared(100.0), program=one), run(shared(30.0), program=other))
    assert (found.kind, found.steps[0].changed) == (kind, changed)


def test_scripts_that_move_other_amounts_are_neither_faster_nor_slower() -> None:
    step = only_step(run(shared(100.0), program="python a.py"), run(shared(30.0, writes=640), program="python b.py"))
    assert (step.outcome, step.factor) == ("unknown", None)


def test_another_file_system_is_what_was_changed() -> None:
    found = compared(run(own_files("/home/u", 400.0)), run(own_files("/scratch", 20.0, own(512)), 620.0))
    assert (found.kind, found.outcome) == ("change", "better")
    assert "file system NFS → Lustre" in found.steps[0].changed


def test_another_of_two_lustre_file_systems_is_what_was_changed() -> None:
    both = (("/scratch", "lustre"), ("/flash", "lustre"))
    slow, fast, beside = (
        replace(run(own_files(where, seconds, own(512))), mounts=both)
        for where, seconds in (("/scratch", 100.0), ("/flash", 30.0), ("/scratch/b", 101.0))
    )
    found = compared(slow, fast)
    assert (found.kind, found.steps[0].changed) == ("change", ("Lustre mount point /scratch → /flash",))
    assert (compared(slow, beside).kind, only_step(slow, beside).changed) == ("repeats", ())


def test_repeats_on_two_lustre_file_systems_are_two_variants() -> None:
    both = (("/scratch", "lustre"), ("/flash", "lustre"))
    runs = (
        replace(run(own_files(where, seconds, own(512))), mounts=both)
        for where, seconds in (("/scratch", 100.0), ("/scratch", 103.0), ("/flash", 30.0), ("/flash", 31.0))
    )
    found = compared(*runs)
    assert found.best is not None
    assert found.best.changed == ("Lustre mount point /scratch → /flash",)


@cache
def logs_beside(shared_s: float, own_s: float) -> Work:
    return run((*shared(shared_s), *(replace(p, writes=2) for p in own_files("/home/u", own_s))))


def test_files_that_alone_went_otherwise_are_named() -> None:
    """Something outside the program was slow, and only there."""
    told = "Only the time for out.# changed: 10.0 s of its slowest rank in A and 3 min 20 s in B; all other files took "
    assert f"{told}20.0 s and 20.5 s." in (compared(logs_beside(20.0, 10.0), logs_beside(20.5, 200.0)).note or "")
    for other in (logs_beside(60.0, 30.0), logs_beside(20.0, 10.2), logs_beside(60.0, 200.0)):
        assert "Only the time" not in (compared(logs_beside(20.0, 10.0), other).note or "")
    one_group = compared(run(shared(20.0)), run(shared(200.0)))
    assert "Only the time" not in (one_group.note or "")


def test_files_of_which_other_ranks_are_slow_than_before_did_not_change() -> None:
    """Eight ranks are slow in both runs and at both kinds of files: in one run they are the same eight."""
    seconds = tuple(150.0 if rank < 8 else 10.0 for rank in RANKS)
    turned = (*seconds[8:16], *seconds[:8], *seconds[16:])
    alike, apart = (run((*own_files("/scratch", seconds), *own_files("/home/u", of))) for of in (seconds, turned))
    found = compared(alike, apart)
    assert found.outcome == "better"
    assert "Only the time" not in (found.note or "")
    one = run((*shared(20.0), *own_files("/home/u", tuple(300.0 if rank == 7 else 10.0 for rank in RANKS))))
    note = compared(one, run((*shared(20.0), *own_files("/home/u", 10.0)))).note or ""
    assert "5 min of its slowest rank in A and 10.0 s in B" in note


def test_a_fifth_of_the_bytes_in_a_quarter_of_the_time_is_no_worse() -> None:
    step = only_step(run(shared(200.0, writes=200)), run(shared(50.0, writes=40), 850.0))
    assert step.outcome == "mixed"
    assert step.sentence.startswith("B takes less time for its I/O (3 min 20 s → 50.0 s), and moves bytes 1.25 times")
    back = only_step(run(shared(50.0, writes=40), 850.0), run(shared(200.0, writes=200)))
    assert back.outcome == "mixed"
    assert back.sentence.startswith("B takes more time for its I/O (50.0 s → 3 min 20 s), but moves bytes 1.25 times")


def test_half_the_bytes_at_the_same_rate_are_told_with_their_times() -> None:
    step = only_step(run(shared(300.0, writes=320)), run(shared(150.0), 850.0))
    assert step.outcome == "same"
    assert "the I/O takes 5 min in A and 2 min 30 s in B" in (step.note or "")


def test_a_slow_ost_in_one_of_two_equal_runs_is_named_first() -> None:
    slow = [100.0 if rank % 48 == 7 else 20.0 for rank in RANKS]
    good, bad = own_files("/scratch", 20.0, own(512)), own_files("/scratch", slow, own(512))
    assert compared(run(good), run(bad, 1080.0)).sentence == (
        "B does its I/O 5 times slower (20.0 s → 100 s); new: one slow OST."
    )
    three = compared(run(good), run(bad, 1080.0), run(good))
    assert "Only B: one slow OST." in (three.note or "")


def test_equal_runs_whose_reading_may_come_from_memory_say_so() -> None:
    slow, fast = (
        run((Part("/scratch/in.dat", RANKS, reads=300, read_s=seconds, osts=osts(4)),), 300.0)
        for seconds in (100.0, 10.0)
    )
    assert "the memory of nodes" in (compared(slow, fast).note or "")


def test_where_neither_run_waits_for_its_io_that_is_said() -> None:
    assert "Neither run waits for its I/O: it takes 0.1 % of A and 0.2 % of B." in (
        compared(run(shared(1.0)), run(shared(2.0))).note or ""
    )
    assert "Neither" not in (compared(run(shared(100.0)), run(shared(200.0), 1100.0)).note or "")


def test_from_which_share_a_run_waits_for_its_io_is_the_readers_to_say() -> None:
    cases = [(name, document(run(shared(seconds), 12.0))) for name, seconds in (("a", 2.0), ("b", 3.0))]
    assert "Neither run waits" not in (compare(cases).note or "")
    assert "Neither run waits" in (compare(cases, {"io-not-the-bottleneck.fraction": 0.5}).note or "")


def test_a_run_that_became_longer_beside_its_io_is_told_so() -> None:
    note = compared(run(shared(100.0)), run(shared(102.0), 2000.0)).note or ""
    assert "The run itself took 16 min 40 s longer, of which 2.00 s is I/O" in note
    note = compared(run(shared(200.0)), run(shared(100.0), 2000.0)).note or ""
    assert "The run itself took 16 min 40 s longer, its I/O 100 s less" in note
    assert "The run itself" not in (compared(run(shared(100.0)), run(shared(400.0), 1300.0)).note or "")


def test_stripes_and_processes_changed_together_leave_open_which_of_them_did_it() -> None:
    few = Work(tuple(p for p in shared(300.0, count=1)), 512, 1000.0, nodes=4)
    half = range(256)
    many = Work(
        (
            Part("/scratch/out.dat", half, "MPI-IO", writes=320, write_s=60.0),
            Part("/scratch/out.dat", half, writes=320, write_s=60.0, in_order=0.0, osts=osts(12)),
        ),
        256,
        760.0,
        nodes=2,
    )
    assert "2 settings changed together" in (only_step(few, many).note or "")


def hinted_run(hints: str, nodes: int, took_s: float, moved: int = 24 * GIB) -> CaseDocument:
    active = f"0,0,0,5120 (1, <= {nodes // 2}, > {nodes // 2}, {nodes})"
    counted = statistics("/scratch/o.dat", moved, aggregators=nodes, aggregators_active=active)
    trace = f'+ export MPICH_MPIIO_HINTS="{hints}"\n'
    return case(printed(trace, counted, phases("/scratch/o.dat", moved, took_s, STORAGE)))


def changed_settings(*documents: CaseDocument) -> dict[str, tuple[str | None, ...]]:
    found = compare([(str(i), document) for i, document in enumerate(documents)])
    return {row.name: tuple(v.value for v in row.values) for row in found.settings if row.changed}


def test_a_hint_in_the_variable_is_one_setting_and_not_two() -> None:
    told = changed_settings(hinted_run("*:cb_nodes=12", 12, 30), hinted_run("*:cb_nodes=48", 48, 60))
    assert told == {"cb_nodes": ("12", "48"), "aggregators at work": ("12", "48")}
    # Another pattern, or a hint that only one of them has, is told by the variable alone.
    for other in ("*.h5:cb_nodes=48", "*:cb_nodes=48:romio_cb_write=enable"):
        told = changed_settings(hinted_run("*:cb_nodes=12", 12, 30), hinted_run(other, 48, 60))
        assert "MPICH_MPIIO_HINTS" in told


def test_as_many_accesses_for_as_much_are_no_other_way_to_write() -> None:
    small, large = hinted_run("*:cb_nodes=12", 12, 30), hinted_run("*:cb_nodes=12", 12, 290, 240 * GIB)
    assert "system writes" not in changed_settings(small, large)
    pieces = statistics("/scratch/o.dat", 24 * GIB, system_writes=400_000, stripe_sized_writes=0)
    assert "system writes" in changed_settings(small, case(printed(pieces)))


IOR = (SAMPLES / "ior/ssf-collective/ior-ssf-collective.txt").read_text()


def test_what_a_benchmark_read_is_compared_beside_what_it_wrote() -> None:
    slower = (
        IOR.replace("5202 ", "2202 ").replace("5388 ", "2388 ").replace("5290 ", "2290 ").replace("5387.58", "2387.58")
    )
    found = compare([("before", case(IOR.encode())), ("after", case(slower.encode()))])
    assert found.sentence.startswith("B writes as fast as A")
    assert found.note == "The reads of B are 2.26 times slower (5.26 GiB/s → 2.33 GiB/s)."
    (row,) = (row for row in found.metrics if row.id == "benchmark.read_bandwidth")
    assert row.changes[1] == "worse"
    written = IOR[: IOR.index("read  ")] + "".join(line for line in IOR.splitlines(True) if "write " in line)
    alone = compare([("before", case(written.encode())), ("after", case(written.encode()))])
    assert "reads" not in f"{alone.sentence} {alone.note}"


def checkpoints(number: int) -> Work:
    written = (
        Part(f"/scratch/{i}.h5", RANKS, writes=64, write_s=10.0, osts=osts(4), in_order=0.0) for i in range(number)
    )
    return run(written, 600.0 + 10 * number)


def test_a_run_that_went_on_for_longer_is_no_jitter() -> None:
    found = compared(checkpoints(5), checkpoints(9))
    assert found.sentence.startswith("B is as fast in I/O as A, within the usual variation")
    assert [f.verdict for f in found.run_set] == ["clear"]
    # Less than twice as much is an amount that is told, too.
    assert ("bytes written", ("160 GiB", "288 GiB")) in [
        (row.name, tuple(v.value for v in row.values)) for row in found.settings if row.changed
    ]


def pieces(took_s: float, size: int, count: int) -> Work:
    part = Part("/scratch/out.dat", RANKS, writes=2**30 // size, size=size, write_s=took_s, osts=osts(count))
    return run((replace(part, in_order=0.0),))


def test_larger_pieces_and_more_stripes_leave_open_which_of_them_did_it() -> None:
    step = only_step(pieces(400.0, 4096, 1), pieces(50.0, MIB, 16))
    assert "2 settings changed together, stripe count and average POSIX write" in (step.note or "")
    assert {c.answer for c in step.causes} == {"undecided"}
    # The library below MPI-IO follows the stripes.
    assert "2 settings" not in (only_step(run(shared(400.0, count=1)), run(shared(50.0, count=16))).note or "")
    assert "2 settings" not in (only_step(pieces(400.0, 4096, 4), pieces(50.0, MIB, 4)).note or "")


def test_home_left_for_another_file_system_is_one_change() -> None:
    step = only_step(run(own_files("/home/u", 400.0)), run(own_files("/scratch", 20.0, own(512)), 620.0))
    assert "changed together" not in (step.note or "")


def test_what_a_restart_reads_is_not_held_against_what_the_run_before_it_wrote() -> None:
    written = own_files("/scratch", 60.0, osts(16))
    read = (Part("/scratch/before.{}", RANKS, reads=400, read_s=50.0, osts=osts(1, 5)),)
    step = only_step(run(written), run((*read, *written)))
    assert "stripe" not in " ".join(step.changed)
    assert "Both write 160 GiB" in (step.note or "")
    assert "B reads 200 GiB besides" in (step.note or "")


@cache
def of_ranks(ranks: int, took_s: float) -> Work:
    part = Part("/scratch/out.{}", range(ranks), writes=256, write_s=took_s, osts=own(ranks)[:1])
    return Work((part,), ranks, 400.0, nodes=ranks // 128)


def test_of_a_rate_that_ends_to_grow_it_is_told_where() -> None:
    ended = compared(*(of_ranks(ranks, 20.0 * max(1.0, ranks / 512)) for ranks in (128, 256, 512, 1024, 2048)))
    assert ended.sentence.startswith("The I/O rate grows up to 512 ranks and no further (1.60 GiB/s on 128, 6.40 GiB/s")
    flat = compared(*(of_ranks(ranks, 20.0 * ranks / 128) for ranks in (128, 512, 2048)))
    assert "1 times" not in flat.sentence
    assert compared(*(of_ranks(ranks, 20.0) for ranks in (128, 512))).sentence.startswith(
        "On 4 times the ranks the I/O rate is 4 times that on the fewest"
    )


def test_a_short_test_of_few_ranks_says_nothing_of_how_the_rate_grows() -> None:
    test = Work(shared(0.8, writes=4), 512, 120.0, nodes=1)
    few = Work((Part("/scratch/out.dat", range(16), writes=4, write_s=0.8, osts=osts(12)),), 16, 120.0, nodes=1)
    for short in (test, few):
        assert "too little for its rate to be compared" in compared(short, run(shared(600.0, writes=400))).sentence


def test_no_more_stripes_are_asked_for_than_are_as_fast_as_the_best() -> None:
    seconds = {1: 480.0, 2: 250.0, 4: 130.0, 8: 80.0, 16: 79.0, 32: 85.0}
    runs = {stripes: run(shared(took, count=stripes)) for stripes, took in seconds.items()}
    found = compared(*runs.values())
    assert found.sentence == "Striping over 8 OSTs is enough: more stripes make the I/O no faster."
    (line,) = (advice_text(advice) for advice in found.run_set[0].advice)
    assert "lfs setstripe -c 8 -S 1M" in f"{line} {found.run_set[0].advice[0].command}"
    best = compared(*(tried for stripes, tried in runs.items() if stripes <= 8))
    assert best.sentence == "Striping over 8 OSTs is the best of the stripe counts tried."


def test_several_runs_unlike_the_others_are_named() -> None:
    nights = compared(*(run(shared(took), 900.0) for took in (100.0, 98.0, 103.0, 101.0, 205.0, 210.0)))
    assert nights.sentence.startswith("E and F are 2.06 times slower than the other 4 runs")


def stripes_advised(*directories: str) -> str:
    """Runs over 1 stripe, 2, 4, …, each faster than the one before, of files in these directories."""
    seconds = 800.0
    works = [run(shared(seconds / 2**i, path=f"{to}/o.dat", count=2**i)) for i, to in enumerate(directories)]
    (found,) = (f for f in compared(*works).run_set if f.rule == "striping-experiment")
    return found.advice[0].command or ""


def test_the_stripes_that_were_best_are_set_where_all_runs_wrote() -> None:
    assert stripes_advised("/scratch/p/run", "/scratch/p/run").endswith(" -c 2 -S 1M /scratch/p/run")
    # Each in a directory of its own says nothing of the next run's; and on the mount point others write too.
    for others in (("/scratch/p/a", "/scratch/p/b"), ("/scratch", "/scratch")):
        assert " -c 2 -S 1M ${OUTPUT_DIRECTORY:?" in stripes_advised(*others).replace('"', "")
