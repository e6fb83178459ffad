"""The lists of all files kept in memory for a while: a person filters, sorts and pages the same one again and again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

from iotriage.analysis.given import GivenSource
from iotriage.analysis.views.file_list import FileList, file_list
from iotriage.intake.kept import KeptEvidence
from iotriage.store.cases import SourceInCase

LARGEST_KEPT_FILES = 2_000_000
"""Files in all lists together: some 500 MB of paths and columns."""


class KeptFiles:
    """The lists asked for last, by the sources that they were made from; the one used longest ago goes first."""

    def __init__(self, kept: KeptEvidence, capacity_files: int = LARGEST_KEPT_FILES) -> None:
        self._evidence = kept
        self._capacity_files = capacity_files
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, ...], FileList] = OrderedDict()
        self._being_made: dict[tuple[str, ...], threading.Lock] = {}

    def files(self, sources: Sequence[SourceInCase]) -> FileList:
        """All files of the case with these sources. Of several who ask at once, one makes the list."""
        key = tuple(s.sha256 for s in sources)
        with self._lock:
            one_makes = self._being_made.setdefault(key, threading.Lock())
        with one_makes:
            found = self._look_up(key)
            if found is None:
                found = self._keep(key, file_list(self.given(sources)))
        with self._lock:
            self._being_made.pop(key, None)
        return found

    def given(self, sources: Sequence[SourceInCase]) -> list[GivenSource]:
        """What the sources hold, as a diagnosis starts from it."""
        return [GivenSource(s.name, s.sha256, s.size_bytes, self._evidence.source(s.sha256)) for s in sources]

    def _look_up(self, key: tuple[str, ...]) -> FileList | None:
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key]

    def _keep(self, key: tuple[str, ...], files: FileList) -> FileList:
        with self._lock:
            self._kept[key] = files
            while len(self._kept) > 1 and sum(map(len, self._kept.values())) > self._capacity_files:
                self._kept.popitem(last=False)
        return files
