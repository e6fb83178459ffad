"""What schedulers mail of a job that has ended: Slurm in the subject alone, PBS and LSF in a few lines.

LSF prints the same behind a job's output that it keeps in a file; the script, and the output where it is mailed, stand
between its lines. Its processes and threads are those of the job and not its ranks; memory is not kept.
"""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.evidence import JobContext, Lines, Problem
from iotriage_parsers.readers.job_context.accounts.ending import ending_problem
from iotriage_parsers.readers.job_context.accounts.qstat import ending_of, signed, state_of
from iotriage_parsers.readers.job_context.figures import RequestedFields, clock_seconds, from_ctime
from iotriage_parsers.text.blocks import BlockResult, LineResult, line_finder
from iotriage_parsers.text.lines import Line

_SUBJECT: Final = (
    r"(?:(?:Subject|Betreff|Objet|Asunto|Oggetto|Assunto|Onderwerp|件名)\s?[:\uff1a]\s{0,4})?"
    r"(?:(?:Re|RE|Fwd?|FW|AW|WG|TR|R|I):\s){0,4}"
)
"""As mail programs of several languages name it, and what they put before one that is answered or sent on."""
_SLURM: Final = re.compile(
    _SUBJECT + r"(?:Slurm|SLURM) (?:Array Task )?Job_id=(\d{1,12}(?:_\d{1,9})?)(?: \((\d{1,12})\))? Name=(.{1,200}?)"
    r" (?:Ended|Failed), Run time (\d[\d:-]{4,16}), ([A-Z_]{4,20})(?:,.{0,40})?\s*$"
)
_PBS: Final = re.compile(r"PBS Job Id: (\d{1,12}(?:\[\d{1,9}\])?)\S{0,80}\s*$")
_LSF: Final = re.compile(r"Subject: Job (\d{1,12}(?:\[\d{1,9}\])?): <.{0,400}> in cluster <.{1,80}>")
_LSF_USED: Final = re.compile(r"Resource usage summary:\s*$")
MAIL_FIRST: Final = "|".join(f"(?:{form.pattern})" for form in (_SLURM, _PBS, _LSF, _LSF_USED))

_OF_PBS: Final = re.compile(r"(Job Name: *|Execution terminated|Exit_status=|resources_used\.\w{1,40}=)(.{0,400})")
_FIELDS_OF_PBS: Final = {
    "Job Name:": "job_name",
    "Exit_status=": "state",
    "resources_used.walltime=": "elapsed_s",
}
_FINISHED: Final = "F"
_OF_LSF: Final = re.compile(r"(Started at|Terminated at|Run time :|Turnaround time :) *(.{1,60}?)(?: sec\.)?\s*$")
_FIELDS_OF_LSF: Final = {"Started at": "start_local", "Terminated at": "end_local", "Run time :": "elapsed_s"}
_LAST_OF_LSF: Final = "Turnaround time :"
_INPUT: Final = "# LSBATCH: User input"
_SCRIPT: Final = re.compile(r"(?:bsub\s{1,4}<\s{0,4})?([\w./~${}+-]{1,400})")
_OWN: Final = line_finder(
    rb"Started at|Terminated at|Resource usage|Run time :|Turnaround time :|Subject: |# LSBATCH: User input"
)


class SlurmMailMachine:
    """One line has all."""

    def __init__(self, line: Line, found: re.Match[str]) -> None:
        self._line = line
        self._found = found

    def feed(self, _line: Line) -> LineResult:
        return LineResult.OVER

    def close(self) -> BlockResult:
        number = self._line.number
        if not self._line.ended:
            return BlockResult()
        job_id, raw, name, ran, state = self._found.groups()
        asked = RequestedFields(scheduler="slurm")
        for field, text in (("job_id", job_id), ("job_name", name), ("elapsed_s", ran), ("state", state)):
            asked.keep(field, text, number)
        context = JobContext(
            source="epilogue",
            lines=Lines(number, number),
            scheduler="slurm",
            job_id=job_id,
            job_id_raw=raw,
            job_name=name,
            elapsed_s=clock_seconds(ran),
            state=state,
            fields=asked.fields,
        )
        ending = ending_problem("its mail", job_id, state, (), number)
        return BlockResult((context,), () if ending is None else (ending,))


