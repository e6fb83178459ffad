"""The command line that starts the program again, how often an experiment starts it, and the cost of that."""

from __future__ import annotations

import re
from collections.abc import Sequence

from iotriage.analysis.document import JobFacts, TextEvidence
from iotriage.analysis.document.next_run import LaunchLine
from iotriage.analysis.job_settings import JobSettings
from iotriage.metrics.core.missing_evidence import DARSHAN, ENVIRONMENT, EVIDENCE, HINTS, TIMERS
from iotriage.metrics.core.selection import base_name
from iotriage.metrics.core.text_statements import largest_launch
from iotriage.metrics.tables.files.names import stands_for_name
from iotriage.rules.core.action import FillIn
from iotriage.rules.core.commands import argument, place
from iotriage.rules.core.words import hours, plural, printable, seconds
from iotriage.sites.launcher import per_node_option, started
from iotriage.sites.site import Site
from iotriage_parsers.evidence import JobContext, Launch
from iotriage_parsers.evidence.job_context import Launcher, Scheduler
from iotriage_parsers.frozen import frozen

REPEATS = 3
LONG_S = 3600.0
LARGE_PROCESS_HOURS = 1000.0
"""Process-hours of a run from which each variant runs only once; whether to spend more is the person's decision."""

_HARMLESS = re.compile(r"[\w \t./:=,@%+\"{}$*\[\]-]+")
"""A launch line of the job's script is repeated only if it consists of these: no second command, no substitution."""

_WORD = r'(?:[\w./%+:=,@${}-]+|"[\w ./%+:=,@${}-]+")'
_OUTPUT = re.compile(rf"\s*(?:\d?>&\d|[\d&]?>>?\s*{_WORD}|\|&?\s*tee(?:\s+-a)?\s+{_WORD})\s*$", re.ASCII)
"""Where such a line ends by saying where its output goes: an experiment keeps that of each run by itself."""

_OF_SCHEDULER: dict[Scheduler, Launcher] = {"slurm": "srun", "cobalt": "aprun", "pbs": "mpiexec", "flux": "flux"}


@frozen
class ProofLines:
    """The lines that have a run leave behind what shows whether a finding is gone, whether its Darshan log is one, and
    what to mind."""

    lines: tuple[str, ...] = ()
    one_log: bool = True
    remarks: tuple[str, ...] = ()


A_LOG_EACH = "Each process leaves a log in Darshan's own folder: put those of a run into its directory."
WITH_CRAYPAT = "Without Darshan: CrayPAT, with which the program is instrumented, takes the same calls."
OF_BASH = "This is for bash: beside a job script of csh, in a file of its own that it starts with bash."
FROM_MEMORY = (
    "What one run reads, the next may find in the memory of the nodes: where that can be, start each in a job of its "
    "own."
)


def proof_lines(own: JobSettings) -> ProofLines:
    """What a run like this can leave behind. An interpreter starts other programs, which would have the name of its
    log."""
    printed = [key for key in (ENVIRONMENT, HINTS, TIMERS) if key not in own.irrelevant()]
    lines = list(dict.fromkeys(line for key in printed for line in EVIDENCE[key].lines))
    remarks = [*([OF_BASH] if own.of_csh else []), *([FROM_MEMORY] if own.reads else [])]
    if own.instrumented:
        return ProofLines(tuple(lines), one_log=False, remarks=(*remarks, WITH_CRAYPAT))
    if DARSHAN in own.irrelevant():
        return ProofLines(tuple(lines), one_log=False, remarks=tuple(remarks))
    lines += own.lines_of_darshan()
    several = own.separate or (own.processes == 1 and own.interpreter is not None)
    return ProofLines(tuple(lines), not several, (*remarks, A_LOG_EACH) if several else tuple(remarks))


_NOTHING = ProofLines()


def launch_line(job: JobFacts, texts: Sequence[TextEvidence], site: Site, shown: ProofLines = _NOTHING) -> LaunchLine:
    """The job's own, unless it could do anything else: then one for its program and size, by the launcher of its
    script, of its site or of its scheduler. A program of one process is started as it is."""
    contexts = [t.part for t in texts if isinstance(t.part, JobContext)]
    started_by = _launch_of(contexts, job)
    own = "" if started_by is None else _without_output(started_by.text)
    harmless = started_by is not None and _HARMLESS.fullmatch(own) is not None
    if started_by is not None and harmless:
        line = _Line(" ".join(printable(own).split()), started_by.program_word)
    else:
        line = _line_for(job, started_by, contexts, site)
    changed = _changed(line.text, line.program)
    repeats = 1 if _is_costly(job) else REPEATS
    return LaunchLine(
        text=_asking_for_variables(line.text) if harmless else line.text,
        own=harmless,
        showing=shown.lines,
        repeats=repeats,
        cost=cost_of(job, 2 * repeats),
        changed=_asking_for_variables(changed) if changed is not None and harmless else changed,
        one_log=shown.one_log,
        remarks=shown.remarks,
        program=line.program,
    )


