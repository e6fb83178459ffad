"""Jobs that only a profile tells of: of CrayPAT, or of IPM. Each was written down before it was asked."""

from __future__ import annotations

import pytest
from printed_by_mpich import GIB, LATE, SAMPLES, case, printed, profile, statistics, takes, written

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.document.metrics import AbsentMetric


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
    in_opens = "most of it in opening, closing and asking about files"
    assert document.headline.sentence == f"I/O takes 38 % of the run, {in_opens}, and these sources do not show why."
    assert "run it once on one node" in (document.headline.action or "")
    assert document.account is not None
    assert document.account.cells.metadata == pytest.approx(35.0)


FUNCTIONS = """\
CrayPat/X:  Version 21.09.0 Revision 0f40a8a02  08/02/21 16:30:33

Number of PEs (MPI ranks):   2,048

Table 1:  Profile by Function

   Time% |       Time |     Imb. |  Imb. |     Calls | {levels}
  100.0% | 200.000000 |       -- |    -- | 123,456.0 | Total
|------------------------------------------------------------
{rows}|============================================================

Table 2:  Wall Clock Time

    Process | PE=[mmm]
       Time |

 200.000000 | Total
|------------------------------------------------------------
| 200.100000 | pe.0
|============================================================

========================  Additional details  ========================

Experiment:  trace
"""
GROUPS = "Group\n         |            |     Time | Time% |           |  Function\n"
FLAT = "Function\n         |            |     Time | Time% |           |\n"
NOTHING_WHY = "I/O takes 69 % of the run, and these sources do not show why."
NOT_AT_ALL = "Nothing in these sources shows how the job did its I/O."


def row(bars: str, seconds: float, name: str) -> str:
    return f"{bars}  {seconds / 2:.1f}% | {seconds:.6f} |       -- |    -- | 1,000.0 | {name}\n"


@pytest.mark.parametrize(
    ("levels", "rows", "sentence"),
    [
        (GROUPS, f"{row('|', 138, 'STDIO')}||------\n{row('||', 138, 'fwrite')}", NOTHING_WHY),
        (GROUPS, f"{row('|', 1, 'IO')}||------\n{row('||', 1, 'write')}", "I/O is not what this run waits for."),
        (FLAT, row("|", 138, "MPI_File_write_all"), NOTHING_WHY),
        (FLAT, row("|", 138, "write"), NOT_AT_ALL),
    ],
    ids=["streams", "little", "functions alone", "perhaps the program's own"],
)
def test_functions_that_move_data_count_where_no_table_has_files(levels: str, rows: str, sentence: str) -> None:
    assert case(FUNCTIONS.format(levels=levels, rows=rows).encode()).headline.sentence == sentence


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
    assert document.headline.sentence == "I/O takes 71 % of the run, and these sources do not show why."
    little = case(IPM.replace(b"88.71", b" 1.71"))
    assert little.headline.sentence == "I/O is not what this run waits for."


def test_a_files_like_hidden_by_the_tables_limit_make_no_rank_alone() -> None:
    rows = [(f"rank.{i:04d}.dat", 60.0 - i, 2048.0, 1, 512.0) for i in range(10)]
    document = case(profile(*rows).replace(b"Stats by Filename", b"Stats by Filename (maximum 10 shown)"))
    assert document.headline.rule is None
    assert document.metrics["balance.alone_time"].value is None


def test_bytes_that_a_profile_does_not_state_are_not_none_at_all() -> None:
    """The table of a version whose column of bytes has a name that nobody knows."""
    named = profile(("log.dat", 60.0, 512.0, 1, 131072.0))
    document = case(named.replace(b"   Avg Write |   Write Rate", b"  Avg Volume |   Write Rate"))
    assert document.headline.rule == "serial-io"
    assert document.metrics["balance.alone_call_time"].value == pytest.approx(60 / 131072, rel=0.01)
    for metric in ("balance.alone_access", "balance.alone_rate"):
        assert document.metrics[metric].value is None
        absent = document.metrics[metric]
        assert isinstance(absent, AbsentMetric)
        reason = document.absences[absent.absent].reason
        assert reason == "CrayPAT's table of that file has not all of these figures"
    (found,) = (f.says for f in document.findings if f.rule == "serial-io")
    assert found is not None
    assert " 0 B" not in " ".join((found.summary, *(a.text for a in found.advice)))


