"""Phases of MPICH_MPIIO_TIMERS: shares as divided by hand, seconds through the bandwidth, and when there are none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from calls_counted import calls_of
from evidence_by_hand import metric, value
from timers_by_hand import DETAILED, NAMED, job, stats, timers

from iotriage.metrics.core.metric import Where
from iotriage.metrics.tables.files.uses import file_uses
from iotriage.metrics.tables.grouping import group_files
from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers.evidence import Lines, MpiioStats, MpiioTimers, Phase, PhaseSeconds, Spread, TimersRow

MIB = 2**20


def test_shares_of_the_total() -> None:
    found = job(stats(), timers())
    assert value(found, "timers.imbalance_fraction") == 0.01
    assert value(found, "timers.wait_for_coll_fraction") == 0.5
    assert value(found, "timers.data_send_fraction") == 0.4
    assert value(found, "timers.file_write_fraction") == 0.75
    assert metric(found, "timers.wait_for_coll_fraction").where == (Where(0, Lines(34, 34)), Where(0, Lines(29, 29)))


def test_a_phase_that_is_not_printed_is_absent() -> None:
    found = metric(job(timers()), "timers.collective_fraction")
    assert found.value is None
    assert found.reason == "the MPICH_MPIIO_TIMERS block of out.dat does not print `collective`"


def test_without_a_total_the_printed_percent_stands_in() -> None:
    assert value(job(timers(total_ticks=None)), "timers.file_write_fraction") == 0.75
    unknown = (Phase("wait for coll", Spread(None, None, None), None, 34),)
    assert value(job(timers(phases=unknown)), "timers.wait_for_coll_fraction") is None


def test_bandwidths_and_ranks_as_printed() -> None:
    found = job(timers())
    assert value(found, "timers.net_bandwidth") == 2_147_483_648
    assert value(found, "timers.data_send_bandwidth") == 5_368_709_120
    assert value(found, "timers.raw_bandwidth") == pytest.approx(2_863_311_531, rel=1e-9)
    assert metric(found, "timers.raw_bandwidth").where == (Where(0, Lines(42, 42)),)
    assert value(found, "timers.writing_ranks") == 12
    assert value(job(timers(raw_bandwidth=None)), "timers.raw_bandwidth") is None


def test_seconds_through_the_bandwidth() -> None:
    found = job(stats(), timers())
    assert value(found, "timers.total_time") == 4.0
    assert value(found, "timers.file_write_time") == 3.0
    assert {w.at for w in metric(found, "timers.total_time").where} == {Lines(1, 18), Lines(43, 43), Lines(29, 29)}


def test_times_of_some_closes_are_the_least_of_all() -> None:
    timed = stats(), timers()
    others = {
        "statistics of another file": stats(file="other.dat"),
        "statistics of its second close": stats(occurrence=2, lines=Lines(60, 78)),
        "statistics of its reads": stats(direction="read"),
        "times of writers alone": timers(file="other.dat", ranks="writers only"),
        "times that are mixed with others": timers(file="other.dat", trusted=False),
        "times whose title is lost": timers(file=None, net_bandwidth=None, scale_exponent=None),
    }
    for name, other in others.items():
        found = job(*timed, other)
        assert (value(found, "job.io_time"), metric(found, "job.io_time").bound) == (4.0, "lower"), name
        assert metric(found, "timers.total_time").bound == "lower", name
    for whole in ((), (stats(file="empty.dat", total_bytes=0),), (timers(ranks="writers only"),)):
        assert metric(job(*timed, *whole), "job.io_time").bound is None


def test_the_public_block_of_2017() -> None:
    """4,382,277,718 B at 893.550 MiB/s: 4.677 s, and 760,329,267 · 2^4 ticks in them: the 2.6 GHz of that machine."""
    found = job(
        stats(total_bytes=4_382_277_718),
        timers(
            scale_exponent=4,
            total_ticks=760_329_267,
            net_bandwidth=893.550 * MIB,
            phases=(Phase("file access", Spread(0, 656_363_834, 656_363_834), 86, 38),),
        ),
    )
    assert value(found, "timers.total_time") == pytest.approx(4.67716, rel=1e-5)
    assert value(found, "timers.file_write_fraction") == pytest.approx(0.863262, rel=1e-5)
    assert value(found, "timers.file_write_time") == pytest.approx(4.03761, rel=1e-5)


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ((timers(),), "a clock whose rate is not printed"),
        ((stats(file="other.dat"), timers()), "a clock whose rate is not printed"),
        ((stats(direction="read"), timers()), "a clock whose rate is not printed"),
        ((stats(occurrence=2), timers()), "a clock whose rate is not printed"),
        ((stats(lines=Lines(60, 78)), timers()), "a clock whose rate is not printed"),
        ((stats(total_bytes=None), timers()), "a clock whose rate is not printed"),
        ((stats(trusted=False), timers()), "a clock whose rate is not printed"),
        ((stats(), timers(net_bandwidth=None)), "prints no net bandwidth"),
        ((stats(total_bytes=2**10), timers(net_bandwidth=0.02 * MIB)), "too small for its three decimals"),
        ((stats(total_bytes=0), timers(net_bandwidth=0.0)), "too small for its three decimals"),
        ((stats(), timers(scale_exponent=None)), "no total or no time scale"),
        ((stats(total_bytes=41 * 2**30), timers()), "make a clock of 0.488 GHz"),
        ((stats(), timers(scale_exponent=5)), "make a clock of 10 GHz"),
    ],
)
def test_no_seconds(parts: tuple[MpiioStats | MpiioTimers, ...], reason: str) -> None:
    found = metric(job(*parts), "timers.total_time")
    assert found.value is None
    assert reason in str(found.reason)
    assert value(job(*parts), "timers.file_write_time") is None
    assert value(job(*parts), "timers.wait_for_coll_fraction") == 0.5


def in_seconds(longest: float | None, label: str = "file access time") -> dict[str, object]:
    """The row of the file access in seconds, as Cray MPICH 8.1 prints it: 1,000,000,000 · 2^3 ticks of 2.5 GHz."""
    shorter = PhaseSeconds("close sys time", Spread(0.0, 0.01, 0.0), 24)
    return {"seconds": (shorter, PhaseSeconds(label, Spread(0.0, longest, 3.0), 25))}


def test_seconds_by_the_row_that_prints_them() -> None:
    found = job(timers(**in_seconds(3.2)))
    assert value(found, "timers.total_time") == 4.0
    assert value(found, "timers.file_write_time") == 3.0
    assert metric(found, "timers.total_time").where == (Where(0, Lines(25, 25)), Where(0, Lines(29, 29)))
    # Other files of the output have the clock too.
    both = job(timers(**in_seconds(3.2)), timers(file="b.h5", lines=Lines(60, 87)))
    assert (value(both, "timers.total_time"), metric(both, "timers.total_time").confidence) == (8.0, "inferred")


def test_statistics_of_another_close_give_way_to_the_row_in_seconds() -> None:
    assert value(job(stats(total_bytes=6000 * MIB), timers(**in_seconds(3.2))), "timers.total_time") == 4.0
    assert value(job(stats(total_bytes=8200 * MIB), timers(**in_seconds(3.2))), "timers.total_time") == 8200 / 2048


@pytest.mark.parametrize(
    "row",
    [
        in_seconds(0.49),  # two decimals: up to 1 %
        in_seconds(None),
        in_seconds(40.0),  # a clock of 0.2 GHz
        in_seconds(3.2, "open/close/trunc time"),  # of a phase that has no ticks here
        in_seconds(3.2) | {"scale_exponent": None},
        in_seconds(3.2) | {"total_ticks": None},
    ],
)
def test_rows_in_seconds_that_make_no_clock(row: dict[str, object]) -> None:
    assert value(job(timers(**row)), "timers.total_time") is None


def test_clocks_of_one_output_must_agree() -> None:
    """2.5 GHz and 2.45 GHz differ by 2 %; 2.5 and 2.4 do not agree."""

    def second(ticks: int) -> tuple[MpiioStats, MpiioTimers]:
        later = {"file": "b.dat"}
        return stats(**later, lines=Lines(50, 67), total_bytes=2**30), timers(
            **later, lines=Lines(68, 95), total_ticks=ticks, net_bandwidth=1024.0 * MIB
        )

    assert value(job(stats(), timers(), *second(306_250_000)), "timers.total_time") == 5.0
    found = metric(job(stats(), timers(), *second(300_000_000)), "timers.total_time")
    assert found.value is None
    assert "clocks from 2.4 to 2.5 GHz in one output" in str(found.reason)
    elsewhere = select_job([(0, stats()), (0, timers()), *((1, part) for part in second(300_000_000))])
    assert value(elsewhere, "timers.total_time") == 5.0


def test_the_block_of_the_same_occurrence_is_the_right_one() -> None:
    """A file that is closed twice; the second time with twice the bytes in twice the time: 4 s and 8 s."""
    found = job(
        stats(),
        timers(),
        stats(occurrence=2, lines=Lines(50, 67), total_bytes=16384 * MIB),
        timers(occurrence=2, lines=Lines(68, 95), total_ticks=2_500_000_000),
    )
    assert value(found, "timers.total_time") == 12.0


def test_the_leading_block_is_the_longest_and_of_all_ranks() -> None:
    """However few the bytes: it is the time that the phases tell of."""
    small = timers(file="small.dat", lines=Lines(60, 80), total_ticks=9_000_000_000, active_ranks=1)
    assert value(job(stats(), timers(), small), "timers.writing_ranks") == 1
    without_ticks = timers(file="small.dat", lines=Lines(60, 80), total_ticks=None, active_ranks=1)
    assert value(job(stats(), timers(total_ticks=None), without_ticks), "timers.writing_ranks") == 12
    alone = metric(job(timers(ranks="writers only")), "timers.wait_for_coll_fraction")
    assert alone.value is None
    assert "of writers only, none is of all ranks" in str(alone.reason)
    assert value(job(timers(active_ranks=3), timers(ranks="writers only")), "timers.writing_ranks") == 3


def test_shares_are_of_all_files_by_how_long_each_took() -> None:
    """4 s of which half is waiting, and 12 s of which nine tenths are; 2 s of another without collective calls have
    no such row."""
    late = timers(
        file="late.dat",
        lines=Lines(60, 87),
        total_ticks=3_750_000_000,
        phases=(Phase("wait for coll", Spread(0, 0, 3_375_000_000), 90, 70),),
    )
    alone = timers(
        file="index.dat",
        lines=Lines(90, 117),
        total_ticks=625_000_000,
        phases=(Phase("file access", Spread(0, 0, 625_000_000), 100, 99),),
    )
    found = job(stats(), timers(), late, alone)
    assert value(found, "timers.wait_for_coll_fraction") == pytest.approx((2 + 10.8) / 18)
    assert value(found, "timers.file_write_fraction") == pytest.approx((3 + 2) / 18)
    total = metric(found, "timers.total_time")
    assert (total.value, total.confidence) == (pytest.approx(18.0), "inferred")
    assert value(found, "timers.file_write_time") == pytest.approx(5.0)


def test_shares_are_of_the_time_of_reads_and_writes_together() -> None:
    """4 s of writes, of which the file takes three quarters, and 12 s of reads, of which it takes a quarter."""
    reads = timers(direction="read", lines=Lines(60, 87), total_ticks=3_750_000_000, net_bandwidth=8192 / 12 * MIB)
    found = job(stats(), timers(), stats(direction="read", lines=Lines(50, 59)), reads)
    assert value(found, "timers.total_time") == pytest.approx(16.0)
    assert value(found, "timers.file_read_fraction") == pytest.approx(3 / 16)
    assert value(found, "timers.file_write_fraction") == pytest.approx(3 / 16)
    assert value(found, "timers.file_write_time") == pytest.approx(3.0)
    assert value(found, "timers.wait_for_coll_fraction") == pytest.approx((2 + 2) / 16)


def calls_for(closes: int) -> int:
    """Functions that are called for the seconds of so many closes."""
    parts = [
        part
        for n in range(closes)
        for part in (
            stats(file=f"{n}.dat", lines=Lines(100 * n + 1, 100 * n + 18)),
            timers(file=f"{n}.dat", lines=Lines(100 * n + 19, 100 * n + 46)),
        )
    ]
    found = job(*parts)
    called = calls_of(lambda: value(found, "timers.total_time"))
    assert value(found, "timers.total_time") == 4.0 * closes
    return called


def test_closes_are_not_compared_each_with_each() -> None:
    assert calls_for(200) < 3 * calls_for(100)


def test_reads_have_phases_but_write_nothing() -> None:
    rows = (TimersRow("net read BW (MiB/s)", "2048.000", 43), TimersRow("total", "1250000000", 29))
    found = job(stats(direction="read"), timers(direction="read", rows=rows))
    assert value(found, "timers.wait_for_coll_fraction") == 0.5
    assert value(found, "timers.total_time") == 4.0
    assert metric(found, "timers.net_bandwidth").where == (Where(0, Lines(43, 43)),)
    for id in ("timers.file_write_fraction", "timers.file_write_time", "timers.writing_ranks"):
        assert value(found, id) is None


def test_a_block_that_is_not_trusted_gives_nothing() -> None:
    found = metric(job(timers(trusted=False)), "timers.wait_for_coll_fraction")
    assert found.value is None
    assert found.settled_by == ("MPICH_MPIIO_TIMERS",)


def test_the_weight_of_files() -> None:
    whole = job(
        stats(), timers(), stats(file="b.h5", lines=Lines(50, 67), total_bytes=24576 * MIB), timers(file="b.h5")
    )
    assert value(whole, "timers.weight") == 1.0
    groups = group_files(whole, file_uses(whole), 9).groups
    assert [value(g.selection, "timers.weight") for g in groups] == [0.5, 0.5]
    assert value(job(), "timers.weight") is None


def test_files_of_which_only_the_times_are_known() -> None:
    """Three times the ticks of the other; nothing is known of how they were opened, so there is no pattern."""
    whole = job(timers(), timers(file="b.h5", lines=Lines(60, 87), total_ticks=3_750_000_000))
    groups = group_files(whole, file_uses(whole), 9).groups
    assert [(g.label, g.pattern, g.largest.bytes_written) for g in groups] == [
        ("b.h5", None, None),
        ("out.dat", None, None),
    ]
    assert [value(g.selection, "timers.weight") for g in groups] == [0.75, 0.25]


def test_slow_and_late_ranks_by_name() -> None:
    found = job(timers(details=DETAILED, named_ranks=NAMED))
    assert value(found, "timers.late_arriver_rank") == 200
    assert value(found, "timers.late_arriver_call") == 2
    assert value(found, "timers.late_arriver_fraction") == 0.49
    waited = {phase.label: phase.ticks.average for phase in DETAILED}
    assert value(found, "timers.late_arriver_again") == waited["wait for coll.2"] / sum(waited.values())
    again = tuple(replace(named, rank=200) for named in NAMED)
    assert value(job(timers(details=DETAILED, named_ranks=again)), "timers.late_arriver_again") == 1.0
    assert value(found, "timers.slowest_access_rank") == 306
    assert value(found, "timers.slowest_access_over_total") == 1.2
    assert metric(found, "timers.slowest_access_rank").where == (Where(0, Lines(55, 55)),)
    no_time = metric(found, "timers.quickest_access_rank")
    assert (no_time.value, no_time.reason) == (None, "the details of out.dat name no quickest access with a time")
    without = metric(job(timers()), "timers.late_arriver_rank")
    assert without.value is None
    assert "no details of level 2" in str(without.reason)


def test_the_slowest_writer_stands_with_the_writers_alone() -> None:
    """Where not all ranks write, the block of all ranks names who was late, and that of the writers who was slow."""
    writers = timers(ranks="writers only", named_ranks=NAMED[2:], lines=Lines(60, 90))
    found = job(timers(details=DETAILED, named_ranks=NAMED[:2]), writers)
    assert value(found, "timers.late_arriver_rank") == 200
    assert value(found, "timers.slowest_access_rank") == 306


def test_least_and_most_of_the_ranks() -> None:
    found = job(timers())
    assert value(found, "timers.wait_for_coll_min_fraction") == 2_000 / 1_250_000_000
    assert value(found, "timers.wait_for_coll_max_fraction") == 0.72
    assert value(found, "timers.file_write_max_fraction") == 0.8
    assert value(found, "timers.file_read_fraction") is None


def test_opening_and_closing_in_the_rows_of_later_versions() -> None:
    rows = tuple(
        Phase(label, Spread(0, 1, average), 0, 60)
        for label, average in (
            ("open/trunc", 100_000_000),
            ("close sys", 25_000_000),
            ("close fsync", 0),
            ("close group-unlock", 12_500_000),
            ("close other + wait", 0),
        )
    )
    assert value(job(timers(phases=rows)), "timers.open_close_fraction") == pytest.approx(0.11)


def test_runs_of_one_output_may_have_clocks_of_their_own() -> None:
    """Two runs in one stderr, of two closes each: each close agrees with the other of its run."""

    def run(first: int, ticks: int) -> tuple[MpiioStats | MpiioTimers, ...]:
        return tuple(
            part
            for n in (0, 1)
            for part in (
                stats(file=f"{first}.{n}", lines=Lines(first + 50 * n, first + 17 + 50 * n)),
                timers(file=f"{first}.{n}", lines=Lines(first + 18 + 50 * n, first + 45 + 50 * n), total_ticks=ticks),
            )
        )

    assert value(job(*run(1, 1_250_000_000), *run(200, 1_400_000_000)), "timers.total_time") == 16.0


def test_a_block_that_was_cut_off_has_no_weight_in_the_shares_of_the_others() -> None:
    def waits(average: int, **fields: object) -> MpiioTimers:
        return timers(phases=(Phase("wait for coll", Spread(0, average, average), 0, 34),), **fields)

    long = waits(500_000_000, total_ticks=2_500_000_000, file="long.dat")
    short = waits(1_000_000_000, file="short.dat", lines=Lines(60, 80))
    whole = value(job(long, short), "timers.wait_for_coll_fraction")
    assert whole == 1_500_000_000 / 3_750_000_000
    for cut in ({"total_ticks": None}, {"scale_exponent": None}, {"total_ticks": None, "direction": "read"}):
        last = waits(0, file="cut.dat", lines=Lines(90, 95), complete=False, **cut)
        assert value(job(long, short, last), "timers.wait_for_coll_fraction") == whole
