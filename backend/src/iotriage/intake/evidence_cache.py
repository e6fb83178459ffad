"""Evidence cached in memory: the views that show everything ask for the same log again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass

import numpy as np

from iotriage.analysis.inputs import GivenSource
from iotriage.intake.cache import Cache
from iotriage.intake.reading import MIB, ReadingLimits, SourceReading
from iotriage.store.cases import SourceInCase
from iotriage.store.sources import SourceFolder
from iotriage_parsers.evidence import Archive, Evidence, Failure

CAPACITY_BYTES = 768 * MIB

_MISSING = Failure("damaged", "The stored file is gone.", "Upload the file again.")


class EvidenceCache:
    """What was read last, up to `capacity_bytes` of arrays. A `Failure` is not cached."""

    def __init__(
        self, folder: SourceFolder, reading: SourceReading, limits: ReadingLimits, capacity_bytes: int = CAPACITY_BYTES
    ) -> None:
        self._folder = folder
        self._reading = reading
        self._limits = limits
        self._cache: Cache[str, Evidence | Archive | Failure] = Cache(capacity_bytes, _cached_bytes)

    def evidence(self, sha256: str, member: int | None = None) -> Evidence | Failure:
        """What the stored source holds, or, of an archive, the file with index `member` in it."""
        return _one_of(self.source(sha256), member)

    def source(self, sha256: str) -> Evidence | Archive | Failure:
        """The stored source, an archive with all that is in it."""
        return self._cache.value(sha256, lambda: self._read(sha256))

    def input(self, source: SourceInCase) -> GivenSource:
        """The source with what it holds, as a diagnosis starts from it."""
        return GivenSource(source.name, source.sha256, source.size_bytes, self.source(source.sha256))

    def inputs(self, sources: Sequence[SourceInCase]) -> list[GivenSource]:
        return [self.input(source) for source in sources]

    def uncached_input(self, source: SourceInCase) -> GivenSource:
        """The same for whoever reads many sources that nobody looks at: what is cached stays."""
        return GivenSource(source.name, source.sha256, source.size_bytes, self._read(source.sha256))

    def _read(self, sha256: str) -> Evidence | Archive | Failure:
        path = self._folder.path(sha256)
        return self._reading.parse(path, self._limits) if path.is_file() else _MISSING


def _one_of(found: Evidence | Archive | Failure, member: int | None) -> Evidence | Failure:
    if not isinstance(found, Archive):
        return found
    if member is None or not 0 <= member < len(found.members):
        return Failure("unsupported", "an archive is several sources", "Say which of its files is meant.")
    return found.members[member].outcome


def _cached_bytes(found: Evidence | Archive | Failure) -> int | None:
    return None if isinstance(found, Failure) else _array_bytes(found)


def _array_bytes(value: object) -> int:
    """Bytes of the arrays in it; what else there is, is small beside them."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, tuple):
        return sum(map(_array_bytes, value))
    if is_dataclass(value) and not isinstance(value, type):
        return sum(_array_bytes(getattr(value, f.name)) for f in fields(value))
    return 0
