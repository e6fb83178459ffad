"""What the phases that MPICH_MPIIO_TIMERS prints say of jobs. Each was written down before it was asked."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from described import MIB, Part, Work, above_info, collective, osts
from printed_by_mpich import (
    CLOCK_HZ,
    GIB,
    LATE,
    MOVERS,
    RANKS,
    STORAGE,
    WAITED,
    case,
    phases,
    printed,
    statistics,
    takes,
    written,
)

from iotriage.metrics.core.missing_evidence import STATS

SENDING = {"wait for coll": 0.05, "data send (*)": 0.85, "file write": 0.05}


def test_the_file_that_took_long_leads_and_not_the_one_with_most_bytes() -> None:
    quick = {"wait for coll": 0.1, "data send (*)": 0.3, "file write": 0.6}
    document = case(printed(written("good.dat", 3, quick), written("bad.dat", 60, LATE, 2400 * MIB)))
    assert document.headline.rule == "wait-for-coll"
    assert takes(document, "wait-for-coll") == pytest.approx(51.0, abs=0.5)


@pytest.mark.parametrize("row", ["wait for coll", "imbalance"])
def test_ranks_are_late_in_whichever_row_the_waiting_is_printed(row: str) -> None:
    shares = {(row if name == "wait for coll" else name): share for name, share in WAITED.items()}
    document = case(printed(written("state.h5", 90, shares)))
    assert document.headline.rule == "wait-for-coll"
    assert takes(document, "wait-for-coll") == pytest.approx(70.2, abs=0.5)


@pytest.mark.parametrize(
    ("least", "most"),
    [
        ({}, {"file write": 0.95}),
        ({}, {"local compute": 0.6}),
        ({}, {"data send (*)": 0.5, "file write": 0.4}),
        ({"wait for coll": 0.5}, {}),
    ],
    ids=["one slow writer", "one rank computes", "one rank sends, then writes", "another is slow or late each time"],
)
def test_waiting_for_ranks_that_are_at_work_is_no_lateness(
    least: Mapping[str, float], most: Mapping[str, float]
) -> None:
    moved = 24 * GIB
    document = case(printed(statistics("o.dat", moved), phases("o.dat", moved, 90, WAITED, least, most)))
    assert "wait-for-coll" not in above_info(document)


def test_many_checkpoints_are_waited_for_as_long_as_all_of_them() -> None:
    document = case(printed(*(written(f"chk.{i}.h5", 30, LATE) for i in range(10))))
    assert document.headline.rule == "wait-for-coll"
    assert takes(document, "wait-for-coll") == pytest.approx(255.0, abs=1.0)


@pytest.mark.parametrize(
    ("shares", "begins"),
    [
        (STORAGE, "the ranks that call the storage take nearly all of that time"),
        (
            {"open/close/trunc": 0.7, "file write": 0.1},
            "MPICH_MPIIO_TIMERS prints that the rank which is quickest to open",
        ),
        (
            {"local compute": 0.75, "file write": 0.1},
            "of the time in MPI-IO, MPICH_MPIIO_TIMERS prints 75 % as local compute and 10 % as file write. A Darshan",
        ),
        (
            {"other": 0.75, "file write": 0.05},
            "of the time in MPI-IO, MPICH_MPIIO_TIMERS prints 75 % as other. A Darsh",
        ),
    ],
    ids=["storage", "late to the open", "local compute", "other"],
)
def test_two_minutes_that_no_rule_explains_are_not_told_to_be_well(shares: Mapping[str, float], begins: str) -> None:
    document = case(printed(written("o.dat", 120, shares)))
    opens = shares.get("open/close/trunc", 0.0) > 0.5
    how = "most of it in opening, closing and asking about files" if opens else "at 205 MiB/s"
    assert document.headline.sentence == f"I/O takes 2 min, {how}, but none of the known causes was found."
    assert f"Not explained: {begins}" in (document.headline.action or "")


def test_ten_seconds_of_a_run_that_nobody_times_are_not_worth_a_search() -> None:
    document = case(printed(written("o.dat", 10, STORAGE)))
    assert (document.headline.severity, document.headline.action) == ("clear", None)
    assert document.headline.figure == "All its I/O took 10.0 s."


ACCOUNTED = b"""$ sacct -j 71 --format=jobid,jobname,partition,account,nnodes,ntasks,elapsed,timelimit,state,nodelist%20
JobID           JobName  Partition    Account   NNodes   NTasks    Elapsed  Timelimit      State             NodeList
------------ ---------- ---------- ---------- -------- -------- ---------- ---------- ---------- --------------------
71                  app   standard        z19        4            01:40:00   02:20:00  COMPLETED   nid[001040-001043]
71.0                app                   z19        4      512   01:40:00             COMPLETED   nid[001040-001043]
"""


def test_seconds_of_a_long_run_are_a_note_and_only_of_what_was_timed() -> None:
    document = case(printed(written("o.dat", 10, LATE)), ACCOUNTED)
    assert document.headline.rule == "io-not-the-bottleneck"
    assert document.headline.sentence == (
        "MPI-IO is not what this run waits for; what reads and writes past it is not measured."
    )
    assert above_info(document) == {}
    assert above_info(case(printed(written("o.dat", 3000, LATE)), ACCOUNTED)) == {"wait-for-coll": "high"}


def test_pieces_of_stripes_take_the_time_in_which_the_file_is_written() -> None:
    pieces = {"system_writes": 393216, "stripe_sized_writes": 0, "number_of_write_gaps": 390000}
    document = case(printed(statistics("o.dat", 24 * GIB, **pieces), phases("o.dat", 24 * GIB, 200, STORAGE)))
    assert document.headline.rule == "system-writes-not-stripe-sized"
    assert takes(document, "system-writes-not-stripe-sized") == pytest.approx(170, abs=5)


@pytest.mark.parametrize(("shares", "rule"), [(LATE, "wait-for-coll"), (SENDING, "data-send-bound")])
def test_the_phase_that_is_printed_leads_and_not_the_question_for_it(shares: Mapping[str, float], rule: str) -> None:
    work = Work(collective("/scratch/o.dat", RANKS, MOVERS, 16.0, osts(12)), 512, 600.0)
    slow = tuple(Part(**{**_fields(p), "write_s": 300.0}) if p.layer == "MPI-IO" else p for p in work.parts)
    work = Work(slow, 512, 600.0)
    assert case(work=work).headline.rule == "collective-overhead"
    document = case(printed(written("/scratch/o.dat", 300, shares)), work=work)
    assert document.headline.rule == rule
    assert "collective-overhead" not in above_info(document)
    assert takes(document, rule) == pytest.approx(255, abs=5)


def _fields(part: Part) -> dict[str, object]:
    return {name: getattr(part, name) for name in Part.__dataclass_fields__}


def level_2(*last: int) -> str:
    """The details of MPICH_MPIIO_TIMERS=2 below a block: of calls that are waited for alike, who came last to each."""
    ticks = 10 * CLOCK_HZ / 2**6
    calls = [f"||   wait for coll.{n} = 100 {int(ticks * 1.2)} {int(ticks)} 10%" for n in range(1, len(last) + 1)]
    named = [
        f"||   Late arriver among all ranks waitforcoll.{n} Time = 100 Rank = {rank}" for n, rank in enumerate(last, 1)
    ]
    head = "|| Level 2 details wait for coll            min         max         ave"
    return "\n".join((head, *calls, *named, f"+{'-' * 74}+")) + "\n"


@pytest.mark.parametrize(
    ("last", "said", "advised"),
    [
        ((17, 17, 17, 17, 17), "Rank 17 came last to the calls with 100 % of the waiting.", "Find what rank 17 does"),
        ((17, 300, 5, 17, 44), "Rank 17 came last to the call that was waited for most", "Give every rank as much"),
    ],
    ids=["one rank each time", "another rank each time"],
)
def test_who_comes_late_is_named_where_the_details_name_it(last: tuple[int, ...], said: str, advised: str) -> None:
    document = case(printed(written("state.h5", 90, WAITED), level_2(*last)))
    late = next(f for f in document.findings if f.rule == "wait-for-coll")
    assert document.headline.rule == "wait-for-coll"
    assert said in late.says.summary
    assert late.says.advice[0].text.startswith(advised)


def test_what_is_printed_already_settles_nothing_once_more() -> None:
    """The second file's block is cut off by the end of the job: MPICH_MPIIO_STATS was on all the same."""
    cut = statistics("second.h5", GIB, independent_writes=2000, collective_writes=0)
    document = case(printed(written("good.h5", 6, STORAGE), cut[: cut.index("|   system writes")]))
    assert any(p.loses_data for source in document.sources for p in source.warnings)
    assert STATS not in {key for absence in document.absences for key in absence.settled_by}


