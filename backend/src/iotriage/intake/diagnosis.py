"""From the stored sources of a case to its document."""

from __future__ import annotations

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.given import GivenSource
from iotriage.intake.reading import ReadingLimits, SourceReading
from iotriage.store.cases import Snapshot, SourceInCase
from iotriage.store.sources import SourceFolder
from iotriage_parsers.evidence import Archive, Evidence, Failure

_MISSING = Failure("damaged", "The stored file is gone.", "Upload the file again.")


def read_source(
    folder: SourceFolder, reading: SourceReading, limits: ReadingLimits, sha256: str
) -> Evidence | Archive | Failure:
    """What one stored source holds."""
    path = folder.path(sha256)
    return reading.parse(path, limits) if path.is_file() else _MISSING


def diagnose_snapshot(
    folder: SourceFolder, reading: SourceReading, limits: ReadingLimits, seen: Snapshot, site: str
) -> CaseDocument | None:
    """The document of these sources, read again, for `site`; None where none could be read."""
    outcomes = [read_source(folder, reading, limits, s.sha256) for s in seen.sources]
    return diagnose_outcomes(seen.sources, outcomes, site)


def diagnose_outcomes(
    sources: tuple[SourceInCase, ...],
    outcomes: list[Evidence | Archive | Failure],
    site: str | None,
    default_site: str | None = None,
) -> CaseDocument | None:
    """The document for what was read, or None where every source failed. Without a `site` the evidence decides, and
    where it does not tell, `default_site` holds."""
    if all(isinstance(outcome, Failure) for outcome in outcomes):
        return None
    given = [GivenSource(s.name, s.sha256, s.size_bytes, o) for s, o in zip(sources, outcomes, strict=True)]
    document = diagnose(given, site)
    if default_site is not None and document.site.chosen_by == "default":
        return diagnose(given, default_site)
    return document
