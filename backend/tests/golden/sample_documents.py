"""What the program of today says about a sample: the case document, cut down."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from digest import evidence_digest, findings_digest, lines_of, metrics_digest, text_of
from samples import Case, cases

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.detect import read


@cache
def sources_of(paths: tuple[Path, ...]) -> tuple[ReadSource, ...]:
    """The sources as the command line gives them to the diagnosis; read once a process, since nothing changes them."""
    given = []
    for path in paths:
        with path.open("rb") as source:
            digest = hashlib.file_digest(source, "sha256").hexdigest()
            given.append(ReadSource(path.name, digest, path.stat().st_size, read(source)))
    return tuple(given)


@cache
def document_of(paths: tuple[Path, ...]) -> CaseDocument:
    """The document of a case of these sources."""
    return diagnose(sources_of(paths), None)


def current_golden_files(case: Case) -> dict[str, str]:
    """The texts of the three golden files by name."""
    given = sources_of(case.sources)
    document = document_of(case.sources)
    return {
        "evidence.json": text_of({source.name: evidence_digest(source.outcome) for source in given}),
        "metrics.json": lines_of(metrics_digest(document)),
        "findings.json": text_of(findings_digest(document)),
    }


def document_named(name: str) -> CaseDocument:
    """Of the sample in the folder of this name, whatever its format."""
    return document_of(next(c.sources for c in cases() if c.name == name))
