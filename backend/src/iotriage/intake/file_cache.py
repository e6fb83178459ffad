"""The lists of all files kept in memory: a person filters, sorts and pages the same one again and again."""

from __future__ import annotations

from collections.abc import Sequence

from iotriage.analysis.views.file_list import FileList, file_list
from iotriage.intake.cache import Kept
from iotriage.intake.evidence_cache import KeptEvidence
from iotriage.store.cases import SourceInCase

LARGEST_KEPT_FILES = 2_000_000
"""Files in all lists together: some 500 MB of paths and columns."""


class KeptFiles:
    """The lists asked for last, by the sources that they were made from."""

    def __init__(self, evidence: KeptEvidence, capacity_files: int = LARGEST_KEPT_FILES) -> None:
        self._evidence = evidence
        self._kept: Kept[tuple[str, ...], FileList] = Kept(capacity_files, len)

    def files(self, sources: Sequence[SourceInCase]) -> FileList:
        """All files of the case with these sources."""
        key = tuple(s.sha256 for s in sources)
        return self._kept.value(key, lambda: file_list(self._evidence.all_given(sources)))
