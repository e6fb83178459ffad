"""A report for those who are to see what is lost, and not whose it is: people, projects, programs, jobs, files and
tickets have other names, the same ones in every report under one key.

A column of text shows names unless it is known to hold none, so that a new one is hidden until somebody decides. What a
finding says may have the job's files in it: its rule's title stands in its place. Rows lead to no log.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from iotriage.centre.report.questions import OF_THE_JOB
from iotriage.centre.report.section import Cell, Choices, Column, ReportFilter, Section
from iotriage.metrics.tables.mounts import HOME
from iotriage.reports.anonymous.pseudonyms import Pseudonyms
from iotriage.rules import all_rules

_NAMELESS: Final = frozenset(("file system", "mount", "of", "site", "status", "what", "who"))
"""Titles of columns whose texts are the machine's and the report's own: file systems, interfaces, centres."""
_KINDS: Final[Mapping[str, str]] = {"job with most": "job"}
"""What a column's names are of, where its title does not say it."""
NOTE: Final = (
    "Users, projects, programs, jobs and files have other names here, the same ones in every report under one key."
)


class OtherNames:
    """Under the key; of what is not known there is none."""

    def __init__(self, key: bytes) -> None:
        self._pseudonyms = Pseudonyms(key)

    def section(self, section: Section) -> Section:
        """The section with its names hidden."""
        rows = tuple(
            tuple(self._cell(row, at, column, section) for at, column in enumerate(section.columns))
            for row in section.rows
        )
        return replace(section, rows=rows, logs=())

    def filter(self, filter: ReportFilter) -> ReportFilter:
        """What the logs are chosen by."""
        return replace(
            filter,
            file_system=None if filter.file_system is None else self._without_owner(filter.file_system),
            project=self._of("project", filter.project),
            user=self._of("user", filter.user),
            application=self._of("program", filter.application),
        )

    def _cell(self, row: tuple[Cell, ...], at: int, column: Column, section: Section) -> Cell:
        cell = row[at]
        if not isinstance(cell, str) or column.holds in ("date", "rule"):
            return cell
        if column.title in _NAMELESS:
            return self._without_owner(cell)
        if column.holds == "sentence":
            rule = next((row[n] for n, other in enumerate(section.columns) if other.holds == "rule"), None)
            return all_rules()[rule].title if isinstance(rule, str) and rule in all_rules() else None
        return cell if cell == OF_THE_JOB else self._of(_KINDS.get(column.title, column.title), cell)

    def choices(self, choices: Choices) -> Choices:
        """Those that name nobody."""
        return Choices(tuple(map(self._without_owner, choices.file_systems)), (), (), ())

    def _without_owner(self, text: str) -> str:
        """A home that is mounted by itself is called after whose it is."""
        home = HOME.search(text)
        owner = "" if home is None else text[home.end() :]
        return f"{text[: len(text) - len(owner)]}{self._of('user', owner)}" if owner else text

    def _of(self, kind: str, name: str | None) -> str | None:
        return None if name is None else f"{kind}-{self._pseudonyms.whole(f'{kind} {name}')}"
