"""Which files of a log are of one kind, by their names but for the numbers in them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from iotriage.metrics.core.selection import LogRows, unique
from iotriage.metrics.core.selection_cache import cached_per_log
from iotriage.metrics.tables.grouping import templates_of
from iotriage_parsers.frozen import frozen_identity


@frozen_identity
class FileKinds:
    """`ids` (n,) are the records of the files in rising order, `kind` (n,) the place of each one's kind in `names`, a
    file's name with "#" for each number in it."""

    ids: NDArray[np.uint64]
    kind: NDArray[np.int64]
    names: tuple[str, ...]

    def of(self, ids: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The kind of each, shape (n,); all have to be of the log."""
        return self.kind[np.searchsorted(self.ids, ids)]


@cached_per_log
def file_kinds(rows: LogRows) -> FileKinds:
    """Of the files that the highest layers used."""
    tables = [t for t in rows.highest if len(t)]
    ids = unique(np.concatenate([t.ids for t in tables])) if tables else np.zeros(0, np.uint64)
    templates = templates_of([rows.name_of(record) or str(record) for record in ids.tolist()])
    places = {template: place for place, template in enumerate(dict.fromkeys(templates))}
    return FileKinds(ids, np.array([places[template] for template in templates], np.int64), tuple(places))
