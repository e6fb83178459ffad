"""Lines that start the application: srun, aprun, mpiexec, mpirun, jsrun, flux run, and what TACC, TGCC and LLNL have
around those: ibrun, ccc_mprun, lrun."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from iotriage_parsers.evidence import Launch
from iotriage_parsers.evidence.job_context import Launcher
from iotriage_parsers.frozen import frozen
from iotriage_parsers.readers.job_context.figures import whole
from iotriage_parsers.readers.job_context.shell import unquoted
from iotriage_parsers.readers.job_context.wrapping import NO_SCRIPTS, unwrapped

LAUNCHERS: Final[dict[str, Launcher]] = {
    "srun": "srun",
    "aprun": "aprun",
    "mpiexec": "mpiexec",
    "mpiexec.hydra": "mpiexec",
    "mpiexec_mpt": "mpiexec",
    "mpirun": "mpirun",
    "mpirun.lsf": "mpirun",
    "jsrun": "jsrun",
    "ibrun": "ibrun",
    "ccc_mprun": "ccc_mprun",
    "lrun": "lrun",
    "flux": "flux",
}


_PROGRAM: Final = re.compile(r"[A-Za-z_][\w.+/-]{0,200}")
_OF_SENTENCES: Final = frozenset(
    (
        "a", "an", "and", "are", "be", "believes", "can", "cannot", "command", "commands", "could", "detected", "did",
        "does", "encountered", "error", "exited", "failed", "for", "found", "from", "has", "in", "is", "job", "jobs",
        "killed", "launched", "line", "may", "noticed", "of", "on", "option", "options", "or", "process", "processes",
        "received", "reported", "script", "should", "started", "step", "terminated", "that", "the", "to", "unable",
        "version", "was", "were", "will", "with", "would",
    )
)  # fmt: skip
"""What follows a launcher's name in messages of its own, and is no program's name."""


@frozen
class _Options:
    """Which options of a launcher say how many, and which others take the next word. All are without value else."""

    ranks: frozenset[str] = frozenset()
    nodes: frozenset[str] = frozenset()
    per_node: frozenset[str] = frozenset()
    with_value: frozenset[str] = frozenset()
    with_two_values: frozenset[str] = field(default=frozenset())


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MPIEXEC: Final = _Options(
    ranks=_names("-n -np --np --n --ntasks"),
    nodes=_names("-nnodes --nnodes"),
    per_node=_names("-ppn --ppn -perhost --perhost -npernode --npernode -N --map-by"),
    with_value=_names(
        "-hosts --hosts -host --host -H -hostfile --hostfile -f -machinefile --machinefile -wdir --wdir -d --depth "
        "--cpu-bind -bind-to --bind-to -rmk --mca-file -x -p -genvlist -envlist --oversubscribe-by -rank-by --rank-by "
        "-configfile --mem-bind -l-file -iface -map-by"
    ),
    with_two_values=_names("-genv --genv -env --env -mca --mca -gmca --gmca"),
)
_OPTIONS: Final[dict[Launcher, _Options]] = {
    "srun": _Options(
        ranks=_names("-n --ntasks"),
        nodes=_names("-N --nodes"),
        per_node=_names("--ntasks-per-node --tasks-per-node"),
        with_value=_names(
            "-c --cpus-per-task -p --partition -A --account -t --time -J --job-name -w --nodelist -x --exclude -o "
            "--output -e --error -i --input -D --chdir -C --constraint -m --distribution --mem --hint --cpu-bind "
            "--mpi --export --jobid --het-group -G --gpus --gres --gpus-per-node --gpus-per-task -q --qos -d -r "
            "--relative --reservation --kill-on-bad-exit --mem-bind --mem-per-cpu --ntasks-per-socket --threads"
        ),
    ),
    "aprun": _Options(
        ranks=_names("-n --pes"),
        per_node=_names("-N --pes-per-node"),
        with_value=_names("-d --depth -j -S -cc --cpu-binding -e --environment-override -m -L -p -sn -sl -a -E -ss"),
    ),
    "mpiexec": _MPIEXEC,
    "mpirun": _MPIEXEC,
    "jsrun": _Options(
        ranks=_names("-n --nrs"),
        per_node=_names("-r --rs_per_host"),
        with_value=_names("-a --tasks_per_rs -c --cpu_per_rs -g --gpu_per_rs -b --bind -d --launch_distribution -l -E "
                          "--env -h --chdir -o -k -t -e --np -p -m --memory_per_rs --smpiargs -U"),
    ),
    "ibrun": _Options(ranks=_names("-n -np"), with_value=_names("-o")),
    "ccc_mprun": _Options(
        ranks=_names("-n"),
        nodes=_names("-N"),
        with_value=_names("-c -m -T -p -q -Q -d -r -t -A -M -C -E"),
    ),
    "lrun": _Options(
        ranks=_names("-n -p"), nodes=_names("-N"), per_node=_names("-T"), with_value=_names("-c -g -M -W --smpiargs")
    ),
    "flux": _Options(
        ranks=_names("-n --ntasks"),
        nodes=_names("-N --nodes"),
        per_node=_names("--tasks-per-node"),
        with_value=_names("-c --cores --cores-per-task -g --gpus-per-task --gpus-per-node -t --time-limit -o --setopt "
                          "-S --setattr --env -q --queue -B --bank --job-name --cwd --output --error --requires -l"),
    ),
}  # fmt: skip


@dataclass(slots=True)
class _LauncherOptions:
    """`command` is what stands behind the launcher's options."""

    values: dict[str, str]
    command: tuple[str, ...]

    def number(self, names: frozenset[str]) -> int | None:
        return next((whole(v) for n, v in self.values.items() if n in names), None)


