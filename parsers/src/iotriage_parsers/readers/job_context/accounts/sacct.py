"""`sacct`: a row the job, a row each of its steps; in columns under dashes, or parted by bars (-p, -P), by what
--delimiter says, or by tabs, as spreadsheets and chats give it back; and as a table of Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from iotriage_parsers.evidence import JobContext, JobStep, Lines, Problem
from iotriage_parsers.evidence.job_context import SLURM_STEPS, program_steps
from iotriage_parsers.readers.job_context.accounts.ending import ending_problem
from iotriage_parsers.readers.job_context.figures import RequestedFields, clock_seconds
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.numbers import whole

SACCT_HEADER: Final = r"(?:[A-Z][A-Za-z]{1,20}[ |,;\t]{1,40}){0,4}JobID(?:Raw)?[ |,;\t]"

_PARTED_BY: Final = ("|", "\t", ";", ",")
_FIRST_CELL: Final = re.compile(r"[^\s|;,]*")
_DASHES: Final = re.compile(r"-{2,200}(?: -{2,200}){1,80}")
_DASH: Final = re.compile(r"-+")
_JOB: Final = re.compile(r"(\d{1,12}(?:_\d{1,9}|_\[[^\]]{1,80}\]|\+\d{1,9})?)(?:\.([A-Za-z0-9]{1,20})\+?)?\+?")
_FIELDS: Final = {
    "JobName": "job_name",
    "NNodes": "nnodes",
    "AllocNodes": "nnodes",
    "Elapsed": "elapsed_s",
    "Timelimit": "time_limit_s",
    "Partition": "partition",
    "Account": "account",
    "WorkDir": "work_dir",
    "NodeList": "nodelist",
    "State": "state",
    "NTasks": "ntasks",
    "JobIDRaw": "job_id_raw",
    "Cluster": "cluster",
    "Start": "start_local",
    "End": "end_local",
}
_NO_TIME: Final = frozenset(("Unknown", "None"))
_CUT_STEPS: Final = {name[:n]: name for name in SLURM_STEPS for n in range(3, len(name))}
MOST_ROWS: Final = 20_000
LONGEST_LINE: Final = 8192


@dataclass(slots=True)
class _Job:
    first: int
    row: int
    last: int
    asked: RequestedFields = field(default_factory=RequestedFields)
    steps: list[JobStep] = field(default_factory=list)


class SacctMachine:
    """Reads rows until a second header. Columns are recognised by the dashes, so a header without them is nothing."""

    def __init__(self, line: Line) -> None:
        self._header = line
        header = line.text.strip()
        self._parted_by = next((sign for sign in _PARTED_BY if sign in header), None)
        self._in_markdown = header.startswith("|")
        self._columns = [c.strip() for c in _split(header, self._parted_by)] if self._parted_by else []
        self._spans: list[tuple[int, int]] = []
        self._jobs: dict[str, _Job] = {}
        self._rows = 0
        self._torn: list[int] = []
        self._crossed: list[int] = []

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if not text or len(text) > LONGEST_LINE:
            return LineResult.FOREIGN
        if self._parted_by == "\t" and not self._jobs and _DASHES.fullmatch(text.expandtabs()) is not None:
            # An editor made tabs of the blanks between the columns.
            self._parted_by, self._columns = None, []
            self._header = self._header._replace(text=self._header.text.expandtabs())
        if self._parted_by is None and "\t" in line.text:
            line = line._replace(text=line.text.expandtabs())
            text = line.text.strip()
        if not self._columns:
            return self._dashes(line, text)
        if not self._known:
            return LineResult.OVER
        if re.match(SACCT_HEADER, text[1:].lstrip() if self._in_markdown and text.startswith("|") else text):
            return LineResult.OVER
        cells = self._cells(text[1:] if self._in_markdown and text.startswith("|") else line.text)
        if cells is None and _JOB.fullmatch(_first_cell(text)) and len(self._crossed) < MOST_ROWS:
            self._crossed.append(line.number)
        if cells is None:
            return LineResult.FOREIGN
        row = dict(zip(self._columns, cells, strict=True))
        job = _JOB.fullmatch(row.get("JobID") or row.get("JobIDRaw") or "")
        if job is None:
            return LineResult.FOREIGN
        self._rows += 1
        if self._rows > MOST_ROWS:
            return LineResult.TAKEN
        if not line.ended:
            self._torn.append(line.number)
        self._row(row, job.group(1), job.group(2), line.number)
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        problems = [
            Problem("torn", f"line {n} has no line end: its last figure may be cut", loses_data=False, line=n)
            for n in self._torn
        ]
        if self._rows > MOST_ROWS:
            message = f"{self._rows - MOST_ROWS:,} rows of sacct behind the first {MOST_ROWS:,} were not read"
            problems.append(Problem("limit", message, loses_data=True, line=self._header.number))
        # Further below, what begins with a number may be a program's.
        crossed = self._crossed if self._jobs else [n for n in self._crossed if n == self._header.number + 2]
        if crossed:
            problems += [
                Problem("torn", f"line {n} is a row whose cells cross columns: not read", loses_data=True, line=n)
                for n in crossed
            ]
        problems += [
            ending
            for i, job in self._jobs.items()
            if (ending := ending_problem("sacct", i, job.asked.text("state"), job.steps, job.row)) is not None
        ]
        return BlockResult(tuple(self._context(i, job) for i, job in self._jobs.items()), tuple(problems))

    @property
    def _known(self) -> bool:
        """Whether a column is one of sacct's beside the number of the job."""
        return any(column in _FIELDS and column != "JobIDRaw" for column in self._columns)

    def _dashes(self, line: Line, text: str) -> LineResult:
        if _DASHES.fullmatch(text) is None:
            return LineResult.OVER
        names = self._header.text.split()
        spans = [m.span() for m in _DASH.finditer(line.text)]
        if len(names) != len(spans):
            return LineResult.OVER
        self._columns, self._spans = names, spans
        return LineResult.TAKEN if self._known else LineResult.OVER

    def _cells(self, text: str) -> list[str] | None:
        """The cells of a row, or None where it has not as many as the header."""
        if self._parted_by is not None:
            # A tab at the end has an empty cell behind it.
            cells = [c.strip() for c in text.strip(" \r\n").split(self._parted_by)]
            if len(cells) == len(self._columns) + 1 and not cells[-1]:
                cells.pop()
            return cells if len(cells) == len(self._columns) else None
        gaps = zip((end for _, end in self._spans), (start for start, _ in self._spans[1:]), strict=False)
        if all(not text[end:start].strip() for end, start in gaps) and not text[self._spans[-1][1] :].strip():
            return [text[start:end].strip() for start, end in self._spans]
        words = text.split()
        return words if len(words) == len(self._columns) else _crossing(text.encode(), self._spans)

    def _row(self, row: dict[str, str], job_id: str, step: str | None, number: int) -> None:
        job = self._jobs.setdefault(job_id, _Job(self._header.number, number, number))
        job.last = number
        if step is not None:
            job.steps.append(
                JobStep(
                    _CUT_STEPS.get(step, step),
                    number,
                    name=_whole_text(row.get("JobName")),
                    nnodes=whole(row.get("NNodes") or row.get("AllocNodes")),
                    ntasks=whole(row.get("NTasks")),
                    elapsed_s=clock_seconds(row.get("Elapsed")),
                    state=row.get("State") or None,
                )
            )
            return
        for column, name in _FIELDS.items():
            text = row.get(column, "")
            job.asked.keep(name, "" if text in _NO_TIME else text, number)

    def _context(self, job_id: str, job: _Job) -> JobContext:
        asked = job.asked
        for step in program_steps(job.steps):
            if step.ntasks is not None:
                asked.keep("ntasks", str(step.ntasks), step.line)
        asked.keep("job_id", job_id, job.row)
        return JobContext(
            source="sacct",
            lines=Lines(job.first, job.last),
            scheduler="slurm",
            job_id=job_id,
            job_id_raw=asked.text("job_id_raw"),
            cluster=_whole_text(asked.text("cluster")),
            start_local=_whole_text(asked.text("start_local")),
            end_local=_whole_text(asked.text("end_local")),
            job_name=_whole_text(asked.text("job_name")),
            nnodes=asked.whole("nnodes"),
            ntasks=asked.whole("ntasks"),
            elapsed_s=clock_seconds(asked.text("elapsed_s")),
            time_limit_s=clock_seconds(asked.text("time_limit_s")),
            partition=_whole_text(asked.text("partition")),
            account=_whole_text(asked.text("account")),
            work_dir=_whole_text(asked.text("work_dir")),
            nodelist=_whole_text(asked.text("nodelist")),
            state=asked.text("state"),
            steps=tuple(job.steps),
            fields=asked.fields,
        )


def _split(header: str, sign: str) -> list[str]:
    return header.strip(sign).split(sign)


def _first_cell(text: str) -> str:
    found = _FIRST_CELL.match(text)
    return found.group() if found is not None else ""


def _crossing(text: bytes, spans: Sequence[tuple[int, int]]) -> list[str] | None:
    """The cells of a row of which some are longer than their columns, as times and counts are printed: each pushes what
    follows to the right. sacct pads by bytes, so that letters outside ASCII pull it to the left."""
    cells = []
    shift = 0
    for start, end in spans:
        first, last = start + shift, end + shift
        if first > 0 and text[first - 1 : first].strip():
            return None
        while text[last : last + 1].strip():
            last += 1
        cell = text[first:last].decode("utf-8", "replace").strip()
        if last > end + shift and len(cell.split()) > 1:
            return None
        cells.append(cell)
        shift = last - end
    return None if text[spans[-1][1] + shift :].strip() else cells


def _whole_text(text: str | None) -> str | None:
    """A name, or None where sacct cut it to its column's width and says so with a +."""
    return text if text and not text.endswith("+") else None
