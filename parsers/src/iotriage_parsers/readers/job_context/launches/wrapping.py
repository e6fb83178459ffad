"""Commands that only start another one: numactl, env, timeout, a shell with `-c`, a container, a wrapper script."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Final, NamedTuple

from iotriage_parsers.frozen import frozen
from iotriage_parsers.readers.job_context.launches.container_options import VALUED
from iotriage_parsers.readers.job_context.shell import ASSIGNS, commands, unquoted

NO_SCRIPTS: Final[Mapping[str, bool]] = {}
MOST_LAYERS: Final = 8
"""So many commands around one another are looked through."""

SHELLS: Final = frozenset(("bash", "sh", "dash", "ksh", "zsh", "csh", "tcsh"))


@frozen
class _Runner:
    """`with_value` are the options that take the next word; so many plain words stand before the command."""

    with_value: frozenset[str] = field(default=frozenset())
    before: int = 0


def _runner(with_value: str = "", before: int = 0) -> _Runner:
    return _Runner(frozenset(with_value.split()), before)


_RUNNERS: Final[dict[str, _Runner]] = {
    "catchsegv": _runner(),
    "conda": _runner("-n --name -p --prefix", before=1),
    "ddt": _runner("-o --output"),
    "dplace": _runner("-s -c -x -r -p"),
    "env": _runner("-u --unset -C --chdir"),
    "gdb": _runner("-x -ex"),
    "hpcrun": _runner("-e --event -o --output"),
    "ionice": _runner("-c --class -n --classdata"),
    "ltrace": _runner("-o -e"),
    "map": _runner("-o --output"),
    "nice": _runner("-n --adjustment"),
    "nohup": _runner(),
    "nsys": _runner("-o --output -t --trace -s --sample", before=1),
    "mamba": _runner("-n --name -p --prefix", before=1),
    "micromamba": _runner("-n --name -p --prefix", before=1),
    "numactl": _runner("-N --cpunodebind -m --membind -i --interleave -C --physcpubind -p --preferred"),
    "nvprof": _runner("-o --export-profile --log-file -m --metrics -e --events"),
    "omplace": _runner("-nt -tm -b -c -s"),
    "perf": _runner("-o --output -e --event", before=1),
    "perf-report": _runner("-o --output"),
    "scalasca": _runner("-e -f"),
    "scan": _runner("-e -f -m"),
    "setsid": _runner(),
    "stdbuf": _runner("-i --input -o --output -e --error"),
    "strace": _runner("-o -e -s -P"),
    "tau_exec": _runner("-T"),
    "taskset": _runner(before=1),
    "time": _runner("-f --format -o --output"),
    "timeout": _runner("-s --signal -k --kill-after", before=1),
    "valgrind": _runner(),
    "xvfb-run": _runner("-e -n -p -s -w"),
    "vtune": _runner("-collect -result-dir -r -knob"),
    # Of all but Shifter, `exec` or `run` and the image stand before the command, of Charliecloud the image alone.
    **{name: _Runner(valued, {"shifter": 0, "ch-run": 1}.get(name, 2)) for name, valued in VALUED.items()},
}
WRAPPERS: Final = frozenset((*_RUNNERS, *SHELLS))
_OF_LAUNCHES: Final = frozenset(("ddt", "map", "perf-report", "scalasca", "scan"))
"""Those that take a whole launch: what a launcher starts by such a name is a program of the user's."""