@pytest.mark.parametrize("way", ["Write", "Read"])
@pytest.mark.parametrize(("ranks", "seconds"), [(1, 30.0), (64, 20.0)])
def test_files_of_one_name_in_two_directories_have_each_their_own_seconds(way, ranks, seconds) -> None:
    large, small = (60.0, 20480.0, 512, 1280.0), (seconds, 400.0, ranks, 10.0)
    alike, apart = (
        case(profile((f"in/{names[0]}", *large), (f"out/{names[1]}", *small), way=way)).account
        for names in (("state.h5", "state.h5"), ("state.h5", "other.h5"))
    )
    assert alike is not None
    assert apart is not None
    assert alike.groups == apart.groups
    assert alike.groups["g1"] != alike.groups["g2"]


ALONE = {"independent_writes": 5120, "collective_writes": 0, "independent_writers": 1, "aggregators": 0}


def one_writer(seconds: float | None, run_s: float = 100.0, file: str = "out.dat") -> CaseDocument:
    """40 GiB that one rank writes by itself, by statistics and a profile that has so many seconds of `file`."""
    counted = printed(statistics("out.dat", 40 * GIB, **ALONE))
    return (
        case(counted) if seconds is None else case(counted, profile((file, seconds, 40960.0, 1, 5120.0), run_s=run_s))
    )


def test_what_statistics_say_of_the_writer_is_not_lost_beside_a_profile_of_the_same_file() -> None:
    found = one_writer(60.0)
    assert found.headline.rule == "serial-io"
    assert takes(found, "serial-io") == pytest.approx(60.0)
    assert [found.metrics[id].value for id in ("io.pattern", "io.writers")] == ["serial", 1]


@pytest.mark.parametrize(
    ("seconds", "run_s", "severity"),
    [(0.3, 100.0, "info"), (3.0, 100.0, "low"), (12.0, 100.0, "high"), (12.0, 3600.0, "info"), (None, 100.0, "medium")],
)
@pytest.mark.parametrize("with_statistics", [True, False])
def test_what_a_profile_times_is_as_grave_as_it_is_long(
    seconds: float | None, run_s: float, severity: str, *, with_statistics: bool
) -> None:
    """CrayPAT's tables have no opens, but every write: that more time may pass elsewhere makes these no longer."""
    if seconds is None or with_statistics:
        found = one_writer(seconds, run_s)
    else:
        found = case(profile(("out.dat", seconds, 40960.0, 1, 5120.0), run_s=run_s))
    (serial,) = (f for f in found.findings if f.rule == "serial-io" and f.verdict == "triggered")
    assert serial.severity == severity


def test_a_profile_without_the_file_says_nothing_of_its_time() -> None:
    """It has the terminal's log alone: the 40 GiB may have taken long."""
    found = one_writer(0.3, file="run.log")
    assert found.account is not None
    assert found.account.partial
    assert found.headline.severity == "medium"


def test_one_rank_of_a_small_log_moves_little_beside_what_statistics_count() -> None:
    found = case(printed(statistics("out.dat", 40 * GIB)), profile(("run.log", 0.5, 10.0, 1, 100.0)))
    assert "straggler-rank" not in {f.rule for f in found.findings if f.verdict == "triggered"}
    assert isinstance(found.metrics["balance.bytes"], AbsentMetric)


@pytest.mark.parametrize(
    "others", [(("fields.dat", 60.0, 800.0, 300, 5120.0),), (("a", 9.0, 80.0, 64, 8.0), ("b", 9.0, 80.0, 300, 8.0))]
)
def test_what_statistics_count_of_one_writer_is_held_against_all_bytes_of_the_profile(
    others: tuple[tuple[str, float, float, int, float], ...],
) -> None:
    """Whose ranks it does not show one by one."""
    found = case(printed(statistics("out.dat", 4 * GIB, **ALONE)), profile(*others))
    every = 4096 + sum(each * ranks for _, _, each, ranks, _ in others)
    assert found.metrics["balance.slowest_rank_share"].value == pytest.approx(4096 / every, rel=0.01)
