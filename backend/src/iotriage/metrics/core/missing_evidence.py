"""Evidence that a case may lack, and the lines of a job script that produce it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from iotriage_parsers.evidence.job_context import Scheduler
from iotriage_parsers.frozen import frozen


@frozen
class MissingEvidence:
    """Evidence that the case lacks: `text` says what it is and where it appears, and the `lines` of the job script
    produce it."""

    text: str
    lines: tuple[str, ...]


DARSHAN = "Darshan"

STATS = "MPICH_MPIIO_STATS"

TIMERS = "MPICH_MPIIO_TIMERS"

NODES = "node count"

LAYOUT = "stripe layout"

OSTS = "number of OSTs"

HINTS = "MPICH_MPIIO_HINTS_DISPLAY"

ENVIRONMENT = "MPICH_ENV_DISPLAY"

PLACEMENT = "MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY"

SWITCHES: Mapping[str, Mapping[str, str]] = {
    STATS: {"MPICH_MPIIO_STATS": "1"},
    TIMERS: {"MPICH_MPIIO_STATS": "1", "MPICH_MPIIO_TIMERS": "1"},
    HINTS: {"MPICH_MPIIO_HINTS_DISPLAY": "1"},
    ENVIRONMENT: {"MPICH_ENV_DISPLAY": "1"},
    PLACEMENT: {"MPICH_MPIIO_AGGREGATOR_PLACEMENT_DISPLAY": "1"},
}
"""The environment variables that make Cray MPICH print this evidence, with their values."""


_JOB_ID = ":?the number of the job}"
_FILE, _DIRECTORY = '"${FILE:?a file of the job}"', '"${DIRECTORY:?a directory of the job}"'


def _switched_on(key: str) -> tuple[str, ...]:
    return tuple(f"export {name}={value}" for name, value in SWITCHES[key].items())


EVIDENCE: Mapping[str, MissingEvidence] = {
    # What has Darshan watch a job is its site's (`iotriage.rules.core.launching`).
    DARSHAN: MissingEvidence(
        "a Darshan log of the job, written when the program calls MPI_Finalize",
        (),
    ),
    STATS: MissingEvidence(
        "the access patterns that Cray MPICH prints to stderr when a file is closed",
        _switched_on(STATS),
    ),
    TIMERS: MissingEvidence(
        "the times of the phases of collective I/O, which Cray MPICH prints to stderr when a file is closed",
        _switched_on(TIMERS),
    ),
    NODES: MissingEvidence(
        "the number of nodes, which Darshan does not record: the job script or sacct has it",
        (f'sacct -j "${{SLURM_JOB_ID{_JOB_ID}" --format=JobID,NNodes,NTasks,Elapsed',),
    ),
    HINTS: MissingEvidence(
        "the MPI-IO hints in force, which Cray MPICH prints when a file is opened",
        _switched_on(HINTS),
    ),
    ENVIRONMENT: MissingEvidence(
        "the settings of the MPI library, which Cray MPICH prints at start, or the job script itself",
        _switched_on(ENVIRONMENT),
    ),
    PLACEMENT: MissingEvidence(
        "the ranks and nodes of the aggregators, which Cray MPICH prints when a file is opened",
        _switched_on(PLACEMENT),
    ),
    LAYOUT: MissingEvidence(
        "the striping of the file, from the file system",
        (f"lfs getstripe {_FILE}",),
    ),
    OSTS: MissingEvidence(
        "the number of OSTs, from the file system",
        (f"lfs df {_DIRECTORY}",),
    ),
}

_NODES_BY: Mapping[Scheduler, MissingEvidence] = {
    "pbs": MissingEvidence(
        "the number of nodes, which Darshan does not record: the job script or qstat has it",
        (f'qstat -x -f "${{PBS_JOBID{_JOB_ID}"',),
    ),
    "cobalt": MissingEvidence(
        "the number of nodes, which Darshan does not record: the job script or qstat has it",
        (f'qstat -f "${{COBALT_JOBID{_JOB_ID}"',),
    ),
    "lsf": MissingEvidence(
        "the number of nodes, which Darshan does not record: the job script or bhist has it",
        (f'bhist -l "${{LSB_JOBID{_JOB_ID}"',),
    ),
    "flux": MissingEvidence(
        "the number of nodes, which Darshan does not record: the job script or flux has it",
        ("flux resource list",),
    ),
}


@frozen
class MachineWords:
    """What the job's own machine calls what is asked for: `darshan` are the lines that have Darshan watch the job,
    `file` and `directory` those of the job, as words of a shell. `remarks` say what stands for the lines of some
    evidence where the job's script is of a shell that does not take them."""

    scheduler: Scheduler | None
    darshan: tuple[str, ...]
    file: str | None = None
    directory: str | None = None
    remarks: Mapping[str, str] = field(default_factory=dict)


def evidence_of(key: str, there: MachineWords) -> MissingEvidence:
    """The missing evidence, with the lines that ask the job's own machine for it; Slurm's where the scheduler is not
    known."""
    if key == NODES and there.scheduler is not None:
        return _NODES_BY.get(there.scheduler, EVIDENCE[key])
    lines = EVIDENCE[key].lines
    if key == DARSHAN:
        lines = there.darshan
    elif key == LAYOUT:
        lines = (f"lfs getstripe {there.file or _FILE}",)
    elif key == OSTS:
        lines = (f"lfs df {there.directory or _DIRECTORY}",)
    text, remark = EVIDENCE[key].text, there.remarks.get(key)
    return MissingEvidence(text if remark is None else f"{text} (in csh, as the job's script is, {remark})", lines)
