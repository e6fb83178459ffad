"""What a site's documents measured for opening files like these: how long one takes a process while others do the same.

mdtest and IO500 give operations per second of all processes together, each at it all the time with files of its own; of
`processes` processes one operation then takes processes / rate seconds. Files that several ranks open are another
thing, and so are files that are both written and read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from iotriage.analysis.expected.interpolation import row_at
from iotriage.metrics.core.documented import DocumentedOpens
from iotriage.metrics.expectation.opens import NO_FIGURES
from iotriage.metrics.tables.files.uses import FileUse
from iotriage.metrics.tables.grouping import Group
from iotriage.rules.core.words import plural
from iotriage.sites.site import DirectoryUse, FileSystem, OperationRates, Site

_INTERFACES = (None, "POSIX")


def documented_opens(group: Group, site: Site, system: FileSystem) -> DocumentedOpens:
    """What was measured for files used as those of the group are; the reason where nothing was."""
    there = [t for t in site.operation_rates if system.id in t.file_systems and t.settings in _INTERFACES]
    if not there:
        return DocumentedOpens(reason=NO_FIGURES)
    own = [use for use in group.files if use.one_rank is not None]
    if len(own) < len(group.files):
        return DocumentedOpens(reason="several ranks open these files; what was measured had one process for each")
    operation = _operation(own)
    if operation is None:
        return DocumentedOpens(reason="the files are not only written, nor only read")
    return _documented_opens(there, operation, _directories(own), len({use.one_rank for use in own}))


def _operation(files: Sequence[FileUse]) -> Literal["create", "read"] | None:
    written, read = any(f.bytes_written for f in files), any(f.bytes_read for f in files)
    return None if written == read else "create" if written else "read"


def _directories(files: Sequence[FileUse]) -> DirectoryUse:
    """Whether some directory has files of several ranks."""
    rank_of: dict[str, int | None] = {}
    for file in files:
        if rank_of.setdefault(file.path.rpartition("/")[0], file.one_rank) != file.one_rank:
            return "shared"
    return "own"


def _documented_opens(
    there: Sequence[OperationRates], operation: Literal["create", "read"], directory: DirectoryUse, processes: int
) -> DocumentedOpens:
    """The slowest of the tables that fit, those that decide something before those that give a range."""
    tables = [t for t in there if t.operation == operation and t.directory == directory]
    if not tables:
        how = "a directory for each process" if directory == "own" else "one directory for all"
        return DocumentedOpens(operation, processes, reason=f"no rate of this was measured with {how}")
    rows = [(t, row) for t in tables if (row := row_at(t, processes)) is not None]
    if not rows:
        counts = sorted({row.processes for t in tables for row in t.rows})
        range_of_counts = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
        why = f"it was measured with {range_of_counts} processes; {plural(processes, 'rank')} opened these files"
        return DocumentedOpens(operation, processes, reason=why)
    table, row = min(rows, key=lambda found: (found[0].statistic == "range", found[1].rate))
    if not row.rate > 0:
        return DocumentedOpens(operation, processes, reason="the rate that was measured is zero")
    lower = row.lower_quartile
    return DocumentedOpens(
        operation,
        processes,
        processes / row.rate,
        table.statistic,
        processes / lower if lower else None,
        all(other.processes != processes for other in table.rows),
    )
