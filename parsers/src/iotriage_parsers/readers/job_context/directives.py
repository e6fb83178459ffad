"""What the directives of Slurm, PBS and Cobalt request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from iotriage_parsers.readers.job_context.figures import RequestedFields
from iotriage_parsers.text.numbers import whole

_SLURM: Final = {
    "-N": "nnodes",
    "--nodes": "nnodes",
    "-n": "ntasks",
    "--ntasks": "ntasks",
    "--ntasks-per-node": "ranks_per_node",
    "--tasks-per-node": "ranks_per_node",
    "-t": "time_limit_s",
    "--time": "time_limit_s",
    "-J": "job_name",
    "--job-name": "job_name",
    "-p": "partition",
    "--partition": "partition",
    "-A": "account",
    "--account": "account",
    "-D": "work_dir",
    "--chdir": "work_dir",
    "--workdir": "work_dir",
    "-w": "nodelist",
    "--nodelist": "nodelist",
}
_NEXT_COMPONENT: Final = ("hetjob", "packjob")
"""https://slurm.schedmd.com/heterogeneous_jobs.html: the second until Slurm 20.02."""
_PBS: Final = {
    "-N": "job_name",
    "-A": "account",
    "-P": "account",
    "-q": "partition",
    "-d": "work_dir",
    "-w": "work_dir",
}
WITH_VALUE: Final[Mapping[str, frozenset[str]]] = {"SBATCH": frozenset(_SLURM), "PBS": frozenset((*_PBS, "-l"))}
"""By dialect, the options whose value is the next word."""
_PBS_RESOURCES: Final = {
    "walltime": "time_limit_s",
    "mppwidth": "ntasks",
    "mppnppn": "ranks_per_node",
    "filesystems": "filesystems",
    "system": "system",
}
_COBALT: Final = {
    "-n": "nnodes",
    "--nodecount": "nnodes",
    "--proccount": "ntasks",
    "-t": "time_limit_s",
    "--time": "time_limit_s",
    "-A": "account",
    "--project": "account",
    "-q": "partition",
    "--queue": "partition",
    "--jobname": "job_name",
    "--cwd": "work_dir",
}
_LONG: Final = re.compile(r"--[\w-]+=")


def slurm(asked: RequestedFields, words: Sequence[str], line: int) -> None:
    """sbatch takes the options of its directives one after the other: the last of two holds."""
    if words and words[0] in _NEXT_COMPONENT:
        asked.next_component()
    for name, value in options(words, frozenset(_SLURM)):
        if name in _SLURM:
            asked.keep_last(_SLURM[name], value, line)


def cobalt(asked: RequestedFields, words: Sequence[str], line: int) -> None:
    for name, value in options(words, frozenset(_COBALT)):
        if name in _COBALT:
            asked.keep(_COBALT[name], value, line)


def pbs(asked: RequestedFields, words: Sequence[str], line: int) -> None:
    for name, value in options(words, frozenset((*_PBS, "-l"))):
        if name in _PBS:
            asked.keep(_PBS[name], value, line)
        elif name == "-l":
            pbs_resources(asked, value, line)


def pbs_resources(asked: RequestedFields, text: str, line: int) -> None:
    """`-l select=64:ncpus=36:mpiprocs=36,walltime=…` of PBS Pro, `nodes=4:ppn=16` of Torque, mpp… of Cray's."""
    for resource in text.split(","):
        key, _, value = resource.partition("=")
        if key in ("select", "nodes"):
            pbs_chunks(asked, value, line)
        elif key in _PBS_RESOURCES:
            asked.keep(_PBS_RESOURCES[key], value, line)


def pbs_chunks(asked: RequestedFields, text: str, line: int) -> None:
    """Chunks are nodes where they are as wide as nodes are; `ncpus=1` says that they are not."""
    counts: list[int] = []
    per_node: list[int] = []
    for chunk in text.split("+"):
        number, *resources = chunk.split(":")
        pairs = dict(r.partition("=")[::2] for r in resources)
        asked.keep("system", pairs.get("system", ""), line)
        count = whole(number)
        if count is None or pairs.get("ncpus") == "1":
            return
        counts.append(count)
        ranks = whole(pairs.get("mpiprocs") or pairs.get("ppn"))
        if ranks is not None:
            per_node.append(ranks)
    asked.keep("nnodes", str(sum(counts)), line)
    if len(per_node) == len(counts):
        asked.keep("ntasks", str(sum(c * r for c, r in zip(counts, per_node, strict=True))), line)
        if len(set(per_node)) == 1:
            asked.keep("ranks_per_node", str(per_node[0]), line)


def options(words: Sequence[str], with_value: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Options with their values: `--name=value`, `--name value`, `-n value`, `-nvalue`, `-n=value`."""
    at = 0
    while at < len(words):
        word = words[at]
        if _LONG.match(word):
            name, _, value = word.partition("=")
            yield name, value
        elif word in with_value and at + 1 < len(words):
            yield word, words[at + 1]
            at += 1
        elif len(word) > 2 and word[0] == "-" and word[1] != "-" and word[:2] in with_value:
            yield word[:2], word[2:].removeprefix("=")
        at += 1
