"""What PBS prints behind a job's output at NCI (Raijin, Gadi): a table "Resource Usage on …" in two columns, of
what the job asked for and what it used. NCI's help is at https://opus.nci.org.au.

Processors are those of the job and not its ranks; memory and service units are not kept.
"""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.evidence import JobContext, Lines
from iotriage_parsers.readers.job_context.accounts.qstat import ending_of, signed, state_of
from iotriage_parsers.readers.job_context.figures import RequestedFields, clock_seconds
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line

EPILOGUE_FIRST: Final = r"Resource Usage on \d{4}-\d\d-\d\d \d\d:\d\d:\d\d:?\s*$"

_DATE: Final = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)")
_LABEL: Final = re.compile(
    r"(Job Id|Project|Exit Status|Service Units|CPU Time Used|GPU Utilisation|GPU Memory Used"
    r"|(?:NCPUs|NGPUs|Memory|Walltime|JobFS) (?:[Rr]equested|[Uu]sed)):[ \t]{0,40}"
)
_FIELDS: Final = {
    "Job Id": "job_id",
    "Project": "account",
    "Walltime requested": "time_limit_s",
    "Walltime Used": "elapsed_s",
    "Exit Status": "state",
}
_NUMBER: Final = re.compile(r"\d{1,12}(?:\[\d{1,9}\])?")
_STATUS: Final = re.compile(r"-?\d{1,6}")
_FINISHED: Final = "F"


class EpilogueMachine:
    """Over with the rule below it, or with what is none of its lines."""

    def __init__(self, line: Line) -> None:
        self._first = self._last = line.number
        self._asked = RequestedFields(scheduler="pbs")
        date = _DATE.search(line.text)
        self._asked.keep("end_local", f"{date[1]}T{date[2]}" if date else "", line.number)

    def feed(self, line: Line) -> LineResult:
        if line.number == self._first:
            return LineResult.TAKEN
        text = line.text.strip()
        cells = _LABEL.split(text)
        if len(cells) < 2 or cells[0].strip():
            return LineResult.OVER if text else LineResult.FOREIGN
        for label, value in zip(cells[1::2], cells[2::2], strict=True):
            if label in _FIELDS:
                self._asked.keep(_FIELDS[label], value.strip(), line.number)
        self._last = line.number
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        asked = self._asked
        if self._last == self._first:
            return BlockResult()
        status = _first(_STATUS, asked.text("state"))
        context = JobContext(
            source="epilogue",
            lines=Lines(self._first, self._last),
            scheduler="pbs",
            job_id=_first(_NUMBER, asked.text("job_id")),
            end_local=asked.text("end_local"),
            elapsed_s=clock_seconds(asked.text("elapsed_s")),
            time_limit_s=clock_seconds(asked.text("time_limit_s")),
            account=asked.text("account"),
            state=state_of(_FINISHED, signed(status)),
            fields=asked.fields,
        )
        line = next((f.line for f in asked.fields if f.name == "state"), self._first)
        ending = ending_of(context, signed(status), line)
        return BlockResult((context,), () if ending is None else (ending,))


def _first(pattern: re.Pattern[str], text: str | None) -> str | None:
    found = pattern.match(text or "")
    return None if found is None else found[0]
