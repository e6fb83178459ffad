"""What a job already sets, and how its MPI library, its size and its files limit what advice makes sense."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Literal

from iotriage.metrics.core.metric import Value
from iotriage.metrics.core.missing_evidence import (
    DARSHAN,
    ENVIRONMENT,
    HINTS,
    LAYOUT,
    OSTS,
    PLACEMENT,
    STATS,
    SWITCHES,
    TIMERS,
)
from iotriage.metrics.core.registry import outcome
from iotriage.metrics.core.selection import Selection, base_name
from iotriage.metrics.core.text_statements import largest_launches
from iotriage.metrics.job.program import (
    command_lines_with_io,
    has_no_mpiio,
    interpreter,
    programs,
    programs_with_io,
    scripts_with_io,
)
from iotriage.metrics.mpi.library import CRAY_MPICH
from iotriage.metrics.tables.settings import HINT_VARIABLE, patterns_of, variables_among
from iotriage.rules.advice.packages import package_among
from iotriage.rules.advice.packages.package import Package
from iotriage.rules.advice.system_programs import SYSTEM_PROGRAMS
from iotriage.rules.advice.tools import tool_among
from iotriage.rules.advice.tools.tool import Tool
from iotriage.rules.core.action import FileHint
from iotriage.rules.core.commands import line
from iotriage.rules.core.launching import watched_by_darshan
from iotriage.sites.site import Site
from iotriage_parsers.evidence import (
    AggregatorPlacement,
    JobContext,
    MpichEnvironment,
    MpiioHints,
    MpiioTimers,
    Part,
    StripeCommand,
)
from iotriage_parsers.evidence.job_context import Launcher, Scheduler
from iotriage_parsers.frozen import frozen

CRAY_ONLY = (STATS, TIMERS, HINTS, ENVIRONMENT, PLACEMENT)
"""Evidence that only Cray's MPI library prints."""
OF_MPIIO = (STATS, TIMERS, HINTS, PLACEMENT)
"""The evidence that is printed when MPI-IO opens or closes a file."""

MOST_OF_THE_FILES = 0.5
"""Of the files."""


