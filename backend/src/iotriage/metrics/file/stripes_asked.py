"""How many stripes the job's script asks for where the largest file lies."""

from __future__ import annotations

from collections.abc import Iterator

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.largest import largest_file
from iotriage.metrics.tables.texts.stats_fields import leading
from iotriage_parsers.evidence import JobContext, Lines, StripeCommand

ALL = -1


@metric(
    "file.stripes_asked",
    "Stripes that the job's script asks for where the largest file lies",
    "stripes",
    formula=f"-c of the last `lfs setstripe` of the script on the nearest directory above the largest file, or on the "
    f"file itself; {ALL} for all OSTs; composite layouts and variables in the path left out",
    needs="the job's script, with the path of the directory written out",
)
def stripes_asked(s: Selection) -> Outcome:
    path = _path(s)
    if path is None:
        return Absent("no source names the file")
    found = [(len(t), source, c) for source, c in _commands(s) for t in c.targets if _holds(t, path)]
    if not found:
        return Absent("no script asks for stripes where the file lies")
    nearest = max(length for length, *_ in found)
    _, source, command = [one for one in found if one[0] == nearest][-1]
    count = ALL if command.over_all_osts else command.stripe_count
    if count is None:
        return Absent("the script asks for another layout than so many stripes")
    return Value(count, "inferred", (Where(source, Lines(command.line, command.line)),))


def _path(s: Selection) -> str | None:
    best, block = largest_file(s), leading(s.writes) or leading(s.reads)
    if best is not None:
        return best[0].name_of(best[2])
    return None if block is None else block.block.file


def _commands(s: Selection) -> Iterator[tuple[int, StripeCommand]]:
    for source, context in s.whole.of(JobContext):
        yield from ((source, command) for command in context.stripe_commands)


def _holds(target: str, path: str) -> bool:
    """Whether the target is the file or a directory above it; a relative one by its own parts."""
    if "$" in target or "*" in target or not target.strip("./"):
        return False
    plain = target.removeprefix("./").rstrip("/")
    if plain.startswith("/"):
        return path == plain or path.startswith(f"{plain}/")
    return f"/{plain}/" in f"/{path.lstrip('/')}/"
