"""The `key: value` lines before the tables (perftools-lite, pat_report) and in the additional details (pat_report)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from iotriage_parsers.evidence import Problem
from iotriage_parsers.evidence.craypat import PatField
from iotriage_parsers.readers.craypat.numbers import measure, whole

RANKS: Final = "Number of PEs (MPI ranks)"
RANKS_PER_NODE: Final = "Numbers of PEs per Node"
READ_RATE: Final = "I/O Read Rate"
WRITE_RATE: Final = "I/O Write Rate"
INVOCATION: Final = "Program invocation"
INSTRUMENTED: Final = "Instrumented with"
EXPERIMENT: Final = "Experiment"
START: Final = "Execution start time"

_ON_NEXT_LINE: Final = frozenset(
    (
        "Current path to data file",
        "Original path to data file",
        "Original program",
        INSTRUMENTED,
        "Instrumented program",
        INVOCATION,
        "Report command line options",
        "Operating system",
    )
)
"""Keys whose value stands on the line below when it is long."""

KEYS: Final = (
    EXPERIMENT,
    RANKS,
    RANKS_PER_NODE,
    "Numbers of Threads per PE",
    "Number of Cores per Socket",
    "Accelerator Model",
    "Accelerator Driver Version",
    START,
    "System name and speed",
    "Core Performance Boost",
    "DRAM",
    "MCDRAM",
    "Process Time",
    "Avg Process Time",
    "High Memory",
    "MFLOPS (aggregate)",
    "Observed CPU clock boost",
    "Observed CPU cycle rate",
    "Percent cycles stalled",
    "Instr per Cycle",
    READ_RATE,
    WRITE_RATE,
    *(f"{mean} {part} {what}" for mean in ("Ave", "Avg") for part in ("CPU", "ACC") for what in ("Energy", "Power")),
    "Sampling interval",
    "Exit Status",
    "Memory pagesize",
    "Memory hugepagesize",
    "Programming environment",
    *sorted(_ON_NEXT_LINE),
)
_FIELD: Final = re.compile(rf"({'|'.join(re.escape(key) for key in KEYS)})\s*:(?:\s+(.*))?")
_VERSION: Final = re.compile(r"CrayPat/X:\s+Version\s+(\S+)")
_WHOLE_VERSION: Final = re.compile(r".*\s\d\d:\d\d:\d\d")

_PER_NODE: Final = re.compile(r"([\d,]+)(?:\s+PEs?\s+on\s+each\s+of\s+([\d,]+)\s+Nodes?)?")
_RATE: Final = re.compile(r"(\S+)\s+Mi?Bytes/sec")
_SECONDS: Final = re.compile(r"(\S+)\s+secs(?:\s+(\S+)\s+secs per PE)?")
_MEMORY: Final = re.compile(r"(\S+)\s+Mi?Bytes\b.*")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_CTIME: Final = re.compile(r"[A-Z][a-z]{2}\s+([A-Z][a-z]{2})\s+(\d{1,2})\s+(\d\d:\d\d:\d\d)\s+(\d{4})")
_GROUP_OPTION: Final = re.compile(r"(?:^|\s)-g\s+([\w,]+)")


class Header(NamedTuple):
    """The header's figures; units as in `CrayPatReport`."""

    experiment: str | None
    ranks: int | None
    ranks_per_node: int | None
    nodes: int | None
    threads_per_rank: int | None
    cores_per_socket: int | None
    start_time_local: str | None
    host: str | None
    executable: str | None
    command_line: str | None
    process_time_s: float | None
    process_time_line: int | None
    high_memory_mib: float | None
    read_rate: float | None
    write_rate: float | None


def version(text: str) -> str | None:
    """The version that a `CrayPat/X:` line states."""
    match = _VERSION.match(text)
    return match.group(1) if match else None


def key_and_value(text: str) -> tuple[str, str] | None:
    """A line of the header, None for any other line."""
    match = _FIELD.fullmatch(text)
    return (match.group(1), (match.group(2) or "").strip()) if match else None


