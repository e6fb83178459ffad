"""HDF5, PnetCDF, DAOS and nodes: sums that can be followed by hand, and what is absent."""

import numpy as np
import pytest
from evidence_by_hand import block, job, log, metric, table, value

from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.uses import file_uses
from iotriage.metrics.tables.grouping import group_files
from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers.evidence import SEGMENT, DarshanLog, DxtTrace, Job, LustreComponent, LustreLayout

H5, OTHER = 1, 2
D1, D2 = 11, 12


def hdf5(
    mpiio: dict[str, float] | None = None,
    first: dict[str, float] | None = None,
    second: dict[str, float] | None = None,
    files: tuple[int, int] = (H5, H5),
) -> DarshanLog:
    """One HDF5 file with two datasets, and a file of plain MPI-IO with 500 small independent writes."""
    plain = {"MPIIO_INDEP_WRITES": 500, "MPIIO_SIZE_WRITE_AGG_0_100": 500}
    return log(
        table("H5F", (H5, -1, {"H5F_OPENS": 8})),
        table("H5D", (D1, -1, first or {}), (D2, -1, second or {}), files=files),
        table("MPI-IO", (H5, -1, mpiio or {}), (OTHER, -1, plain)),
        names={H5: "/s/a.h5", OTHER: "/s/raw", D1: "/s/a.h5:/t", D2: "/s/a.h5:/u:v"},
    )


def test_metadata_is_the_small_independent_accesses_of_hdf5_files() -> None:
    # Reads: 108 independent, 11 + 97 of up to 1 KiB. Writes: 16 independent, 5 + 11 small. Collective: 64 + 64.
    s = job(
        hdf5(
            {
                **{"MPIIO_INDEP_READS": 108, "MPIIO_SIZE_READ_AGG_0_100": 11, "MPIIO_SIZE_READ_AGG_100_1K": 97},
                **{"MPIIO_INDEP_WRITES": 16, "MPIIO_SIZE_WRITE_AGG_0_100": 5, "MPIIO_SIZE_WRITE_AGG_100_1K": 11},
                **{"MPIIO_COLL_READS": 64, "MPIIO_COLL_WRITES": 60, "MPIIO_SPLIT_WRITES": 4},
                "MPIIO_SIZE_WRITE_AGG_100K_1M": 64,
            }
        )
    )
    assert value(s, "hdf5.metadata_accesses") == 108 + 16
    assert metric(s, "hdf5.metadata_accesses").confidence == "inferred"
    assert value(s, "hdf5.collective_calls") == 128
    assert value(s, "hdf5.metadata_to_data_calls") == pytest.approx(124 / 128)


@pytest.mark.parametrize("files", [(H5, OTHER), (H5, 0)])
def test_what_hdf5_writes_is_held_against_the_data_sets_of_the_same_files(files: tuple[int, int]) -> None:
    """A file of HDF5's that one process writes by itself has no record of MPI-IO. Of one data set nobody may know the
    file: it may be of these."""
    given = ({"H5D_BYTES_WRITTEN": 100}, {"H5D_BYTES_WRITTEN": 300})
    held = job(hdf5({"MPIIO_BYTES_WRITTEN": 200}, *given, files=files))
    assert value(held, "hdf5.written_over_given") == (2.0 if files[1] else 0.5)


def test_large_independent_accesses_are_data_and_small_collective_ones_are_no_single_ranks() -> None:
    # Of 100 independent writes 4 are small; of 20 small reads only 3 can be independent.
    s = job(
        hdf5(
            {
                **{"MPIIO_INDEP_WRITES": 100, "MPIIO_SIZE_WRITE_AGG_0_100": 4, "MPIIO_SIZE_WRITE_AGG_1K_10K": 96},
                **{"MPIIO_INDEP_READS": 3, "MPIIO_COLL_READS": 17, "MPIIO_SIZE_READ_AGG_100_1K": 20},
            }
        )
    )
    assert value(s, "hdf5.metadata_accesses") == 4 + 3
    assert value(s, "hdf5.metadata_to_data_calls") == pytest.approx(7 / (120 - 7))


