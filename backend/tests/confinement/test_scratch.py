"""The scratch folder of a child: empty when it begins, gone when it has ended, however it ended."""

from __future__ import annotations

from pathlib import Path

from iotriage.boundary.results import decode_result
from iotriage.intake.disposable import DisposableReading
from iotriage.intake.reading import MIB, ReadingLimits
from iotriage_parsers.evidence import Failure

READERS = str(Path(__file__).parent / "readers")
LIMITS = ReadingLimits(memory_bytes=1024 * MIB)
IMPATIENT = ReadingLimits(wall_seconds=0.5, memory_bytes=1024 * MIB)


def test_nothing_of_a_source_is_left_for_the_next(tmp_path: Path) -> None:
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
    assert not Path(first.message).exists()
    assert ended("crash").code == "crashed"
    assert ended("sleep", IMPATIENT).code == "timed-out"
    last = ended("well")
    assert first.next_step == last.next_step == ""
    assert last.message != first.message
    # What all of them stood in has no file of any source.
    assert [path for path in Path(last.message).parent.rglob("*") if path.is_file()] == []
    reading.close()
    assert not Path(last.message).parent.exists()
