"""CrayPAT's text reports, 6.2 to 23.12: perftools-lite in a job's output, `pat_report`, and what people paste of them.

Known are two layouts of the I/O tables (sums over ranks up to 6.5, averages over the ranks involved from 7.0.2), the
Lustre table of 20.x, wall clock times, the profile's groups and observations. Tables of single ranks (`-s pe=ALL`) and
I/O tables as CSV follow the same grammar as the other tables; no report of others with either has been seen.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Final

from iotriage_parsers.evidence import CrayPatReport, Part, Problem
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.readers.craypat.machine import ANCHORS, begins, start
from iotriage_parsers.text.blocks import BlockReader, BlockResult

_VERBS: Final[tuple[tuple[Direction, str], ...]] = (("read", "read"), ("write", "written"))


def _finish(parts: tuple[Part, ...], _every: tuple[Part, ...]) -> BlockResult:
    """Drops copies: a report states when the run started, and `2>&1 | tee` prints it twice."""
    first: dict[Hashable, CrayPatReport] = {}
    reports: list[CrayPatReport] = []
    problems: list[Problem] = []
    for report in (p for p in parts if isinstance(p, CrayPatReport)):
        content = _content(report)
        if content in first:
            lines, known = report.lines, first[content].lines
            message = (
                f"the CrayPAT report at lines {lines.first}-{lines.last} is the same as that of lines {known.first}-"
                f"{known.last}: counted once"
            )
            problems.append(Problem("duplicate-block", message, line=lines.first))
            continue
        first[content] = report
        reports.append(report)
    return BlockResult(tuple(reports), tuple(problems))


def _content(report: CrayPatReport) -> Hashable:
    """The report without the lines on which it stands."""
    tables = (
        (t.direction, t.columns, tuple((r.file, r.rank, r.texts) for r in (*t.rows, *t.rank_rows)))
        for t in report.io_tables
    )
    return (
        report.version,
        report.form,
        tuple((f.key, f.text) for f in report.fields),
        tuple(tables),
        tuple((f.path, f.stripe_size_bytes, f.stripe_count, f.ost_text) for f in report.lustre),
        tuple((o.title, o.text) for o in report.observations),
        tuple((p.group, p.function, p.percent, p.time_s, p.samples) for p in report.profile),
        report.table_titles,
    )


def _describe(parts: tuple[Part, ...]) -> str | None:
    reports = [p for p in parts if isinstance(p, CrayPatReport)]
    if not reports:
        return None
    versions = " and ".join(dict.fromkeys(r.version for r in reports if r.version is not None))
    name = f"CrayPAT {versions}" if versions else "CrayPAT"
    number = "report" if len(reports) == 1 else f"{len(reports):,} reports"
    if not any(r.io_tables for r in reports):
        return f"{name} {number}: no I/O tables"
    return f"{name} {number}: {', '.join(_files(reports))}"


def _files(reports: list[CrayPatReport]) -> Iterator[str]:
    for direction, verb in _VERBS:
        tables = [t for r in reports for t in r.tables(direction)]
        if tables:
            files = sum(len(t.rows) for t in tables)
            yield f"{files:,} file{'' if files == 1 else 's'} {verb}"


reader: Final = BlockReader(
    id="craypat",
    title="CrayPAT report",
    anchors=ANCHORS,
    begins=begins,
    start=start,
    signs="some",
    describe=_describe,
    finish=_finish,
    precedence=50,
)
