"""How the directives of each scheduler are recognised, and what those of LSF, Grid Engine, Flux, Moab and TGCC's
`ccc_msub`, Fujitsu's `pjsub`, OAR and LoadLeveler ask for; those of Slurm, PBS and Cobalt are in `directives`.

https://www.ibm.com/docs/en/spectrum-lsf (bsub), https://flux-framework.readthedocs.io (flux-batch),
https://www.fugaku.r-ccs.riken.jp (pjsub), https://oar.imag.fr, https://www-hpc.cea.fr/tgcc-public (ccc_msub).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Final

from iotriage_parsers.evidence import JobContext, Lines
from iotriage_parsers.evidence.job_context import ContextSource, Scheduler
from iotriage_parsers.frozen import frozen
from iotriage_parsers.readers.job_context.directives import cobalt, options, pbs, pbs_resources, slurm
from iotriage_parsers.readers.job_context.figures import RequestedFields, cobalt_seconds, pbs_seconds, slurm_seconds
from iotriage_parsers.readers.job_context.shell import commands, unquoted
from iotriage_parsers.text.numbers import whole

SCRIPT_FIRST: Final = (
    r"#(?:SBATCH|PBS|COBALT|BSUB|MSUB|PJM|OAR|\$)\s+[-\u2013\u2014]"
    r"|#\s?(?:flux|FLUX):\s*-"
    r"|#!\s?/\S{0,80}?(?:sh|env (?:ba|z|k|c|tc)?sh)\b"
    r"|(?:\$\s{1,4})?sbatch (?=-).{0,1000}?(?:--wrap[=\s]|\\\s{0,8}$)"
    r"|export [A-Za-z_]\w{0,80}="
    r"|(?:MPICH_MPIIO_|FI_OFI_|IOBUF_)[A-Z0-9_]{1,60}="
)
"""Beginnings of the first line of a script."""

DIRECTIVE: Final = re.compile(
    r"#(?:(SBATCH|PBS|COBALT|BSUB|MSUB|PJM|OAR|\$)\s+(-.*)|(SBATCH)\s+((?:het|pack)job)\s*$|\s?(flux:|FLUX:)\s*(-.*)"
    r"|\s?(@)\s*((?:job_name|job_type|node|tasks_per_node|total_tasks|bg_size|wall_clock_limit|class|account_no|initialdir"
    r"|output|error|environment|notification|node_usage|network|shell|step_name)\s*=.*))"
)
"""LoadLeveler's `@` is that of many comments, but before its own words."""

_LSF: Final = {
    "-nnodes": "nnodes",
    "-n": "ntasks",
    "-J": "job_name",
    "-q": "partition",
    "-P": "account",
    "-cwd": "work_dir",
    "-W": "time_limit_s",
}
_GRID_ENGINE: Final = {"-N": "job_name", "-q": "partition", "-P": "account", "-A": "account", "-wd": "work_dir"}
_OF_MPI: Final = re.compile(r"mpi|^orte")
"""Names of MPI environments; Open MPI's guide calls its own "orte"."""
_LIMIT: Final = re.compile(r"(?:^|,)(?:h_rt|s_rt)=([\d:]{1,12})")
_FLUX: Final = {
    "-N": "nnodes",
    "--nodes": "nnodes",
    "-t": "time_limit_s",
    "--time-limit": "time_limit_s",
    "-q": "partition",
    "--queue": "partition",
    "-B": "account",
    "--bank": "account",
    "--job-name": "job_name",
    "--cwd": "work_dir",
}
"""In a batch script of Flux, `-n` counts slots and not ranks."""
_MOAB: Final = {"-N": "job_name", "-q": "partition", "-A": "account", "-d": "work_dir", "-w": "work_dir"}
_BRIDGE: Final = {"-r": "job_name", "-n": "ntasks", "-T": "time_limit_s", "-A": "account"}
_PJM: Final = {"-N": "job_name", "--name": "job_name", "-g": "account"}
_PJM_LISTS: Final = ("-L", "--rsc-list", "--mpi")
_PJM_RESOURCES: Final = {"elapse": "time_limit_s", "rscgrp": "partition", "rg": "partition"}
_OAR: Final = {"-n": "job_name", "--name": "job_name", "-q": "partition", "--project": "account", "-d": "work_dir"}
_LOADLEVELER: Final = {
    "node": "nnodes",
    "bg_size": "nnodes",
    "total_tasks": "ntasks",
    "tasks_per_node": "ranks_per_node",
    "job_name": "job_name",
    "class": "partition",
    "account_no": "account",
    "initialdir": "work_dir",
    "wall_clock_limit": "time_limit_s",
}
_SPAN: Final = re.compile(r"span\[ptile=(\d{1,4})\]")
_SHAPE: Final = re.compile(r"(\d{1,7}(?:x\d{1,7}){0,5})(?::[a-z-]{1,20})*")
_HOST: Final = re.compile(r"/?(?:nodes|host)=(\d{1,6})\b")
_WALLTIME: Final = re.compile(r"\bwalltime=([\d:]{1,20})")
_STANDARD: Final = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)(s|m|h|d)?")
_UNIT_S: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400, None: 60}
_HOURS_MINUTES: Final = re.compile(r"(\d{1,5}):(\d\d)")