def test_a_block_that_was_cut_off_before_its_rows_of_work_tells_of_no_late_ranks() -> None:
    """What the others wait for may stand in the rows that are lost."""
    whole = phases("o.dat", 24 * GIB, 90, {"wait for coll": 0.55, "data send (*)": 0.4, "file write": 0.9})
    cut = whole[: whole.index("|   collective ")]
    assert "wait-for-coll" not in above_info(case(printed(statistics("o.dat", 24 * GIB), whole)))
    assert "wait-for-coll" not in above_info(case(printed(statistics("o.dat", 24 * GIB)) + cut.encode()))


def outputs(*times_s: float, shares: Mapping[str, float] = STORAGE, moved: int = 24 * GIB) -> bytes:
    return printed(*(written(f"chk.{i:04d}.h5", took_s, shares, moved) for i, took_s in enumerate(times_s)))


def test_outputs_that_take_longer_and_longer_are_told_by_what_each_close_took() -> None:
    document = case(outputs(10, 20, 30, 40, 50, 60, 70, 80, 90, 100))
    assert document.headline.rule == "slower-and-slower"
    assert takes(document, "slower-and-slower") == pytest.approx(360.0, abs=1.0)
    step = case(outputs(10, 11, 10, 10, 41, 40, 42, 40, 41))
    assert step.headline.sentence == "From one of them on, equal outputs take 4.1 times as long."
    assert "from chk.0004.h5 on" in next(f for f in step.findings if f.rule == "slower-and-slower").says.summary


