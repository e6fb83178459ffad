"""Whether somebody chose the OST on which the files begin, instead of Lustre.

The hint romio_lustre_start_iodevice as a library displays it is no evidence for it: it is read back from a file that
exists, where the field holds the layout's generation, and is 0 in real logs whatever OST the file begins on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import LAYOUT
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.settings import requested_settings
from iotriage_parsers.evidence import JobContext, Lines, StripeLayout

CHOSEN = re.compile(r"\s(?:-i|--(?:stripe-)?index|--offset|-o|--ost-list|--ost)[=\s]?(\d{1,9})")
"""`lfs setstripe -i N` or `-o N,…`, anywhere in the line: in a composite layout it stands with a component."""

HINTS = ("romio_lustre_start_iodevice", "start_iodevice")


@metric(
    "striping.fixed_first_osts",
    "Settings that choose the first OST",
    "1",
    formula="`lfs setstripe` lines of the job script with -i (not -1) or -o, directories whose default begins on an "
    "OST, and the hint romio_lustre_start_iodevice in MPICH_MPIIO_HINTS (not -1)",
    needs="the job script, or lfs getstripe -d",
    scopes=["job"],
)
def fixed_first_osts(s: Selection) -> Outcome:
    settings = list(_first_ost_settings(s))
    if not settings:
        return Absent("no source says how the striping was set", (LAYOUT,))
    fixed = [where for ost, where in settings if ost is not None]
    return Value(len(fixed), where=tuple(fixed) or tuple(where for _, where in settings))


@metric(
    "striping.first_ost",
    "First OST, as a setting chooses it",
    "1",
    formula="the index that the first of striping.fixed_first_osts gives",
    needs="the job script, or lfs getstripe -d",
    scopes=["job"],
)
def first_ost(s: Selection) -> Outcome:
    found = next(((ost, where) for ost, where in _first_ost_settings(s) if ost is not None), None)
    return Absent("no source chooses a first OST", (LAYOUT,)) if found is None else Value(found[0], where=(found[1],))


def _first_ost_settings(s: Selection) -> Iterator[tuple[int | None, Where]]:
    """The OST that each setting begins on, None where it leaves the choice to Lustre."""
    for source, context in s.whole.of(JobContext):
        for command in context.stripe_commands:
            chosen = CHOSEN.search(command.text)
            ost = command.first_ost if chosen is None else int(chosen[1])
            yield ost, Where(source, Lines(command.line, command.line))
    for source, layout in s.whole.of(StripeLayout):
        if layout.form == "directory-default":
            for component in layout.components:
                yield component.first_ost, Where(source, Lines(component.line, component.line))
    for hint in HINTS:
        for known in requested_settings(s.whole, hint):
            yield (int(known.value) if re.fullmatch(r"\d{1,9}", known.value) else None), known.where