def _launch_of(contexts: Sequence[JobContext], job: JobFacts) -> Launch | None:
    """That of the job's program, in its size where one is, and not what prepares for it or comes after; else the
    largest."""
    name = base_name(job.executable or (job.command_line or "").partition(" ")[0])
    launches = [(context, launch) for context in contexts for launch in context.launches]
    of_program = [(c, x) for c, x in launches if name and x.program is not None and base_name(x.program) == name]
    of_size = [(c, x) for c, x in of_program if (c.ranks_of(x) or c.asked_ranks) == job.nprocs]
    found = of_size or of_program
    if found:
        return found[0][1]
    return next((largest for context in contexts if (largest := largest_launch(context)) is not None), None)


_VARIABLE = re.compile(r"\$(?:\{(\w+)(\[[@*]\])?\}|([A-Za-z_]\w*|\d)|([@*]))", re.ASCII)
_OF_THE_JOB = re.compile(
    r"(?:SLURM|PBS|LSB|LS|PJM|FLUX|COBALT|BRIDGE|DW|OMPI|PMI|PALS|CRAY|MPICH)_\w+"
    r"|HOME|USER|LOGNAME|PWD|HOSTNAME|PATH|TMPDIR|[CP]?SCRATCH|PROJWORK|MEMBERWORK"
)
"""Variables that a job has by itself. Those that a script may set as well as a centre, as WORKDIR, are asked for: who
has them is not asked."""


def _asking_for_variables(text: str) -> str:
    """The line in a script of its own: what the job's script sets, loops over or was called with is asked for."""
    return _VARIABLE.sub(_asked, text)


def _asked(found: re.Match[str]) -> str:
    name = found[1] or found[3] or found[4]
    if name in "@*":
        return "${ARGUMENTS[@]:?what the script was called with, as ARGUMENTS=(a b)}"
    if name.isdigit():
        return f"${{ARGUMENT_{name}:?what the script was called with}}"
    return found[0] if _OF_THE_JOB.fullmatch(name) else f"${{{name}{found[2] or ''}:?as the script of the job sets it}}"


@frozen
class _Line:
    """A line that starts a program, and the word in it that names the program."""

    text: str
    program: str | None


def _line_for(job: JobFacts, started_by: Launch | None, contexts: Sequence[JobContext], site: Site) -> _Line:
    """One for the job's program and size, by the launcher that started it."""
    launches = [launch for context in contexts for launch in context.launches]
    launcher = next((launch.launcher for launch in (started_by, *launches) if launch is not None), site.launcher)
    scheduler = next((context.scheduler for context in contexts if context.scheduler is not None), None)
    if launcher is None and scheduler is not None:
        launcher = _OF_SCHEDULER.get(scheduler)
    # Darshan joins the words with blanks: what the shell had taken off is not there, and what is there belongs to it.
    words = (job.command_line or "").split()
    known = bool(words) and not stands_for_name(words[0])
    named = argument(words[0]) if known else "./your-program"
    program = " ".join((named, *(argument(word) for word in words[1:]))) if known else named
    if job.nprocs != 1:
        by = launcher or "mpiexec"
        program = " ".join((*started(by, job.nprocs, job.nnodes, per_node_option(site, by)), program))
    return _Line(program, named)


_CHANGED = FillIn("CHANGED_PROGRAM", "the whole path of the program that was built with this change")


def _changed(text: str, program: str | None) -> str | None:
    """The line with the changed program in the place of the program, where that is one word of it."""
    words = [] if program is None else text.split(" ")
    if program is None or words.count(program) != 1:
        return None
    return " ".join(place(_CHANGED) if word == program else word for word in words)


def _without_output(text: str) -> str:
    left = _OUTPUT.sub("", text)
    return text if left == text else _without_output(left)


def _is_costly(job: JobFacts) -> bool:
    runtime = job.runtime_s or 0.0
    return runtime >= LONG_S or runtime * (job.nprocs or 1) >= LARGE_PROCESS_HOURS * 3600


def cost_of(job: JobFacts, runs: int) -> str | None:
    """What so many runs like this one take; None where its run time is not known."""
    if job.runtime_s is None:
        return None
    whole = runs * job.runtime_s / 3600
    of = f"{plural(runs, 'run')} of {seconds(job.runtime_s)}"
    if job.nnodes is not None:
        return f"{of} on {plural(job.nnodes, 'node')}: {hours(whole * job.nnodes, 'node')}"
    if job.nprocs is not None:
        return f"{of} with {plural(job.nprocs, 'process', 'processes')}: {hours(whole * job.nprocs, 'process')}"
    return of
