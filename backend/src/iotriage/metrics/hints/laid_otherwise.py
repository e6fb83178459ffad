"""Files that lie otherwise on Lustre than the hints asked for, by the layouts of a log: striping hints do nothing for a
file that is there already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter

import numpy as np

from iotriage.metrics.core.metric import Where
from iotriage.metrics.core.selection import LogRows, Selection, base_name
from iotriage.metrics.tables.settings import KnownSetting, displayed_for, requested_of_file
from iotriage_parsers.evidence import Counter, LustreLayout
from iotriage_parsers.frozen import frozen

LAID_BY = {"striping_factor": "LUSTRE_STRIPE_WIDTH", "striping_unit": "LUSTRE_STRIPE_SIZE"}
"""The hints that say how a file is to lie on Lustre, and where a log has how it does."""


@frozen
class LaidOtherwise:
    """A file that lies otherwise than a hint asks: in words, and where it shows."""

    file: str
    words: str
    where: tuple[Where, ...]


def laid_otherwise(s: Selection, key: str) -> LaidOtherwise | None:
    """Of the files that MPI-IO writes and that the hint is for, the one with most bytes, where it has none of the
    values that were asked for. What a list or the statistics tell of a file is compared with those."""
    found = max(_written_as_asked(s, key), key=itemgetter(0), default=None)
    if found is None:
        return None
    _, rows, layout, name, asked = found
    has = _of(key, layout)
    if not has or layout.composite or has in (values := [int(known.value) for known in asked]):
        return None
    # Of more OSTs than there are a file has all.
    if key == "striping_factor" and min(values) > has == layout.osts_in_fs:
        return None
    more = key == "striping_factor" and min(values) > has and (layout.osts_in_fs is None or layout.pool is not None)
    words = laid_otherwise_words(key, asked[0].value, name, has, may_lack_osts=more)
    there = Counter("LUSTRE", LAID_BY[key], str(layout.record), file=rows.name_of(layout.record))
    return LaidOtherwise(name, words, (asked[0].where, Where(rows.source, there)))


def laid_otherwise_words(key: str, asked: str | int, file: str, has: int, *, may_lack_osts: bool) -> str:
    """What a hint asked for and what the file has, and why that may be."""
    stripes = "1 stripe" if has == 1 else f"{has} stripes"
    said = stripes if key == "striping_factor" else f"stripes of {has} bytes"
    why = f"it was there before{', or there are no more OSTs' if may_lack_osts else ''}"
    return f"{key}={asked} was asked for, but {file} has {said}: {why}"


def _written_as_asked(
    s: Selection, key: str
) -> Iterator[tuple[int, LogRows, LustreLayout, str, Sequence[KnownSetting]]]:
    """The bytes written to each, its layout and name, and what was asked of it."""
    printed = {base_name(block.block.file) for block in s.stats}
    for rows in s.logs:
        if rows.mpiio is None or not rows.lustre:
            continue
        written = np.maximum(rows.mpiio.count("MPIIO_BYTES_WRITTEN"), 0)
        of_files = np.bincount(rows.mpiio.by_id.index, written, len(rows.mpiio.by_id.ids))
        for record, moved in zip(rows.mpiio.by_id.ids.tolist(), of_files.tolist(), strict=True):
            layout, name = rows.layout_of(record), base_name(rows.name_of(record) or "")
            if not moved or layout is None or not name or name in printed or displayed_for(s, key, name):
                continue
            asked = [one for one in requested_of_file(s, key, name) if one.value.isdecimal() and int(one.value)]
            if asked:
                yield int(moved), rows, layout, name, asked


def _of(key: str, layout: LustreLayout) -> int | None:
    return layout.stripe_count if key == "striping_factor" else layout.stripe_size
