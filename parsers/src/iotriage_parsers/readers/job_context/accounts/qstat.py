"""`qstat -f` and `qstat -xf` of PBS and Torque: "Job Id: …", then an indented `key = value` a line; what is longer than
a line goes on behind a tab.

`nodect` counts chunks, of which a node may have several, so the nodes are those of `exec_host`.
"""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.evidence import JobContext, Lines, Problem
from iotriage_parsers.readers.job_context.directives import pbs_chunks
from iotriage_parsers.readers.job_context.figures import RequestedFields, from_ctime, pbs_seconds
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.endings import AT_ITS_LIMIT, LOST, OUT_OF_MEMORY, end_of
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.numbers import whole

QSTAT_FIRST: Final = r"Job Id:[ \t]{1,8}\d{1,12}(?:\[\d{0,9}\])?(?:\.[\w.-]{1,200})?\s*$"

_FIRST: Final = re.compile(r"Job Id:[ \t]{1,8}(\d{1,12}(?:\[\d{0,9}\])?)(?:\.([\w-]{1,200}))?")
_PAIR: Final = re.compile(r"([A-Za-z][\w.]{1,60}) = (.*)")
_FIELDS: Final = {
    "Job_Name": "job_name",
    "resources_used.walltime": "elapsed_s",
    "Resource_List.walltime": "time_limit_s",
    "queue": "partition",
    "Account_Name": "account",
    "project": "account",
    "job_state": "state",
    "stime": "start_local",
    "start_time": "start_local",
    "obittime": "end_local",
    "comp_time": "end_local",
}
_GATHERED: Final = frozenset(
    ("exec_host", "Resource_List.select", "Resource_List.nodes", "Variable_List", "Exit_status", "exit_status")
)
_NAMELESS: Final = frozenset(("", "_pbs_project_default"))
_WORK_DIR: Final = re.compile(r"(?:^|,)PBS_O_WORKDIR=(/[^,]{1,4096})")
_STATES: Final = {
    "B": "RUNNING", "R": "RUNNING", "U": "SUSPENDED", "S": "SUSPENDED", "E": "COMPLETING", "H": "PENDING",
    "M": "PENDING", "Q": "PENDING", "T": "PENDING", "W": "PENDING",
}  # fmt: skip
"""As Slurm names what they mean; of an ended job (F, X, in Torque C) the exit status tells more."""
_KILLED: Final = {
    -25: "was killed for its use of processors",
    -26: OUT_OF_MEMORY,
    -27: OUT_OF_MEMORY,
    -28: "was killed for its use of processor time",
    -29: AT_ITS_LIMIT,
}
"""PBS's JOB_EXEC_KILL_NCPUS_SUM, _VMEM, _MEM, _CPUT and _WALLTIME."""
_SIGNAL_BASES: Final = (256, 128)
_SIGKILL, _SIGTERM = 9, 15
LONGEST_VALUE: Final = 2**20
LONGEST_NODELIST: Final = 4096