def ends_early(text: str) -> bool:
    """Whether a line lacks its end, which CrayPAT always prints: when it was built, or when the program started."""
    stated = key_and_value(text)
    if stated is None:
        return _VERSION.match(text) is not None and _WHOLE_VERSION.fullmatch(text) is None
    return stated[0] == START and _CTIME.fullmatch(stated[1]) is None


def may_follow(key: str) -> bool:
    """Whether the value of `key` can stand on the line after it."""
    return key in _ON_NEXT_LINE


def groups_in(text: str) -> tuple[str, ...]:
    """The function groups in the options of `pat_build` or `pat_run`."""
    return tuple(group for match in _GROUP_OPTION.finditer(text) for group in match.group(1).split(",") if group)


class _Fields:
    """The fields by their keys, as each stands first, and what is wrong with those that were asked for."""

    def __init__(self, fields: Sequence[PatField]) -> None:
        self.first = {f.key: f for f in reversed(fields)}
        self.problems: list[Problem] = []

    def text(self, key: str) -> str | None:
        return self.first[key].text or None if key in self.first else None

    def count(self, key: str) -> int | None:
        number = whole(self.text(key) or "")
        if key in self.first and number is None:
            self.problems.append(_wrong(self.first[key], "no whole number: left out"))
        return number

    def number(self, key: str, pattern: re.Pattern[str], group: int = 1) -> float | None:
        field = self.first.get(key)
        if field is None:
            return None
        match = pattern.fullmatch(field.text)
        if match is None:
            self.problems.append(_wrong(field, "not in the form that CrayPAT writes: left out"))
            return None
        read = measure(match.group(group) or match.group(1))
        if read.code is not None:
            self.problems.append(Problem(read.code, _problem_text(field, read.why), loses_data=True, line=field.line))
        return read.number


def header(fields: Sequence[PatField]) -> tuple[Header, tuple[Problem, ...]]:
    """What the fields state; a field that stands twice counts as it stands first."""
    stated = _Fields(fields)
    first, text, count, number = stated.first, stated.text, stated.count, stated.number
    per_node = _PER_NODE.fullmatch(text(RANKS_PER_NODE) or "")
    if RANKS_PER_NODE in first and per_node is None:
        stated.problems.append(_wrong(first[RANKS_PER_NODE], "not in the form that CrayPAT writes: left out"))
    start = _start_time(text(START) or "")
    invocation = text(INVOCATION)
    program = text("Original program") or invocation
    time_key = "Avg Process Time" if "Avg Process Time" in first else "Process Time"
    seconds = number(time_key, _SECONDS, 2)
    built = Header(
        experiment=text(EXPERIMENT),
        ranks=count(RANKS),
        ranks_per_node=whole(per_node.group(1)) if per_node else None,
        nodes=(whole(per_node.group(2)) if per_node.group(2) else 1) if per_node else None,
        threads_per_rank=count("Numbers of Threads per PE"),
        cores_per_socket=count("Number of Cores per Socket"),
        start_time_local=start,
        host=next(iter((text("System name and speed") or "").split()), None),
        executable=next(iter((program or "").split()), None),
        command_line=invocation,
        process_time_s=seconds,
        process_time_line=first[time_key].line if seconds is not None else None,
        high_memory_mib=number("High Memory", _MEMORY),
        read_rate=number(READ_RATE, _RATE),
        write_rate=number(WRITE_RATE, _RATE),
    )
    return built, tuple(_once(stated.problems))


def _start_time(text: str) -> str | None:
    """C's ctime as YYYY-MM-DDThh:mm:ss. Month names are CrayPAT's, not the locale's."""
    match = _CTIME.fullmatch(text)
    if match is None or match.group(1) not in _MONTHS:
        return None
    month, day, clock, year = match.groups()
    return f"{year}-{_MONTHS.index(month) + 1:02}-{int(day):02}T{clock}"


def _once(problems: Sequence[Problem]) -> Iterator[Problem]:
    return iter(dict.fromkeys(problems))


def _wrong(field: PatField, why: str) -> Problem:
    return Problem("unrecognised-number", _problem_text(field, why), loses_data=True, line=field.line)


def _problem_text(field: PatField, why: str) -> str:
    return f'"{field.key}" is {field.text[:60] or "empty"} on line {field.line}: {why}'