Keeper = Callable[[RequestedFields, Sequence[str], int], None]
Seconds = Callable[[str | None], float | None]
ABOVE_THE_COMMANDS: Final = frozenset(("SBATCH", "PBS"))
"""Schedulers whose directives end at the first command: https://slurm.schedmd.com/sbatch.html, qsub(1B) of PBS."""


@frozen
class Dialect:
    """`keep` adds what the words of a directive ask for; `seconds` reads its limit of time. `scheduler` is None where
    the evidence has no name for it."""

    keep: Keeper
    seconds: Seconds
    scheduler: Scheduler | None = None


def keep(asked: RequestedFields, word: str, arguments: str, line: int) -> None:
    """Adds to `asked` what a directive of the dialect `word` says on `line`."""
    if word == "@":
        name, _, value = arguments.partition("=")
        _loadleveler(asked, [name.strip(), unquoted(value.strip())], line)
    else:
        DIALECTS[word].keep(asked, [unquoted(w) for w in next(commands(arguments), [])], line)


_BY_A_DASH: Final = re.compile(r"#(?:SBATCH|PBS|COBALT|BSUB|MSUB|PJM|OAR)\s+[\u2013\u2014]")


def asks_by_a_dash(text: str) -> bool:
    """Whether a typographic dash stands where the scheduler expects - or --: the scheduler then ignores the line."""
    return _BY_A_DASH.match(text) is not None


def directive_of(text: str) -> tuple[str, str] | None:
    """The dialect of a directive and its arguments; None where the line is none."""
    found = DIRECTIVE.match(text)
    if found is None:
        return None
    word, arguments = (group for group in found.groups() if group is not None)
    return word.lower() if word == "FLUX:" else word, arguments


_SUBMITTED_BY: Final = {
    "sbatch": "SBATCH",
    "qsub": "PBS",
    "bsub": "BSUB",
    "msub": "MSUB",
    "ccc_msub": "MSUB",
    "pjsub": "PJM",
    "oarsub": "OAR",
}


def submit_option(words: Sequence[str], script: Iterable[str]) -> tuple[str, str] | None:
    """The dialect and the options of a command that submits a script, up to its name or a here-document; None where it
    has none. What `qsub` takes is what the directives in the script are of: several schedulers have one."""
    ends = next((at for at, word in enumerate(words) if "<" in word), len(words))
    options = " ".join(words[1:ends])
    by_name = _SUBMITTED_BY.get(unquoted(words[0]).rpartition("/")[2]) if options.startswith("-") else None
    if by_name is None:
        return None
    of_script = (found[0] for text in script if (found := directive_of(text)) is not None)
    return next(of_script, by_name), options


def _lsf(asked: RequestedFields, words: Sequence[str], line: int) -> None:
    # LSF's long names have one dash, which begin as its short ones do.
    for name, value in zip(words, words[1:], strict=False):
        span = _SPAN.search(value) if name == "-R" else None
        if span is not None:
            asked.keep("ranks_per_node", span[1], line)
        elif name in _LSF:
            asked.keep(_LSF[name], value, line)


def _grid_engine(asked: RequestedFields, words: Sequence[str], line: int) -> None:
    """Slots are ranks in an environment that is named for MPI; in others they may be threads."""
    for at, name in enumerate(words[:-1]):
        value = words[at + 1]
        limit = _LIMIT.search(value) if name == "-l" else None
        if limit is not None:
            asked.keep("time_limit_s", limit[1], line)
        elif name == "-pe" and _OF_MPI.search(value.lower()) and at + 2 < len(words):
            asked.keep("ntasks", words[at + 2], line)
        elif name in _GRID_ENGINE:
            asked.keep(_GRID_ENGINE[name], value, line)


def _flux(asked: RequestedFields, words: Sequence[str], line: int) -> None:
    _keep_fields(asked, words, line, _FLUX)


def _moab(asked: RequestedFields, words: Sequence[str], line: int) -> None:
    """Moab's, or those of `ccc_msub`, which has none of its `-l` and a number for its nodes."""
    _keep_fields(asked, words, line, _BRIDGE)
    for name, value in options(words, frozenset((*_MOAB, "-l"))):
        if name == "-l":
            pbs_resources(asked, value, line)
        elif name in _MOAB:
            asked.keep("nnodes" if name == "-N" and whole(value) is not None else _MOAB[name], value, line)


