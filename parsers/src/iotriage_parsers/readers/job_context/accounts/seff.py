"""`seff`: what a job of Slurm used of its processors and memory, of which its nodes and its time are kept."""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.evidence import JobContext, Lines, Problem
from iotriage_parsers.evidence.job_context import under_way
from iotriage_parsers.readers.job_context.accounts.ending import ending_problem
from iotriage_parsers.readers.job_context.figures import RequestedFields, clock_seconds
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line

SEFF_FIRST: Final = r"Job ID: \d{1,12}(?:\s*$|\s+#)"

_OF_PERL: Final = re.compile(r"Use of uninitialized value | at \S+ line \d+[.,]")
_FIRST: Final = re.compile(SEFF_FIRST)
_PAIR: Final = re.compile(r"([A-Z][\w/ -]{1,40}): (.*)")
_FIELDS: Final = {
    "Job ID": "job_id_raw",
    "Array Job ID": "job_id",
    "Cluster": "cluster",
    "State": "state",
    "Nodes": "nnodes",
    "Job Wall-clock time": "elapsed_s",
}
_REMARK: Final = re.compile(r"\s{2,}\S.*|\s+#.*")
"""What somebody who shows the job wrote behind a figure."""
_OTHERS: Final = frozenset(
    ("User/Group", "Cores", "Cores per node", "CPU Utilized", "CPU Efficiency", "Memory Utilized", "Memory Efficiency")
)


class SeffMachine:
    """Over with an empty line, the next job, or what is none of its lines and no warning of Perl's, which stand among
    them."""

    def __init__(self, line: Line) -> None:
        self._first = self._last = line.number
        self._asked = RequestedFields(scheduler="slurm")
        self._take(line)

    def feed(self, line: Line) -> LineResult:
        if line.number == self._first:
            return LineResult.TAKEN
        text = line.text.strip()
        if not text or _FIRST.match(text):
            return LineResult.OVER
        if not self._take(line):
            return LineResult.FOREIGN if _OF_PERL.search(text) else LineResult.OVER
        self._last = line.number
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        asked = self._asked
        if self._last == self._first:
            return BlockResult()
        job_id = asked.text("job_id") or asked.text("job_id_raw")
        state = asked.text("state")
        context = JobContext(
            source="seff",
            lines=Lines(self._first, self._last),
            scheduler="slurm",
            job_id=job_id,
            job_id_raw=asked.text("job_id_raw"),
            cluster=asked.text("cluster"),
            nnodes=asked.whole("nnodes"),
            elapsed_s=clock_seconds(asked.text("elapsed_s")),
            state=state,
            fields=asked.fields,
        )
        return BlockResult((context,), self._under_way(job_id or "", state))

    def _under_way(self, job_id: str, state: str | None) -> tuple[Problem, ...]:
        """How an ended job ended is told of the whole text (`iotriage_parsers.text.endings`)."""
        note = ending_problem("seff", job_id, state, (), self._first) if under_way(state) else None
        return () if note is None else (note,)

    def _take(self, line: Line) -> bool:
        pair = _PAIR.fullmatch(line.text.strip())
        if pair is None or pair.group(1) not in {*_FIELDS, *_OTHERS}:
            return False
        name = _FIELDS.get(pair.group(1))
        if name is not None:
            value = _REMARK.sub("", pair.group(2).strip())
            self._asked.keep(name, value.partition(" ")[0] if name == "state" else value, line.number)
        return True