OPTIONS_OF_A_VARIABLE: Final = re.compile(
    r"\"?\$\{?\w{0,80}(?:OPTS?|OPTIONS?|ARGS?|ARGUMENTS?|FLAGS?|PARAMS?|PARAMETERS?|BIND|BINDING)\d{0,4}"
    r"(?:\[[@*]\])?\}?\"?",
    re.IGNORECASE,
)
"""What nobody sets here, and is named for options; `$TARGET`, `$BINDIR` and `$OPTIMIZED` are named for a program."""
_WRAPPER_SCRIPT: Final = re.compile(
    r"(?:select|set|bind|pin|map)_?(?:gpus?|cpus?|affinity|device|tile|numa|hbm)\w{0,40}(?:\.sh)?"
    r"|gpu_(?:tile_compact|dev_compact|bind|affinity|wrapper)\w{0,20}(?:\.sh)?"
    r"|\w{0,40}[_-]?(?:affinity|wrap|wrapper|binding)(?:\.sh)?"
)
"""What centres call the scripts that choose a GPU, or processors, for a rank and then run the rest of their line."""
_SCRIPT_FILE: Final = re.compile(r"[\w./~${}-]{1,400}\.(?:sh|bash|csh|env)")
_SOURCED: Final = re.compile(r"(?:[\w.~${}+-]{0,100}/){0,40}[\w.~${}+-]{1,200}")
_OF_A_SHELL: Final = re.compile(
    r"(?:^|/)(?:(?:de)?activate|\.?(?:bash|[cz]|tc|k)(?:sh)?rc|\.(?:bash_)?(?:profile|login|aliases)|bash|t?csh)$"
)
"""What a person's shell begins with, and a virtual environment: nothing of the job's I/O is set there as a rule."""
_SOURCES: Final = frozenset(("source", "."))
_OF_A_SYSTEM: Final = re.compile(
    r"^/(?!(?:[\w.-]{1,80}/){0,4}(?:home|users?/|p?scratch|work/|project|lus(?:tre)?/|gpfs/|glade/))"
    r"|(?:^|/)(?:conda|mamba|modules?|lmod|setup-env|setvars|vars|compilervars|mpivars|psxevars|thisroot|nvm|easybuild"
    r"|spack\w{0,20})\.c?sh$"
    r"|/(?:profile\.d|etc|init)/",
    re.IGNORECASE,
)
"""What is installed for all, and sets up a package: conda, Lmod, Spack, oneAPI."""
_HIDDEN: Final = re.compile(r"""\\([$`"\\])""")
_PROGRAM: Final = re.compile(r"""["']?(?:\.{0,2}/|~/|\$|[A-Za-z_])""")
_PREPARING: Final = frozenset(
    ("cd", "export", "source", ".", "ulimit", "set", "module", "umask", "unset", "sleep", "echo")
)


def unwrapped(words: Sequence[str], scripts: Mapping[str, bool] = NO_SCRIPTS, *, launched: bool = False) -> list[str]:
    """The command that `words` come to start in the end, itself where it starts no other one. `scripts` says of
    those whose text is known whether they run the rest of their line, `launched` that they stand behind a launcher."""
    rest = list(words)
    for _ in range(MOST_LAYERS):
        if launched and rest and _name(rest[0]) in _OF_LAUNCHES:
            break
        inner = _inner(rest, scripts)
        if inner is None:
            break
        rest = inner
    return rest


def of_shell(words: Sequence[str]) -> str | None:
    """The text that a shell is given with `-c`, as in `bash -lc "…"`; None where the command is no such one."""
    if not words or _name(words[0]) not in SHELLS:
        return None
    for at, word in enumerate(words[1:], start=1):
        if not word.startswith("-"):
            return None
        if not word.startswith("--") and word.endswith("c"):
            return _given_text(words[at + 1]) if at + 1 < len(words) else None
    return None


class ShellCommand(NamedTuple):
    """The text that a shell is given, and the words before that shell."""

    text: str
    ahead: Sequence[str]


def shell_command_of(words: Sequence[str]) -> ShellCommand | None:
    """What a shell is given with `-c` that the command is, or that a container or the like starts: `singularity exec
    a.sif bash -c "…"`. None where it starts none."""
    rest = list(words)
    for _ in range(MOST_LAYERS):
        if (text := of_shell(rest)) is not None:
            return ShellCommand(text, words[: len(words) - len(rest)])
        inner = _inner(rest, NO_SCRIPTS) if rest and _name(rest[0]) in _RUNNERS else None
        if inner is None:
            break
        rest = inner
    return None


