"""One child for each source: whatever a source does to it is that source's failure."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

from iotriage.boundary.decode_error import DecodeError
from iotriage.boundary.results import Result, decode_result
from iotriage.confinement.landlock import landlock_version
from iotriage.intake.case_child import NOT_DECODED
from iotriage.intake.disposable import DisposableReading
from iotriage.intake.reading import MIB, ReadingLimits
from iotriage_parsers.evidence import DarshanLog, Evidence, Failure
from iotriage_parsers.temporary_files import MOST_AT_A_TIME

HOSTILE = str(Path(__file__).parent / "hostile")
LIMITS = ReadingLimits(cpu_seconds=60, wall_seconds=60, memory_bytes=1024 * MIB, result_bytes=8 * MIB)
IMPATIENT = ReadingLimits(cpu_seconds=60, wall_seconds=0.5, memory_bytes=1024 * MIB)


def parse(reading: DisposableReading, path: Path, limits: ReadingLimits) -> Result:
    """What the process of a case makes of what is passed on to it."""
    taken = bytearray()
    failure = reading.read(path, limits, taken.extend)
    if failure is not None:
        return failure
    try:
        return decode_result(bytes(taken))
    except DecodeError:
        return NOT_DECODED


def source(folder: Path, order: str) -> Path:
    path = folder / order.replace(" ", "-")
    path.write_text(order)
    return path


def test_a_real_log_comes_back_as_it_was_read(reading: DisposableReading, sample_logs: Path) -> None:
    path = sample_logs / "darshan_log/06-shared-indep-1000b-unaligned/06-shared-indep-1000b-unaligned.darshan"
    found = parse(reading, path, LIMITS)
    assert isinstance(found, Evidence)
    (log,) = found.of(DarshanLog)
    assert log.job.nprocs == 8
    assert log.mpiio is not None
    assert log.mpiio.total("MPIIO_INDEP_WRITES") == 8 * 1000


@pytest.mark.parametrize(
    ("order", "code", "says"),
    [
        ("crash", "crashed", "SIGSEGV"),
        ("abort", "crashed", "SIGABRT"),
        ("exit", "crashed", "crashed"),
        ("raise", "crashed", "crashed"),
        ("allocate", "too-large", "1,024 MiB"),
        ("flood", "too-large", "memory"),
        ("pour", "too-large", "memory"),
        ("take over", "crashed", "crashed"),
        ("return what is none", "crashed", "crashed"),
        ("lie", "crashed", "crashed"),
    ],
)
def test_what_a_source_does_to_its_reader_is_a_failure_of_that_source(
    hostile: DisposableReading, tmp_path: Path, order: str, code: str, says: str
) -> None:
    found = parse(hostile, source(tmp_path, order), LIMITS)
    assert isinstance(found, Failure)
    assert found.code == code
    assert says in found.message
    assert found.next_step
    assert isinstance(parse(hostile, source(tmp_path, "be nice"), LIMITS), Evidence)
    assert not Path("/tmp/iotriage-was-taken-over").exists()


@pytest.mark.parametrize("order", ["hang", "sleep"])
def test_a_reader_that_does_not_end_is_ended(hostile: DisposableReading, tmp_path: Path, order: str) -> None:
    found = parse(hostile, source(tmp_path, order), IMPATIENT)
    assert isinstance(found, Failure)
    assert found.code == "timed-out"
    assert "0.5 s" in found.message


def test_a_hanging_source_holds_up_no_other_and_is_let_go_at_the_end(tmp_path: Path) -> None:
    reading = DisposableReading("hostile_reader:read", (HOSTILE,))
    patient = ReadingLimits(wall_seconds=3600, memory_bytes=1024 * MIB)
    ends: list[Evidence | Failure] = []
    hanging = threading.Thread(target=lambda: ends.append(parse(reading, source(tmp_path, "sleep"), patient)))
    hanging.start()
    found = [parse(reading, source(tmp_path, "be nice"), patient) for _ in range(5)]
    assert all(isinstance(f, Evidence) for f in found)
    assert ends == []
    reading.close()
    hanging.join()
    assert isinstance(ends[0], Failure)


STREAMS_AND_SOCKETS = 5
"""The standard streams, the source that it reads, and where it answers."""


def test_a_child_has_its_descriptors_temporary_files_and_no_environment_of_ours(
    hostile: DisposableReading, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IOTRIAGE_DATABASE_URL", "postgresql://user:secret@host/db")
    fresh = DisposableReading("hostile_reader:read", (HOSTILE,))
    found = parse(fresh, source(tmp_path, "look around"), LIMITS)
    fresh.close()
    assert isinstance(found, Failure)
    assert found.message == ",".join(map(str, range(STREAMS_AND_SOCKETS + MOST_AT_A_TIME)))
    assert "IOTRIAGE_DATABASE_URL" not in found.next_step


@pytest.mark.skipif(landlock_version() < 6, reason="an older kernel takes less away")
def test_a_child_reaches_nothing_but_its_libraries_and_its_temporary_files(
    hostile: DisposableReading, tmp_path: Path
) -> None:
    other = tmp_path / "another person's log"
    other.write_text("theirs")
    order = tmp_path / "order"
    order.write_text(f"escape {other}")
    found = parse(hostile, order, LIMITS)
    assert isinstance(found, Failure)
    ends = dict(attempt.split(":") for attempt in found.message.split())
    assert ends.pop("scratch") == ends.pop("library") == "done"
    # Which layer is met first differs with the host: the file is not there, or may not be opened, or the call is none.
    assert len(ends) == 8
    assert set(ends.values()) <= {"ENOENT", "EACCES", "EPERM"}
    assert other.read_text() == "theirs"


def test_the_fork_server_is_started_again_when_it_dies(hostile: DisposableReading, tmp_path: Path) -> None:
    found = parse(hostile, source(tmp_path, "kill the server"), IMPATIENT)
    assert isinstance(found, Failure)
    assert isinstance(parse(hostile, source(tmp_path, "be nice"), LIMITS), Evidence)


def test_reading_goes_on_where_somebody_tidies_the_folder_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    reading = DisposableReading("hostile_reader:read", (HOSTILE,))
    try:
        assert isinstance(parse(reading, source(tmp_path, "be nice"), LIMITS), Evidence)
        for folder in (tmp_path / "temporary").iterdir():
            shutil.rmtree(folder)
        assert isinstance(parse(reading, source(tmp_path, "be nice"), LIMITS), Evidence)
        (folder,) = (tmp_path / "temporary").iterdir()
        # "root" is what the fork server's own file system is mounted on, where the host allows one.
        assert [path for path in folder.iterdir() if path.name != "root"] == [], "no child leaves anything"
    finally:
        reading.close()
    assert list((tmp_path / "temporary").iterdir()) == []


def test_nothing_is_read_after_the_end(tmp_path: Path) -> None:
    reading = DisposableReading("hostile_reader:read", (HOSTILE,))
    reading.close()
    assert isinstance(parse(reading, source(tmp_path, "be nice"), LIMITS), Failure)
