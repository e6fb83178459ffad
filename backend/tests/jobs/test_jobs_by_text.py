"""Jobs that only a text tells of, or a text beside a log: what leads, and how long it takes. Each was written down
before it was asked."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import pytest
from described import MIB, Part, Work, above_info, collective, log_of, osts

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.headline import NOT_ENOUGH
from iotriage.analysis.inputs import ReadSource
from iotriage.metrics.core.missing_evidence import STATS
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import Evidence, Problem

SAMPLES = Path(__file__).parents[3] / "sample-logs"
GIB = 2**30
CLOCK_HZ = 2.25e9
RANKS = range(512)
MOVERS = range(0, 512, 43)
LATE = {"imbalance": 0.3, "wait for coll": 0.85, "data send (*)": 0.02, "file write": 0.03}
SENDING = {"wait for coll": 0.05, "data send (*)": 0.85, "file write": 0.05}
STORAGE = {"wait for coll": 0.06, "data send (*)": 0.05, "file write": 0.85}


def statistics(file: str, moved: int, **changed: object) -> str:
    """What MPICH_MPIIO_STATS prints: whole stripes on 12 OSTs by 12 aggregators, but for what is `changed`."""
    fields: dict[str, object] = {
        "independent writes": 0,
        "collective writes": 5120,
        "independent writers": 0,
        "aggregators": 12,
        "stripe count": 12,
        "stripe size": MIB,
        "system writes": moved // MIB,
        "stripe sized writes": moved // MIB,
        "aggregators active": "0,0,0,5120 (1, <= 6, > 6, 12)",
        "total bytes for writes": f"{moved} = {moved // MIB} MiB",
        "ave system write size": MIB,
        "read-modify-write count": 0,
        "read-modify-write bytes": 0,
        "number of write gaps": 0,
        "ave write gap size": "NA",
    } | {name.replace("_", " "): value for name, value in changed.items()}
    rule = f"+{'-' * 56}+"
    lines = [f"|   {name:<23} = {value}" for name, value in fields.items()]
    return "\n".join((rule, f"| MPIIO write access patterns for {file}", *lines, rule)) + "\n"


PHASES = (
    "imbalance", "open/close/trunc", "local compute", "wait for coll", "collective", "exchange/write", "data send (*)",
    "file write", "other",
)  # fmt: skip


def phases(
    file: str,
    moved: int,
    took_s: float,
    shares: Mapping[str, float],
    least: Mapping[str, float] | None = None,
    most: Mapping[str, float] | None = None,
) -> str:
    """What MPICH_MPIIO_TIMERS prints of the same close: 12 of 512 ranks access the file."""
    rule, ticks = f"+{'-' * 74}+", took_s * CLOCK_HZ / 2**6
    rows = [
        f"|   {name:<30} = {int((least or {}).get(name, 0.0) * ticks):10d}  "
        f"{int((most or {}).get(name, min(1.0, 1.3 * share)) * ticks):10d}  {int(share * ticks):10d} {share:.0%}"
        for name in PHASES
        for share in [shares.get(name, 0.0)]
    ]
    rates = {"data send": shares.get("data send (*)", 0.01), "raw write": shares["file write"], "net write": 1.0}
    return (
        "\n".join(
            (
                rule,
                f"| MPIIO write by phases, all ranks, for {file}",
                "|   number of ranks writing        =    12",
                "|   number of ranks not writing    =   500",
                "|   time scale: 1 = 2**6     clock ticks    min         max         ave",
                f"|   total                          =                         {int(ticks):10d}",
                *rows,
                *(
                    f"|   {f'{name} BW (MiB/s)':<30} =                           {moved / MIB / took_s / share:10.3f}"
                    for name, share in rates.items()
                ),
                rule,
            )
        )
        + "\n"
    )


def printed(*blocks: str) -> bytes:
    return "".join(("+ srun --nodes=4 --ntasks=512 ./app\n", *blocks, " app: done\n")).encode()


def written(file: str, took_s: float, shares: Mapping[str, float], moved: int = 24 * GIB) -> str:
    return statistics(file, moved) + phases(file, moved, took_s, shares)


def profile(
    *rows: tuple[str, float, float, int, float], way: str = "Write", run_s: float = 100.0, more: str = ""
) -> bytes:
    """A report of perftools-lite of 512 ranks; of each file the mean seconds, MiB, ranks and calls of a rank that used
    it."""
    who, table = {"Write": "Writer", "Read": "Reader"}[way], {"Write": "Output", "Read": "Input"}[way]
    header = (
        (f"Avg {way}", f"Avg {way}", f"{way} Rate", "Number", "Avg", "Bytes/", "File Name=!x/^/(proc|sys)/"),
        ("Time per", "MiBytes", "MiBytes/sec", "of", f"{way}s", "Call", " PE=HIDE"),
        (who, "per", "", who, "per", "", ""),
        ("Rank", who, "", "Ranks", who, "", ""),
        ("", "Rank", "", "", "Rank", "", ""),
    )
    lines = [" " + " | ".join(cell.rjust(12) for cell in cells[:6]) + " | " + cells[6] for cells in header]
    lines += ["|" + "-" * 90]
    lines += [
        f"| {s:12.6f} | {mib:12,.6f} | {mib / s:12.6f} | {ranks:12,} | {n:12,.1f} | {mib * MIB / n:12,.2f} | {file}"
        for file, s, mib, ranks, n in rows
    ]
    return "\n".join(
        (
            "CrayPat/X:  Version 21.09.0 Revision 5d1e07ab3  07/29/21 11:02:47",
            "Experiment:                  lite  lite-samples",
            "Number of PEs (MPI ranks):    512",
            "Numbers of PEs per Node:      128  PEs on each of  4  Nodes",
            f"Avg Process Time:       {run_s:.2f} secs",
            "",
            more,
            f"Table 2:  File {table} Stats by Filename",
            "",
            *lines,
            "|" + "=" * 90,
            "Program invocation:  ./app",
            "",
            "================  End of CrayPat-lite output  ==========================",
            "",
        )
    ).encode()


def case(*texts: bytes, work: Work | None = None) -> CaseDocument:
    sources = [ReadSource("job.darshan", "0" * 64, 1, Evidence("darshan_log", (log_of(work),)))] if work else []
    for i, text in enumerate(texts):
        digest = hashlib.sha256(text).hexdigest()
        sources.append(ReadSource(f"{i}.txt", digest, len(text), read(BytesIO(text))))
    return diagnose(sources)


def takes(document: CaseDocument, rule: str) -> float | None:
    return next(f.takes_s for f in document.findings if f.rule == rule and f.verdict == "triggered")


def test_the_file_that_took_long_leads_and_not_the_one_with_most_bytes() -> None:
    quick = {"wait for coll": 0.1, "data send (*)": 0.3, "file write": 0.6}
    document = case(printed(written("good.dat", 3, quick), written("bad.dat", 60, LATE, 2400 * MIB)))
    assert document.headline.rule == "wait-for-coll"
    assert takes(document, "wait-for-coll") == pytest.approx(51.0, abs=0.5)


WAITED = {"wait for coll": 0.78, "data send (*)": 0.18, "file write": 0.10}


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


def hinted(file: str, **hints: str) -> str:
    """What MPICH_MPIIO_HINTS_DISPLAY prints of the file."""
    lines = [f"          {name:<24} = {value}" for name, value in ({"romio_cb_read": "automatic"} | hints).items()]
    return "\n".join((f"PE 0: MPIIO hints for {file}:", *lines)) + "\n"


SIEVED = {"system_writes": 262164, "independent_writes": 20, "stripe_sized_writes": 0, "number_of_write_gaps": 260000}


@pytest.mark.parametrize("active", ["5120,0,0,0", "0,0,0,0", "0,0,0,5120"])
def test_a_hint_that_switches_buffering_off_leads_by_texts_alone(active: str) -> None:
    moved = 24 * GIB
    counted = SIEVED | {"aggregators_active": f"{active} (1, <= 6, > 6, 12)"}
    stats = statistics("o.dat", moved, **counted) + phases("o.dat", moved, 160, STORAGE)
    document = case(printed(hinted("o.dat", romio_cb_write="disable"), stats))
    assert document.headline.rule == "collective-disabled"
    assert set(above_info(document)) == {"collective-disabled"}
    # Without the hint nobody knows that it is off.
    shown = case(printed(hinted("o.dat", romio_cb_write="automatic"), stats))
    assert "collective-disabled" not in above_info(shown)


@pytest.mark.parametrize(
    "counted",
    [
        {},
        {"system_writes": 300000, "independent_writes": 280000, "stripe_sized_writes": 0},
    ],
    ids=["whole stripes", "a library's own small writes beside large ones"],
)
def test_what_a_buffer_would_not_gather_needs_no_buffer(counted: Mapping[str, object]) -> None:
    moved = 24 * GIB
    stats = statistics("o.dat", moved, **counted) + phases("o.dat", moved, 160, STORAGE)
    document = case(printed(hinted("o.dat", romio_cb_write="disable"), stats))
    assert "collective-disabled" not in above_info(document)


def test_many_checkpoints_are_waited_for_as_long_as_all_of_them() -> None:
    document = case(printed(*(written(f"chk.{i}.h5", 30, LATE) for i in range(10))))
    assert document.headline.rule == "wait-for-coll"
    assert takes(document, "wait-for-coll") == pytest.approx(255.0, abs=1.0)


@pytest.mark.parametrize(
    ("shares", "begins"),
    [
        (STORAGE, "the ranks that call the storage take nearly all of that time"),
        ({"open/close/trunc": 0.7, "file write": 0.1}, "run it once on one node"),
        (
            {"local compute": 0.75, "file write": 0.1},
            "of the time in MPI-IO, MPICH_MPIIO_TIMERS prints 75 % as local compute and 10 % as file write. A Darshan",
        ),
        (
            {"other": 0.75, "file write": 0.05},
            "of the time in MPI-IO, MPICH_MPIIO_TIMERS prints 75 % as other. A Darsh",
        ),
    ],
    ids=["storage", "opens", "local compute", "other"],
)
def test_two_minutes_that_no_rule_explains_are_not_told_to_be_well(shares: Mapping[str, float], begins: str) -> None:
    document = case(printed(written("o.dat", 120, shares)))
    assert document.headline.sentence == "I/O takes 2 min, at 205 MiB/s, but none of the known causes was found."
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


def test_one_rank_that_writes_all_of_it_by_itself() -> None:
    alone = {"independent_writes": 102400, "collective_writes": 0, "independent_writers": 1}
    moved = 100 * GIB
    document = case(printed(statistics("o.dat", moved, **alone), phases("o.dat", moved, 120, {"file write": 0.95})))
    assert document.headline.rule == "serial-io"
    # A file each of many ranks is another thing.
    each = [statistics(f"part.{i}", GIB, **alone) for i in range(8)]
    assert "serial-io" not in above_info(case(printed(*each)))


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


def test_one_ranks_file_in_a_profile_is_waited_for_by_all() -> None:
    document = case(profile(("field.dat", 60.0, 32768.0, 1, 8192.0)))
    assert document.headline.rule == "serial-io"
    assert takes(document, "serial-io") == pytest.approx(60.0)


def test_one_ranks_reading_counts_though_others_write_more() -> None:
    document = case(profile(("mesh.bin", 70.0, 4096.0, 1, 4096.0), ("restart.h5", 2.0, 1024.0, 512, 64.0), way="Read"))
    assert document.headline.rule == "serial-io"
    assert "mesh.bin" in (document.headline.action or "")


@pytest.mark.parametrize("ranks", [2, 48, 512])
def test_a_profile_of_long_large_calls_is_not_told_to_be_well(ranks: int) -> None:
    document = case(profile(("chk.h5", 60.0, 20480.0, ranks, 1280.0)))
    assert document.headline.sentence == "I/O takes at least 60 % of the run, but none of the known causes was found."
    assert document.headline.severity == "unknown"


def test_functions_of_a_profile_count_where_its_tables_have_little() -> None:
    functions = """Table 1:  Profile by Function

   Samp% |     Samp |    Imb. |    Imb. | Group
         |          |    Samp |   Samp% |  Function=[MAX10]
         |          |         |         |   PE=HIDE

  100.0% | 10,000.0 |      -- |      -- | Total
