"""Which archive is read, of which files may be unpacked."""

from __future__ import annotations

import re

from iotriage.metrics.core.by_file import sums_by_file
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.names_as_text import may_have

_ARCHIVE = re.compile(r"\.(tar(\.(gz|bz2|xz|zst|lz4))?|tgz|tbz2?|txz|zip)$", re.IGNORECASE)
_HINTS = (".tar", ".tgz", ".tb", ".txz", ".zip", ".TAR", ".TGZ", ".TB", ".TXZ", ".ZIP")
"""Most logs have none in any name, which is seen sooner than by the expression."""


@metric(
    "file.archive",
    "Archive that was read",
    "word",
    formula="the file named as a tar or zip archive of which most bytes were read, by records of POSIX and STDIO, and "
    "none written; of several the first by name",
    needs="a Darshan log with file names",
    scopes=["job"],
)
def archive(s: Selection) -> Outcome:
    read: dict[str, int] = {}
    made: set[str] = set()
    for rows in s.logs:
        if not may_have(rows, _HINTS):
            continue
        names = {record: n for record, n in rows.log.names.items() if _ARCHIVE.search(n) is not None}
        for table in rows.highest:
            if table.module not in ("POSIX", "STDIO"):
                continue
            prefix = prefix_of(table)
            of_files = (sums_by_file(table, f"{prefix}_BYTES_{done}").tolist() for done in ("READ", "WRITTEN"))
            for record, got, put in zip(table.by_id.ids.tolist(), *of_files, strict=True):
                name = names.get(record)
                if name is not None and put > 0:
                    made.add(name)
                elif name is not None and got > 0:
                    read[name] = read.get(name, 0) + int(got)
    found = read.keys() - made
    if not found:
        return Absent("no file named as an archive was read", () if s.logs else (DARSHAN,))
    return Value(min(found, key=lambda name: (-read[name], name)), "inferred")