@frozen
class JobSettings:
    """What the job has: its environment as far as sources show it, the hints in it as they were meant, modules that its
    script loads, processes, and its MPI library, None where no source says. `on_lustre` is false where no file system
    of the job can be Lustre, `mpiio` where a log shows that the program did not use it. `unseen_hints` are the
    variables by which the hint string adds to another, whose hints nobody sees; `stripes` what its script gives a file
    or directory last, by its path. `given` is the output of Cray's MPI library that is there already, by its key.
    `interpreter` is what runs the program, where it is none of C or Fortran; `separate` where the ranks are processes
    without MPI that each kept a log; `system_program` where it is one of the system's own, such as cp, `launcher` what
    the site starts parallel programs with, `scheduler` what ran the job, `site` the centre that it ran at, and
    `package` the one that the program is of, where its users seldom change its code. `in_force` are the hints that were
    displayed when files were opened, by the file's name, whoever set them; `makes_files` says that most files of the
    job are written, `reads` that most bytes are read. `tool` is the one that ran, where its users do not write it at
    all, and `no_mpiio` says that the language of the program has no calls of MPI-IO; `instrumented` that CrayPAT did
    that to it, which calls what it makes `program+pat`. `of_csh` where its script is one of csh. `program` is the name
    of the one that moves the data."""

    environment: Mapping[str, str]
    hints: tuple[FileHint, ...]
    modules: frozenset[str]
    processes: int | None
    library: str | None
    on_lustre: bool
    mpiio: bool = True
    unseen_hints: tuple[FileHint, ...] = ()
    stripes: Mapping[str, StripeCommand] = field(default_factory=dict[str, StripeCommand])
    given: frozenset[str] = frozenset()
    interpreter: Literal["python", "other"] | None = None
    separate: bool = False
    system_program: str | None = None
    launcher: Launcher | None = None
    scheduler: Scheduler | None = None
    site: Site | None = None
    package: Package | None = None
    in_force: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    makes_files: bool = False
    reads: bool = False
    tool: Tool | None = None
    no_mpiio: bool = False
    instrumented: bool = False
    program: str | None = None
    of_csh: bool = False
    at_launch: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def cray(self) -> bool:
        """Whether variables of Cray's MPI library may do anything: it is the library, or nobody says."""
        return may_be_cray(self.library)

    def lines_of_darshan(self) -> tuple[str, ...]:
        """What has Darshan watch the job, as lines of its script. One process, or several on their own, may be without
        MPI."""
        alone = self.processes == 1 or self.separate
        return tuple(line(action) for action in watched_by_darshan(self.site, maybe_without_mpi=alone))

    def irrelevant(self) -> frozenset[str]:
        """Keys of evidence that a run like this one cannot produce."""
        none = set() if cray_prints(self.library, alone=self.processes == 1 or self.separate) else set(CRAY_ONLY)
        none |= set() if self.on_lustre else {LAYOUT, OSTS}
        alone = any(h.key == "cray_cb_write_lock_mode" and h.value == "1" for h in self.hints)
        return frozenset(none | ({DARSHAN} if alone else set()))

    def switches_on(self, evidence: str) -> bool:
        """Whether the job sets all that has it printed."""
        switches = SWITCHES.get(evidence)
        return switches is not None and all(self.environment.get(name) == value for name, value in switches.items())

    def has(self) -> frozenset[str]:
        """Keys of Cray MPICH's evidence that was printed, or is switched on already: switching it on would not settle
        anything."""
        switched_on = (key for key in CRAY_ONLY if self.switches_on(key))
        return self.given | frozenset(switched_on)

    def cannot_show(self) -> frozenset[str]:
        """Keys of evidence that repeating this run would not produce: `irrelevant`, and what MPI-IO prints where the
        program does not use MPI-IO."""
        return self.irrelevant() | (frozenset() if self.mpiio else frozenset(OF_MPIIO))


def may_be_cray(library: str | None) -> bool:
    return library in (CRAY_MPICH, None)


def cray_prints(library: str | None, *, alone: bool) -> bool:
    """Whether Cray's MPI library may print anything of a job: of no one process, nor of several on their own."""
    return may_be_cray(library) and not alone


def _set_at_launch(script: JobContext) -> dict[str, int]:
    """Variables that what starts the program sets, with the line: a wrapper, or each of the largest launches, since any
    of these may be the job's."""
    every, largest = ({x.line for x in of} for of in (script.launches, largest_launches(script)))
    found = {(setting.name, setting.line) for setting in script.environment if setting.at_launch}
    return {
        name: line
        for name, line in sorted(found)
        if line not in every or (line in largest and all((name, one) in found for one in largest))
    }


