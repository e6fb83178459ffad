"""`scontrol show job`: key=value, several on a line, or all on one (-o)."""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.evidence import JobContext, Lines, Problem
from iotriage_parsers.readers.job_context.accounts.ending import ending_problem
from iotriage_parsers.readers.job_context.figures import RequestedFields, clock_seconds
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line

SCONTROL_FIRST: Final = r"JobId=\d{1,12}(?:_\d{1,9})?\s+(?:ArrayJobId=|JobName=|HetJobId=)"

_KEY: Final = re.compile(r"([A-Z][A-Za-z_/:]{1,40})=")
_FIELDS: Final = {
    "JobId": "job_id",
    "JobName": "job_name",
    "NumNodes": "nnodes",
    "NumTasks": "ntasks",
    "NtasksPerN:B:S:C": "ranks_per_node",
    "RunTime": "elapsed_s",
    "TimeLimit": "time_limit_s",
    "Partition": "partition",
    "Account": "account",
    "WorkDir": "work_dir",
    "NodeList": "nodelist",
    "JobState": "state",
    "StartTime": "start_local",
    "EndTime": "end_local",
}
_NAMELESS: Final = frozenset(("", "(null)", "None", "N/A", "Unknown"))
_LAST_KEYS: Final = frozenset(("WorkDir", "StdOut", "Power"))
LONGEST_LINE: Final = 16_384


class ScontrolMachine:
    """Over with an empty line, or with the next job."""

    def __init__(self, line: Line) -> None:
        self._first = self._last = line.number
        self._asked = RequestedFields()
        self._ended = self._over = False
        self.feed(line)

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if not text:
            self._over = self._ended
            return LineResult.FOREIGN
        if self._over or (text.startswith("JobId=") and line.number != self._first):
            return LineResult.OVER
        if len(text) > LONGEST_LINE or _KEY.match(text) is None:
            return LineResult.FOREIGN
        pairs = _pairs(text)
        for key, value in pairs.items():
            self._ended = self._ended or key in _LAST_KEYS
            if key in _FIELDS and value not in _NAMELESS:
                self._asked.keep(_FIELDS[key], _figure(key, value), line.number)
        self._last = line.number
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        asked = self._asked
        context = JobContext(
            source="scontrol",
            lines=Lines(self._first, self._last),
            scheduler="slurm",
            complete=self._ended,
            job_id=asked.text("job_id"),
            job_name=asked.text("job_name"),
            nnodes=asked.whole("nnodes"),
            ntasks=asked.whole("ntasks"),
            ranks_per_node=asked.whole("ranks_per_node") or None,
            elapsed_s=clock_seconds(asked.text("elapsed_s")),
            time_limit_s=clock_seconds(asked.text("time_limit_s")),
            partition=asked.text("partition"),
            account=asked.text("account"),
            work_dir=asked.text("work_dir"),
            nodelist=asked.text("nodelist"),
            start_local=asked.text("start_local"),
            end_local=asked.text("end_local"),
            state=asked.text("state"),
            fields=asked.fields,
        )
        ending = ending_problem("scontrol", context.job_id or "", context.state, (), self._first)
        problems = () if ending is None else (ending,)
        if self._ended:
            return BlockResult((context,), problems)
        # What is lost says nothing of reads and writes.
        message = f"scontrol's answer at lines {self._first}-{self._last} was cut off"
        cut = Problem("unterminated", message, line=self._first)
        return BlockResult((context,), (cut, *problems))


def _pairs(text: str) -> dict[str, str]:
    """Keys with their values; a value may have blanks, so it goes on up to the next key."""
    pairs: dict[str, str] = {}
    key = ""
    for word in text.split():
        match = _KEY.match(word)
        if match is not None and match.group(1) not in pairs:
            key = match.group(1)
            pairs[key] = word[match.end() :]
        elif key:
            pairs[key] += f" {word}"
    return pairs


def _figure(key: str, value: str) -> str:
    """The figure itself: NumNodes of a waiting job is a range ("2-2"), ranks per node the first of four."""
    if key == "NumNodes":
        low, dash, high = value.partition("-")
        return low if dash and low == high else value
    return value.partition(":")[0] if key.startswith("NtasksPerN") else value
