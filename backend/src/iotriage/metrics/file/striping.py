"""The files themselves: how many, how large, who used them, how they are striped, and in which pattern."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import DARSHAN, LAYOUT
from iotriage.metrics.core.prefix import PREFIX
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.tables.counters import is_partial
from iotriage.metrics.tables.layouts import StatedStriping, stated_layouts
from iotriage.metrics.tables.printed_totals import largest, totals_of
from iotriage.metrics.tables.profiled import other_files
from iotriage.metrics.tables.stats_fields import leading, of_leading, stats_total
from iotriage_parsers.evidence import Counter, LustreLayout


@metric("file.count", "Files", "files", formula="files of the scope, standard streams left out", needs="any source")
def file_count(s: Selection) -> Outcome:
    if s.files:
        return Value(s.files)
    if s.files is None or not s.logs:
        return _counted_by_totals(s) or Absent("the files were not counted", (DARSHAN,))
    return Value(0)


def _counted_by_totals(s: Selection) -> Outcome | None:
    """Files of POSIX and of STDIO; MPI-IO's are among POSIX's. Darshan 2.x counts all together."""
    counts = [n for run in totals_of(s) for m in (None, "POSIX", "STDIO") if (n := run.files(m)) is not None]
    return Value(sum(counts), "inferred") if counts else None


@metric(
    "io.pattern",
    "Pattern",
    "word",
    formula="of the group that moved most bytes: serial, file-per-process, file-per-node, shared-independent, "
    "shared-collective or subfiling, from the ranks that opened each file and the share of its bytes that collective "
    "calls can have carried",
    needs="a Darshan log, MPICH_MPIIO_STATS, or a CrayPAT report",
)
def pattern(s: Selection) -> Outcome:
    if not s.pattern:
        return Absent("the evidence does not say which ranks used the files", (DARSHAN,))
    return Value(s.pattern, "inferred")


@metric(
    "file.size",
    "Size of the largest file",
    "B",
    formula="largest POSIX_MAX_BYTE_READ or _WRITTEN + 1; without Darshan, total bytes of the STATS write block "
    "or of CrayPAT's largest file that was written (inferred)",
    needs="a Darshan log with POSIX records, MPICH_MPIIO_STATS, or a CrayPAT report",
)
def size(s: Selection) -> Outcome:
    best = largest_file(s)
    if best is not None:
        rows, module, record, found = best
        names = (f"{PREFIX[module]}_MAX_BYTE_WRITTEN", f"{PREFIX[module]}_MAX_BYTE_READ")
        if module in rows.traced:
            return Value(found, bound="lower" if is_partial(rows, module) else None)
        where = tuple(Where(rows.source, Counter(module, n, str(record), file=rows.name_of(record))) for n in names)
        return Value(found, where=where)
    last_byte = largest(s, *(f"{m}_MAX_BYTE_{w}" for m in ("POSIX", "STDIO") for w in ("READ", "WRITTEN")))
    if last_byte is not None and last_byte[0] > 0:
        return Value(int(last_byte[0]) + 1, where=(last_byte[1],))
    written = stats_total(s.writes, "total bytes", lambda b: b.total_bytes, "write")
    if isinstance(written, Value):
        return Value(written.value, "inferred", written.where)
    profiled = max((f for f in other_files(s) if f.bytes_written), key=lambda f: f.bytes, default=None)
    if profiled is not None:
        return Value(profiled.bytes_written or 0, "inferred", profiled.where)
    return Absent("no source states the size of a file", (DARSHAN,))


def largest_file(s: Selection) -> tuple[LogRows, str, int, int] | None:
    """The log, module, record id and size in bytes of the file with the highest byte touched."""
    best: tuple[LogRows, str, int, int] | None = None
    for module in ("POSIX", "STDIO"):
        for rows, table in s.tables(module):
            prefix = PREFIX[module]
            moved = np.maximum(table.count(f"{prefix}_BYTES_READ"), 0) + table.count(f"{prefix}_BYTES_WRITTEN")
            top = np.maximum(table.count(f"{prefix}_MAX_BYTE_READ"), table.count(f"{prefix}_MAX_BYTE_WRITTEN"))
            top = np.where(moved > 0, top, -1)
            row = int(top.argmax())
            if top[row] >= 0 and (best is None or int(top[row]) + 1 > best[3]):
                best = (rows, module, int(table.ids[row]), int(top[row]) + 1)
    return best


def _layout(s: Selection) -> tuple[LogRows, LustreLayout] | None:
    """The Lustre layout of the largest file that has one."""
    best = largest_file(s)
    if best is not None:
        rows, _, record, _ = best
        mine = next((x for x in rows.lustre if x.record == record), None)
        if mine is not None:
            return rows, mine
    return None


def reaches(layout: LustreLayout, size_bytes: int | None) -> bool:
    """Whether a file of that size uses the component of its progressive layout that `layout` describes."""
    return layout.extent_start is None or size_bytes is None or size_bytes > layout.extent_start


def _of_layout(s: Selection, counter: str, value: int | None) -> Outcome | None:
    found, best = _layout(s), largest_file(s)
    if found is None or best is None or value is None:
        return None
    rows, layout = found
    if not reaches(layout, best[3]):
        return Absent(
            f"the file ends at byte {best[3]:,}, before the main component of its progressive layout begins "
            f"(byte {layout.extent_start:,}); the striping of the first one is not kept",
            (LAYOUT,),
        )
    at = Counter("LUSTRE", counter, str(layout.record), file=rows.name_of(layout.record))
    return Value(value, where=(Where(rows.source, at),))


NOT_RECORDED = Absent("the striping of the files is not recorded: the log has no LUSTRE records", (LAYOUT,))


def _stated(s: Selection) -> StatedStriping | None:
    """What lfs getstripe or CrayPAT says of the largest file; of a case with no other source, of the one file that
    they are about."""
    layouts = stated_layouts(s)
    if not layouts:
        return None
    best, block = largest_file(s), leading(s.writes) or leading(s.reads)
    if best is not None:
        rows, _, record, found = best
        name = rows.name_of(record)
        return None if name is None else layouts.of_file(name, found)
    if block is not None:
        return layouts.of_file(block.block.file, block.block.total_bytes if block in s.writes else None)
    profiled = max(other_files(s), key=lambda f: f.bytes, default=None)
    if profiled is not None:
        return layouts.of_file(profiled.path, profiled.bytes_written)
    only = layouts.only_path()
    return None if only is None or s.scope == "group" else layouts.of_file(only, None)


@metric(
    "file.stripe_count",
    "Stripe count of the largest file",
    "stripes",
    formula="LUSTRE_STRIPE_WIDTH (of the main component of a composite layout); else `stripe count` of STATS; else of "
    "lfs getstripe, of a composite layout the component that holds the file's end; else of CrayPAT",
    needs="a Darshan log with LUSTRE records, MPICH_MPIIO_STATS, lfs getstripe, or CrayPAT's Lustre table",
)
def stripe_count(s: Selection) -> Outcome:
    layout = _layout(s)
    found = _of_layout(s, "LUSTRE_STRIPE_WIDTH", layout[1].stripe_count if layout else None)
    if isinstance(found, Value):
        return found
    printed = of_leading(s, "stripe count", lambda b: b.stripe_count)
    if isinstance(printed, Value):
        return printed
    stated = _stated(s)
    if stated is None or stated.stripe_count is None:
        return found or NOT_RECORDED
    return Value(stated.stripe_count, stated.confidence, stated.count_at)


@metric(
    "file.stripe_size",
    "Stripe size of the largest file",
    "B",
    formula="LUSTRE_STRIPE_SIZE; else `stripe size` of STATS; else of lfs getstripe; else of CrayPAT",
    needs="a Darshan log with LUSTRE records, MPICH_MPIIO_STATS, lfs getstripe, or CrayPAT's Lustre table",
)
def stripe_size(s: Selection) -> Outcome:
    layout = _layout(s)
    found = _of_layout(s, "LUSTRE_STRIPE_SIZE", layout[1].stripe_size if layout else None)
    if isinstance(found, Value):
        return found
    printed = of_leading(s, "stripe size", lambda b: b.stripe_size_bytes)
    if isinstance(printed, Value):
        return printed
    stated = _stated(s)
    if stated is None or stated.stripe_size_bytes is None:
        return found or NOT_RECORDED
    return Value(stated.stripe_size_bytes, stated.confidence, stated.size_at)


@metric(
    "file.osts",
    "OSTs that hold the files",
    "OSTs",
    formula="distinct OSTs of the LUSTRE records; else those that lfs getstripe lists; else CrayPAT",
    needs="a Darshan log with LUSTRE records, lfs getstripe, or CrayPAT's Lustre table",
)
def osts(s: Selection) -> Outcome:
    used = {ost for rows in s.logs for layout in rows.lustre for ost in layout.osts}
    if not used:
        stated, where, more = stated_layouts(s).osts(None if s.scope == "job" else s.paths)
        return Value(len(stated), where=where, bound="lower" if more else None) if stated else NOT_RECORDED
    return Value(len(used), where=tuple(Where(rows.source, Counter("LUSTRE", "LUSTRE_OST_ID")) for rows in s.logs))


@metric(
    "file.stripes_possible",
    "OSTs of the file system",
    "OSTs",
    formula="LUSTRE_OSTS of the records; else the figure of the site's profile",
    needs="a Darshan log with LUSTRE records of Darshan before 3.4, or a known site",
)
def stripes_possible(s: Selection) -> Outcome:
    stated = [n for rows in s.logs for layout in rows.lustre if (n := layout.osts_in_fs) is not None and n > 0]
    if stated:
        where = tuple(Where(rows.source, Counter("LUSTRE", "LUSTRE_OSTS")) for rows in s.logs)
        return Value(max(stated), where=where)
    if s.site_osts is not None:
        return Value(s.site_osts, "inferred")
    return Absent("neither the log nor the site's profile states how many OSTs there are", (LAYOUT,))


def _profiled_users(s: Selection, *, writing: bool, word: str) -> Outcome:
    counts = [(n, f) for f in other_files(s) if (n := f.writers if writing else f.readers) is not None]
    if not counts:
        return Absent(f"no source says which ranks {word}", (DARSHAN,))
    most, file = max(counts, key=lambda c: c[0])
    return Value(most, where=file.where)


def _users(s: Selection, counter: str, word: str) -> Outcome:
    if not s.logs:
        return _profiled_users(s, writing=counter == "BYTES_WRITTEN", word=word)
    best: Value | None = None
    for rows in s.logs:
        for table in rows.highest:
            if not len(table):
                continue
            name = f"{PREFIX[table.module]}_{counter}"
            if bool(((table.ranks < 0) & (table.count(name) > 0)).any()):
                return Absent(f"a record reduced over all ranks does not say who {word}")
            acting = table.rows(table.count(name) > 0)
            if len(acting):
                most = int(np.unique(acting.ids, return_counts=True)[1].max())
                if best is None or (isinstance(best.value, int) and most > best.value):
                    best = Value(most, where=rows.where(table, name))
    return best or Absent(f"no rank {word}")


@metric(
    "file.writers",
    "Ranks that wrote to the most shared file",
    "ranks",
    formula="distinct ranks with bytes written in the records of one file; a reduced record does not say; else the "
    "writer ranks of CrayPAT",
    needs="a Darshan log with one record a rank, or a CrayPAT report",
)
def writers(s: Selection) -> Outcome:
    return _users(s, "BYTES_WRITTEN", "wrote")


@metric(
    "file.readers",
    "Ranks that read from the most shared file",
    "ranks",
    formula="distinct ranks with bytes read in the records of one file; a reduced record does not say; else the "
    "reader ranks of CrayPAT",
    needs="a Darshan log with one record a rank, or a CrayPAT report",
)
def readers(s: Selection) -> Outcome:
    return _users(s, "BYTES_READ", "read")
