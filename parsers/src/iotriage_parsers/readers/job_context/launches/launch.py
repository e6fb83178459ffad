"""Lines that start the application: srun, aprun, mpiexec, mpirun, jsrun, flux run, and what TACC, TGCC and LLNL have
around those: ibrun, ccc_mprun, lrun."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from iotriage_parsers.evidence import Launch
from iotriage_parsers.evidence.job_context import Launcher
from iotriage_parsers.frozen import frozen
from iotriage_parsers.readers.job_context.launches.launcher_options import OPTIONS, LauncherOptions, names
from iotriage_parsers.readers.job_context.launches.wrapping import NO_SCRIPTS, OPTIONS_OF_A_VARIABLE, unwrapped
from iotriage_parsers.readers.job_context.shell import ASSIGNS, unquoted
from iotriage_parsers.text.numbers import whole

LAUNCHERS: Final[dict[str, Launcher]] = {
    "srun": "srun",
    "aprun": "aprun",
    "mpiexec": "mpiexec",
    "mpiexec.hydra": "mpiexec",
    "mpiexec_mpt": "mpiexec",
    "mpiexec.mpich": "mpiexec",
    "mpiexec.openmpi": "mpiexec",
    "mpirun": "mpirun",
    "mpirun.lsf": "mpirun",
    "mpirun.mpich": "mpirun",
    "mpirun.openmpi": "mpirun",
    "mpirun_rsh": "mpirun",
    "orterun": "mpirun",
    "prterun": "mpirun",
    "jsrun": "jsrun",
    "ibrun": "ibrun",
    "ccc_mprun": "ccc_mprun",
    "lrun": "lrun",
    "flux": "flux",
}


_PROGRAM: Final = re.compile(r"[A-Za-z_][\w.+/-]{0,200}")
_OF_ITSELF: Final = frozenset(("--version", "-version", "-V", "--help", "-help", "--showme"))
"""What a launcher is asked about itself: it starts nothing."""
_NUMBERS: Final = re.compile(r"[0-9][0-9,-]{0,80}|all|\$.{1,80}")
"""With what a variable may hold, where a program follows."""
_WHICH: Final = re.compile(r"[\"']?(?:`|\$\()\s*(?:which|command -v|type -[pP])\s+([\w.]{1,40})\s*[`)][\"']?")
_WHAT_IS_GIVEN: Final = re.compile(r"\"?\$(?:[@*1-9]|\{[@*1-9]\})\"?")
"""What the script, or a function of it, was called with."""
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

_HOST: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,252}")
_HOSTS_OF_FILE: Final = names("-hostfile --hostfile -machinefile --machinefile")

_LAUNCHES: Final = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, LAUNCHERS))})\s")
_PLACE: Final = re.compile(r"\{\{[^{}\n]{1,80}\}\}|(?<!\S)<[A-Za-z][\w ,'-]{0,80}>(?!\S)")
"""What a template or a guide leaves to be filled in: `{{ ranks }}`, `<your program>`."""


def with_places_as_words(text: str) -> str:
    """A line that starts a program, each place that is left to be filled in as one word."""
    return _PLACE.sub(lambda place: place[0].replace(" ", ""), text) if _LAUNCHES.search(text) else text


@dataclass(slots=True)
class _Given:
    """`command` is what stands behind the launcher's options."""

    values: dict[str, str]
    command: tuple[str, ...]

    def number(self, options: frozenset[str]) -> int | None:
        return next((whole(v) for n, v in self.values.items() if n in options), None)


def launch(
    words: Sequence[str], line: int, text: str, in_script: bool = False, wrappers: Mapping[str, bool] = NO_SCRIPTS
) -> Launch | None:
    """The launch that a command is, its words quoted as they stand; None where it is none. In a script, what stands
    behind the launcher may be a bare word. The program is the one behind what only starts another (`unwrapped`)."""
    which = _WHICH.fullmatch(words[0])
    name = LAUNCHERS.get(words[0].rpartition("/")[2] if which is None else which[1])
    if name == "flux":
        words = _behind_flux(words)
    if name is None or len(words) < 2 or words[1] in _OF_ITSELF or not _is_command(words, in_script):
        return None
    words = _without_hosts(words)
    programs = [_started(name, own, wrappers) for own in _components(words[1:])]
    largest = max(programs, key=lambda started: started.ranks or 0)
    # Whose ranks a variable says may have most.
    open_to_all = any(started.ranks_unread for started in programs) or largest.ranks is None
    of_one = len({started.program for started in programs}) == 1
    return Launch(
        name,
        line,
        text,
        _sum(started.ranks for started in programs),
        # Programs that mpirun starts together may share nodes; those of srun and aprun have their own.
        _sum(started.nodes for started in programs) if name in ("srun", "aprun") or len(programs) == 1 else None,
        largest.per_node if len({started.per_node for started in programs}) == 1 else None,
        largest.program if of_one or not open_to_all else None,
    )


def _behind_flux(words: Sequence[str]) -> Sequence[str]:
    """From `run` on, of `flux run` and `flux mini run`; nothing where it is another command of flux."""
    behind = 2 if words[1:2] == ["mini"] else 1
    return words[behind:] if words[behind : behind + 1] == ["run"] else []


