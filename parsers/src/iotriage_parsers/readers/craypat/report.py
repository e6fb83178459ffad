"""From the gathered lines of one report to its evidence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from iotriage_parsers.evidence import Lines, Problem
from iotriage_parsers.evidence.craypat import (
    CrayPatReport,
    PatField,
    PatForm,
    PatIoTable,
    PatLustreFile,
    PatObservation,
    PatProfileRow,
    PatRankTime,
)
from iotriage_parsers.readers.craypat.figures import io_table, is_profile, lustre_files, profile, rank_times
from iotriage_parsers.readers.craypat.header import EXPERIMENT, RANKS, READ_RATE, START, WRITE_RATE, Header, header
from iotriage_parsers.readers.craypat.table import Table
from iotriage_parsers.text.blocks import BlockResult
from iotriage_parsers.text.cut_columns import cut_problem

_WALL_CLOCK: Final = "Wall Clock Time"
_IO_GROUP: Final = "io"
_OF_ONE_RUN: Final = (EXPERIMENT, RANKS, START, "Avg Process Time", READ_RATE, WRITE_RATE)
_MIXED: Final = (
    "lines of two CrayPAT reports are mixed: cannot be separated, so neither the tables of files nor what is stated "
    "twice is used; write the output of each srun to a file of its own"
)


@dataclass(slots=True)
class Advice:
    """An observation as its lines came; `indented` where the first of its text was."""

    title: str
    first: int
    last: int
    indented: bool = False
    text: list[str] = field(default_factory=list)


@dataclass(slots=True)
class ReportParts:
    """The lines of one report, sorted by what they belong to. `torn` are numbers of lines whose value was cut, `widths`
    how wide the lines of the header and of tables are, and `early` is the width of one that lacks its end."""

    first: int
    last: int
    version: str | None = None
    lite: bool = False
    ended: bool = False
    details: bool = False
    fields: list[PatField] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    advice: list[Advice] = field(default_factory=list)
    torn: list[int] = field(default_factory=list)
    traced_groups: tuple[str, ...] | None = None
    refused: int | None = None
    widths: dict[int, int] = field(default_factory=dict)
    early: int | None = None

    @property
    def cut_column(self) -> int | None:
        """The column at which all lines are cut; None where one goes on behind it."""
        return self.early if self.early is not None and self.early == max(self.widths.values()) else None


_WITH_POINT: Final = re.compile(r"\d[.,]\d")


@dataclass(slots=True)
class _Tables:
    """What the tables came to."""

    io: list[PatIoTable] = field(default_factory=list)
    lustre: list[PatLustreFile] = field(default_factory=list)
    times: list[PatRankTime] = field(default_factory=list)
    profile: tuple[PatProfileRow, ...] = ()
    problems: list[Problem] = field(default_factory=list)


def report_of(gathered: ReportParts, pruned: Sequence[str]) -> BlockResult:
    """The report, and what is wrong with it."""
    form = _form(gathered)
    _mark_torn(gathered)
    tables = _tables(gathered.tables)
    twice = _stated_twice(gathered.fields)
    mixed = form == "lite" and (bool(twice) or _tables_twice(tables.io))
    stated, problems = header(_usable(gathered, twice if mixed else frozenset()))
    complete = _complete(form, gathered, tables) and not mixed
    if mixed:
        tables.io.clear()
    absent = _MIXED if mixed else None if tables.io else _why_no_io(form, complete, gathered, pruned)
    report = replace(
        _headed(gathered, form, stated, _average_time(stated, tables.times)),
        complete=complete,
        io_tables=tuple(tables.io),
        io_tables_absent=absent,
        lustre=tuple(tables.lustre),
        rank_times=tuple(tables.times),
        profile=tables.profile,
        pruned_groups=tuple(pruned),
    )
    of_lines = (*_changed(gathered), *problems, *_cut(gathered), *_interleaved(gathered, mixed))
    return BlockResult((report,), (*_own_problems(report, gathered), *of_lines, *tables.problems))


def _headed(gathered: ReportParts, form: PatForm, stated: Header, average: PatRankTime | None) -> CrayPatReport:
    """What the report says besides its tables."""
    return CrayPatReport(
        form=form,
        lines=Lines(gathered.first, gathered.last),
        complete=True,
        version=gathered.version,
        experiment=stated.experiment,
        ranks=stated.ranks,
        ranks_per_node=stated.ranks_per_node,
        nodes=stated.nodes,
        threads_per_rank=stated.threads_per_rank,
        cores_per_socket=stated.cores_per_socket,
        start_time_local=stated.start_time_local,
        host=stated.host,
        executable=stated.executable,
        command_line=stated.command_line,
        process_time_average_s=average.process_time_s if average else None,
        process_time_line=average.line if average else None,
        high_memory_mib=stated.high_memory_mib,
        read_rate_per_rank_stream_mib_s=stated.read_rate,
        write_rate_per_rank_stream_mib_s=stated.write_rate,
        traced_groups=gathered.traced_groups,
        observations=tuple(PatObservation(a.title, "\n".join(a.text), Lines(a.first, a.last)) for a in gathered.advice),
        table_titles=tuple(t.title for t in gathered.tables if t.title),
        fields=tuple(gathered.fields),
    )


def _mark_torn(gathered: ReportParts) -> None:
    """What ends at the column at which lines are cut may go on behind it."""
    column = gathered.cut_column
    for row in (row for table in gathered.tables for row in table.rows if column is not None):
        row.torn = row.torn or gathered.widths.get(row.line) == column


def _usable(gathered: ReportParts, twice: frozenset[str]) -> list[PatField]:
    """The fields of the header whose values are sure to be whole, the report's own, and as CrayPAT printed them."""
    changed = any(table.changed for table in gathered.tables)
    unsure = twice | {f.key for f in gathered.fields if changed and _WITH_POINT.search(f.text)}
    column = gathered.cut_column or 0
    return [f for f in gathered.fields if f.key not in unsure and gathered.widths.get(f.line) != column]