def test_small_accesses_that_a_dataset_asked_for_are_no_metadata() -> None:
    calls = {"MPIIO_INDEP_WRITES": 60, "MPIIO_SIZE_WRITE_AGG_0_100": 50, "MPIIO_SIZE_WRITE_AGG_100_1K": 10}
    own = {"H5D_SIZE_WRITE_AGG_0_100": 40, "H5D_SIZE_WRITE_AGG_1K_10K": 9}
    together = {"H5D_SIZE_WRITE_AGG_0_100": 15, "H5D_USE_MPIIO_COLLECTIVE": 1}
    assert value(job(hdf5(calls, own, together)), "hdf5.metadata_accesses") == 60 - 40
    assert value(job(hdf5(calls, own, {**together, "H5D_USE_MPIIO_COLLECTIVE": 0})), "hdf5.metadata_accesses") == 5


def test_a_file_of_metadata_alone_has_no_ratio() -> None:
    s = job(hdf5({"MPIIO_INDEP_READS": 8, "MPIIO_SIZE_READ_AGG_0_100": 8}))
    assert value(s, "hdf5.metadata_accesses") == 8
    assert "no other MPI-IO calls" in str(metric(s, "hdf5.metadata_to_data_calls").reason)


def test_hdf5_without_mpiio_and_no_hdf5_at_all() -> None:
    serial = job(log(table("H5F", (H5, 0, {})), table("POSIX", (H5, 0, {}))))
    assert "not opened through MPI-IO" in str(metric(serial, "hdf5.metadata_accesses").reason)
    none = job(log(table("POSIX", (H5, 0, {}))))
    assert "no HDF5" in str(metric(none, "hdf5.metadata_accesses").reason)
    assert "no HDF5 datasets" in str(metric(none, "hdf5.dataset_writes").reason)


def test_collective_share_of_the_bytes() -> None:
    first = {"H5D_BYTES_WRITTEN": 300, "H5D_WRITES": 3, "H5D_USE_MPIIO_COLLECTIVE": 1}
    second = {"H5D_BYTES_WRITTEN": 100, "H5D_WRITES": 50, "H5D_BYTES_READ": 7, "H5D_READS": 1}
    s = job(hdf5(None, first, second))
    assert value(s, "hdf5.collective_write_fraction") == 0.75
    assert value(s, "hdf5.collective_read_fraction") == 0.0
    assert (value(s, "hdf5.dataset_writes"), value(s, "hdf5.dataset_reads")) == (53, 1)
    assert (value(s, "hdf5.bytes_written"), value(s, "hdf5.bytes_read")) == (400, 7)
    assert "no bytes of this direction" in str(metric(job(hdf5()), "hdf5.collective_write_fraction").reason)


@pytest.mark.parametrize("files", [(H5, H5), (0, 0)], ids=["by id", "by name, where old logs have no id"])
def test_datasets_belong_to_the_group_of_their_file(files: tuple[int, int]) -> None:
    s = job(hdf5({"MPIIO_BYTES_WRITTEN": 9}, {"H5D_BYTES_WRITTEN": 5}, {"H5D_BYTES_WRITTEN": 3}, files))
    groups = group_files(s, file_uses(s), 10).groups
    of = {g.label: value(g.selection, "hdf5.bytes_written") for g in groups}
    # "/s/a.h5:/u:v" has a colon of its own: by name it is not found, and then not counted for any file.
    assert of == {"a.h5": 8 if files[0] else 5, "raw": None}


def pnetcdf(**counters: float) -> Selection:
    return job(log(table("PNETCDF_VAR", (D1, -1, {f"PNETCDF_VAR_{k}": v for k, v in counters.items()}), files=[H5])))