def test_what_does_not_grow_in_the_storage_is_not_told_to() -> None:
    """Ranks that come later and later; outputs that vary; outputs that grow."""
    growing = (10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
    mixed = [
        written(f"chk.{i}.h5", t, {"wait for coll": 1 - 5 / t, "file write": 5 / t}) for i, t in enumerate(growing)
    ]
    larger = [written(f"chk.{i}.h5", t, STORAGE, t * GIB) for i, t in enumerate(growing)]
    for document in (case(printed(*mixed)), case(outputs(30, 90, 20, 80, 40, 100, 30)), case(printed(*larger))):
        assert "slower-and-slower" not in {f.rule for f in document.findings if f.verdict == "triggered"}


def test_what_does_not_count_is_shown_all_the_same() -> None:
    work = Work(collective("/scratch/o.dat", RANKS, MOVERS, 160.0, osts(12)), 512, 600.0)
    document = case(printed(written("/scratch/other.dat", 300, LATE)), work=work)
    assert [text.part.kind for text in document.texts if text.part.kind.startswith("mpiio")] == [
        "mpiio_stats",
        "mpiio_timers",
    ]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("open/trunc", "prints that the rank which is quickest to open the files takes less than half of the mean"),
        ("close fsync", "as close fsync: what was written is sent to the servers when the file is closed"),
        ("close group-unlock", "as close group-unlock: the aggregators give back the lock"),
        ("close other + wait", "in which ranks wait for the last to close the file"),
    ],
)
def test_closing_that_takes_long_is_no_slow_open(row: str, said: str) -> None:
    rows = ("open/trunc", "close sys", "close fsync", "close group-unlock", "close other + wait")
    old = phases("o.dat", 24 * GIB, 100, {"open/close/trunc": 0.8, "file write": 0.1})
    one = next(line for line in old.splitlines() if "open/close/trunc" in line)
    none = f"|   {{:<30}} = {0:10d}  {0:10d}  {0:10d}  0%"
    five = "\n".join(one.replace(f"{'open/close/trunc':<30}", f"{r:<30}") if r == row else none.format(r) for r in rows)
    document = case(printed(statistics("o.dat", 24 * GIB), old.replace(one, five)))
    assert said in (document.headline.action or "")
    # An earlier version prints one row of them all.
    assert document.metrics["timers.open_close_mostly"].value == row
    earlier = case(printed(statistics("o.dat", 24 * GIB), old))
    assert earlier.metrics["timers.open_close_mostly"].value == "unknown"


