"""The figures of ranks, OSTs, times, aggregators and growth by hand."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from evidence_by_hand import job, log, table
from sample_documents import document_of
from samples import case

from iotriage.analysis.charts.accesses import access_order, alignment, common_sizes, file_splits
from iotriage.analysis.charts.aggregating import aggregating
from iotriage.analysis.charts.file_systems import file_systems
from iotriage.analysis.charts.layer_growth import layer_growth
from iotriage.analysis.charts.ost_use import ost_use
from iotriage.analysis.charts.rank_use import rank_columns, rank_use
from iotriage.analysis.views.rank_table import rank_table
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.account.cells import Cells, SlowestRank
from iotriage.metrics.tables.account.time_account import time_account
from iotriage.metrics.tables.files.uses import file_uses
from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers.evidence import (
    SEGMENT,
    AggregatorPlacement,
    CrayPatReport,
    DarshanLog,
    DxtTrace,
    Heatmap,
    Job,
    Lines,
    LustreComponent,
    LustreLayout,
    Mount,
    PatIoRow,
    PatIoTable,
    PlacedAggregator,
)
from iotriage_parsers.evidence.craypat import PatAggregation

MIB = 2**20


def posix(record: int, rank: int, written: int = 0, read: int = 0, **more: float) -> tuple[int, int, dict[str, float]]:
    return record, rank, {"POSIX_BYTES_WRITTEN": written, "POSIX_BYTES_READ": read, **more}


def reduced(**more: float) -> DarshanLog:
    """One shared file of four ranks, written collectively, all of it by rank 0 below."""
    above = {"MPIIO_BYTES_WRITTEN": 400, "MPIIO_COLL_WRITES": 4, "MPIIO_F_WRITE_TIME": 40.0}
    ends = {"MPIIO_SLOWEST_RANK": 2, "MPIIO_F_SLOWEST_RANK_TIME": 12.0, "MPIIO_SLOWEST_RANK_BYTES": 100}
    below = {"POSIX_BYTES_WRITTEN": 400, "POSIX_F_WRITE_TIME": 8.0, "POSIX_F_VARIANCE_RANK_BYTES": 30_000.0}
    return log(
        table("MPI-IO", (7, -1, {**above, **ends, "MPIIO_F_VARIANCE_RANK_TIME": 4.0})),
        table("POSIX", (7, -1, {**below, **more})),
        nprocs=4,
        runtime_s=100.0,
        names={7: "/lus/out"},
    )


def with_heatmap(log: DarshanLog, written: list[int]) -> DarshanLog:
    columns = np.array([[w] for w in written], dtype=np.int64)
    heat = Heatmap("POSIX", 1.0, np.arange(len(written)), np.zeros_like(columns), columns)
    return dataclasses.replace(log, heatmaps=(heat,))


def test_own_records_give_every_rank_its_bytes_and_seconds() -> None:
    s = job(
        log(
            table(
                "POSIX", posix(1, 0, 10, POSIX_F_WRITE_TIME=1.0), posix(2, 0, 5), posix(2, 2, 0, 7, POSIX_F_READ_TIME=3)
            ),
            nprocs=4,
        )
    )
    (columns,) = rank_columns(s)
    assert columns.basis == "records"
    assert columns.of_every_rank(columns.bytes_written).tolist() == [15, 0, 0, 0]
    assert columns.of_every_rank(columns.bytes_read).tolist() == [0, 0, 7, 0]
    (series,) = rank_use(s).series
    assert (series.active, series.busiest.rank, series.total_bytes) == (2, 0, 22)
    assert series.slowest is not None
    assert (series.slowest.rank, series.slowest.read_s, series.mean_s) == (2, 3.0, 1.0)
    assert series.most_written == (15, 0, 0, 0)


def test_no_rank_is_lost_in_bins() -> None:
    ranks = 1000
    s = job(log(table("POSIX", *(posix(1, r, 1 + 999 * (r == 531)) for r in range(ranks))), nprocs=ranks))
    (series,) = rank_use(s).series
    assert series.ranks_per_bin == 8
    assert len(series.most_written) == 125
    assert series.most_written[531 // 8] == 1000
    assert series.least_bytes == (1,) * 125
    assert series.busiest.rank == 531


def test_a_reduced_record_gives_the_ends_and_the_deviation_only() -> None:
    use = rank_use(job(reduced()))
    assert use.series == ()
    (file,) = use.reduced
    assert (file.layer, file.slowest_rank, file.slowest_s, file.slowest_bytes) == ("MPI-IO", 2, 12.0, 100)
    assert file.deviation_s == 2.0


def test_of_a_collective_file_the_ranks_that_touch_the_storage_stand_below_those_that_call() -> None:
    ends = {"POSIX_SLOWEST_RANK": 0, "POSIX_F_SLOWEST_RANK_TIME": 8.0, "POSIX_SLOWEST_RANK_BYTES": 400}
    use = rank_use(job(reduced(**ends, POSIX_FASTEST_RANK=3, POSIX_F_FASTEST_RANK_TIME=0.5)))
    assert [(r.layer, r.slowest_rank, r.slowest_s) for r in use.reduced] == [("MPI-IO", 2, 12.0), ("POSIX", 0, 8.0)]
    assert (use.reduced[1].slowest_bytes, use.reduced[1].fastest_rank, use.reduced[1].fastest_s) == (400, 3, 0.5)
    assert use.reduced_total == 1


def test_of_a_collective_file_the_aggregators_have_records_of_their_own_beside_what_all_ranks_read() -> None:
    ends = {"MPIIO_SLOWEST_RANK": 2, "MPIIO_F_SLOWEST_RANK_TIME": 12.0, "MPIIO_SLOWEST_RANK_BYTES": 100}
    config = {"POSIX_SLOWEST_RANK": 3, "POSIX_F_SLOWEST_RANK_TIME": 1.0, "POSIX_BYTES_READ": 40}
    below = [posix(7, rank, 200, POSIX_F_WRITE_TIME=took) for rank, took in ((0, 2.0), (2, 10.0))]
    use = rank_use(
        job(
            log(
                table("MPI-IO", (7, -1, {"MPIIO_BYTES_WRITTEN": 400, "MPIIO_COLL_WRITES": 4, **ends})),
                table("POSIX", *below, (8, -1, config), posix(9, 0, 5, POSIX_F_WRITE_TIME=99.0)),
                nprocs=4,
                names={7: "/lus/out", 8: "/lus/config", 9: "/lus/alone"},
            )
        )
    )
    told = [(r.file, r.layer, r.ranks, r.slowest_rank, r.slowest_s, r.fastest_s) for r in use.reduced]
    assert told == [
        ("/lus/out", "MPI-IO", None, 2, 12.0, 0.0),
        ("/lus/out", "POSIX", 2, 2, 10.0, 2.0),
        ("/lus/config", "POSIX", None, 3, 1.0, 0.0),
    ]
    assert (use.reduced[1].deviation_s, use.reduced[1].slowest_bytes, use.reduced_total) == (4.0, 200, 2)


def test_a_heatmap_tells_the_bytes_of_ranks_that_a_reduced_record_lost() -> None:
    (series,) = rank_use(job(with_heatmap(reduced(), [400, 0, 0, 0]))).series
    assert (series.layer, series.basis, series.active, series.slowest) == ("POSIX", "heatmap", 1, None)
    assert series.most_written == (400, 0, 0, 0)


def test_a_trace_gives_bytes_and_time_in_calls() -> None:
    calls = np.array(
        [(7, 1, True, 0, 300, 1.0, 1.5, 0), (7, 1, False, 0, 20, 2.0, 2.25, 0), (7, 3, True, 300, 100, 1.0, 4.0, 0)],
        dtype=SEGMENT,
    )
    s = select_job([(0, reduced()), (0, DxtTrace("POSIX", calls, {1: "n1", 3: "n2"}, {7: "/lus/out"}))])
    (series,) = rank_use(s).series
    assert (series.basis, series.busiest.rank, series.busiest.node) == ("trace", 1, "n1")
    assert series.slowest is not None
    assert (series.slowest.rank, series.slowest.write_s) == (3, 3.0)
    (found,) = aggregating(s)
    assert (found.basis, found.nodes) == ("trace", 2)
    assert found.count == 2
    assert [(r.rank, r.bytes) for r in found.ranks] == [(1, 320), (3, 100)]


def pat_row(rank: int | None, mib: float, seconds: float) -> PatIoRow:
    of: PatAggregation = "sum-over-ranks" if rank is None else "one-rank"
    return PatIoRow("out", rank, None, of, 1, seconds, mib, 1, None, None, None, ())


def test_craypat_rows_of_single_ranks() -> None:
    rows = (pat_row(0, 1.0, 2.0), pat_row(3, 4.0, 8.0))
    shown = PatIoTable(
        "write", "t", Lines(1, 9), True, "sum-over-ranks", (), (pat_row(None, 5.0, 10.0),), rows, None, "ALL"
    )
    report = CrayPatReport("lite", Lines(1, 9), True, ranks=4, io_tables=(shown,), process_time_average_s=50.0)
    s = select_job([(0, report)])
    (series,) = rank_use(s).series
    assert (series.layer, series.basis, series.busiest.rank, series.active) == ("calls", "craypat", 3, 2)
    assert series.most_written == (MIB, 0, 0, 4 * MIB)
    time = time_account(s)
    assert time is not None
    assert (time.basis, time.cells) == ("CrayPAT", Cells(writes=2.5, imbalance=5.5))
    assert time.slowest == SlowestRank(8.0, 8.0, None, None)
    assert [one.cell for one in time.unknown] == ["metadata", "exchange"]


@pytest.mark.parametrize(
    ("size", "stripe", "osts", "expected"),
    [
        (8, 1, (3, 5), {3: 4, 5: 4}),
        (3, 1, (3, 5), {3: 2, 5: 1}),
        (1, 4, (3, 5, 6), {3: 1}),
        (10, 2, (0, 1, 2), {0: 4, 1: 4, 2: 2}),
        (10, None, (0, 1), {0: 5, 1: 5}),
    ],
)
def test_a_file_lies_on_its_stripes_in_rounds(
    size: int, stripe: int | None, osts: tuple[int, ...], expected: dict[int, int]
) -> None:
    layout = LustreLayout(1, stripe, len(osts), osts)
    s = job(log(table("POSIX", posix(1, -1, size, POSIX_MAX_BYTE_WRITTEN=size - 1)), lustre=(layout,)))
    assert {ost: written for ost, _, written in of_osts(s)} == expected


def test_a_small_file_lies_on_the_first_component_of_its_progressive_layout() -> None:
    parts = (LustreComponent(0, 4 * MIB, MIB, (2,)), LustreComponent(4 * MIB, None, MIB, (5, 6)))
    layout = LustreLayout(1, MIB, 2, (5, 6), composite=True, extent_start=4 * MIB, components=parts)
    for size, expected in ((3 * MIB, {2: 3 * MIB}), (7 * MIB, {2: 4 * MIB, 5: 2 * MIB, 6: MIB})):
        s = job(log(table("POSIX", posix(1, -1, size, POSIX_MAX_BYTE_WRITTEN=size - 1)), lustre=(layout,)))
        assert {ost: written for ost, _, written in of_osts(s)} == expected


def with_trace(*calls: tuple[int, int, float], record: int = 1) -> DxtTrace:
    """Writes of (offset, length, seconds) to one file."""
    segments = np.zeros(len(calls), dtype=SEGMENT)
    for i, (offset, length, seconds) in enumerate(calls):
        segments[i] = (record, 0, True, offset, length, 1.0, 1.0 + seconds, 0)
    return DxtTrace("POSIX", segments, {}, {})


def test_where_a_trace_has_every_call_its_bytes_are_those_of_the_osts() -> None:
    """The one half of the first stripe is written four times over: by the file's size both OSTs would have as much.
    Of the second file the trace lacks a call."""
    layouts = (LustreLayout(1, MIB, 2, (4, 9), 12), LustreLayout(2, MIB, 1, (9,), 12))
    made = log(
        table(
            "POSIX",
            posix(1, -1, 4 * MIB, POSIX_MAX_BYTE_WRITTEN=2 * MIB - 1, POSIX_F_WRITE_TIME=2.0),
            posix(2, 0, MIB, POSIX_MAX_BYTE_WRITTEN=MIB - 1),
        ),
        lustre=layouts,
    )
    calls = [(0, MIB // 2, 0.5)] * 4 + [(MIB // 2, MIB, 0.25), (3 * MIB // 2, MIB // 2, 0.25), (0, MIB // 2, 0.5)]
    s = select_job([(0, made), (0, with_trace(*calls)), (0, with_trace((0, 10, 1.0), record=2))])
    (use,) = ost_use(s, file_uses(s))
    assert [(o.ost, o.bytes_written) for o in use.osts] == [(4, 3 * MIB), (9, 2 * MIB)]
    assert (use.files_traced, use.traced_share) == (1, pytest.approx(0.8))
    # Calls within one stripe take 2.5 s and 0.25 s; more than the counters' 2 s, so that nothing is left to share.
    assert [o.seconds for o in use.osts] == [pytest.approx(2.5), pytest.approx(0.25)]
    assert [(o.alone_calls, o.alone_bytes, o.alone_s) for o in use.osts] == [
        (5, 5 * MIB // 2, pytest.approx(2.5)),
        (2, MIB // 2 + 10, pytest.approx(1.25)),
    ]


def of_osts(s: Selection) -> list[tuple[int, int, int]]:
    (use,) = ost_use(s, file_uses(s))
    return [(o.ost, o.files, o.bytes_written) for o in use.osts]


def test_bytes_files_and_seconds_of_each_ost() -> None:
    layouts = (LustreLayout(1, MIB, 2, (4, 9), 12), LustreLayout(2, MIB, 1, (9,), 12))
    s = job(
        log(
            table(
                "POSIX",
                posix(1, -1, 4 * MIB, POSIX_MAX_BYTE_WRITTEN=4 * MIB - 1, POSIX_F_WRITE_TIME=2.0),
                posix(2, 0, MIB, POSIX_MAX_BYTE_WRITTEN=MIB - 1, POSIX_F_WRITE_TIME=1.0),
                posix(3, 0, 10),
            ),
            names={1: "/lus/a", 2: "/lus/b", 3: "/tmp/c"},
            lustre=layouts,
        )
    )
    assert of_osts(s) == [(4, 1, 2 * MIB), (9, 2, 3 * MIB)]
    (use,) = ost_use(s, file_uses(s))
    assert (use.total, use.files, use.files_without) == (12, 2, 1)
    assert [o.seconds for o in use.osts] == [1.0, 2.0]
    assert use.osts[1].named == ("/lus/a", "/lus/b")


def test_without_layouts_there_are_no_osts() -> None:
    s = job(log(table("POSIX", posix(1, 0, 10)), names={1: "/x"}))
    assert ost_use(s, file_uses(s)) == ()


def test_aggregators_by_variance_and_by_placement() -> None:
    placed = AggregatorPlacement(
        "/lus/out", (PlacedAggregator(0, 0, "nid1", 3), PlacedAggregator(1, 2, "nid2", 4)), (), Lines(1, 4), True
    )
    first, second = aggregating(select_job([(0, reduced()), (1, placed)]))
    assert (first.basis, first.count, first.nodes) == ("placement", 2, 2)
    assert [(r.rank, r.node, r.bytes) for r in first.ranks] == [(0, "nid1", None), (2, "nid2", None)]
    assert (second.basis, second.confidence) == ("variance", "inferred")
    assert second.count == pytest.approx(400**2 / (4 * 30_000 + 400**2 / 4))


def test_bytes_read_back_under_a_file_that_is_only_written_are_named() -> None:
    above = {"MPIIO_BYTES_WRITTEN": 100, "MPIIO_INDEP_WRITES": 1}
    s = job(
        log(
            table("MPI-IO", (1, 0, above), (2, 0, above)),
            table("POSIX", posix(1, 0, 512, 480), posix(2, 0, 100)),
            names={1: "/lus/a", 2: "/lus/b"},
        )
    )
    growth = layer_growth(s)
    assert growth is not None
    assert (growth.requested_written, growth.stored_written, growth.unrequested_read) == (200, 612, 480)
    assert growth.files_compared == 2
    assert [f.file for f in growth.files] == ["/lus/a"]


def test_sizes_order_and_alignment_of_accesses() -> None:
    counters = {
        "POSIX_WRITES": 10,
        "POSIX_SEQ_WRITES": 8,
        "POSIX_CONSEC_WRITES": 5,
        "POSIX_FILE_NOT_ALIGNED": 9,
        "POSIX_MEM_NOT_ALIGNED": 0,
        "POSIX_FILE_ALIGNMENT": 4096,
        "POSIX_ACCESS1_ACCESS": 1000,
        "POSIX_ACCESS1_COUNT": 9,
        "POSIX_ACCESS2_ACCESS": 24,
        "POSIX_ACCESS2_COUNT": 1,
    }
    s = job(log(table("POSIX", posix(1, 0, 9024, **counters), posix(2, 1, 9024, **counters))))
    assert [(c.size_bytes, c.count) for c in common_sizes(s)] == [(1000, 18), (24, 2)]
    (order,) = access_order(s)
    assert (order.accesses, order.consecutive, order.onward) == (20, 10, 6)
    found = alignment(s)
    assert found is not None
    assert (found.not_aligned, found.accesses, found.block_bytes) == (18, 20, 4096)


def test_bytes_of_mixed_calls_are_bounded_by_their_sizes() -> None:
    mixed = {
        "MPIIO_BYTES_WRITTEN": 2000 + 8,
        "MPIIO_INDEP_WRITES": 2,
        "MPIIO_COLL_WRITES": 2,
        "MPIIO_SIZE_WRITE_AGG_0_100": 2,
        "MPIIO_SIZE_WRITE_AGG_100_1K": 2,
    }
    (split,) = file_splits(job(log(table("MPI-IO", (1, 0, mixed)), names={1: "/lus/a"})))
    assert (split.independent, split.collective, split.total_bytes) == (2, 2, 2008)
    # The two largest are at most 1,024 bytes each, which is all but nothing; the two smallest may be empty.
    assert (split.least, split.most) == (0, 2008)


def test_the_table_of_all_ranks_of_nothing_is_empty() -> None:
    found = rank_table([])
    assert found.layers == ()
    assert found.use.reduced == ()


def test_file_systems_by_kind_and_bytes() -> None:
    mounted = Job(nprocs=1, mounts=(Mount("/", "xfs"), Mount("/lus", "lustre"), Mount("/home", "nfs4")))
    made = log(
        table("POSIX", posix(1, 0, 10), posix(2, 0, 30), posix(3, 0, 5)),
        names={1: "/lus/a", 2: "/home/b", 3: "/lus/c"},
    )
    s = job(dataclasses.replace(made, job=mounted))
    found = [(f.kind, f.files, f.moved_bytes) for f in file_systems(s, file_uses(s))]
    assert found == [("nfs", 1, 30), ("lustre", 2, 15)]


def test_a_file_system_of_whose_files_nobody_counted_the_bytes_has_none_and_not_0() -> None:
    document = document_of(case("mpich_timers/times-alone").sources)
    assert [(f.files, f.moved_bytes) for f in document.charts.file_systems] == [(2, None)]
    opened = job(log(table("POSIX", posix(1, 0)), names={1: "/lus/a"}))
    assert [f.moved_bytes for f in file_systems(opened, file_uses(opened))] == [0]


def test_a_file_with_stripes_lies_on_lustre_where_no_mount_table_says_so() -> None:
    """As the table of files has its stripes: the page says both."""
    document = document_of(case("mpich_stats/killed-for-memory").sources)
    assert [(f.kind, f.files) for f in document.charts.file_systems] == [("lustre", 1)]
    assert [f.stripe_count for f in document.files] == [12]


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("darshan_parser_text/totals-shared-aligned", "Darshan"),
        ("darshan_parser_text/shared-indep-unaligned", "Darshan"),
        ("mpich_stats/independent-write", "MPICH_MPIIO_STATS"),
        ("43", None),
    ],
)
def test_who_counted_the_calls_is_whose_figure_it_is(name: str, source: str | None) -> None:
    """Darshan's totals are lines of a text, as the statistics are."""
    assert {split.source for split in document_of(case(name).sources).charts.collective} == ({source} - {None})


def test_the_trace_names_the_slowest_rank_that_the_records_name() -> None:
    """Two ranks are 1 ms apart after 24 s, of which records that all ranks share say nothing."""
    found = document_of(case("lustre-traced-slow-ost").sources)
    assert found.account is not None
    assert found.account.slowest is not None
    assert found.charts.ranks is not None
    named = [series.slowest.rank for series in found.charts.ranks.series if series.slowest]
    assert named == [found.account.slowest.rank]