def launch(
    words: Sequence[str], line: int, text: str, in_script: bool = False, wrappers: Mapping[str, bool] = NO_SCRIPTS
) -> Launch | None:
    """The launch that a command is, its words quoted as they stand; None where it is none. In a script, what stands
    behind the launcher may be a bare word. The program is the one behind what only starts another (`unwrapped`)."""
    name = LAUNCHERS.get(words[0].rpartition("/")[2])
    if name == "flux":
        words = words[1:] if words[1:2] == ["run"] else []
    if name is None or len(words) < 2 or not _is_command(words, in_script):
        return None
    programs = [_started(name, own, wrappers) for own in _components(words[1:])]
    largest = max(programs, key=lambda started: started.ranks or 0)
    return Launch(
        name,
        line,
        text,
        _sum(started.ranks for started in programs),
        # Programs that mpirun starts together may share nodes; those of srun and aprun have their own.
        _sum(started.nodes for started in programs) if name in ("srun", "aprun") or len(programs) == 1 else None,
        largest.per_node if len({started.per_node for started in programs}) == 1 else None,
        largest.program,
    )


@frozen
class _Started:
    """One of the programs that a line starts."""

    ranks: int | None
    nodes: int | None
    per_node: int | None
    program: str | None


def _components(words: Sequence[str]) -> list[Sequence[str]]:
    """What stands between colons: programs that are started together, as one world of MPI."""
    ends = [at for at, word in enumerate(words) if word == ":"]
    found = [words[first:end] for first, end in zip([0, *(at + 1 for at in ends)], [*ends, len(words)], strict=True)]
    return [own for own in found if own] or [words]


def _started(name: Launcher, words: Sequence[str], wrappers: Mapping[str, bool]) -> _Started:
    options = _OPTIONS[name]
    given = _parse_launcher(words, options)
    ranks, nodes, per_node = (given.number(names) for names in (options.ranks, options.nodes, options.per_node))
    if name == "jsrun":
        ranks, per_node = _of_resource_sets(given, ranks, per_node)
    if per_node is None and (mapping := given.values.get("--map-by", given.values.get("-map-by", ""))):
        per_node = _mapped(mapping)
    command = () if "--multi-prog" in words else unwrapped(given.command, wrappers)
    return _Started(ranks, nodes, per_node, unquoted(command[0]) if command else None)


def _sum(counts: Iterable[int | None]) -> int | None:
    """None where one of them is not known."""
    every = list(counts)
    known = [count for count in every if count is not None]
    return sum(known) if len(known) == len(every) else None


def _is_command(words: Sequence[str], in_script: bool) -> bool:
    """Not the "mpirun noticed that process rank 3 …" of a sentence, nor the "srun: error" of a message."""
    if in_script and _PROGRAM.fullmatch(words[1]) and words[1] not in _OF_SENTENCES:
        return True
    return any(w.startswith("-") for w in words[1:]) or words[1].startswith((".", "/", "$", '"$')) or len(words) == 2


def _parse_launcher(words: Sequence[str], options: _Options) -> _LauncherOptions:
    with_one = options.ranks | options.nodes | options.per_node | options.with_value
    values: dict[str, str] = {}
    at = 0
    while at < len(words) and unquoted(words[at]).startswith("-"):
        word = unquoted(words[at])
        name, equals, value = word.partition("=")
        if equals:
            values.setdefault(name, value)
        elif word in options.with_two_values:
            # PALS takes a name and its value as one word.
            at += 1 if "=" in words[min(at + 1, len(words) - 1)] else 2
        elif word in with_one:
            values.setdefault(word, unquoted(words[at + 1]) if at + 1 < len(words) else "")
            at += 1
        elif len(word) > 2 and word[:2] in with_one and word[2].isdigit():
            values.setdefault(word[:2], word[2:])
        at += 1
    return _LauncherOptions(values, tuple(words[at:]))


def _of_resource_sets(
    given: _LauncherOptions, sets: int | None, sets_per_host: int | None
) -> tuple[int | None, int | None]:
    """jsrun counts resource sets; ranks are those times the tasks of each."""
    direct = given.number(_names("-p --np"))
    each = given.number(_names("-a --tasks_per_rs"))
    ranks = sets * each if sets is not None and each is not None else direct
    return ranks, (sets_per_host * each if sets_per_host is not None and each is not None else None)


def _mapped(text: str) -> int | None:
    """The ranks per node of Open MPI's `ppr:N:node`."""
    parts = text.split(":")
    return whole(parts[1]) if len(parts) >= 3 and parts[0] == "ppr" and parts[2] == "node" else None
