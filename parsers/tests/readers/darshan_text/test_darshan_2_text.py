"""The text of Darshan 2: records and totals in which streams are counted beside system calls."""

from __future__ import annotations

from darshan_text_rows import header
from stats_text import read

from iotriage_parsers.evidence import DarshanLog, DarshanSummary
from iotriage_parsers.readers.darshan_text.records import DARSHAN_2, SHAPES


def head_of_darshan_2() -> str:
    return header().replace("3.41", "2.05").split("\n# log file regions")[0] + "\n"


def darshan_2(record: int, **values: object) -> str:
    """All counters of a record of Darshan 2.x, 0 where not given."""
    shape = SHAPES[DARSHAN_2]
    said = [(name, values.get(name, 0)) for name in shape.int_names]
    said += [(name, values.get(name, "0.000000")) for name in shape.float_names]
    return "".join(f"0\t{record}\t{name}\t{value}\t...out.log\t/\text4\n" for name, value in said)


def test_stdio_of_darshan_2_stands_under_stdio() -> None:
    text = head_of_darshan_2() + "#<rank>\t<file>\t<counter>\t<value>\n"
    text += darshan_2(5, CP_POSIX_FOPENS=1, CP_POSIX_FWRITES=9, CP_BYTES_WRITTEN=900, CP_POSIX_STATS=1)
    text += darshan_2(6, CP_POSIX_FOPENS=1, CP_POSIX_OPENS=1, CP_POSIX_WRITES=2, CP_BYTES_WRITTEN=50)
    evidence = read(text)
    (found,) = evidence.of(DarshanLog)
    assert found.stdio is not None
    assert found.posix is not None
    assert found.stdio.ids.tolist() == [5]
    assert (found.stdio.total("STDIO_WRITES"), found.stdio.total("STDIO_BYTES_WRITTEN")) == (9, 900)
    assert found.posix.ids.tolist() == [6]
    assert any("1 files had POSIX and stdio calls" in p.message for p in evidence.problems)


def totals_of_darshan_2(**counters: int | float) -> DarshanSummary:
    """What is read of a text with these totals alone."""
    printed = ((name, f"{value:.6f}" if isinstance(value, float) else value) for name, value in counters.items())
    rows = "".join(f"total_{name}: {value}\n" for name, value in printed)
    evidence = read(f"{head_of_darshan_2()}{rows}# performance\n# total_bytes: 5000\n# files\n# total: 3 5000 4095\n")
    (summary,) = evidence.of(DarshanSummary)
    return summary


def named(summary: DarshanSummary, module: str) -> dict[str, int | float | None] | None:
    found = summary.of(module)
    return None if found is None or found.totals is None else {c.name: c.value for c in found.totals.counters}


OF_SYSTEM = {"CP_POSIX_OPENS": 2, "CP_POSIX_READS": 5, "CP_POSIX_WRITES": 7}


MOVED = {"CP_BYTES_READ": 5000, "CP_SIZE_READ_1K_10K": 5, "CP_F_POSIX_READ_TIME": 1.5}


def test_totals_of_darshan_2_are_of_posix_where_it_alone_was_used() -> None:
    summary = totals_of_darshan_2(**OF_SYSTEM, **MOVED, CP_POSIX_FOPENS=0, CP_FILE_ALIGNMENT=0, CP_SLOWEST_RANK=0)
    assert named(summary, "POSIX") == {
        "POSIX_OPENS": 2,
        "POSIX_READS": 5,
        "POSIX_WRITES": 7,
        "POSIX_BYTES_READ": 5000,
        "POSIX_SIZE_READ_1K_10K": 5,
        "POSIX_F_READ_TIME": 1.5,
    }
    assert named(summary, "STDIO") is None
    assert named(summary, "MPI-IO") is None
    whole = summary.of(None)
    assert whole is not None
    assert whole.perf is not None
    assert whole.perf.total_bytes == 5000


def test_totals_of_darshan_2_are_of_streams_where_they_alone_were_used() -> None:
    summary = totals_of_darshan_2(CP_POSIX_FOPENS=3, CP_POSIX_FWRITES=9, CP_BYTES_WRITTEN=900, CP_POSIX_STATS=1)
    assert named(summary, "STDIO") == {"STDIO_OPENS": 3, "STDIO_WRITES": 9, "STDIO_BYTES_WRITTEN": 900}


def test_bytes_that_system_calls_and_streams_share_are_given_to_neither() -> None:
    rows = "".join(f"total_{n}: {v}\n" for n, v in {**OF_SYSTEM, **MOVED, "CP_POSIX_FWRITES": 4}.items())
    evidence = read(f"{head_of_darshan_2()}{rows}")
    (summary,) = evidence.of(DarshanSummary)
    assert named(summary, "POSIX") == {"POSIX_OPENS": 2, "POSIX_READS": 5, "POSIX_WRITES": 7}
    assert named(summary, "STDIO") == {"STDIO_WRITES": 4}
    assert [p.code for p in evidence.problems if "buffered streams" in p.message] == ["note"]


def test_mpi_io_of_darshan_2_has_calls_sizes_and_times_and_no_bytes() -> None:
    mpiio = {"CP_COLL_OPENS": 16, "CP_COLL_WRITES": 64, "CP_SIZE_WRITE_AGG_1M_4M": 64, "CP_F_MPI_WRITE_TIME": 2.25}
    assert named(totals_of_darshan_2(**OF_SYSTEM, **MOVED, **mpiio), "MPI-IO") == {
        "MPIIO_COLL_OPENS": 16,
        "MPIIO_COLL_WRITES": 64,
        "MPIIO_SIZE_WRITE_AGG_1M_4M": 64,
        "MPIIO_F_WRITE_TIME": 2.25,
    }


def test_performance_by_the_names_that_versions_gave_it() -> None:
    first = """
# performance
# -----------
# total_bytes: 134217728
# slowest_rank_time: 0.500000
# slowest_rank_meta_time: 0.100000
# shared_time_by_cumul: 0.042264
# shared_time_by_slowest: 0.060000
# agg_perf_by_slowest: 2206.983935
"""
    second = first.replace("# slowest", "# unique files: slowest").replace("# shared_time", "# shared files: time")
    for rows in (first, second):
        (summary,) = read(f"{head_of_darshan_2()}{rows}").of(DarshanSummary)
        whole = summary.of(None)
        assert whole is not None
        assert whole.perf is not None
        found = (whole.perf.unique_slowest_s, whole.perf.unique_slowest_meta_s, whole.perf.shared_by_slowest_s)
        assert found == (0.5, 0.1, 0.06)


def test_seconds_below_zero_are_absent_and_said() -> None:
    rows = "\n# performance\n# total_bytes: 5000\n# slowest_rank_time: -0.000024\n# agg_perf_by_slowest: -1.5\n"
    evidence = read(f"{head_of_darshan_2()}{rows}")
    (summary,) = evidence.of(DarshanSummary)
    whole = summary.of(None)
    assert whole is not None
    assert whole.perf is not None
    assert (whole.perf.unique_slowest_s, whole.perf.agg_perf_by_slowest, whole.perf.total_bytes) == (None, None, 5000)
    assert any("-0.000024" in problem.message and problem.loses_data for problem in evidence.problems)