|------------------------------------------------------------
|   60.0% |  6,000.0 |      -- |      -- | USER
||-----------------------------------------------------------
||  60.0% |  6,000.0 |     1.9 |    1.9% | collide_
||===========================================================
|   38.0% |  3,800.0 |      -- |      -- | IO
||-----------------------------------------------------------
||  35.0% |  3,500.0 |     1.9 |    1.9% | open64
||   3.0% |    300.0 |     1.9 |    1.9% | write
|============================================================
"""
    document = case(profile(("out.h5", 3.0, 100.0, 512, 100.0), more=functions))
    assert document.headline.sentence == "I/O takes 38 % of the run, and these sources do not show why."
    assert "run it once on one node" in (document.headline.action or "")
    assert document.account is not None
    assert document.account.cells.metadata == pytest.approx(35.0)


ALL_OF_IT = """Table 1:  Profile by Function

   Samp% |     Samp |    Imb. |    Imb. | Group
         |          |    Samp |   Samp% |  Function=[MAX10]

  100.0% | 60,000.0 |      -- |      -- | Total
|------------------------------------------------------------
|   99.0% | 59,400.0 |      -- |      -- | USER
||-----------------------------------------------------------
||  99.0% | 59,400.0 |     1.9 |    1.9% | collide_
|============================================================
"""


def test_a_profile_and_what_mpich_prints_have_the_seconds_of_their_files() -> None:
    """100 s in the file whose phases are printed, of which the profile has the writes alone; 200 s in another."""
    written_by_movers, records = ("o.dat", 4.0, 2048.0, 12, 2048.0), ("hist.dat", 200.0, 64.0, 512, 262144.0)
    late = printed(written("o.dat", 100, LATE))
    document = case(profile(records, written_by_movers, run_s=600.0, more=ALL_OF_IT), late)
    assert document.headline.rule == "small-io"
    assert takes(document, "small-io") == pytest.approx(200.0)
    assert takes(document, "wait-for-coll") == pytest.approx(85.0, abs=0.5)
    assert document.metrics["job.io_time"].value == pytest.approx(300.0)
    assert document.metrics["io.bandwidth"].value is None
    short = case(profile(written_by_movers, run_s=600.0, more=ALL_OF_IT), printed(written("o.dat", 10, LATE)))
    assert short.headline.sentence == "I/O is not what this run waits for."
    assert "perftools" not in " ".join(a.command or "" for f in short.findings for a in f.advice)


def test_opens_that_both_show_are_counted_once() -> None:
    """42 of 60 s in the opens and closes of the file whose phases are printed; 50 of 500 s in a profile's opens."""
    opening = printed(written("o.dat", 60, {"open/close/trunc": 0.7, "file write": 0.1}))
    functions = ALL_OF_IT.replace(
        "99.0% | 59,400.0 |      -- |      -- | USER", "10.0% |  6,000.0 |      -- |      -- | IO"
    )
    functions = functions.replace(
        "99.0% | 59,400.0 |     1.9 |    1.9% | collide_", "10.0% |  6,000.0 |     1.9 |    1.9% | open64"
    )
    document = case(profile(("o.dat", 4.0, 2048.0, 12, 2048.0), run_s=500.0, more=functions), opening)
    assert document.account is not None
    assert document.account.cells.metadata == pytest.approx(50.0)


