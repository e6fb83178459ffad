"""The counters of one record, or of several together, as a number is followed to where it stands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from iotriage.analysis.views.record import Record, RecordQuery, record_of
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import CounterTable, DarshanLog, Evidence, Job, LustreLayout
from iotriage_parsers.reader import Limits

SAMPLE_LOGS = Path(__file__).parents[3] / "sample-logs"
INTS = (
    *("POSIX_OPENS", "POSIX_BYTES_WRITTEN", "POSIX_MAX_BYTE_WRITTEN", "POSIX_MODE", "POSIX_STRIDE1_STRIDE"),
    "POSIX_MAX_WRITE_TIME_SIZE",
)
FLOATS = ("POSIX_F_WRITE_TIME", "POSIX_F_OPEN_START_TIMESTAMP", "POSIX_F_VARIANCE_RANK_TIME")
BIG = 2**53 + 1


def table(ints: list[list[int]], floats: list[list[float]], ids: list[int], ranks: list[int]) -> Evidence:
    posix = CounterTable(
        "POSIX",
        INTS,
        FLOATS,
        np.array(ids, np.uint64),
        np.array(ranks, np.int64),
        np.array(ints, np.int64),
        np.array(floats, np.float64),
    )
    layout = LustreLayout(7, 1048576, 2, (3, 1), osts_in_fs=12)
    log = DarshanLog("3.41", "little", "zlib", Job(), (), {7: "/lus/out"}, (), posix, lustre=(layout,))
    return Evidence("darshan_log", (log,))


def values(record: Record | None) -> dict[str, tuple[int | float | str | None, str | None]]:
    assert record is not None
    return {c.name: (c.value, c.unit) for c in record.counters}


def test_the_counters_of_a_dataset() -> None:
    names = (
        "H5D_WRITES",
        "H5D_BYTES_WRITTEN",
        "H5D_DATASPACE_NPOINTS",
        "H5D_DATATYPE_SIZE",
        "H5D_USE_MPIIO_COLLECTIVE",
    )
    ids, ranks = np.array([5, 6], np.uint64), np.array([-1, -1], np.int64)
    ints = np.array([[2, 64, 8, 8, 1], [3, 32, 4, 8, 1]], np.int64)
    datasets = CounterTable("H5D", names, (), ids, ranks, ints, np.zeros((2, 0)), file_ids=np.array([7, 7], np.uint64))
    evidence = Evidence("darshan_log", (DarshanLog("3.41", "little", "zlib", Job(), (), {}, (), h5d=datasets),))
    assert values(record_of(evidence, RecordQuery("H5D", "5"))) == {
        "H5D_WRITES": (2, "calls"),
        "H5D_BYTES_WRITTEN": (64, "B"),
        "H5D_DATASPACE_NPOINTS": (8, None),
        "H5D_DATATYPE_SIZE": (8, "B"),
        "H5D_USE_MPIIO_COLLECTIVE": (1, None),
    }
    assert values(record_of(evidence, RecordQuery("H5D"))) == {
        "H5D_WRITES": (5, "calls"),
        "H5D_BYTES_WRITTEN": (96, "B"),
        "H5D_DATASPACE_NPOINTS": (None, None),
        "H5D_DATATYPE_SIZE": (None, "B"),
        "H5D_USE_MPIIO_COLLECTIVE": (None, None),
    }


TWO_RANKS = table(
    [[1, 10, 99, 420, 8, 6], [2, BIG, 50, 420, -1, 4096]], [[0.5, 0.0, 1.0], [0.25, 3.0, float("nan")]], [7, 7], [0, 1]
)


def test_the_counters_of_one_rank() -> None:
    record = record_of(TWO_RANKS, RecordQuery("POSIX", "7", 1))
    assert record is not None
    assert (record.module, record.record, record.file, record.rank, record.rows) == ("POSIX", "7", "/lus/out", 1, 1)
    assert values(record) == {
        "POSIX_OPENS": (2, "calls"),
        "POSIX_BYTES_WRITTEN": (str(BIG), "B"),
        "POSIX_MAX_BYTE_WRITTEN": (50, "B"),
        "POSIX_MODE": (420, None),
        "POSIX_STRIDE1_STRIDE": (None, "B"),
        "POSIX_MAX_WRITE_TIME_SIZE": (4096, "B"),
        "POSIX_F_WRITE_TIME": (0.25, "s"),
        "POSIX_F_OPEN_START_TIMESTAMP": (3.0, "s"),
        "POSIX_F_VARIANCE_RANK_TIME": (None, "s²"),
    }


@pytest.mark.parametrize("query", [RecordQuery("POSIX"), RecordQuery("POSIX", "7")])
def test_over_several_records_only_what_can_be_summed_is(query: RecordQuery) -> None:
    record = record_of(TWO_RANKS, query)
    assert record is not None
    assert (record.rank, record.rows) == (None, 2)
    found = values(record)
    assert found["POSIX_OPENS"] == (3, "calls")
    assert found["POSIX_BYTES_WRITTEN"] == (str(BIG + 10), "B")
    assert found["POSIX_MAX_BYTE_WRITTEN"] == (99, "B")
    assert found["POSIX_MODE"] == (None, None)
    # The size of the write that took longest: the largest of several is none's.
    assert found["POSIX_MAX_WRITE_TIME_SIZE"] == (None, "B")
    assert found["POSIX_F_WRITE_TIME"] == (0.75, "s")
    assert found["POSIX_F_OPEN_START_TIMESTAMP"] == (3.0, "s")
    assert found["POSIX_F_VARIANCE_RANK_TIME"] == (None, "s²")


def test_the_striping_of_a_file() -> None:
    record = record_of(TWO_RANKS, RecordQuery("LUSTRE", "7"))
    assert values(record)["LUSTRE_STRIPE_WIDTH"] == (2, "OSTs")
    assert values(record)["LUSTRE_OST_ID_0"] == (3, None)


@pytest.mark.parametrize(
    "query", [RecordQuery("POSIX", "8"), RecordQuery("POSIX", "7", 5), RecordQuery("STDIO"), RecordQuery("LUSTRE", "8")]
)
def test_what_is_not_there_is_none(query: RecordQuery) -> None:
    assert record_of(TWO_RANKS, query) is None


def test_the_totals_of_a_real_log_are_those_that_the_program_counted() -> None:
    path = SAMPLE_LOGS / "darshan_log/06-shared-indep-1000b-unaligned/06-shared-indep-1000b-unaligned.darshan"
    with path.open("rb") as stream:
        evidence = read(stream, Limits())
    assert isinstance(evidence, Evidence)
    record = record_of(evidence, RecordQuery("MPI-IO"))
    assert isinstance(record, Record)
    assert values(record)["MPIIO_INDEP_WRITES"] == (8000, "calls")
    assert values(record)["MPIIO_BYTES_WRITTEN"] == (8_000_000, "B")