def _given_text(word: str) -> str:
    """What another shell reads of a word: in double quotes a backslash hides what this one would take for its own."""
    return _HIDDEN.sub(r"\1", unquoted(word)) if word.startswith('"') else unquoted(word)


class CalledScript(NamedTuple):
    """`is_file` where its name is that of a script; `is_sourced` where the shell that reads the job's own does it, and
    takes what it sets."""

    name: str
    is_file: bool
    is_sourced: bool


def script_called(words: Sequence[str]) -> CalledScript | None:
    """The script that a command runs, by its name, by a shell or by `source`; None where it is none, or one that a
    system or a package has for its users to source."""
    given = words[1:] if (words[0] in SHELLS or words[0] in _SOURCES) and len(words) > 1 else words
    name = unquoted(given[0])
    is_file = _SCRIPT_FILE.fullmatch(name) is not None
    if words[0] in _SOURCES:
        named = is_file or any(sign in name for sign in "/$~") or (words[0] == "source" and len(words) == 2)
        own = named and not _OF_A_SYSTEM.search(name) and not _OF_A_SHELL.search(name)
        return CalledScript(name, is_file, True) if own and _SOURCED.fullmatch(name) else None
    return CalledScript(name, is_file, False) if is_file or given[0].startswith("./") else None


class Submitted(NamedTuple):
    """What `sbatch --wrap "…"` is given: the options before and behind, as a line, and the commands of the job."""

    options: str
    commands: str


def submitted(words: Sequence[str]) -> Submitted | None:
    """None where the words submit no such job."""
    if not words or _name(words[0]) != "sbatch":
        return None
    rest = list(words[1:])
    for at, word in enumerate(rest):
        name, equals, value = word.partition("=")
        if name == "--wrap" and equals:
            return Submitted(" ".join((*rest[:at], *rest[at + 1 :])), unquoted(value))
        if name == "--wrap" and at + 1 < len(rest):
            return Submitted(" ".join((*rest[:at], *rest[at + 2 :])), unquoted(rest[at + 1]))
    return None


def _inner(words: Sequence[str], scripts: Mapping[str, bool]) -> list[str] | None:
    """The command that this one starts; None where it is no wrapper, or nothing that could be started stands there."""
    if not words:
        return None
    name = _name(words[0])
    if name in SHELLS:
        return _started_by_shell(words)
    # One that lies in the folder of the run is a program of the user's.
    runner = _RUNNERS.get(name) if not unquoted(words[0]).startswith(".") else None
    if runner is not None:
        rest = _behind(words[1:], runner)
    elif scripts.get(name, bool(_WRAPPER_SCRIPT.fullmatch(name))):
        rest = list(words[1:])
    else:
        return None
    return rest if rest and _PROGRAM.match(rest[0]) else None


def _started_by_shell(words: Sequence[str]) -> list[str] | None:
    text = of_shell(words)
    if text is None:
        script = next((at for at, word in enumerate(words[1:], start=1) if not word.startswith("-")), None)
        return None if script is None else list(words[script:])
    return next((found for found in map(_without_assignments, commands(text)) if _does_something(found)), None)


def _does_something(words: Sequence[str]) -> bool:
    return bool(words) and words[0] not in _PREPARING


def _without_assignments(words: Sequence[str]) -> list[str]:
    first = next((at for at, word in enumerate(words) if not ASSIGNS.match(word) and word != "exec"), len(words))
    return list(words[first:])


def _behind(words: Sequence[str], runner: _Runner) -> list[str]:
    """What stands behind the runner's own options, assignments and words."""
    at, before = 0, runner.before
    while at < len(words):
        word = words[at]
        if word == "--":
            return list(words[at + 1 :])
        if word in runner.with_value:
            at += 1
        elif not word.startswith("-") and not _is_no_command(word):
            if before == 0:
                return list(words[at:])
            before -= 1
        at += 1
    return []


def _is_no_command(word: str) -> bool:
    return bool(ASSIGNS.match(unquoted(word)) or OPTIONS_OF_A_VARIABLE.fullmatch(word))


def _name(word: str) -> str:
    return unquoted(word).rpartition("/")[2]