class QstatMachine:
    """Over with the next job, or with an empty line."""

    def __init__(self, line: Line) -> None:
        self._first = self._last = line.number
        self._asked = RequestedFields(scheduler="pbs")
        self._gathered: dict[str, tuple[str, int]] = {}
        self._open: str | None = None
        self._given = False
        found = _FIRST.match(line.text.strip())
        self._asked.keep("job_id", found.group(1) if found else "", line.number)
        self._asked.keep("cluster", (found.group(2) if found else "") or "", line.number)

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if not text or line.number == self._first:
            return LineResult.OVER if not text and self._last > self._first else LineResult.FOREIGN
        if _FIRST.match(text):
            return LineResult.OVER
        pair = _PAIR.fullmatch(text)
        if pair is not None:
            self.give(pair.group(1), pair.group(2).strip(), line.number)
        elif line.text[:1].isspace() and self._last > self._first:
            self._goes_on(text)
        else:
            return LineResult.FOREIGN
        self._last = line.number
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        if not self._given:
            return BlockResult()
        self._gather()
        asked = self._asked
        status = signed(self._text("Exit_status") or self._text("exit_status"))
        context = JobContext(
            source="qstat",
            lines=Lines(self._first, self._last),
            scheduler="pbs",
            job_id=asked.text("job_id"),
            cluster=asked.text("cluster"),
            job_name=asked.text("job_name"),
            start_local=from_ctime(asked.text("start_local")),
            end_local=from_ctime(asked.text("end_local")),
            nnodes=asked.whole("nnodes"),
            ntasks=asked.whole("ntasks"),
            ranks_per_node=asked.whole("ranks_per_node"),
            elapsed_s=pbs_seconds(asked.text("elapsed_s")),
            time_limit_s=pbs_seconds(asked.text("time_limit_s")),
            partition=asked.text("partition"),
            account=asked.text("account"),
            nodelist=asked.text("nodelist"),
            work_dir=asked.text("work_dir"),
            state=state_of(asked.text("state"), status),
            fields=asked.fields,
        )
        ending = ending_of(context, status, self._line("Exit_status") or self._line("exit_status") or self._first)
        return BlockResult((context,), () if ending is None else (ending,))

    def give(self, key: str, value: str, number: int) -> None:
        """Takes an attribute of the job."""
        self._given = True
        self._open = key if key in _GATHERED else None
        if self._open is not None:
            self._gathered.setdefault(key, (value, number))
        elif key in _FIELDS and value not in _NAMELESS:
            self._asked.keep(_FIELDS[key], value, number)

    def _goes_on(self, text: str) -> None:
        if self._open is not None:
            value, number = self._gathered[self._open]
            if len(value) + len(text) <= LONGEST_VALUE:
                self._gathered[self._open] = value + text, number

    def _text(self, key: str) -> str | None:
        return self._gathered[key][0] if key in self._gathered else None

    def _line(self, key: str) -> int | None:
        return self._gathered[key][1] if key in self._gathered else None

    def _gather(self) -> None:
        """The nodes that the job had before those that it asked for."""
        places = (self._text("exec_host") or "").split("+")
        hosts = dict.fromkeys(place.partition("/")[0].strip("(") for place in places if place)
        if hosts:
            number = self._line("exec_host") or self._first
            self._asked.keep("nnodes", str(len(hosts)), number)
            self._asked.keep("nodelist", ",".join(hosts)[:LONGEST_NODELIST], number)
        for key in ("Resource_List.select", "Resource_List.nodes"):
            chunks = self._text(key)
            if chunks is not None:
                pbs_chunks(self._asked, chunks, self._line(key) or self._first)
        directory = _WORK_DIR.search(self._text("Variable_List") or "")
        if directory is not None:
            self._asked.keep("work_dir", directory.group(1), self._line("Variable_List") or self._first)


def signed(text: str | None) -> int | None:
    number = whole((text or "").removeprefix("-"))
    return -number if number is not None and (text or "").startswith("-") else number


def state_of(letter: str | None, status: int | None) -> str | None:
    """As Slurm would name it: of a finished job by its exit status."""
    if letter in _STATES:
        return _STATES[letter]
    if letter is None or status is None:
        return None
    if status == 0:
        return "COMPLETED"
    return "TIMEOUT" if _KILLED.get(status) == AT_ITS_LIMIT else "FAILED"


def ending_of(context: JobContext, status: int | None, line: int) -> Problem | None:
    """How the job ended, by its exit status; that it had not when `qstat` was asked."""
    of = f"job {context.job_id}"
    if context.state in _STATES.values():
        message = f"{of} had not ended when qstat was asked ({context.state}): its times are not whole"
        return Problem("note", message, line=line)
    if not status or context.state is None:
        return None
    how = _how(context, status)
    by = f"qstat (Exit_status = {status})" if context.source == "qstat" else f"its epilogue (exit status {status})"
    return Problem("ended", f"{of} {how}, by {by}: {LOST}", line=line, end=end_of(how, job=context.job_id))


def _how(context: JobContext, status: int) -> str:
    """PBS ends a job at its limit by a signal too, which its own status then is."""
    signals = [status - base for base in _SIGNAL_BASES if status > base]
    if signals and signals[0] in (_SIGKILL, _SIGTERM):
        ran, allowed = context.elapsed_s, context.time_limit_s
        return AT_ITS_LIMIT if ran is not None and allowed is not None and ran >= allowed else "was killed"
    return _KILLED.get(status, "did not run" if status < 0 and not context.elapsed_s else "failed")