def settings_of_job(job: Selection, site: Site, *, library: str | None, on_lustre: bool) -> JobSettings:
    """`library` is the one that the evidence names; where it names none, that of the site."""
    environment: dict[str, str] = {}
    for _, display in job.of(MpichEnvironment):
        environment |= {s.name: s.value for s in display.settings}
    hint_string = environment.get(HINT_VARIABLE, "")
    loaded: list[str] = []
    at_launch: dict[str, int] = {}
    for _, script in job.of(JobContext):
        at_launch |= _set_at_launch(script)
        for setting in script.environment:
            environment.pop(setting.name, None)
            if setting.value is not None:
                environment[setting.name] = setting.value
            if setting.name == HINT_VARIABLE:
                hint_string = " ".join(text for text in (setting.value, setting.cut_off) if text)
        loading = [command for command in script.modules if command.action in ("load", "swap")]
        loaded += [name for c in loading for name in (c.names[-1:] if c.action == "swap" else c.names)]
    hints = tuple(FileHint(h.pattern or "*", h.key, h.value) for h in patterns_of(hint_string))
    modules = frozenset(name.partition("/")[0] for name in loaded)
    library = library or site.mpi_library
    own = JobSettings(
        environment=environment,
        hints=hints,
        modules=modules,
        processes=job.nprocs,
        library=library,
        on_lustre=on_lustre,
        mpiio=_uses_mpiio(job),
        stripes={
            target.rstrip("/"): command
            for _, script in job.of(JobContext)
            for command in script.stripe_commands
            for target in command.targets
        },
        unseen_hints=tuple(FileHint(variable, "", "") for variable in variables_among(hint_string)),
        given=frozenset(_printed_evidence(job)),
        separate=bool(job.logs) and all(rows.owners is not None for rows in job.logs),
        launcher=site.launcher,
        scheduler=_scheduler(job) or site.scheduler,
        site=site,
        in_force=_in_force(job),
        makes_files=_makes_files(job),
        reads=_reads(job),
        instrumented=any(name.endswith("+pat") for name in programs(job)),
        of_csh=any(script.of_csh for _, script in job.of(JobContext)),
        at_launch=at_launch,
    )
    return with_the_program_of(job, own)


def with_the_program_of(s: Selection, own: JobSettings) -> JobSettings:
    """What the program is that moves the data of the job, or of some of its files: a job may run several."""
    names, commands = programs_with_io(s), command_lines_with_io(s)
    return replace(
        own,
        program=next(iter(names), None),
        interpreter=interpreter(s),
        system_program=next((name for name in names if name in SYSTEM_PROGRAMS), None),
        package=package_among(names, [path for rows in s.logs for path in rows.log.names.values()], commands),
        tool=tool_among((*names, *scripts_with_io(s)), commands),
        no_mpiio=has_no_mpiio(s),
    )


def runs_several_programs(job: Selection) -> bool:
    return len({rows.log.job.executable for rows in job.logs}) > 1


def _scheduler(job: Selection) -> Scheduler | None:
    return next((script.scheduler for _, script in job.of(JobContext) if script.scheduler is not None), None)


def _makes_files(job: Selection) -> bool:
    """Whether most files of the job are written."""
    not_written = outcome(job, "file.not_written_fraction")
    return (
        isinstance(not_written, Value)
        and isinstance(not_written.value, float)
        and not_written.value < MOST_OF_THE_FILES
    )


def _reads(job: Selection) -> bool:
    read, written = (outcome(job, f"io.bytes_{way}") for way in ("read", "written"))
    known = [one.value for one in (read, written) if isinstance(one, Value) and not isinstance(one.value, str)]
    return len(known) == 2 and known[0] > known[1]


def _in_force(job: Selection) -> dict[str, dict[str, str]]:
    """By the name of a file, the hints that every list of them has alike which was displayed when it was opened."""
    found: dict[str, dict[str, str]] = {}
    for _, shown in job.of(MpiioHints):
        if shown.file is None or not shown.trusted or shown.stage == "requested":
            continue
        name, of_open = base_name(shown.file), {h.key: h.value.lower() for h in shown.hints}
        known = found.setdefault(name, of_open)
        found[name] = {key: value for key, value in known.items() if of_open.get(key) == value}
    return found


def _uses_mpiio(job: Selection) -> bool:
    """False only where every log has its records, and none of MPI-IO."""
    if not job.logs or any(rows.traced for rows in job.logs):
        return True
    return any(rows.log.module("MPI-IO") is not None for rows in job.logs)


def _printed_evidence(job: Selection) -> Iterator[str]:
    printed: tuple[tuple[str, type[Part]], ...] = (
        (TIMERS, MpiioTimers),
        (HINTS, MpiioHints),
        (ENVIRONMENT, MpichEnvironment),
        (PLACEMENT, AggregatorPlacement),
    )
    yield from ([STATS] if job.stats else [])
    yield from (key for key, kind in printed if job.of(kind))