@pytest.mark.parametrize(
    ("nodes", "said"),
    [(1, "Spread the aggregators over the 4 nodes"), (3, "Spread the aggregators over all"), (4, "Collect the data")],
)
def test_where_the_aggregators_are_is_not_looked_up_twice(nodes: int, said: str) -> None:
    placed = "Aggregator Placement for o.dat\nRankReorderMethod=1  AggPlacementStride=-1\n AGG    Rank       nid\n"
    placed += " ----  ------  --------\n"
    placed += "".join(f"{i:4d}  {i * 40:6d}  nid{i % nodes:06d}\n" for i in range(12))
    document = case(printed(placed, written("o.dat", 90, SENDING)))
    assert document.headline.rule == ("few-nodes" if nodes == 1 else "data-send-bound")
    assert (document.headline.action or "").startswith(said)
    assert "MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY" not in (document.headline.command or "")
    unknown = case(printed(written("o.dat", 90, SENDING))).headline
    assert "MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY=1" in (unknown.command or "")


REAL = "\nreal\t{}\nuser\t0m0.1s\nsys\t0m0.0s\n"
GNU = "0.10user 0.03system 1:00:00.12elapsed 0%CPU (0avgtext+0avgdata 5000maxresident)k\n"
VERBOSE = (
    '\tCommand being timed: "srun ./a"\n\tElapsed (wall clock) time (h:mm:ss or m:ss): 1:00:00\n\tExit status: 0\n'
)
OF_AN_HOUR = "JobID|JobName|Elapsed|NNodes|NTasks|State\n77|a|01:02:00|4||COMPLETED\n77.0|a|01:02:00|4|512|COMPLETED\n"


@pytest.mark.parametrize(
    ("before", "behind", "runtime"),
    [
        ("", REAL.format("60m0.1s"), 3600.1),
        ("", REAL.format("60m0,1s"), 3600.1),
        ("", REAL.format("3600.10"), 3600.1),
        ("", GNU, 3600.12),
        ("", VERBOSE, 3600),
        ("", VERBOSE * 512, None),
        ("", REAL.format("60m0.1s") + OF_AN_HOUR, 3720.0),
        # Of another command: before the files were closed, one of two, or shorter than they took.
        (REAL.format("60m0.1s"), "", None),
        (REAL.format("2m0.1s"), REAL.format("60m0.1s"), None),
        ("", REAL.format("0m3.1s"), None),
        ("", "\nreal\t60m0.1s\nto do\n", None),
    ],
)
def test_what_time_prints_of_the_program_is_its_run(before: str, behind: str, runtime: float | None) -> None:
    block = statistics("a.h5", 64 * GIB) + phases("a.h5", 64 * GIB, 14, STORAGE)
    text = block.replace("|   independent writes ", "|   ranks in communicator   = 512\n|   independent writes ")
    document = case(f"{before}{text}{behind}".encode())
    found = document.metrics["job.runtime"].value
    assert found == (runtime if runtime is None else pytest.approx(runtime))
    assert (document.headline.rule == "io-not-the-bottleneck") == (runtime is not None)
