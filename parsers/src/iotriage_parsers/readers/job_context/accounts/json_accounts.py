"""Jobs as JSON: `sacct --json`, `squeue --json` and `scontrol show job --json` of Slurm, `qstat -f -F json` of PBS.

https://slurm.schedmd.com/rest_api.html (of what versions changed, both forms are known), qstat(1B) of PBS. Times since
the epoch are left out: those of other accounts are local ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from iotriage_parsers.evidence import ContextField, JobContext, JobStep, Lines, Problem
from iotriage_parsers.evidence.job_context import program_steps
from iotriage_parsers.readers.job_context.accounts.ending import ending_problem
from iotriage_parsers.readers.job_context.accounts.qstat import QstatMachine
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line

JSON_FIRST: Final = (
    r'\{?\s{0,20}"jobs"\s{0,4}:\s{0,4}\['
    r'|\{?\s{0,20}(?:"timestamp"\s{0,4}:\s{0,4}\d{1,12}\s{0,4},\s{0,20})?"pbs_version"\s{0,4}:'
)
JSON_ANCHORS: Final = (b'"jobs":', b'"pbs_version"')

_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*+"')
_SIGNS: Final = re.compile(r"[{}\[\]]")
_OF_JSON: Final = re.compile(r'["{}\[\],:\d-]|true|false|null')
_OF_PBS: Final = '"pbs_version"'
_OF_A_JOB: Final = 3
"""Braces and brackets that are open within a job."""
_OF_SLURM: Final = frozenset(("allocation_nodes", "time", "job_state", "node_count", "state"))
"""What Slurm's jobs have, and jobs of other programs have not all of."""
_MOST_WITHIN: Final = 4
"""Attributes of PBS have one that they are of, at most."""
_MOST_DIGITS: Final = 20
"""Of a number of 64 bits: Slurm has the largest for what is not set."""
MOST_CHARACTERS: Final = 16 * 2**20
MOST_JOBS: Final = 2_000
MOST_STEPS: Final = 2_000

Json = dict[str, object]


class JsonAccountsMachine:
    """Keeps the document until its braces close; without that nothing is read."""

    def __init__(self, line: Line) -> None:
        self._first = self._last = line.number
        self._pieces: list[str] = []
        self._begun: list[int] = []
        self._size = self._depth = 0
        self._closed = False
        self._of_pbs = _OF_PBS in line.text
        text = line.text.strip()
        if not text.startswith("{"):
            text = f"{{{text}"
        self._take(text, line.number)

    def feed(self, line: Line) -> LineResult:
        text = line.text.strip()
        if line.number == self._first or not text:
            return LineResult.FOREIGN
        if self._closed or self._size > MOST_CHARACTERS:
            return LineResult.OVER
        if not _OF_JSON.match(text):
            return LineResult.FOREIGN
        self._take(text, line.number)
        return LineResult.LAST if self._closed else LineResult.TAKEN

    def close(self) -> BlockResult:
        beyond = list[str]()

        def figure(text: str) -> int | None:
            if len(text) <= _MOST_DIGITS:
                return int(text)
            beyond.append(text)
            return None

        decoder = json.JSONDecoder(parse_int=figure)
        try:
            document: object = decoder.raw_decode("\n".join(self._pieces))[0] if self._closed else None
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict):
            message = "a scheduler's JSON was cut off, or is none: nothing of it is read"
            return BlockResult((), (Problem("unterminated", message, loses_data=True, line=self._first),))
        found = list(self._jobs_of_pbs(document) if self._of_pbs else self._jobs_of_slurm(document))
        problems = [problem for one in found for problem in one.problems]
        if beyond:
            message = f"numbers of a scheduler's JSON beyond 64 bits were left out: {len(beyond):,}"
            problems.append(Problem("out-of-range", message, loses_data=True, line=self._first))
        if len(self._begun) > MOST_JOBS:
            message = f"{len(self._begun) - MOST_JOBS:,} jobs behind the first {MOST_JOBS:,} were not read"
            problems.append(Problem("limit", message, loses_data=True, line=self._begun[MOST_JOBS]))
        return BlockResult(tuple(part for one in found for part in one.parts), tuple(problems))

    def _take(self, text: str, number: int) -> None:
        """Slurm's list ends what is read of its document; the rest says which version printed it."""
        self._size += len(text)
        self._last = number
        for found in _SIGNS.finditer(_STRING.sub(lambda string: " " * len(string[0]), text)):
            if found[0] in "{[":
                self._depth += 1
                if found[0] == "{" and self._depth == _OF_A_JOB:
                    self._begun.append(number)
                continue
            self._depth -= 1
            if self._depth <= (0 if self._of_pbs else 1):
                self._closed = True
                self._pieces.append(f"{text[: found.end()]}{'' if self._of_pbs else '}'}")
                return
        self._pieces.append(text)

    def _jobs_of_slurm(self, document: Json) -> Iterator[BlockResult]:
        jobs = document.get("jobs")
        known = [job for job in jobs if isinstance(job, dict)] if isinstance(jobs, list) else []
        ends = [*(begun - 1 for begun in self._begun[1:]), self._last]
        for job, first, last in zip(known[:MOST_JOBS], self._begun, ends, strict=False):
            if len(_OF_SLURM & job.keys()) > 1 and _number(job.get("job_id")) is not None:
                yield _of_slurm(job, Lines(first, max(first, last)))

    def _jobs_of_pbs(self, document: Json) -> Iterator[BlockResult]:
        jobs = document.get("Jobs")
        for number, (name, job) in zip(
            self._begun[:MOST_JOBS], jobs.items() if isinstance(jobs, dict) else (), strict=False
        ):
            machine = QstatMachine(Line(number, f"Job Id: {name}"))
            for key, value in _flat(job):
                machine.give(key, value, number)
            yield machine.close()


