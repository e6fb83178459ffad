"""What had nothing left where writes failed for that, by a list of quotas or of targets that stands beside them."""

from __future__ import annotations

from typing import Final

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection, base_name
from iotriage_parsers.evidence import Lines, UsedUp

_TOOLS: Final = {"EDQUOT": ("lfs quota", "quota", "mmlsquota"), "ENOSPC": ("lfs df -i",)}
"""What tells of each of the two reasons."""


@metric(
    "errors.used_up",
    "What had nothing left where writes failed for that",
    "word",
    formula="where errors.cause is EDQUOT, what is over its limit by a list of quotas, and where it is ENOSPC, the "
    "targets without inodes by lfs df -i: files, space, or both; on the file system of errors.directory, where that "
    "is known",
    needs="the output of lfs quota or lfs df -i",
    scopes=["job"],
)
def used_up(s: Selection) -> Outcome:
    found = _used_up(s)
    if not found:
        return Absent("no list of quotas or targets that was given says what is used up there")
    of = [of for of in ("space", "files") if any(part.of == of for _, part in found)]
    return Value(" and ".join(of), where=_where(found))


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
    return Value(f"{first.name}{others} on {first.mount}", where=_where(found[:1]))


def _used_up(s: Selection) -> list[tuple[int, UsedUp]]:
    cause, where = outcome(s, "errors.cause"), outcome(s, "errors.directory")
    tools = _TOOLS.get(str(cause.value), ()) if isinstance(cause, Value) else ()
    there = str(where.value) if isinstance(where, Value) else None
    return [
        (source, part) for source, part in s.of(UsedUp) if part.tool in tools and (there is None or _is_on(there, part))
    ]


def _is_on(directory: str, part: UsedUp) -> bool:
    """By the mount point; where an export or the name of a file system is all there is, by that in the path."""
    if part.mount.startswith("/"):
        return f"{directory}/".startswith(f"{part.mount.rstrip('/')}/")
    return base_name(part.mount) in directory.split("/")


def _where(found: list[tuple[int, UsedUp]]) -> tuple[Where, ...]:
    return tuple(Where(source, Lines(part.line, part.line)) for source, part in found)