def _pjm(asked: RequestedFields, words: Sequence[str], line: int) -> None:
    for name, value in options(words, frozenset((*_PJM, *_PJM_LISTS))):
        for one in value.split(",") if name in _PJM_LISTS else ():
            key, _, setting = one.partition("=")
            _pjm_resource(asked, key, setting, line)
        if name in _PJM:
            asked.keep(_PJM[name], value, line)


def _pjm_resource(asked: RequestedFields, key: str, value: str, line: int) -> None:
    shape = _SHAPE.fullmatch(value) if key == "node" else None
    if shape is not None:
        asked.keep("nnodes", str(prod(map(int, shape[1].split("x")))), line)
    elif key == "proc":
        asked.keep("ntasks", value, line)
    elif key == "max-proc-per-node":
        asked.keep("ranks_per_node", value, line)
    elif key in _PJM_RESOURCES:
        asked.keep(_PJM_RESOURCES[key], value, line)


def _oar(asked: RequestedFields, words: Sequence[str], line: int) -> None:
    for name, value in options(words, frozenset((*_OAR, "-l"))):
        if name in ("-l", "--resource"):
            hosts, limit = _HOST.match(value), _WALLTIME.search(value)
            asked.keep("nnodes", hosts[1] if hosts else "", line)
            asked.keep("time_limit_s", limit[1] if limit else "", line)
        elif name in _OAR:
            asked.keep(_OAR[name], value, line)


def _loadleveler(asked: RequestedFields, words: Sequence[str], line: int) -> None:
    name, value = words
    if name in _LOADLEVELER:
        asked.keep(_LOADLEVELER[name], value.partition(",")[0].strip(), line)


def _keep_fields(asked: RequestedFields, words: Sequence[str], line: int, fields: Mapping[str, str]) -> None:
    for name, value in options(words, frozenset(fields)):
        if name in fields:
            asked.keep(fields[name], value, line)


def _lsf_seconds(text: str | None) -> float | None:
    """MINUTES or HOURS:MINUTES, before a host."""
    limit = (text or "").partition("/")[0]
    clock = _HOURS_MINUTES.fullmatch(limit)
    minutes = whole(limit) if clock is None else int(clock[1]) * 60 + int(clock[2])
    return None if minutes is None else minutes * 60.0


def _flux_seconds(text: str | None) -> float | None:
    """Flux's standard duration; without a unit minutes."""
    found = _STANDARD.fullmatch(text or "")
    return None if found is None else float(found[1]) * _UNIT_S[found[2]]


def _oar_seconds(text: str | None) -> float | None:
    """HOURS, HOURS:MINUTES, HOURS:MINUTES:SECONDS."""
    clock = _HOURS_MINUTES.fullmatch(text or "")
    if clock is not None:
        return int(clock[1]) * 3600.0 + int(clock[2]) * 60.0
    hours = whole(text)
    return pbs_seconds(text) if hours is None else hours * 3600.0


DIALECTS: Final[Mapping[str, Dialect]] = {
    "SBATCH": Dialect(slurm, slurm_seconds, "slurm"),
    "PBS": Dialect(pbs, pbs_seconds, "pbs"),
    "COBALT": Dialect(cobalt, cobalt_seconds, "cobalt"),
    "BSUB": Dialect(_lsf, _lsf_seconds, "lsf"),
    "$": Dialect(_grid_engine, pbs_seconds),
    "MSUB": Dialect(_moab, pbs_seconds),
    "PJM": Dialect(_pjm, pbs_seconds),
    "OAR": Dialect(_oar, _oar_seconds),
    "flux:": Dialect(_flux, _flux_seconds, "flux"),
    "@": Dialect(_loadleveler, pbs_seconds),
}


def asked_for(asked: RequestedFields, word: str | None, source: ContextSource, lines: Lines) -> JobContext:
    """What directives that begin with this word ask for, without what the script then does."""
    dialect = DIALECTS.get(word or "")
    seconds = slurm_seconds if dialect is None else dialect.seconds
    return JobContext(
        source=source,
        lines=lines,
        scheduler=None if dialect is None else dialect.scheduler,
        job_name=asked.text("job_name"),
        nnodes=asked.whole("nnodes"),
        ntasks=asked.whole("ntasks"),
        ranks_per_node=asked.whole("ranks_per_node"),
        time_limit_s=seconds(asked.text("time_limit_s")),
        partition=asked.text("partition"),
        account=asked.text("account"),
        work_dir=asked.text("work_dir"),
        nodelist=asked.text("nodelist"),
        fields=asked.fields,
    )
