"""When each file was in use, of samples whose programs are known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from evidence_by_hand import job as evidence_job
from evidence_by_hand import log, table

from iotriage.analysis.document.charts.activity import Span
from iotriage.analysis.views.file_list import job_of
from iotriage.analysis.views.file_spans import FileSpansView, file_spans
from iotriage.diagnosis import source_at
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.uses import file_uses
from iotriage_parsers.evidence import DarshanLog

SAMPLES = Path(__file__).resolve().parents[4] / "sample-logs" / "darshan_log"


def job(name: str) -> Selection:
    return job_of([source_at(SAMPLES / name / f"{name}.darshan")])


def spans(name: str) -> FileSpansView:
    found = file_spans(job(name))
    assert found is not None
    return found


def test_files_stand_in_the_order_in_which_they_were_first_used():
    view = spans("39-heat2d-legacy")
    names = [file.path.rsplit("/", 1)[1] for file in view.files]
    assert names[:3] == ["heat2d.in", "restart.in", "history.h5"]
    history = view.files[2]
    assert history.opened_s is not None
    assert history.closed_s is not None
    (written,) = history.writes
    assert history.opened_s < written.from_s < written.to_s < history.closed_s <= view.run_s
    assert history.reads == ()
    # MPI-IO's and not POSIX's again, which lies below it.
    assert history.written_bytes == 50_334_504


def test_a_copy_without_mpi_has_its_two_files_and_no_bytes_that_nobody_counted():
    view = spans("31-nonmpi-cp")
    assert [(file.path.rsplit("/", 1)[1], file.untimed) for file in view.files] == [
        ("input.dat", False),
        ("copy.dat", False),
    ]
    assert all(file.reads == file.writes == () for file in view.files)


def test_of_many_files_those_on_which_calls_took_longest_are_told_and_all_counted():
    view = spans("lustre-one-directory")
    assert (len(view.files), view.files_total) == (100, 10_880)


def test_the_first_and_the_last_byte_are_those_of_all_files():
    one = file_spans(job("39-heat2d-legacy"), most=1)
    assert one is not None
    assert (len(one.files), one.files_total) == (1, 43)
    assert one.moved == spans("39-heat2d-legacy").moved
    assert one.moved is not None
    assert one.moved.from_s < one.files[0].writes[0].from_s


def test_a_time_that_was_not_recorded_is_unknown_and_not_0():
    found = job("31-nonmpi-cp")
    (rows,) = found.logs
    assert rows.posix is not None
    floats = rows.posix.floats.copy()
    close = rows.posix.float_names.index("POSIX_F_CLOSE_END_TIMESTAMP")
    opening = rows.posix.float_names.index("POSIX_F_OPEN_START_TIMESTAMP")
    floats[:, close] = 0.0
    known = floats[:, opening] > 0
    floats[floats[:, opening] > floats[known, opening].min(), opening] = 0.0
    view = file_spans(replace(found, logs=(replace(rows, posix=replace(rows.posix, floats=floats)),)))
    assert view is not None
    assert [file.closed_s for file in view.files] == [None, None]
    assert [file.untimed for file in view.files] == [False, True]


TIMES = {"F_WRITE_START_TIMESTAMP": 5.0, "F_WRITE_END_TIMESTAMP": 9.0}


def written(prefix: str, bytes_: int, seconds: float) -> dict[str, float]:
    """By one rank, from the fifth second of the run to its ninth."""
    times = {f"{prefix}_{name}": at for name, at in TIMES.items()}
    return {f"{prefix}_BYTES_WRITTEN": bytes_, f"{prefix}_F_WRITE_TIME": seconds, **times}


@pytest.mark.parametrize(
    "given",
    [
        log(table("MPI-IO", (1, 0, written("MPIIO", 8, 0.1))), table("POSIX", (1, 0, written("POSIX", 4096, 3.0)))),
        log(table("MPI-IO", (1, 0, written("MPIIO", 4096, 3.0))), table("POSIX", (1, 0, written("POSIX", 4096, 2.0)))),
        log(table("DFS", (1, 0, written("DFS", 16, 3.0))), table("DAOS", (1, 0, written("DAOS", 16, 2.0)))),
        log(table("DAOS", (1, 0, written("DAOS", 16, 3.0))), names={1: ""}),
    ],
    ids=["written past MPI-IO", "written by it", "a file in DAOS", "an object without a name"],
)
def test_bytes_and_seconds_of_a_file_are_those_that_the_list_of_files_has(given: DarshanLog):
    selection = evidence_job(given)
    (use,) = file_uses(selection)
    view = file_spans(selection)
    assert view is not None
    (file,) = view.files
    assert (file.path, file.written_bytes, file.in_calls_s) == (use.path, use.bytes_written, use.time_s)
    assert file.writes == (Span(5.0, 9.0),)
