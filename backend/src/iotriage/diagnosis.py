"""IOtriage in Python: `iotriage.diagnose("job.darshan")` answers a `Diagnosis`, which shows itself in a notebook."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from iotriage.analysis.document import CaseDocument, Finding
from iotriage.analysis.engine import diagnose as diagnosed
from iotriage.analysis.inputs import ReadSource, name_of, unpack_archives
from iotriage.analysis.packed_metrics import unpack_metrics
from iotriage.digests import with_digests
from iotriage.reports.escaping import escape_html
from iotriage.reports.plain_json import as_json
from iotriage.sites import all_sites
from iotriage_parsers.detect import read_or_unpack
from iotriage_parsers.evidence import Failure
from iotriage_parsers.reader import Limits

if TYPE_CHECKING:
    from pandas import DataFrame

_CELL = "text-align: left; vertical-align: top; padding: 0.2em 0.8em 0.2em 0"


@runtime_checkable
class Report(Protocol):
    """A `darshan.DarshanReport`: what it has read is not used, but the log that it names."""

    filename: str | PathLike[str] | None


class Diagnosis:
    """What is wrong with the I/O of one job. `document` has everything (`iotriage.analysis.document.CaseDocument`)."""

    def __init__(self, document: CaseDocument) -> None:
        self.document = document

    @property
    def headline(self) -> str:
        """The cause in one sentence, or that there is none."""
        return self.document.headline.sentence

    @property
    def findings(self) -> DataFrame:
        """A row for each finding, in the document's order. ImportError without pandas."""
        rows = [
            (f.rule, f.verdict, f.severity, f.scope.label, f.explained_by, f.headline, f.summary)
            for f in self.document.findings
        ]
        return _frame(rows, ["rule", "verdict", "severity", "scope", "explained_by", "headline", "summary"])

    @property
    def metrics(self) -> DataFrame:
        """A row for each metric of the whole job, by its id; `value` is None where it is absent, and `reason` says why.
        ImportError without pandas."""
        metrics = unpack_metrics(self.document.metrics, self.document)
        rows = [(m.value, m.unit, m.title, m.reason) for m in metrics.values()]
        shown = _frame(rows, ["value", "unit", "title", "reason"])
        shown.index = list(metrics)
        return shown.rename_axis("metric")

    def to_json(self) -> str:
        """The document as `iotriage diagnose --format json` prints it."""
        return as_json(self.document)

    def __repr__(self) -> str:
        return f"<Diagnosis: {self.headline}>"

    def _repr_html_(self) -> str:
        """The headline, what to type, and the findings that are triggered; it refers to nothing outside itself."""
        return "".join(_html(self.document))


def diagnose(*sources: str | PathLike[str] | Report, site: str | None = None) -> Diagnosis:
    """The diagnosis of one job. `sources` are paths of its logs and texts, or a `darshan.DarshanReport`; `site` is the
    id of a profile, detected where it is None. OSError where a file cannot be opened; ValueError where there is none,
    nothing could be read of any, a report names no file, or the site is not known."""
    if not sources:
        raise ValueError("give the path of at least one source")
    if site is not None and site not in all_sites():
        raise ValueError(f"unknown site {site!r}; known: {', '.join(all_sites())}")
    given = [source_at(_path(source)) for source in sources]
    unpacked = unpack_archives(given)
    failures = [f"{one.name}: {one.outcome.message}" for one in unpacked if isinstance(one.outcome, Failure)]
    if len(failures) == len(unpacked):
        raise ValueError(f"nothing could be read: {'; '.join(failures)}")
    return Diagnosis(with_digests(diagnosed(given, site)))


def source_at(path: Path) -> ReadSource:
    """The file read, or the reason why it could not be; OSError where it cannot be opened."""
    with path.open("rb") as opened:
        # A pipe, as a shell's <(…), is read once.
        stream = opened if opened.seekable() else io.BytesIO(opened.read())
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        size = stream.seek(0, os.SEEK_END)
        stream.seek(0)
        return ReadSource(name_of(path.name), digest, size, read_or_unpack(stream, Limits()))


def _path(source: str | PathLike[str] | Report) -> Path:
    if isinstance(source, str | PathLike):
        return Path(source)
    if not isinstance(source, Report):
        given = type(source).__name__
        raise TypeError(f"{given}: give a path, or a darshan.DarshanReport; of a list, diagnose(*paths)")
    if not source.filename:
        raise ValueError("the DarshanReport names no file: give the path of the log")
    return Path(source.filename)


def _html(document: CaseDocument) -> Iterator[str]:
    headline = document.headline
    yield f"<div><p><strong>{escape_html(headline.sentence)}</strong></p>"
    if headline.figure is not None:
        yield f"<p>{escape_html(headline.figure)}</p>"
    if headline.to_do is not None:
        yield f"<p>{escape_html(headline.to_do)}</p>"
    if headline.command is not None:
        lines = "\n".join(escape_html(line) for line in headline.command.splitlines())
        yield f"<pre>{lines}</pre>"
    triggered = [f for f in document.findings if f.verdict == "triggered"]
    if triggered:
        heads = "".join(f'<th style="{_CELL}">{name}</th>' for name in ("Severity", "Finding", "Where", "Rule"))
        yield f"<table><thead><tr>{heads}</tr></thead><tbody>"
        yield from (_row(finding) for finding in triggered)
        yield "</tbody></table>"
    yield "</div>"


def _row(finding: Finding) -> str:
    cells = (finding.severity, finding.headline or finding.title, finding.scope.label, finding.rule)
    shown = "".join(f'<td style="{_CELL}">{escape_html(cell)}</td>' for cell in cells)
    return f"<tr>{shown}</tr>"


def _frame(rows: Sequence[tuple[object, ...]], columns: Sequence[str]) -> DataFrame:
    try:
        import pandas
    except ImportError as missing:
        raise ImportError("DataFrames need pandas: pip install 'iotriage[pydarshan]' brings it") from missing
    return pandas.DataFrame(rows, columns=columns, dtype=object)