def test_one_aggregator_has_the_seconds_of_a_profile() -> None:
    single = {"aggregators": 1, "stripe_count": 1, "aggregators_active": "5120,0,0,0 (1, <= 1, > 1, 1)"}
    document = case(
        profile(("o.dat", 300.0, 24576.0, 1, 24576.0), run_s=600.0), printed(statistics("o.dat", 24 * GIB, **single))
    )
    assert document.headline.rule == "single-aggregator"
    assert takes(document, "single-aggregator") == pytest.approx(300.0)


IPM = (SAMPLES / "ipm/two-versions/terrace.out").read_bytes()


def test_ipm_says_how_long_the_slowest_rank_took_and_not_why() -> None:
    document = case(IPM)
    assert (document.metrics["job.io_time"].value, document.metrics["job.runtime"].value) == (88.71, 125.18)
    assert document.headline.sentence == NOT_ENOUGH
    assert document.headline.figure == "All its I/O took 88.7 s of the run's 2 min 5 s."
    little = case(IPM.replace(b"88.71", b" 1.71"))
    assert little.headline.sentence == "I/O is not what this run waits for."


def test_a_files_like_hidden_by_the_tables_limit_make_no_rank_alone() -> None:
    rows = [(f"rank.{i:04d}.dat", 60.0 - i, 2048.0, 1, 512.0) for i in range(10)]
    document = case(profile(*rows).replace(b"Stats by Filename", b"Stats by Filename (maximum 10 shown)"))
    assert document.headline.rule is None
    assert document.metrics["balance.alone_time"].value is None


