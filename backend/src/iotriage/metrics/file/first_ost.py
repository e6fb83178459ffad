"""Whether the files begin on the same OST.

LUSTRE_STRIPE_OFFSET of Darshan before 3.4.6 is no evidence for it: it is read back from a file that exists, where the
field holds the layout's generation, and is 0 in real logs whatever OST the file begins on.
"""

from __future__ import annotations

from collections import Counter

from iotriage.metrics.core.derived import derived
from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import LAYOUT
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage_parsers.evidence import Counter as CounterLocator

ENOUGH_FILES = 16
"""That so many files begin on one OST of two by chance happens once in 32,768 times, and more rarely with more."""


@metric(
    "file.first_ost_share",
    "Files that begin on the same OST",
    "share",
    formula=f"files on the most common first OST / files with a list of OSTs; of at least {ENOUGH_FILES} files",
    needs="a Darshan log with LUSTRE records",
)
def first_ost_share(s: Selection) -> Outcome:
    found = _most_common(s)
    if isinstance(found, Absent):
        return found
    _, files, every = found
    where = tuple(Where(rows.source, CounterLocator("LUSTRE", "LUSTRE_OST_ID")) for rows in s.logs if rows.lustre)
    return Value(files / every, where=where)


@metric(
    "file.first_ost",
    "OST on which most files begin",
    "1",
    formula="the index of the most common first OST",
    needs="a Darshan log with LUSTRE records",
)
def most_common_first_ost(s: Selection) -> Outcome:
    found = _most_common(s)
    return found if isinstance(found, Absent) else Value(found[0])


@derived
def _most_common(s: Selection) -> tuple[int, int, int] | Absent:
    """The OST, the files that begin on it, and all files."""
    # Without shared reduction a log has the layout of a file once for each rank that opened it.
    of_file = {(rows.source, layout.record): layout.osts[0] for rows in s.logs for layout in rows.lustre if layout.osts}
    begins = Counter(of_file.values())
    every = sum(begins.values())
    if not every:
        return Absent("no log lists the OSTs of its files", (LAYOUT,))
    if every < ENOUGH_FILES:
        return Absent(
            f"{every} of at least {ENOUGH_FILES} files have a list of OSTs: too few to tell choice from chance"
        )
    ost, files = max(begins.items(), key=lambda found: (found[1], -found[0]))
    return ost, files, every
