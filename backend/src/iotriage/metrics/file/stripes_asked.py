"""How many stripes were asked for where the largest file lies: by the job's script, its hints, or the directory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import LAYOUT
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.largest import largest_file
from iotriage.metrics.tables.layouts import ALL_OSTS
from iotriage.metrics.tables.settings import requested_settings
from iotriage.metrics.tables.texts.stats_fields import leading
from iotriage_parsers.evidence import JobContext, Lines, StripeCommand, StripeLayout

MADE_ANEW = Absent("the file was made anew with other stripes between its statistics")


@metric(
    "file.stripes_asked",
    "Stripes that the job's script asks for where the largest file lies",
    "stripes",
    formula=f"-c of the last `lfs setstripe` of the script on the nearest directory above the largest file, or on the "
    f"file itself; {ALL_OSTS} for all OSTs; composite layouts and variables in the path left out",
    needs="the job's script, with the path of the directory written out",
)
def stripes_asked(s: Selection) -> Outcome:
    path = _path(s)
    if path is None:
        return Absent("no source names the file")
    if _made_anew(s, path):
        return MADE_ANEW
    found = [(len(t), source, c) for source, c in _commands(s) for t in c.targets if _holds(t, path)]
    if not found:
        return Absent("no script asks for stripes where the file lies")
    nearest = max(length for length, *_ in found)
    _, source, command = [one for one in found if one[0] == nearest][-1]
    count = ALL_OSTS if command.over_all_osts else command.stripe_count
    if count is None:
        return Absent("the script asks for another layout than so many stripes")
    return Value(count, "inferred", (Where(source, Lines(command.line, command.line)),))


@metric(
    "file.stripes_hinted",
    "Stripes that the job's hints ask for when the largest file is made",
    "stripes",
    formula=f"striping_factor of MPICH_MPIIO_HINTS, for a pattern that fits the file; {ALL_OSTS} for all OSTs",
    needs="the job script, or MPICH_ENV_DISPLAY",
)
def stripes_hinted(s: Selection) -> Outcome:
    asked = requested_settings(s, "striping_factor")
    if not asked:
        return Absent("no hint asks for stripes")
    if _made_anew(s, _path(s)):
        return MADE_ANEW
    known = asked[-1]
    if re.fullmatch(r"-1|[1-9]\d{0,5}", known.value) is None:
        return Absent(f"the hint striping_factor is {known.value!r}, which is no number of stripes")
    return Value(int(known.value), "inferred", (known.where,))


@metric(
    "file.stripes_of_directory",
    "Stripes that the directory of the largest file gives to new files",
    "stripes",
    formula=f"stripe count of the directory's default, as lfs getstripe lists it; {ALL_OSTS} for all OSTs; composite "
    "layouts left out",
    needs="lfs getstripe -d of the directory",
)
def stripes_of_directory(s: Selection) -> Outcome:
    path = _path(s)
    if path is None:
        return Absent("no source names the file")
    layouts = s.whole.of(StripeLayout)
    above = str(PurePosixPath(path).parent) if layouts else ""
    for source, layout in reversed(layouts):
        if layout.form != "directory-default" or layout.path is None or layout.path.rstrip("/") != above:
            continue
        component = layout.only_component
        count = None if component is None else ALL_OSTS if component.over_all_osts else component.stripe_count
        if count is None:
            return Absent("the directory gives new files another layout than so many stripes")
        return Value(count, where=(Where(source, layout.lines),))
    return Absent("no source lists what the directory gives to new files", (LAYOUT,))


def _made_anew(s: Selection, path: str | None) -> bool:
    """Whether statistics of the file have several numbers of stripes, as where a loop tries them one after the other:
    what was asked for last is not what the leading ones are of."""
    counts = {b.block.stripe_count for b in s.stats if b.block.file == path and not b.block.pfl}
    return len(counts - {None}) > 1


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