def read_by(file: str, alone: int, system: int, stripes: int, moved: int, ranks: int = 2048) -> str:
    """What MPICH_MPIIO_STATS prints of reads on 16 stripes of 1 MiB, ten collective ones of a rank among them."""
    fields: dict[str, object] = {
        "ranks in communicator": ranks,
        "independent reads": alone,
        "collective reads": 10 * ranks,
        "independent readers": ranks if alone else 0,
        "aggregators": 16,
        "stripe count": 16,
        "stripe size": MIB,
        "system reads": system,
        "stripe sized reads": stripes,
        "total bytes for reads": f"{moved} = {moved // MIB} MiB",
        "ave system read size": moved // system,
        "number of read gaps": 0,
        "ave read gap size": "NA",
    }
    rule = f"+{'-' * 56}+"
    lines = [f"|   {name:<23} = {value}" for name, value in fields.items()]
    return "\n".join((rule, f"| MPIIO read access patterns for {file}", *lines, rule)) + "\n"


def test_many_small_reads_of_each_rank_are_seen_by_what_they_can_have_moved_at_most() -> None:
    """350 reads of a rank beside 20 GiB in stripes: they have 2.4 % of the bytes."""
    text = printed(read_by("restart.0120.h5", 716800, 737280, 20400, 21904916480))
    document = case(text)
    assert document.headline.rule == "hdf5-independent-metadata"
    assert document.metrics["io.pattern"].value == "shared-collective"
    # No HDF5, as far as its name tells.
    other = case(printed(read_by("restart.0120.dat", 716800, 737280, 20400, 21904916480)))
    assert other.headline.rule == "small-io"