def _cut(gathered: ReportParts) -> Iterator[Problem]:
    if gathered.cut_column is not None:
        left_out = "what ends there is left out, as it may go on behind it"
        yield cut_problem("the CrayPAT report", gathered.cut_column, gathered.first, left_out)


def _interleaved(gathered: ReportParts, mixed: bool) -> Iterator[Problem]:
    if mixed:
        yield Problem("interleaved", _MIXED, loses_data=True, line=gathered.first)


def _changed(gathered: ReportParts) -> Iterator[Problem]:
    lines = [line for table in gathered.tables for line in table.changed]
    if lines:
        others = f" (and {len(lines) - 1:,} more rows)" if len(lines) > 1 else ""
        message = (
            f"line {lines[0]} is a row of CrayPAT whose figures are not as it prints them, with commas for points"
            f"{others}: left out, with the figures of the report's head"
        )
        yield Problem("unrecognised-number", message, loses_data=True, line=lines[0])


def _tables(tables: Sequence[Table]) -> _Tables:
    read = _Tables()
    for table in tables:
        if table.is_lustre and table.rows:
            files, problems = lustre_files(table)
            read.lustre.extend(files)
        elif table.is_io and (table.rows or table.opened or table.broken or table.changed):
            built, problems = io_table(table, table.line)
            read.io.append(built)
        elif table.title.startswith(_WALL_CLOCK) and table.rows:
            times, problems = rank_times(table)
            read.times.extend(times)
        else:
            problems = ()
            if not read.profile and is_profile(table):
                read.profile = profile(table)
        read.problems.extend(problems)
    return read


def _stated_twice(fields: Sequence[PatField]) -> frozenset[str]:
    """The keys, one of a run, that stand there with two values."""
    values = {(f.key, f.text) for f in fields if f.key in _OF_ONE_RUN}
    return frozenset(key for key, count in Counter(key for key, _ in values).items() if count > 1)


def _tables_twice(tables: Sequence[PatIoTable]) -> bool:
    """Whether one direction has two tables, of which perftools-lite prints one."""
    return len({t.direction for t in tables}) < len(tables)


def _form(gathered: ReportParts) -> PatForm:
    experiment = next((f.text for f in gathered.fields if f.key == EXPERIMENT), "")
    if gathered.lite or experiment.startswith("lite"):
        return "lite"
    return "pat_report" if gathered.version is not None or any(f.key == RANKS for f in gathered.fields) else "fragment"


def _complete(form: PatForm, gathered: ReportParts, tables: _Tables) -> bool:
    whole = {"lite": gathered.ended, "pat_report": gathered.details, "fragment": True}[form]
    return whole and not gathered.torn and all(table.complete for table in tables.io)


def _average_time(stated: Header, times: Sequence[PatRankTime]) -> PatRankTime | None:
    """The mean wall time of the ranks: perftools-lite has it in its header, pat_report in a table."""
    if stated.process_time_line is not None:
        return PatRankTime(None, stated.process_time_s, None, stated.process_time_line)
    return next((t for t in times if t.rank is None and t.process_time_s is not None), None)


def _why_no_io(form: PatForm, complete: bool, gathered: ReportParts, pruned: Sequence[str]) -> str:
    if form == "fragment":
        return "this part of a CrayPAT report has no table of file input or output: the report may have them elsewhere"
    if not complete:
        return "the report was cut before its tables of file input and output, if it had any"
    traced = gathered.traced_groups
    if traced and _IO_GROUP not in traced:
        groups = ", ".join(traced)
        return f"I/O tables are absent: only the groups {groups} were traced, not {_IO_GROUP}, so no I/O was recorded"
    below = " Its group IO was below the threshold of the profile." if "IO" in pruned else ""
    return (
        "I/O tables are absent: either the group io was not traced or no file was read or written; this does not say "
        f"that the program did no I/O.{below}"
    )


def _own_problems(report: CrayPatReport, gathered: ReportParts) -> Iterator[Problem]:
    if report.form == "lite" and not gathered.ended:
        message = "the CrayPAT report has no end line: it was cut, and tables may be missing"
        yield Problem("unterminated", message, loses_data=True, line=report.lines.last)
    elif report.form == "pat_report" and not gathered.details:
        message = 'the CrayPAT report has no "Additional details": it was cut, and tables may be missing'
        yield Problem("unterminated", message, loses_data=True, line=report.lines.last)
    elif report.form == "fragment":
        message = "a part of a CrayPAT report without its header: number of ranks, nodes and run time are not known"
        yield Problem("note", message, line=report.lines.first)
    for line in gathered.torn:
        yield Problem("torn", f"line {line} is torn: its value was left out", loses_data=True, line=line)
    if gathered.refused is not None:
        message = f"the report has more tables than are read: those from line {gathered.refused} on were left out"
        yield Problem("limit", message, loses_data=True, line=gathered.refused)
    if report.io_tables_absent not in (None, _MIXED):
        yield Problem("note", report.io_tables_absent, line=report.lines.first)
