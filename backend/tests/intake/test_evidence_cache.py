"""What was read is read once while it is kept, and again when room was needed for something else."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from iotriage.intake.disposable import DisposableReading
from iotriage.intake.evidence_cache import EvidenceCache
from iotriage.intake.reading import ReadingLimits
from iotriage.store.sources import SourceFolder
from iotriage_parsers import detect
from iotriage_parsers.evidence import Evidence, Failure
from iotriage_parsers.reader import Limits

SAMPLES = Path(__file__).parents[3] / "sample-logs/darshan_log"


class CountedReading(DisposableReading):
    """Reads in this process and counts how often."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def parse(self, source: Path, limits: ReadingLimits) -> Evidence | Failure:
        self.count += 1
        with source.open("rb") as stream:
            return detect.read(stream, Limits())


def _stored(folder: SourceFolder, case: str) -> str:
    log = next((SAMPLES / case).glob("*.darshan"))
    folder.prepare()
    with folder.arrival() as arrival:
        arrival.write(log.read_bytes())
        sha256 = arrival.sealed()
        folder.place(arrival.path, sha256)
    return sha256


def test_reads_once_also_for_several_who_ask_at_once(tmp_path: Path) -> None:
    folder, reading = SourceFolder(tmp_path, 1 << 30), CountedReading()
    cache = EvidenceCache(folder, reading, ReadingLimits())
    sha256 = _stored(folder, "02-fpp-posix")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: cache.evidence(sha256), range(8)))
    assert reading.count == 1
    assert all(f is found[0] for f in found)


def test_lets_go_of_what_was_used_longest_ago(tmp_path: Path) -> None:
    folder, reading = SourceFolder(tmp_path, 1 << 30), CountedReading()
    first, second = _stored(folder, "02-fpp-posix"), _stored(folder, "05-shared-indep-1m-aligned")
    cache = EvidenceCache(folder, reading, ReadingLimits(), capacity_bytes=1)
    for sha256 in (first, first, second, first):
        cache.evidence(sha256)
    assert reading.count == 3


def test_a_failure_is_asked_for_again(tmp_path: Path) -> None:
    folder, reading = SourceFolder(tmp_path, 1 << 30), CountedReading()
    folder.prepare()
    cache = EvidenceCache(folder, reading, ReadingLimits())
    assert isinstance(cache.evidence("0" * 64), Failure)
    assert isinstance(cache.evidence("0" * 64), Failure)