@pytest.mark.parametrize(
    ("alone", "system", "stripes", "moved"),
    [
        (0, 20480, 20480, 20480 * MIB),
        (24, 20504, 20480, 20480 * MIB + 24 * 512),
        (20480, 40960, 40960, 40960 * MIB),
    ],
    ids=["collective alone", "a library's headers", "large independent reads"],
)
def test_reads_that_are_not_many_and_small_are_well(alone: int, system: int, stripes: int, moved: int) -> None:
    document = case(printed(read_by("restart.0120.h5", alone, system, stripes, moved)))
    assert not {"hdf5-independent-metadata", "small-io"} & set(above_info(document))


ASKED = (
    "PE 0: MPICH MPIIO statistics environment settings ====\nPE 0:   MPICH_MPIIO_STATS                          = 1\n"
)
ENDED = {
    "slurm, time": "slurmstepd: error: *** JOB 551 ON nid001234 CANCELLED AT 2025-03-01T12:00:11 DUE TO TIME LIMIT ***",
    "slurm": "slurmstepd: error: *** STEP 5512340.0 ON nid001234 CANCELLED AT 2025-03-01T12:00:11 ***",
    "pbs": "=>> PBS: job killed: walltime 3607 exceeded limit 3600",
}


@pytest.mark.parametrize("how", ENDED)
def test_a_job_that_was_ended_before_it_closed_a_file_is_told_so(how: str) -> None:
    document = case(printed(ASKED, hinted("plt00100.h5"), " writing plt00100.h5\n", f"{ENDED[how]}\n"))
    assert document.headline.rule == "statistics-not-printed"
    assert "ended before MPICH printed any statistics" in document.headline.sentence
    losses = [p for source in document.sources for p in source.warnings if p.loses_data]
    (loss,) = (p for p in losses if "before a file was closed" in p.message)
    assert ("ran into its time limit" in loss.message) == (how != "slurm")


@pytest.mark.parametrize(
    "text",
    [
        (ASKED, hinted("plt00100.h5"), " all done\n"),
        (ASKED, f"{ENDED['slurm']}\n", hinted("plt00100.h5"), " all done\n"),
        (ASKED, " all done\n", f"{ENDED['slurm']}\n"),
    ],
    ids=["it came to its end", "an earlier step was cancelled", "no file was opened"],
)
def test_other_reasons_for_no_statistics_are_not_that_it_was_ended(text: tuple[str, ...]) -> None:
    document = case(printed(*text))
    assert document.headline.sentence == "Statistics of MPI-IO were asked for, but none are in the texts given."


@pytest.mark.parametrize("how", ENDED)
def test_a_job_that_was_ended_is_told_so_where_its_trace_alone_asks_for_statistics(how: str) -> None:
    asked = "+ export MPICH_MPIIO_STATS=1\n+ srun --nodes=4 --ntasks=512 ./app\n step 1\n"
    document = case(f"{asked}{ENDED[how]}\n".encode())
    assert document.headline.sentence == "The job was ended before MPICH printed any statistics of MPI-IO."
    for other in (
        f"{ENDED[how]}\n{asked}",
        f"{asked} all done\n",
        f"{asked.replace('STATS=1', 'TIMERS=1')}{ENDED[how]}\n",
    ):
        assert "was ended" not in case(other.encode()).headline.sentence


