"""What surrounds the application: the job script, and what the scheduler says about the job."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from typing import Final, Literal

from iotriage_parsers.evidence.locator import Lines
from iotriage_parsers.frozen import frozen

Scheduler = Literal["slurm", "pbs", "cobalt", "lsf", "flux"]
ContextSource = Literal["script", "sacct", "scontrol", "seff", "qstat", "epilogue", "ipm", "trace", "output", "time"]
"""`trace` is what `set -x` printed of the script's commands, `output` what a scheduler wrote into a job's own output,
`epilogue` what it says about the ended job at the end of that, or in a mail.
`time` is what a shell's or GNU's `time` prints of the program.
`ipm` is the banner of the profiler IPM, which states the size and time of the run."""
Launcher = Literal["srun", "aprun", "mpiexec", "mpirun", "jsrun", "ibrun", "ccc_mprun", "lrun", "flux"]
ModuleAction = Literal["load", "unload", "swap", "purge", "use", "restore"]

_UNDER_WAY: Final = (
    "RUNNING",
    "PENDING",
    "SUSPENDED",
    "REQUEUED",
    "REQUEUE_HOLD",
    "REQUEUE_FED",
    "RESIZING",
    "RESV_DEL_HOLD",
    "COMPLETING",
    "CONFIGURING",
    "SIGNALING",
    "SPECIAL_EXIT",
    "STAGE_OUT",
    "STOPPED",
)
_COMPLETED: Final = "COMPLETED"
_SHORTEST_CUT: Final = 3


def slurm_state(printed: str | None, known: Iterable[str]) -> str | None:
    """The one of the known states that is printed, whole or cut; None where none is, or it may be that of what came to
    its end. https://slurm.schedmd.com/job_state_codes.html has the states. sacct cuts them to its column's width and
    marks that with a +, and prints who cancelled a job behind CANCELLED."""
    word = printed.split()[0] if printed and printed.split() else ""
    cut = word.removesuffix("+")
    if cut == word or len(cut) < _SHORTEST_CUT:
        return word if word in known else None
    return None if _COMPLETED.startswith(cut) else next((state for state in known if state.startswith(cut)), None)


def under_way(printed: str | None) -> bool:
    """Whether a state is of what has not ended: the time that is printed beside it is not all that it takes."""
    return slurm_state(printed, _UNDER_WAY) is not None


@frozen
class ContextField:
    """Where one of the figures of a `JobContext` stands; `name` is that of its field, `text` what stands there."""

    name: str
    text: str
    line: int


@frozen
class EnvironmentSetting:
    """`export NAME=value` (or `setenv`). `value` is verbatim, without one pair of plain quotes around it; None where
    the script unsets the variable. Kept are the variables of MPI, I/O libraries, Darshan, interconnect and OpenMP, and
    those that name folders for temporary files and caches; others may hold secrets. `cut_off` is what stands after a
    blank behind an unquoted hint string: its writer meant it as a part of the value, and for the shell it is other
    words. `at_launch` is true where what starts the program sets it, after all that the script exports."""

    name: str
    value: str | None
    line: int
    cut_off: str | None = None
    at_launch: bool = False


@frozen
class ModuleCommand:
    """`module ACTION NAMES…`; for `swap` the old name, then the new one (or the new one alone)."""

    action: ModuleAction
    names: tuple[str, ...]
    line: int


@frozen
class StripeCommand:
    """`lfs setstripe … TARGETS`. `stripe_count` is None where it is not given as a number, and where `over_all_osts`
    (`-c -1`). `composite` layouts (`-E …`) are kept as `text` only: their figures belong to components."""

    targets: tuple[str, ...]
    line: int
    text: str
    stripe_count: int | None = None
    over_all_osts: bool = False
    stripe_size_bytes: int | None = None
    first_ost: int | None = None
    pool: str | None = None
    composite: bool = False


@frozen
class Launch:
    """A line that starts the application. `ranks`, `nodes` and `ranks_per_node` are those of its own options; None
    where not given, or given as a shell variable. `program` is None where the line names none; `program_word` is the
    word of `text` that names it, as it stands there (`"$EXE"`), None where none does, or several do."""

    launcher: Launcher
    line: int
    text: str
    ranks: int | None = None
    nodes: int | None = None
    ranks_per_node: int | None = None
    program: str | None = None
    program_word: str | None = None
    undecided: bool = False

    @property
    def all_ranks(self) -> int | None:
        """The ranks that the line says; None where it leaves them to the script."""
        if self.ranks is None and self.nodes is not None and self.ranks_per_node is not None:
            return self.nodes * self.ranks_per_node
        return self.ranks

    @property
    def all_nodes(self) -> int | None:
        """Where the line gives ranks and how many of them a node gets, it is on as few nodes as hold them."""
        if self.nodes is None and self.ranks is not None and self.ranks_per_node:
            return math.ceil(self.ranks / self.ranks_per_node)
        return self.nodes


SLURM_STEPS: Final = frozenset(("batch", "extern", "interactive"))
"""Steps that Slurm adds to jobs by itself."""


@frozen
class JobStep:
    """A step of a job as sacct lists it ("batch", "extern", "0")."""

    step: str
    line: int
    name: str | None = None
    nnodes: int | None = None
    ntasks: int | None = None
    elapsed_s: float | None = None
    state: str | None = None

    @property
    def took_s(self) -> float | None:
        """The time, of a step that has ended."""
        return None if under_way(self.state) else self.elapsed_s


def program_steps(steps: Sequence[JobStep]) -> tuple[JobStep, ...]:
    """The steps that ran the program: of what a script starts, those of one name and size that took most of the
    processors' time together; where that is not known of each, or the same, those of most ranks; none where nobody says
    these."""
    started = [s for s in steps if s.step not in SLURM_STEPS]
    alike: dict[tuple[str | None, int | None, int | None], list[JobStep]] = {}
    for step in started:
        alike.setdefault((step.name, step.ntasks, step.nnodes), []).append(step)
    if len(alike) > 1 and any(s.ntasks is None for s in started):
        return ()
    timed = all(s.elapsed_s is not None for s in started)
    weights = {
        one: (one[1] or 0) * (sum(s.elapsed_s or 0.0 for s in own) if timed else 1.0) for one, own in alike.items()
    }
    return tuple(alike[max(weights, key=lambda one: (weights[one], one[1] or 0))]) if weights else ()


def _differ(one: int | None, other: int | None) -> bool:
    return one is not None and other is not None and one != other


@frozen
class JobContext:
    """A quantity that the source does not state is None; nothing is worked out from others. Directives of a script are
    what was asked for; `nnodes` and `elapsed_s` of a scheduler's commands are what was given, `ntasks` of qstat what
    was asked for. `io_mean_s` and `io_slowest_s` are seconds of the mean and of the slowest rank in I/O.

    `job_id_raw` is the number that a task of an array (`job_id` "41_7") is known by to what runs in it. Times are as
    printed: without a time zone. `ntasks` of sacct is that of the steps that ran the program (`program_steps`).
    `complete` is false where the text ended within it. `of_csh` where a script is one of csh or tcsh, which knows no
    `export`.
    """

    source: ContextSource
    lines: Lines
    scheduler: Scheduler | None
    complete: bool = True
    job_id: str | None = None
    job_id_raw: str | None = None
    cluster: str | None = None
    start_local: str | None = None
    end_local: str | None = None
    job_name: str | None = None
    nnodes: int | None = None
    ntasks: int | None = None
    ranks_per_node: int | None = None
    elapsed_s: float | None = None
    io_mean_s: float | None = None
    io_slowest_s: float | None = None
    time_limit_s: float | None = None
    partition: str | None = None
    account: str | None = None
    work_dir: str | None = None
    nodelist: str | None = None
    state: str | None = None
    environment: tuple[EnvironmentSetting, ...] = ()
    modules: tuple[ModuleCommand, ...] = ()
    stripe_commands: tuple[StripeCommand, ...] = ()
    launches: tuple[Launch, ...] = ()
    steps: tuple[JobStep, ...] = ()
    fields: tuple[ContextField, ...] = ()
    of_csh: bool = False
    kind: Literal["job_context"] = field(default="job_context")

    @property
    def took_s(self) -> float | None:
        """The time, of a job that has ended."""
        return None if under_way(self.state) else self.elapsed_s

    @property
    def asked_ranks(self) -> int | None:
        """The ranks that a script asks for, in one number or as those of each of its nodes."""
        if self.ntasks is None and self.nnodes is not None and self.ranks_per_node is not None:
            return self.nnodes * self.ranks_per_node
        return self.ntasks

    def ranks_of(self, launch: Launch) -> int | None:
        """The ranks that the line of one of its launches says: of srun with the script's nodes, where it says those of
        a node and the script says none. None where the line leaves them to the script."""
        if launch.all_ranks is None and launch.launcher == "srun" and self.asked_ranks is None:
            return replace(launch, nodes=launch.nodes or self.nnodes).all_ranks
        return launch.all_ranks

    def is_contradicted_by(self, launch: Launch) -> bool:
        """Whether a launch has other nodes, or other ranks of a node, than the script asks for, and no number of ranks:
        whose hold differs from version to version. Where the script says the ranks themselves, srun takes those.
        https://slurm.schedmd.com/sbatch.html, SLURM_NTASKS; https://slurm.schedmd.com/srun.html, --ntasks-per-node"""
        asked = self.asked_ranks
        if launch.all_ranks is not None or asked is None or (launch.launcher == "srun" and self.ntasks is not None):
            return False
        if _differ(launch.nodes, self.nnodes) or _differ(launch.ranks_per_node, self.ranks_per_node):
            return True
        # What one of the two leaves open the other may say: 256 ranks on 8 nodes are 32 of each.
        nodes, each = launch.nodes or self.nnodes, launch.ranks_per_node or self.ranks_per_node
        if not nodes or not each or None not in (self.nnodes, self.ranks_per_node):
            return False
        return math.ceil(asked / each) != nodes

    def line_of(self, name: str) -> int | None:
        """The line on which the figure of this field stands ("nnodes", "elapsed_s", …)."""
        return next((f.line for f in self.fields if f.name == name), None)
