"""Evidence kept in memory for a while: the views that show everything ask for the same log again and again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import fields, is_dataclass

import numpy as np

from iotriage.intake.diagnosis import read_source
from iotriage.intake.reading import MIB, ReadingLimits, SourceReading
from iotriage.store.sources import SourceFolder
from iotriage_parsers.evidence import Archive, Evidence, Failure

CAPACITY_BYTES = 768 * MIB


class KeptEvidence:
    """What was read last, up to `capacity_bytes` of arrays; the one used longest ago goes first. Reading a source again
    is always possible, so nothing is lost with it. A `Failure` is not kept."""

    def __init__(
        self, folder: SourceFolder, reading: SourceReading, limits: ReadingLimits, capacity_bytes: int = CAPACITY_BYTES
    ) -> None:
        self._folder = folder
        self._reading = reading
        self._limits = limits
        self._capacity_bytes = capacity_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[Evidence | Archive, int]] = OrderedDict()
        self._being_read: dict[str, threading.Lock] = {}

    def evidence(self, sha256: str, member: int | None = None) -> Evidence | Failure:
        """What the stored source holds, or, of an archive, the file with index `member` in it."""
        return _one_of(self.source(sha256), member)

    def source(self, sha256: str) -> Evidence | Archive | Failure:
        """The stored source, an archive with all that is in it. Of several who ask at once, one reads and the others
        wait for it."""
        with self._lock:
            one_reads = self._being_read.setdefault(sha256, threading.Lock())
        with one_reads:
            found = self._look_up(sha256) or self._read(sha256)
        with self._lock:
            self._being_read.pop(sha256, None)
        return found

    def _read(self, sha256: str) -> Evidence | Archive | Failure:
        found = read_source(self._folder, self._reading, self._limits, sha256)
        if not isinstance(found, Failure):
            self._keep(sha256, found)
        return found

    def _look_up(self, sha256: str) -> Evidence | Archive | None:
        with self._lock:
            if sha256 not in self._kept:
                return None
            self._kept.move_to_end(sha256)
            return self._kept[sha256][0]

    def _keep(self, sha256: str, evidence: Evidence | Archive) -> None:
        size = _array_bytes(evidence)
        with self._lock:
            self._kept[sha256] = (evidence, size)
            while len(self._kept) > 1 and sum(kept for _, kept in self._kept.values()) > self._capacity_bytes:
                self._kept.popitem(last=False)


def _one_of(found: Evidence | Archive | Failure, member: int | None) -> Evidence | Failure:
    if not isinstance(found, Archive):
        return found
    if member is None or not 0 <= member < len(found.members):
        return Failure("unsupported", "an archive is several sources", "Say which of its files is meant.")
    return found.members[member].outcome


def _array_bytes(value: object) -> int:
    """Bytes of the arrays in it; what else there is, is small beside them."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, tuple):
        return sum(map(_array_bytes, value))
    if is_dataclass(value) and not isinstance(value, type):
        return sum(_array_bytes(getattr(value, f.name)) for f in fields(value))
    return 0