def test_a_file_that_was_closed_in_time_has_its_statistics() -> None:
    document = case(printed(ASKED, hinted("o.dat"), written("o.dat", 90, WAITED), f"{ENDED['slurm, time']}\n"))
    assert document.headline.rule == "wait-for-coll"


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


def test_a_job_with_a_file_each_of_which_few_are_shown_spends_what_one_rank_does() -> None:
    """perftools-lite shows ten files of 512, each of one rank that takes 60 s: that is waited for, and not their mean
    over all ranks."""
    shown = tuple((f"out.{i:04d}", 60.0 - i / 100, 60.0, 1, 983040.0) for i in range(10))
    document = case(profile(*shown, run_s=600.0).replace(b"by Filename", b"by Filename (maximum 10 shown)"))
    assert document.headline.rule == "small-io"
    assert takes(document, "small-io") == pytest.approx(60.0, abs=0.1)


def test_files_that_are_smaller_than_a_stripe_are_not_told_to_fill_stripes() -> None:
    fields = {"collective_writes": 0, "independent_writes": 5, "independent_writers": 1, "system_writes": 5}
    small = [statistics(f"meta.{i:04d}", 3600, stripe_sized_writes=0, **fields) for i in range(400)]
    found = {f.rule: f.verdict for f in case(printed(*small)).findings}
    assert found["system-writes-not-stripe-sized"] == "not_applicable"
    large = statistics("large.dat", 50 * GIB, system_writes=90_000, stripe_sized_writes=36_000)
    document = case(printed(large))
    assert above_info(document) == {"system-writes-not-stripe-sized": "medium"}
    (finding,) = (f for f in document.findings if f.rule == "system-writes-not-stripe-sized" and f.says is not None)
    assert not any("striping_unit" in (a.command or "") for a in finding.says.advice), "stripes are of 1 MiB already"


def test_a_block_that_was_cut_off_before_its_rows_of_work_tells_of_no_late_ranks() -> None:
    """What the others wait for may stand in the rows that are lost."""
    whole = phases("o.dat", 24 * GIB, 90, {"wait for coll": 0.55, "data send (*)": 0.4, "file write": 0.9})
    cut = whole[: whole.index("|   collective ")]
    assert "wait-for-coll" not in above_info(case(printed(statistics("o.dat", 24 * GIB), whole)))
    assert "wait-for-coll" not in above_info(case(printed(statistics("o.dat", 24 * GIB)) + cut.encode()))


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


ONE_AGGREGATOR = {"aggregators": 1, "stripe_count": 1, "aggregators_active": "512,0,0,0 (1, <= 1, > 1, 1)"}


def test_one_aggregator_is_as_many_as_a_small_file_needs() -> None:
    """What takes the time of many small outputs is their number, and their calls are put together already."""
    counted = ONE_AGGREGATOR | {"collective_writes": 512, "system_writes": 1, "stripe_sized_writes": 0}
    names = [f"step.{i:04d}.h5" for i in range(400)]
    small = [statistics(n, 200_000, **counted) + phases(n, 200_000, 0.2, STORAGE) for n in names]
    document = case(printed(*small))
    assert "single-aggregator" not in above_info(document)
    assert (document.headline.action or "").startswith("Make fewer calls: the library puts them together already")
    assert not any("romio_cb_write" in (a.command or "") for f in document.findings for a in f.advice)
    # Files of some size are another thing, however many there are.
    large = [written(n, 6, STORAGE).replace("= 12\n", "= 1\n", 1) for n in names[:20]]
    assert case(printed(*large)).headline.rule == "single-aggregator"


def test_what_a_file_of_few_bytes_took_may_be_much() -> None:
    """Its rate is printed as 0, so that no clock and no seconds follow from it."""
    alone = {"independent_writes": 4, "collective_writes": 0, "independent_writers": 1, "system_writes": 4}
    block = statistics("hdr.dat", 3600, stripe_sized_writes=0, **alone)
    times = phases("hdr.dat", 3600, 90, {"file write": 0.02, "open/close/trunc": 0.9})
    assert "lost little" in case(printed(block)).headline.sentence
    assert "lost little" not in case(printed(block, times)).headline.sentence


