"""What had nothing left where writes failed for that, by a list of quotas or of targets that stands beside them."""

from __future__ import annotations

from typing import Final

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection, base_name
from iotriage.metrics.tables.texts.complaints import first_lines
from iotriage_parsers.evidence import Lines, QuotaRoom, UsedUp

_TOOLS: Final = {"EDQUOT": ("lfs quota", "quota", "mmlsquota"), "ENOSPC": ("lfs df -i", "df")}
"""What tells of each of the two reasons."""


@metric(
    "errors.used_up",
    "What had nothing left where writes failed for that",
    "word",
    formula="where errors.cause is EDQUOT, what is over its limit by a list of quotas, and where it is ENOSPC, the "
    "targets without inodes by lfs df -i, or what has nothing left by df: files, space, or both; on the file system of "
    "errors.directory, where that is known",
    needs="the output of lfs quota, lfs df -i or df",
    scopes=["job"],
)
def used_up(s: Selection) -> Outcome:
    found = _used_up(s)
    if not found:
        return Absent("no list of quotas or targets that was given says what is used up there")
    of = [of for of in ("space", "files") if any(part.of == of for _, part in found)]
    return Value(" and ".join(of), where=first_lines(found))


@metric(
    "errors.used_up_by",
    "Whose quota, or which target, had nothing left where writes failed for that",
    "word",
    formula="the first that errors.used_up is from",
    needs="the output of lfs quota or lfs df -i",
    scopes=["job"],
)
def used_up_by(s: Selection) -> Outcome:
    found = _used_up(s)
    if not found:
        return Absent("no list of quotas or targets that was given says what is used up there")
    _, first = found[0]
    more = len({part.name for _, part in found}) - 1
    others = f" and {more:,} more" if more else ""
    return Value(f"{first.name}{others} on {first.mount}", where=first_lines(found[:1]))


@metric(
    "errors.quota_room",
    "Whose quota had room, where writes failed for a quota",
    "word",
    formula="where errors.cause is EDQUOT, the names in a list of quotas of which neither space nor files are used up; "
    "on the file system of errors.directory, where that is known",
    needs="the output of lfs quota, quota or mmlsquota",
    scopes=["job"],
)
def quota_room(s: Selection) -> Outcome:
    cause = outcome(s, "errors.cause")
    there = _directory(s)
    found = [(i, p) for i, p in s.of(QuotaRoom) if there is None or _is_on(there, p)]
    if not found or not isinstance(cause, Value) or cause.value != "EDQUOT":
        return Absent("no list of quotas that was given has room there, or no write failed for one")
    names = " and ".join(dict.fromkeys(part.name for _, part in found))
    return Value(names, where=tuple(Where(source, Lines(part.line, part.line)) for source, part in found))


def _directory(s: Selection) -> str | None:
    where = outcome(s, "errors.directory")
    return str(where.value) if isinstance(where, Value) else None


def _used_up(s: Selection) -> list[tuple[int, UsedUp]]:
    cause, there = outcome(s, "errors.cause"), _directory(s)
    tools = _TOOLS.get(str(cause.value), ()) if isinstance(cause, Value) else ()
    return [
        (source, part)
        for source, part in s.of(UsedUp)
        if part.tool in tools and (part.tool != "df" if there is None else _is_on(there, part))
    ]


def _is_on(directory: str, part: UsedUp | QuotaRoom) -> bool:
    """By the mount point; where an export or the name of a file system is all there is, by that in the path."""
    if part.mount.startswith("/"):
        return f"{directory}/".startswith(f"{part.mount.rstrip('/')}/")
    return base_name(part.mount) in directory.split("/")
