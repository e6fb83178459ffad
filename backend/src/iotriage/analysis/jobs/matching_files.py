"""Decides whether two cases are of one job where one of them names none: an `lfs getstripe`, a benchmark's result, a
script.

The striping of a file that the run used is joined with it. A benchmark's result is joined with the log of its run by
file, ranks and the minute at which it began. Matching programs, directories and texts without a time are only reported,
and a person decides.
"""

from __future__ import annotations

from iotriage.analysis.jobs.case_identity import CaseIdentity, LoggedRun, NamedResult
from iotriage.analysis.jobs.grouping import file_in, same_bytes
from iotriage.analysis.jobs.joinable import Joinable, NotJoinable
from iotriage.analysis.jobs.source_identity import CLOCKS_S, ZONE_S

ZONES_APART_S = 900
"""Time zones differ by quarters of an hour."""


def match_by_files(one: CaseIdentity, other: CaseIdentity) -> Joinable | NotJoinable | None:
    """None where nothing in both hints at one job."""
    if one.runs and other.runs:
        return None
    found = [match for a, b in ((one, other), (other, one)) for match in (_by_result(a, b), _by_layout(a, b)) if match]
    found += [match for a, b in ((one, other), (other, one)) for match in (_by_bytes(a, b), _by_launch(a, b)) if match]
    return next((match for match in found if isinstance(match, Joinable)), found[0] if found else None)


def _by_result(text: CaseIdentity, log: CaseIdentity) -> Joinable | NotJoinable | None:
    """A benchmark's result, and the log of a run that used its file."""
    for result in text.results:
        for run in log.runs if result.file in (log.files or {}) else ():
            if result.ranks is None or run.ranks is None or result.ranks != run.ranks:
                continue
            same_minute = _began_together(result, run)
            what = f"{result.tool} and the log tell of {result.file} and of {result.ranks:,} ranks"
            if same_minute is None:
                return NotJoinable(f"{what}, and nothing says that it is the same run")
            if same_minute:
                return Joinable(f"{what}, and the runs began in the same minute, but for the time zone")
    return None


def _began_together(result: NamedResult, run: LoggedRun) -> bool | None:
    if result.began_local is None or run.start is None:
        return None
    apart = result.began_local - run.start
    beside = (apart + ZONES_APART_S / 2) % ZONES_APART_S - ZONES_APART_S / 2
    return abs(apart) <= ZONE_S and abs(beside) <= CLOCKS_S


def _by_layout(text: CaseIdentity, other: CaseIdentity) -> Joinable | NotJoinable | None:
    """The striping of a file that the other's run, or benchmark, used."""
    if text.runs or not (other.runs or other.results or other.ids):
        return None
    files = {*(other.files or {}), *(result.file for result in other.results)}
    path = next((path for path in text.layouts if path in files), None)
    if path is not None:
        return Joinable(f"one has the striping of {path}, which the other's run used")
    for path in text.layouts:
        inside = next((file for file in files if file.startswith(path.rstrip("/") + "/")), None)
        if inside is not None:
            return NotJoinable(f"one has the striping of {path}, where {inside} of the other lies")
    return None


def _by_bytes(text: CaseIdentity, log: CaseIdentity) -> NotJoinable | None:
    """A library's statistics that name no job: every run of a program may write the same file, and as much."""
    for path, named in (text.files or {}).items() if log.runs and not text.results else ():
        of_log = file_in(path, named, log.files or {})
        if of_log is not None and same_bytes(named, of_log):
            return NotJoinable(f"both tell of {path} and of as many bytes, and one of them names no job")
    return None


def _by_launch(script: CaseIdentity, log: CaseIdentity) -> NotJoinable | None:
    for launch in script.launches:
        if any((run.program, run.ranks) == (launch.program, launch.ranks) for run in log.runs):
            return NotJoinable(
                f"the script starts {launch.program} on {launch.ranks:,} ranks, as the log's run was; names alone do "
                "not say that it is the same job"
            )
    return None