class PbsMailMachine:
    """Over with what is none of its lines."""

    def __init__(self, line: Line, found: re.Match[str]) -> None:
        self._first = self._last = line.number
        self._asked = RequestedFields(scheduler="pbs")
        self._asked.keep("job_id", found[1], line.number)

    def feed(self, line: Line) -> LineResult:
        if line.number == self._first:
            return LineResult.TAKEN
        text = line.text.strip()
        found = _OF_PBS.fullmatch(text)
        if found is None:
            return LineResult.OVER if text else LineResult.FOREIGN
        name = _FIELDS_OF_PBS.get(found[1].strip())
        if name is not None and line.ended:
            self._asked.keep(name, found[2].strip(), line.number)
        self._last = line.number
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        asked = self._asked
        if asked.text("elapsed_s") is None and asked.text("state") is None:
            return BlockResult()
        status = signed(asked.text("state"))
        context = JobContext(
            source="epilogue",
            lines=Lines(self._first, self._last),
            scheduler="pbs",
            job_id=asked.text("job_id"),
            job_name=asked.text("job_name"),
            elapsed_s=clock_seconds(asked.text("elapsed_s")),
            state=state_of(_FINISHED, status),
            fields=asked.fields,
        )
        line = next((f.line for f in asked.fields if f.name == "state"), self._first)
        ending = ending_of(context, status, line)
        return BlockResult((context,), () if ending is None else (ending,))


class LsfMailMachine:
    """From the subject, or from where what the job used begins, to its last time; how it ended is told of the whole
    text (`iotriage_parsers.text.endings`)."""

    def __init__(self, line: Line, subject: re.Match[str] | None) -> None:
        self._first = self._last = line.number
        self._asked = RequestedFields()
        self._input: int | None = None
        self._script: tuple[str, int] | None = None
        if subject is not None:
            self._asked.keep("job_id", subject[1], line.number)

    def next_own(self, data: bytes, start: int, end: int) -> int:
        return start if self._input is not None else _OWN(data, start, end)

    def feed(self, line: Line) -> LineResult:
        if line.number == self._first:
            return LineResult.TAKEN
        text = line.text.strip()
        if _LSF.match(text):
            return LineResult.OVER
        if self._input is not None:
            script = _SCRIPT.fullmatch(text) if line.number == self._input + 1 else None
            self._script = None if script is None else (script[1], line.number)
        self._input = line.number if text == _INPUT else None
        found = _OF_LSF.match(text)
        if found is None or not line.ended:
            return LineResult.TAKEN if _LSF_USED.match(text) else LineResult.FOREIGN
        label, value = found.groups()
        if label == _LAST_OF_LSF:
            return LineResult.LAST
        self._asked.keep(_FIELDS_OF_LSF[label], value, line.number)
        self._last = line.number
        return LineResult.TAKEN

    def close(self) -> BlockResult:
        asked = self._asked
        ran = asked.text("elapsed_s") or ""
        if not ran.isdecimal() or len(ran) > 9:
            return BlockResult()
        context = JobContext(
            source="epilogue",
            lines=Lines(self._first, self._last),
            scheduler=None,
            job_id=asked.text("job_id"),
            start_local=from_ctime(asked.text("start_local")),
            end_local=from_ctime(asked.text("end_local")),
            elapsed_s=float(ran),
            fields=asked.fields,
        )
        if self._script is None:
            return BlockResult((context,))
        name, number = self._script
        message = (
            f"the script of the job is {name}, which this mail does not show: what it asks for and starts is read there"
        )
        return BlockResult((context,), (Problem("note", message, line=number),))


def mail_machine(line: Line) -> SlurmMailMachine | PbsMailMachine | LsfMailMachine | None:
    """That of the mail which this line begins; None where it begins none."""
    text = line.text.strip()
    if (found := _SLURM.match(text)) is not None:
        return SlurmMailMachine(line, found)
    if (found := _PBS.match(text)) is not None:
        return PbsMailMachine(line, found)
    subject = _LSF.match(text)
    return LsfMailMachine(line, subject) if subject is not None or _LSF_USED.match(text) else None