def test_pnetcdf_calls() -> None:
    s = pnetcdf(INDEP_WRITES=30, COLL_WRITES=10, NB_WRITES=5, BYTES_WRITTEN=64, COLL_READS=2, BYTES_READ=8)
    assert value(s, "pnetcdf.independent_write_fraction") == 0.75
    assert value(s, "pnetcdf.independent_read_fraction") == 0.0
    assert (value(s, "pnetcdf.nonblocking_writes"), value(s, "pnetcdf.nonblocking_reads")) == (5, 0)
    assert (value(s, "pnetcdf.bytes_written"), value(s, "pnetcdf.bytes_read")) == (64, 8)
    assert "no blocking PnetCDF writes" in str(
        metric(pnetcdf(NB_WRITES=5), "pnetcdf.independent_write_fraction").reason
    )
    assert "no PnetCDF" in str(metric(job(log(table("POSIX", (1, 0, {})))), "pnetcdf.nonblocking_writes").reason)


def daos() -> DarshanLog:
    """16 MiB through DFS, the object below it, and an object of another program part; 2 MiB through POSIX."""
    return log(
        table("DFS", (1, -1, {"DFS_BYTES_WRITTEN": 16, "DFS_F_SLOWEST_RANK_TIME": 2.0, "DFS_WRITES": 4})),
        table(
            "DAOS",
            (1, -1, {"DAOS_BYTES_WRITTEN": 16, "DAOS_F_SLOWEST_RANK_TIME": 1.9}),
            (3, -1, {"DAOS_BYTES_WRITTEN": 1, "DAOS_BYTES_READ": 4, "DAOS_F_SLOWEST_RANK_TIME": 0.5}),
        ),
        table("POSIX", (2, -1, {"POSIX_BYTES_WRITTEN": 2, "POSIX_F_SLOWEST_RANK_TIME": 0.25})),
        names={1: "", 2: "/s/log", 3: ""},
    )


def test_daos_bytes_and_time_are_the_jobs_each_once() -> None:
    s = job(daos())
    assert value(s, "io.bytes_written") == 16 + 1 + 2
    assert value(s, "io.bytes_read") == 4
    assert value(s, "job.io_time") == pytest.approx(2.0 + 0.5 + 0.25)
    assert value(s, "io.layer") == "DFS"
    assert value(s, "dfs.bandwidth") == value(s, "io.bandwidth") == pytest.approx(8.0)
    uses = file_uses(s)
    assert [(u.layers, u.bytes, u.path) for u in uses] == [
        (("DFS",), 16, "(record 1, name not in the log)"),
        (("POSIX",), 2, "/s/log"),
    ]


def test_what_one_rank_does_alone_in_daos_has_a_time_and_no_accesses() -> None:
    s = job(log(table("DAOS", (1, 0, {"DAOS_BYTES_READ": 8, "DAOS_F_READ_TIME": 2.5})), nprocs=4))
    assert value(s, "balance.alone_time") == pytest.approx(2.5)
    assert metric(s, "balance.alone_access").reason == "nothing was read or written"


def test_mpiio_and_dfs_of_one_record_are_one_file() -> None:
    both = log(table("MPI-IO", (1, -1, {"MPIIO_BYTES_READ": 8})), table("DFS", (1, -1, {"DFS_BYTES_READ": 8})))
    assert value(job(both), "io.bytes_read") == 8


def trace(hosts: dict[int, str], nprocs: int | None = None) -> DxtTrace:
    return DxtTrace("POSIX", np.zeros(0, SEGMENT), hosts, {}, job=None if nprocs is None else Job(nprocs=nprocs))


def nodes(*parts: tuple[int, DarshanLog | DxtTrace]) -> Selection:
    return select_job(list(parts))


def test_nodes_are_those_of_all_ranks() -> None:
    four = log(table("POSIX", (1, 0, {})), nprocs=4)
    all_ranks = {0: "n1", 1: "n1", 2: "n2", 3: "n2"}
    assert value(nodes((0, four), (0, trace(all_ranks))), "job.nnodes") == 2
    assert value(nodes((0, trace(all_ranks, 4))), "job.nnodes") == 2
    # Two layers of one log name the ranks between them; a trace of another source does not complete them.
    half, other = trace({0: "n1", 1: "n2"}), trace({2: "n3", 3: "n4"})
    assert value(nodes((0, four), (0, half), (0, other)), "job.nnodes") == 4
    apart = metric(nodes((0, four), (0, half), (1, other)), "job.nnodes")
    assert (apart.value, apart.reason) == (
        None,
        "the log names the nodes of 2 of 4 ranks only: the others did no I/O that was traced",
    )
    assert "does not record" in str(metric(nodes((0, four)), "job.nnodes").reason)


