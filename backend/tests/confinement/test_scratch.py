"""The temporary files of a child: so many, empty when it begins, gone when it has ended, however it ended."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from iotriage.boundary.results import decode_result
from iotriage.confinement.scratch import ScratchFolder
from iotriage.intake.disposable import DisposableReading
from iotriage.intake.reading import MIB, ReadingLimits
from iotriage_parsers.evidence import Failure

READERS = str(Path(__file__).parent / "readers")
LIMITS = ReadingLimits(memory_bytes=1024 * MIB)
IMPATIENT = ReadingLimits(wall_seconds=0.5, memory_bytes=1024 * MIB)


def test_nothing_of_a_source_is_left_for_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir(mode=0o755)
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    reading = DisposableReading("leaving_reader:read", (READERS,))

    def ended(how: str, limits: ReadingLimits = LIMITS) -> Failure:
        source = tmp_path / how
        source.write_text(how)
        taken = bytearray()
        failure = reading.read(source, limits, taken.extend)
        found = failure if failure is not None else decode_result(bytes(taken))
        assert isinstance(found, Failure)
        return found

    first = ended("well")
    assert first.message == "b'', no more, none by name"
    assert ended("crash").code == "crashed"
    assert ended("sleep", IMPATIENT).code == "timed-out"
    assert ended("well") == first
    assert [path for path in scratch.rglob("*") if path.is_file()] == []
    reading.close()
    assert list(scratch.iterdir()) == []


def test_what_a_killed_server_left_goes_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    held = ScratchFolder()
    left, others = tmp_path / held.path.with_name("iotriage-scratch-left"), tmp_path / "iotriage-notes"
    for folder in (left, others):
        folder.mkdir()
        (folder / "log").write_text("somebody's")
    (tmp_path / "iotriage-scratch-link").symlink_to(others)
    another = ScratchFolder()
    assert not left.exists()
    assert (others / "log").exists()
    assert held.path.is_dir()
    for folder in (held, another):
        folder.remove()
        assert not folder.path.exists()