def options_of(name: Launcher, words: Sequence[str], wrappers: Mapping[str, bool]) -> list[str]:
    """The words of a launch without its programs and their arguments, which may have options of the same names."""
    found = [*words[:1]]
    words = _without_hosts(words)
    for own in _components((_behind_flux(words) if name == "flux" else words)[1:]):
        command = _command_of(own, _parse_launcher(own, OPTIONS[name]), wrappers)
        stands_last = bool(command) and list(own[-len(command) :]) == list(command)
        found += own[: -len(command)] if stands_last else own
    return found


@frozen
class _Started:
    """One of the programs that a line starts. `ranks_unread` where it says its ranks, in words that hide them."""

    ranks: int | None
    ranks_unread: bool
    nodes: int | None
    per_node: int | None
    program: str | None


def _components(words: Sequence[str]) -> list[Sequence[str]]:
    """What stands between colons: programs that are started together, as one world of MPI."""
    ends = [at for at, word in enumerate(words) if word == ":"]
    found = [words[first:end] for first, end in zip([0, *(at + 1 for at in ends)], [*ends, len(words)], strict=True)]
    return [own for own in found if own] or [words]


def _started(name: Launcher, words: Sequence[str], wrappers: Mapping[str, bool]) -> _Started:
    options = OPTIONS[name]
    given = _parse_launcher(words, options)
    ranks, nodes, per_node = map(given.number, (options.ranks, options.nodes, options.per_node))
    if name == "jsrun":
        ranks, per_node = _of_resource_sets(given, ranks, per_node)
    if per_node is None and (mapping := given.values.get("--map-by", given.values.get("-map-by", ""))):
        per_node = _mapped(mapping)
    command = _command_of(words, given, wrappers)
    if command and _WHAT_IS_GIVEN.fullmatch(command[0]):
        command = ()
    unread = ranks is None and not options.ranks.isdisjoint(given.values)
    return _Started(ranks, unread, nodes, per_node, unquoted(command[0]) if command else None)


def _command_of(words: Sequence[str], given: _Given, wrappers: Mapping[str, bool]) -> Sequence[str]:
    return () if "--multi-prog" in words else unwrapped(_without_assignments(given.command), wrappers, launched=True)


def _without_hosts(words: Sequence[str]) -> Sequence[str]:
    """The words of a launch without the hosts, one for each rank, that MVAPICH's `mpirun_rsh` has before the program
    where neither a file nor the scheduler has them: `mpirun_rsh -np 2 n0 n1 ./a`."""
    if words[0].rpartition("/")[2] != "mpirun_rsh":
        return words
    options = OPTIONS["mpirun"]
    given = _parse_launcher(words[1:], options)
    ranks = given.number(options.ranks)
    if ranks is None or len(given.command) <= ranks or not _HOSTS_OF_FILE.isdisjoint(given.values):
        return words
    if not all(map(_HOST.fullmatch, given.command[:ranks])):
        return words
    return [*words[: len(words) - len(given.command)], *given.command[ranks:]]


def _sum(counts: Iterable[int | None]) -> int | None:
    """None where one of them is not known."""
    every = list(counts)
    known = [count for count in every if count is not None]
    return sum(known) if len(known) == len(every) else None


def _is_command(words: Sequence[str], in_script: bool) -> bool:
    """Not the "mpirun noticed that process rank 3 …" of a sentence, nor the "srun: error" of a message."""
    if in_script and _PROGRAM.fullmatch(words[1]) and words[1] not in _OF_SENTENCES:
        return True
    given = [unquoted(word) for word in words[1:]]
    return any(word.startswith("-") for word in given) or given[0].startswith((".", "/", "$")) or len(given) == 1


def _parse_launcher(words: Sequence[str], options: LauncherOptions) -> _Given:
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
        elif word in options.with_number:
            at += at + 2 < len(words) and _NUMBERS.fullmatch(unquoted(words[at + 1])) is not None
        elif len(word) > 2 and word[:2] in with_one and word[2].isdigit():
            values.setdefault(word[:2], word[2:])
        at += 1
    return _Given(values, tuple(words[at:]))


def _without_assignments(command: Sequence[str]) -> Sequence[str]:
    """What MVAPICH's mpirun_rsh starts, `NAME=value` before the program being the environment of it; and what stands
    behind options that a variable has."""
    first = next((at for at, word in enumerate(command) if not ASSIGNS.match(word)), len(command))
    while first + 1 < len(command) and OPTIONS_OF_A_VARIABLE.fullmatch(command[first]):
        first += 1
    return command[first:]


def _of_resource_sets(given: _Given, sets: int | None, sets_per_host: int | None) -> tuple[int | None, int | None]:
    """jsrun counts resource sets; ranks are those times the tasks of each."""
    direct = given.number(names("-p --np"))
    each = given.number(names("-a --tasks_per_rs"))
    ranks = sets * each if sets is not None and each is not None else direct
    return ranks, (sets_per_host * each if sets_per_host is not None and each is not None else None)


def _mapped(text: str) -> int | None:
    """The ranks per node of Open MPI's `ppr:N:node`."""
    parts = text.split(":")
    return whole(parts[1]) if len(parts) >= 3 and parts[0] == "ppr" and parts[2] == "node" else None