def test_nodes_of_autoperf_and_of_blue_gene() -> None:
    named = log(table("POSIX", (1, 0, {})), nprocs=2, hostnames={0: "n1", 1: "n1"})
    assert value(job(named), "job.nnodes") == 1
    partition = log(table("BG/Q", (9, -1, {"BGQ_NNODES": 128})), nprocs=2048)
    assert value(job(partition), "job.nnodes") == 128


def wrote(record: int, rank: int) -> tuple[int, int, dict[str, float]]:
    return record, rank, {"POSIX_BYTES_WRITTEN": 10}


@pytest.mark.parametrize(
    ("hosts", "writers", "pattern"),
    [
        (("a", "a", "b", "b"), (0, 2), "file-per-node"),
        (("a", "a", "b", "b"), (0, 1), "file-per-process"),
        (("a", "a", "b", "c"), (0, 2), "file-per-process"),
        (("a", "a", "a", "a"), (0,), "serial"),
        (("a", "b", "c", "d"), (0, 1, 2, 3), "file-per-process"),
    ],
)
def test_a_file_of_one_writer_on_each_node(hosts: tuple[str, ...], writers: tuple[int, ...], pattern: str) -> None:
    files = log(
        table("POSIX", *(wrote(i + 1, rank) for i, rank in enumerate(writers))),
        nprocs=4,
        hostnames=dict(enumerate(hosts)),
        names={i + 1: f"/s/out.{i}" for i in range(len(writers))},
    )
    groups = group_files(job(files), file_uses(job(files)), 10).groups
    assert [g.pattern for g in groups] == [pattern]


@pytest.mark.parametrize(("start", "expected"), [(None, 8), (0, 8), (999, 8), (1000, None), (2**30, None)])
def test_a_small_file_does_not_have_the_stripes_of_a_later_component(start: int | None, expected: int | None) -> None:
    layout = LustreLayout(1, 2**20, 8, tuple(range(8)), composite=start is not None, extent_start=start)
    small = {"POSIX_BYTES_WRITTEN": 1000, "POSIX_MAX_BYTE_WRITTEN": 999}
    s = job(log(table("POSIX", (1, 0, small)), lustre=(layout,)))
    assert value(s, "file.stripe_count") == expected
    assert value(s, "file.stripe_size") == (None if expected is None else 2**20)
    assert [u.stripe_count for u in file_uses(s)] == [expected]
    if expected is None:
        assert "ends at byte 1,000, before the main component" in str(metric(s, "file.stripe_count").reason)


@pytest.mark.parametrize(("osts", "stripes", "size"), [((3,), 1, 2**16), ((3, 4), 2, 2**16), ((), None, None)])
def test_a_small_file_has_the_stripes_of_the_component_that_it_ends_in(
    osts: tuple[int, ...], stripes: int | None, size: int | None
) -> None:
    parts = (LustreComponent(0, 2**20, 2**16, osts), LustreComponent(2**20, None, 2**20, tuple(range(8))))
    layout = LustreLayout(1, 2**20, 8, parts[1].osts, composite=True, extent_start=2**20, components=parts)
    small = {"POSIX_BYTES_WRITTEN": 1000, "POSIX_MAX_BYTE_WRITTEN": 999}
    s = job(log(table("POSIX", (1, 0, small)), lustre=(layout,)))
    assert (value(s, "file.stripe_count"), value(s, "file.stripe_size")) == (stripes, size)


def test_statistics_alone_say_nothing_of_the_libraries() -> None:
    s = job(stats=[block()])
    for id in ("hdf5.metadata_accesses", "hdf5.dataset_writes", "pnetcdf.bytes_read", "dfs.bandwidth", "job.nnodes"):
        assert value(s, id) is None