def test_what_a_site_asks_for_comes_before_another_run() -> None:
    """Twelve aggregators on all 12 OSTs of ARCHER2, at a twentieth of what its guide measured."""
    text = printed(statistics("/work/o.dat", 240 * GIB), phases("/work/o.dat", 240 * GIB, 600, STORAGE)).replace(
        b"--nodes=4 --ntasks=512", b"--nodes=32 --ntasks=2048"
    )
    asked = (
        'export FI_OFI_RXM_SAR_LIMIT=64K\nexport MPICH_MPIIO_HINTS="*:cray_cb_write_lock_mode=2,'
        '*:cray_cb_nodes_multiplier=4"'
    )

    def at_archer2(*texts: bytes) -> CaseDocument:
        sources = [ReadSource(f"{i}.txt", f"{i}" * 64, len(t), read(BytesIO(t))) for i, t in enumerate(texts)]
        return diagnose(sources, "archer2")

    plain = at_archer2(text).headline
    assert (plain.rule, plain.command) == ("below-expectation", asked)
    # What is set already is not asked for once more.
    script = f"#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=128\n{asked}\nsrun ./app\n"
    assert asked not in str(at_archer2(text, script.encode()).headline.command)


def test_no_more_stripes_are_tried_where_there_are_no_more_osts() -> None:
    text = printed(statistics("/work/o.dat", 240 * GIB), phases("/work/o.dat", 240 * GIB, 400, STORAGE))
    source = ReadSource("job.err", "0" * 64, len(text), read(BytesIO(text)))
    left = diagnose([source], "archer2").unexplained
    assert left is not None
    assert "lies on every OST that there is" in (left.experiment or "")
    elsewhere = diagnose([source], "lumi").unexplained
    assert elsewhere is not None
    assert "run once with more stripes" in (elsewhere.experiment or "")


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


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("out.h5", "H5Pset_dxpl_mpio"),
        ("out.nc4", "nc_var_par_access"),
        ("out.dat", "MPI_File_write_at_all"),
        ("out.nc", "MPI_File_write_at_all"),
    ],
)
def test_what_a_library_named_its_file_is_cured_in_that_library(name: str, call: str) -> None:
    """No text shows the calls of HDF5; its files are named so. That of netCDF may be PnetCDF's too."""
    alone = {"independent_writes": 5_000_000, "collective_writes": 0, "independent_writers": 512, "aggregators": 0}
    pieces = {"system_writes": 5_000_000, "stripe_sized_writes": 0, "number_of_write_gaps": 4_900_000}
    document = case(printed(statistics(name, 4 * GIB, **alone, **pieces), phases(name, 4 * GIB, 300, STORAGE)))
    assert document.headline.rule == "independent-shared"
    assert call in (document.headline.command or "")


def striped_by(lines: str) -> CaseDocument:
    """240 GiB on one stripe, and the script of the job."""
    block = statistics("/scratch/out/o.dat", 240 * GIB, **ONE_AGGREGATOR)
    text = printed(block, phases("/scratch/out/o.dat", 240 * GIB, 200, STORAGE))
    return case(text, f"#!/bin/bash\n#SBATCH --nodes=4\n{lines}\nsrun -n 512 ./app\n".encode())


@pytest.mark.parametrize("count", ["16", "-1"])
@pytest.mark.parametrize("directory", ["/scratch/out", "/scratch/", "./out"])
def test_stripes_that_the_script_asks_for_are_not_asked_for_again(directory: str, count: str) -> None:
    found = striped_by(f"lfs setstripe -c {count} {directory}").headline
    stripes = "all OSTs" if count == "-1" else "16 stripes"
    assert (found.action or "").startswith(
        f"The job script asks for {stripes} there already, and the file has 1 stripe"
    )
    assert found.command is None


def test_a_line_that_asks_for_too_few_stripes_is_the_one_to_change() -> None:
    found = striped_by("lfs setstripe -c 1 /scratch/out").headline
    assert "The job script asks for 1 stripe there: change that line." in (found.action or "")
    assert found.command == "lfs setstripe -c 4 -S 1M /scratch/out"
    for lines in (
        "lfs setstripe -c 16 /scratch/other",
        "lfs setstripe -c 16 $OUT",
        "lfs setstripe -c 16 /scratch/output",
    ):
        assert "The job script asks" not in (striped_by(lines).headline.action or "")


