"""Everything that the sources say about one file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from iotriage.analysis.charts.case_charts import sizes
from iotriage.analysis.document import FileRow, SizeHistogram
from iotriage.analysis.views.blocks import file_of, span_of, title_of_part
from iotriage.analysis.views.counters import RecordCounter, counters_of
from iotriage.analysis.views.file_list import FileList, every_row
from iotriage.metrics.core.metric import Where
from iotriage.metrics.core.selection import LogRows, Selection, base_name
from iotriage.metrics.tables.selecting import select_files
from iotriage_parsers.evidence import CounterTable
from iotriage_parsers.frozen import frozen


@frozen
class FileRecords:
    """The counters that one module has of the file, of several `records` the totals. `record` is the id in decimal,
    null where there are several; `rank` is −1 for a record reduced over all ranks, null for several records."""

    source: int
    module: str
    record: str | None
    rank: int | None
    records: int
    partial: bool
    counters: tuple[RecordCounter, ...]


@frozen
class FileStripes:
    """The file's layout on Lustre as a log has it. `osts` lists the OST of each stripe."""

    source: int
    record: str
    stripe_count: int | None
    stripe_size_bytes: int | None
    osts: tuple[int, ...]
    composite: bool
    pool: str | None


@frozen
class Mention:
    """A block of a text that is about a file of this name."""

    title: str
    where: Where


@frozen
class FileDetail:
    """`rows` has the file once for each run of the job that used it. `group` is that of the document."""

    path: str
    rows: tuple[FileRow, ...]
    modules: tuple[FileRecords, ...]
    stripes: tuple[FileStripes, ...]
    sizes: tuple[SizeHistogram, ...]
    mentions: tuple[Mention, ...]


def file_detail(files: FileList, job: Selection, path: str) -> FileDetail | None:
    """What there is of the file with this path; None where the case has no such file."""
    indices = [i for i, one in enumerate(files.paths) if one == path]
    if not indices:
        return None
    ids = {rows.source: _records_in(files, indices, rows.source) for rows in job.logs}
    mine = select_files(job, ids, {path}, "", len(indices))
    return FileDetail(
        path=path,
        rows=tuple(every_row(files, np.array(indices, dtype=np.intp))),
        modules=tuple(_modules(mine)),
        stripes=tuple(
            FileStripes(rows.source, str(x.record), x.stripe_count, x.stripe_size, x.osts, bool(x.composite), x.pool)
            for rows in mine.logs
            for x in rows.lustre
        ),
        sizes=sizes(mine),
        mentions=tuple(_mentions(job, path)),
    )


def _records_in(files: FileList, indices: Sequence[int], source: int) -> NDArray[np.uint64]:
    of_source = (files.records[i] for i in indices if files.sources[i] == source)
    return np.array([record for record in of_source if record is not None], dtype=np.uint64)


def _modules(mine: Selection) -> Iterator[FileRecords]:
    for rows in mine.logs:
        for table in _tables(rows):
            if len(table):
                yield _records(rows, table)


def _tables(rows: LogRows) -> list[CounterTable]:
    return [t for t in (*rows.others.values(), rows.mpiio, rows.posix, rows.stdio) if t is not None]


def _records(rows: LogRows, table: CounterTable) -> FileRecords:
    one = len(table) == 1
    same = len(np.unique(table.ids)) == 1
    return FileRecords(
        source=rows.source,
        module=table.module,
        record=str(int(table.ids[0])) if same else None,
        rank=int(table.ranks[0]) if one else None,
        records=len(table),
        partial=table.partial,
        counters=counters_of(table),
    )


def _mentions(job: Selection, path: str) -> Iterator[Mention]:
    """Texts name files relative, absolute, or by another mount: the last part of the path tells."""
    name = base_name(path)
    for source, part in job.parts:
        about, span = file_of(part), span_of(part)
        if about is not None and span is not None and base_name(about) == name:
            yield Mention(title_of_part(part), Where(source, span))
