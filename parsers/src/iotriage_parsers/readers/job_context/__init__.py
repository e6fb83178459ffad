"""What surrounds the application: job scripts (Slurm, PBS, Cobalt, LSF, Grid Engine, Flux, Moab, TGCC's ccc_msub,
Fujitsu's pjsub, OAR, LoadLeveler), what sacct, scontrol, squeue (as JSON alone), seff and qstat -f say about the job,
the table of what it used that PBS prints behind its output at NCI, and the mails of Slurm, PBS and LSF; and, behind
statistics of MPI-IO, what `time` prints of the program.

A script is recognised by its directives, or by an export beside a line that launches something: ordinary output that
merely mentions one of them is none, nor is the trace of `set -x` (lines with "+ "). Its variables are filled in where
it writes out what they hold; those of loops and of commands stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from iotriage_parsers.evidence import JobContext, Part
from iotriage_parsers.readers.job_context.accounts.epilogue import EPILOGUE_FIRST, EpilogueMachine
from iotriage_parsers.readers.job_context.accounts.json_accounts import JSON_ANCHORS, JSON_FIRST, JsonAccountsMachine
from iotriage_parsers.readers.job_context.accounts.mails import MAIL_FIRST, mail_machine
from iotriage_parsers.readers.job_context.accounts.qstat import QSTAT_FIRST, QstatMachine
from iotriage_parsers.readers.job_context.accounts.sacct import SACCT_HEADER, SacctMachine
from iotriage_parsers.readers.job_context.accounts.scontrol import SCONTROL_FIRST, ScontrolMachine
from iotriage_parsers.readers.job_context.accounts.seff import SEFF_FIRST, SeffMachine
from iotriage_parsers.readers.job_context.dialects import SCRIPT_FIRST
from iotriage_parsers.readers.job_context.environment import SETTINGS
from iotriage_parsers.readers.job_context.script import ScriptMachine
from iotriage_parsers.readers.job_context.time_output import (
    TIMED_ANCHORS,
    TIMED_FIRST,
    TimedMachine,
    without_other_commands,
)
from iotriage_parsers.readers.job_context.trace import TRACE_ANCHORS, TRACE_FIRST, TraceMachine
from iotriage_parsers.text.blocks import BlockReader, BlockResult, Machine
from iotriage_parsers.text.line_start import at_line_start
from iotriage_parsers.text.lines import Line

_SACCT: Final = re.compile(rf"(?:\|\s{{0,40}})?{SACCT_HEADER}")
_SACCT_IN_MARKDOWN: Final = re.compile(rf"(?:\s{{0,3}}>){{0,20}}\s{{0,3}}\|\s{{0,40}}{SACCT_HEADER}.*\|\s*$")
_SCONTROL: Final = re.compile(SCONTROL_FIRST)
_TRACE: Final = re.compile(TRACE_FIRST)
_FIRST_LINES: Final = (
    TRACE_FIRST,
    SCRIPT_FIRST,
    SCONTROL_FIRST,
    QSTAT_FIRST,
    SEFF_FIRST,
    EPILOGUE_FIRST,
    MAIL_FIRST,
    TIMED_FIRST,
    JSON_FIRST,
)
_begins_without_header: Final = at_line_start(re.compile("|".join(_FIRST_LINES)))
_begins_with_header: Final = at_line_start(re.compile("|".join((*_FIRST_LINES[:2], SACCT_HEADER, *_FIRST_LINES[2:]))))
_WORDS: Final = (
    b"#SBATCH", b"#PBS", b"#COBALT", b"#BSUB", b"#MSUB", b"#PJM", b"#OAR", b"#$ -", b"flux:", b"#!/", b"export ",
    b"FLUX:", b"sbatch -",
    b"JobId=", b"JobID", b"Job Id:", b"Job ID: ", b"Resource Usage on ", b" Job_id=", b"Subject: Job ",
    b"Resource usage summary:",
)  # fmt: skip
_BY_FIRST_LINE: Final[tuple[tuple[re.Pattern[str], Callable[[Line], Machine]], ...]] = (
    (re.compile(QSTAT_FIRST), QstatMachine),
    (re.compile(SEFF_FIRST), SeffMachine),
    (re.compile(EPILOGUE_FIRST), EpilogueMachine),
    (re.compile(TIMED_FIRST), TimedMachine),
    (re.compile(JSON_FIRST), JsonAccountsMachine),
)


def _begins(text: str) -> int | None:
    """A header of sacct may begin at any capital letter, and is looked for where one of its columns is."""
    if "JobID" not in text:
        return _begins_without_header(text)
    return text.index("|") if _SACCT_IN_MARKDOWN.match(text) else _begins_with_header(text)


def _start(line: Line, before: Iterable[Line]) -> Machine:
    text = line.text.strip()
    if _SACCT.match(text):
        return SacctMachine(line)
    if _TRACE.match(text):
        return TraceMachine(line, before)
    for first, machine in _BY_FIRST_LINE:
        if first.match(text):
            return machine(line)
    mail = mail_machine(line)
    if mail is not None:
        return mail
    return ScontrolMachine(line) if _SCONTROL.match(text) else ScriptMachine(line, before)


def _describe(parts: tuple[Part, ...]) -> str | None:
    names = {"script": "job script", "trace": "trace of a script", "output": "the word of the end"} | {
        name: name for name in ("sacct", "scontrol", "seff", "qstat", "epilogue", "time")
    }
    contexts = [p for p in parts if isinstance(p, JobContext) and p.source in names]
    return " and ".join(dict.fromkeys(_named(names[c.source], c.job_id) for c in contexts)) or None


def _named(source: str, job_id: str | None) -> str:
    return source if job_id is None else f"{source} of job {job_id}"


reader: Final = BlockReader(
    id="job_context",
    title="job script or accounting",
    anchors=(*_WORDS, *SETTINGS, *TRACE_ANCHORS, *TIMED_ANCHORS, *JSON_ANCHORS),
    begins=_begins,
    start=_start,
    in_comments=False,
    describe=_describe,
    finish=lambda parts, every: BlockResult(without_other_commands(parts, every)),
    has_rows=False,
    precedence=10,
)
