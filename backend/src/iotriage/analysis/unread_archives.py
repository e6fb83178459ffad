"""Archives and mails of a case that held nothing readable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.document.sources import SourceReport
from iotriage.analysis.inputs import INSIDE
from iotriage.metrics.core.listing import first_named
from iotriage_parsers.frozen import frozen

MOST_NAMED = 3
"""Number of files named for one reason."""
MOST_REASONS = 5


@frozen
class UnreadArchive:
    """Why nothing in it could be read, and what to do."""

    message: str
    next_step: str | None


def unread_archives(document: CaseDocument) -> Mapping[int, UnreadArchive]:
    """By the archive's index among the files given. An archive in which a file was read, or that is of another job, is
    not listed: each of its files reports its own result."""
    by_archive = groupby((s for s in document.sources if s.member is not None), lambda source: source.given)
    members = {given: tuple(files) for given, files in by_archive}
    return {given: _unread(files) for given, files in members.items() if all(f.status == "failed" for f in files)}


def _unread(files: Sequence[SourceReport]) -> UnreadArchive:
    by_reason: dict[str, list[str]] = {}
    for file in files:
        by_reason.setdefault(file.failure or "could not be read", []).append(file.name.rpartition(INSIDE)[2])
    said = [f"{first_named(names, MOST_NAMED)}: {reason.rstrip('.')}" for reason, names in by_reason.items()]
    rest = sum(len(names) for names in list(by_reason.values())[MOST_REASONS:])
    more = [f"and {rest} more"] if rest else []
    steps = dict.fromkeys(file.next_step for file in files if file.next_step)
    return UnreadArchive(
        f"nothing in it could be read: {'; '.join([*said[:MOST_REASONS], *more])}", " ".join(steps) or None
    )