@pytest.mark.parametrize(
    ("pattern", "ignored"), [("*.h5", False), ("*.dat", True), ("*", True), ("/scratch/o.*", True)]
)
def test_a_hint_is_ignored_by_the_files_that_it_is_for(pattern: str, *, ignored: bool) -> None:
    script = f'#!/bin/bash\n#SBATCH --nodes=4\nexport MPICH_MPIIO_HINTS="{pattern}:cb_nodes=48"\nsrun -n 512 ./app\n'
    text = printed(hinted("/scratch/o.dat", cb_nodes="12"), written("/scratch/o.dat", 20, STORAGE))
    found = {f.rule for f in case(text, script.encode()).findings if f.verdict == "triggered"}
    assert ("hint-audit" in found) == ignored


def test_a_script_that_starts_several_programs_is_of_the_one_that_is_told_of() -> None:
    script = b"#!/bin/bash\n#SBATCH --nodes=4\nsrun -N 1 -n 1 ./prepare\nsrun -N 4 -n 512 ./app\n"
    text = printed(written("/scratch/o.dat", 90, LATE))
    assert all(a.agrees for a in case(text, script).agreement)
    # Without a trace of it, the launch of most ranks.
    alone = case(written("/scratch/o.dat", 90, LATE).encode(), script)
    assert (alone.metrics["job.nprocs"].value, alone.metrics["job.nnodes"].value) == (512, 4)
    other = case(text.replace(b"./app", b"./other"), script)
    assert [a.quantity for a in other.agreement if not a.agrees] == ["nodes", "program", "ranks"]


def of_one_rank(file: str, took_s: float, *, says: bool) -> str:
    """What MPICH prints of a file that one rank opened by itself; of how many ranks it is, newer versions say."""
    alone = {"independent_writes": 512, "collective_writes": 0, "independent_writers": 1, "aggregators": 1}
    fields = {"stripe_count": 1, "aggregators_active": "0,0,0,0 (1, <= 1, > 1, 1)"}
    block = statistics(file, 512 * MIB, **alone, **fields)
    if says:
        block = block.replace("|   independent writes ", "|   ranks in communicator   = 1\n|   independent writes ", 1)
    times = phases(file, 512 * MIB, took_s, {"file write": 0.95})
    return block + times.replace("writing        =    12", "writing        =     1").replace("=   500", "=     0")


@pytest.mark.parametrize("says", [True, False])
def test_files_that_each_rank_opens_by_itself_are_written_side_by_side(*, says: bool) -> None:
    launch = b"+ srun --nodes=1 --ntasks=64 ./app\n"
    each = "".join(of_one_rank(f"out.{rank:05d}.dat", 20, says=says) for rank in range(64))
    document = case(launch + each.encode())
    assert document.metrics["job.nprocs"].value == 64
    assert document.metrics["io.pattern"].value == "file-per-process"
    assert document.metrics["job.io_time"].value == pytest.approx(20.0, abs=0.1)
    # Steps of one rank follow one another.
    steps = "".join(of_one_rank(f"step.{step:05d}.dat", 20, says=says) for step in range(10))
    assert case(launch + steps.encode()).metrics["job.io_time"].value == pytest.approx(200.0, abs=0.1)


def test_ranks_that_nobody_counts_are_not_one() -> None:
    """Each block says one rank, for each rank opened its own file."""
    several = [of_one_rank(f"out.{rank:05d}.dat", 20, says=True) for rank in range(3)]
    assert case("".join(several).encode()).metrics["job.nprocs"].value is None
    assert case(several[0].encode()).metrics["job.nprocs"].value == 1


def opened_by(ranks: int, file: str) -> str:
    calls = 10 * ranks
    block = statistics(file, 4 * GIB, collective_writes=calls, aggregators_active=f"0,0,0,{calls} (1, <= 6, > 6, 12)")
    first = "|   independent writes "
    return block.replace(first, f"|   ranks in communicator   = {ranks}\n{first}", 1)


def test_a_file_of_some_ranks_is_no_contradiction_to_how_many_there_are() -> None:
    document = case("".join(opened_by(64, f"node.{i}.dat") for i in range(8)).encode(), printed(""))
    assert (document.metrics["job.nprocs"].value, document.metrics["job.nprocs"].confidence) == (512, "measured")
    assert [a for a in document.agreement if not a.agrees] == []
    # More than there are is another job's.
    document = case(opened_by(1024, "o.dat").encode(), printed(""))
    assert [a.quantity for a in document.agreement if not a.agrees] == ["ranks"]


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
