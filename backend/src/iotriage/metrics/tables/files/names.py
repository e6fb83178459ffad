"""The name of a file of a log, as the value of a metric."""

from __future__ import annotations

from collections.abc import Sequence
from operator import not_, or_

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.selection import LogRows, base_name


def stands_for_name(name: str) -> bool:
    """Whether it is a number that stands for the name of a file or program, as darshan-convert --obfuscate writes it:
    it says nothing about what it names, and a program's arguments are gone."""
    return name.isdigit()


def unnamed(names: Sequence[str]) -> list[bool]:
    """Which names are none, or numbers that stand for one. A hundred thousand are asked at once."""
    return list(map(or_, map(not_, names), map(str.isdigit, names)))


def file_named(rows: LogRows, record: int) -> Outcome:
    """What stands after the last slash of the record's path; absent where the log does not have it."""
    name = rows.name_of(record)
    return Absent("the log does not name the file", (DARSHAN,)) if name is None else Value(base_name(name), "inferred")


def path_of(rows: LogRows, record: int) -> Outcome:
    """All of the record's path, for a command; absent where the log does not have it, or a number instead."""
    name = rows.name_of(record)
    if name is not None and stands_for_name(name):
        return Absent("a number stands for the file's name", (DARSHAN,))
    return Absent("the log does not name the file", (DARSHAN,)) if name is None else Value(name, "inferred")