def _of_slurm(job: Json, lines: Lines) -> BlockResult:
    raw, array = f"{_number(job.get('job_id'))}", _object(job.get("array"))
    task, of = _number(array.get("task_id")), _number(array.get("job_id"))
    job_id = f"{of}_{task}" if of and task is not None else raw
    time = _object(job.get("time"))
    steps = tuple(_steps(job, lines.first))
    minutes = _count(time.get("limit") if time else job.get("time_limit"))
    nnodes, elapsed = _count(job.get("allocation_nodes", job.get("node_count"))), _number(time.get("elapsed"))
    ntasks = next((step.ntasks for step in program_steps(steps)), None) if steps else _count(job.get("tasks"))
    context = JobContext(
        source="sacct" if time else "scontrol",
        lines=lines,
        scheduler="slurm",
        job_id=job_id,
        job_id_raw=None if job_id == raw else raw,
        cluster=_text(job.get("cluster")),
        job_name=_text(job.get("name")),
        nnodes=nnodes,
        ntasks=ntasks,
        elapsed_s=None if elapsed is None else float(elapsed),
        time_limit_s=None if minutes is None else minutes * 60.0,
        partition=_text(job.get("partition")),
        account=_text(job.get("account")),
        work_dir=_text(job.get("working_directory", job.get("current_working_directory"))),
        nodelist=_text(job.get("nodes")),
        state=_state(job.get("state", job.get("job_state"))),
        steps=steps,
        fields=tuple(
            ContextField(name, f"{value}", lines.first)
            for name, value in (("job_id", job_id), ("nnodes", nnodes), ("ntasks", ntasks), ("elapsed_s", elapsed))
            if value is not None
        ),
    )
    ended = ending_problem(context.source, job_id, context.state, steps, lines.first)
    return BlockResult((context,), () if ended is None else (ended,))


def _steps(job: Json, line: int) -> Iterator[JobStep]:
    steps = job.get("steps")
    for given in steps[:MOST_STEPS] if isinstance(steps, list) else ():
        one = _object(given)
        step, elapsed = _object(one.get("step")), _number(_object(one.get("time")).get("elapsed"))
        named = step.get("id")
        of = _object(named).get("step_id") if isinstance(named, dict) else f"{named}".rpartition(".")[2]
        yield JobStep(
            f"{of}".lower(),
            line,
            name=_text(step.get("name")),
            nnodes=_count(_object(one.get("nodes")).get("count")),
            ntasks=_count(_object(one.get("tasks")).get("count")),
            elapsed_s=None if elapsed is None else float(elapsed),
            state=_state(one.get("state")),
        )


def _flat(given: object, before: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """The attributes as `qstat -f` names them: `resources_used.walltime`. The environment is one of them."""
    for key, value in _object(given).items():
        if key == "Variable_List":
            yield key, ",".join(f"{name}={one}" for name, one in _object(value).items())
        elif not isinstance(value, dict):
            yield ".".join((*before, key)), f"{value}"
        elif len(before) < _MOST_WITHIN:
            yield from _flat(value, (*before, key))


def _object(given: object) -> Json:
    return given if isinstance(given, dict) else {}


def _count(given: object) -> int | None:
    """What a job that has not begun has 0 of is not known yet."""
    return _number(given) or None


def _number(given: object) -> int | None:
    """A number, or one in the form that has whether it is set."""
    if isinstance(given, dict):
        return _number(given.get("number")) if given.get("set") and not given.get("infinite") else None
    return given if isinstance(given, int) and not isinstance(given, bool) and given >= 0 else None


def _text(given: object) -> str | None:
    return given if isinstance(given, str) and given else None


def _state(given: object) -> str | None:
    current = _object(given).get("current") if isinstance(given, dict) else given
    return _text(current[0] if isinstance(current, list) and current else current)
