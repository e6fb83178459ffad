"""The lists of all files cached in memory: a person filters, sorts and pages the same one again and again."""

from __future__ import annotations

from collections.abc import Sequence

from iotriage.analysis.views.file_list import FileList, file_list
from iotriage.intake.cache import Cache
from iotriage.intake.evidence_cache import EvidenceCache
from iotriage.store.cases import SourceInCase

CAPACITY_FILES = 2_000_000
"""Files in all lists together: some 500 MB of paths and columns."""


class FileListCache:
    """The lists asked for last, by the sources that they were made from."""

    def __init__(self, evidence: EvidenceCache, capacity_files: int = CAPACITY_FILES) -> None:
        self._evidence = evidence
        self._lists: Cache[tuple[str, ...], FileList] = Cache(capacity_files, len)

    def files(self, sources: Sequence[SourceInCase]) -> FileList:
        """All files of the case with these sources."""
        key = tuple(s.sha256 for s in sources)
        return self._lists.value(key, lambda: file_list(self._evidence.inputs(sources)))
