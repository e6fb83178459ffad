"""How the largest file is striped, and over how many OSTs the files lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import LAYOUT, OSTS
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import LogRows, Selection
from iotriage.metrics.core.selection_cache import cached_per_log, cached_per_selection
from iotriage.metrics.tables.files.largest import largest_file, reaches
from iotriage.metrics.tables.layouts import StatedStriping, stated_layouts
from iotriage.metrics.tables.mounts import mount_above
from iotriage.metrics.tables.osts.on_mounts import mounts_of_layouts, osts_on_mounts
from iotriage.metrics.tables.texts.profiled import other_files
from iotriage.metrics.tables.texts.stats_fields import leading, stripe_count_of_leading, stripe_size_of_leading
from iotriage_parsers.evidence import Counter, LustreComponent, LustreLayout, Mount, OstUsage


@cached_per_selection
def _layout(s: Selection) -> tuple[LogRows, LustreLayout] | None:
    """The Lustre layout of the largest file that has one."""
    best = largest_file(s)
    if best is not None:
        rows, _, record, _ = best
        mine = rows.layout_of(record)
        if mine is not None:
            return rows, mine
    return None


def _ends_in(layout: LustreLayout, size_bytes: int | None) -> LustreComponent | None:
    """The component that holds the file's last byte, where the source lists it with its OSTs."""
    last = max(0, (size_bytes or 0) - 1)
    holds = (c for c in layout.components if c.start_bytes <= last and (c.end_bytes is None or last < c.end_bytes))
    return next((c for c in holds if c.osts), None)


def _of_layout(
    s: Selection, counter: str, value: int | None, of_component: Callable[[LustreComponent], int | None]
) -> Outcome | None:
    found, best = _layout(s), largest_file(s)
    if found is None or best is None or value is None:
        return None
    rows, layout = found
    if not reaches(layout, best[3]):
        ends_in = _ends_in(layout, best[3])
        stands = None if ends_in is None else of_component(ends_in)
        if stands is not None:
            at = Counter("LUSTRE", counter, str(layout.record), file=rows.name_of(layout.record))
            return Value(stands, where=(Where(rows.source_of(layout.record), at),))
        return Absent(
            f"the file ends at byte {best[3]:,}, before the main component of its progressive layout begins "
            f"(byte {layout.extent_start:,}); the striping of the first one is not kept",
            (LAYOUT,),
        )
    at = Counter("LUSTRE", counter, str(layout.record), file=rows.name_of(layout.record))
    return Value(value, where=(Where(rows.source_of(layout.record), at),))


NOT_RECORDED = Absent("the striping of the files is not recorded: the log has no LUSTRE records", (LAYOUT,))
MADE_AGAIN = Absent("the file had more stripes in the run than are listed: it was made again since, or the list is old")
OF_ANOTHER_FILE = Absent("what lists OSTs is about another file, and lists fewer than this one has stripes", (LAYOUT,))


@cached_per_selection
def _stated(s: Selection) -> StatedStriping | None:
    """What lfs getstripe or CrayPAT says about the largest file; of a case with no other source, of the one file that
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
    formula="LUSTRE_STRIPE_WIDTH (of the main component of a composite layout, or where the file does not reach "
    "that, of the one that it ends in, if the log lists all); else `stripe count` of STATS, of a "
    "progressive layout that of the component with most of the bytes; else of lfs getstripe, of a composite layout the "
    "component that holds the file's end; else of CrayPAT",
    needs="a Darshan log with LUSTRE records, MPICH_MPIIO_STATS, lfs getstripe, or CrayPAT's Lustre table",
)
def stripe_count(s: Selection) -> Outcome:
    layout = _layout(s)
    found = _of_layout(s, "LUSTRE_STRIPE_WIDTH", layout[1].stripe_count if layout else None, lambda c: len(c.osts))
    if isinstance(found, Value):
        return found
    printed = stripe_count_of_leading(s)
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
    formula="LUSTRE_STRIPE_SIZE; else `stripe size` of STATS, of a progressive layout that of the component with "
    "most of the bytes; else of lfs getstripe; else of CrayPAT",
    needs="a Darshan log with LUSTRE records, MPICH_MPIIO_STATS, lfs getstripe, or CrayPAT's Lustre table",
)
def stripe_size(s: Selection) -> Outcome:
    layout = _layout(s)
    found = _of_layout(s, "LUSTRE_STRIPE_SIZE", layout[1].stripe_size if layout else None, lambda c: c.stripe_size)
    if isinstance(found, Value):
        return found
    printed = stripe_size_of_leading(s)
    if isinstance(printed, Value):
        return printed
    stated = _stated(s)
    if stated is None or stated.stripe_size_bytes is None:
        return found or NOT_RECORDED
    return Value(stated.stripe_size_bytes, stated.confidence, stated.size_at)


def _of_main_layout(s: Selection) -> tuple[str | None, bool] | Absent:
    """The pool of the largest file, and whether its layout is progressive. LUSTRE records of version 1 have neither:
    what lfs getstripe says holds beside them."""
    layout, stated = _layout(s), _stated(s)
    if layout is None and stated is None:
        return NOT_RECORDED
    pools = (layout[1].pool if layout else None, stated.pool if stated else None)
    progressive = (layout is not None and layout[1].composite) or (stated is not None and stated.progressive)
    return next((pool for pool in pools if pool), None), progressive


@metric(
    "file.pool",
    "Pool of OSTs that the largest file is in",
    "word",
    formula="the pool of the file's LUSTRE record, where it has one; else of lfs getstripe",
    needs="a Darshan log with LUSTRE records, or lfs getstripe",
)
def pool(s: Selection) -> Outcome:
    found = _of_main_layout(s)
    if isinstance(found, Absent):
        return found
    return Absent("no source names a pool of OSTs for the file") if not found[0] else Value(found[0])


@metric(
    "file.layout",
    "Layout of the largest file",
    "word",
    formula="progressive where its LUSTRE record, or lfs getstripe, has several components (PFL, or data on the MDT "
    "before stripes); else plain",
    needs="a Darshan log with LUSTRE records, or lfs getstripe",
)
def file_layout(s: Selection) -> Outcome:
    found = _of_main_layout(s)
    if isinstance(found, Absent):
        return found
    return Value("progressive" if found[1] else "plain")


@metric(
    "file.osts",
    "OSTs that the files are striped over",
    "OSTs",
    formula="distinct OSTs of the LUSTRE records of files that were read or written, of all where none is known to be, "
    "those below each mount for themselves (inferred where there are several); else those that lfs getstripe lists; "
    "else CrayPAT",
    needs="a Darshan log with LUSTRE records, lfs getstripe, or CrayPAT's Lustre table",
)
def osts(s: Selection) -> Outcome:
    used = osts_in_use(s)
    if not used:
        stated, where, more = stated_layouts(s).osts(None if s.scope == "job" else s.paths)
        if not stated:
            return NOT_RECORDED
        return _of_others(s, len(stated), more) or Value(len(stated), where=where, bound="lower" if more else None)
    where = tuple(Where(rows.source, Counter("LUSTRE", "LUSTRE_OST_ID")) for rows in s.logs)
    return Value(sum(map(len, used.values())), "inferred" if len(used) > 1 else "measured", where)


def _of_others(s: Selection, osts_listed: int, more: bool) -> Absent | None:
    """Why OSTs that a text lists are not those of the file that the statistics are about, in the run; None where they
    may be."""
    block, printed = leading(s.writes) or leading(s.reads), stripe_count_of_leading(s)
    if block is None or isinstance(printed, Absent):
        return None
    stripes, now = float(printed.value), stated_layouts(s).stripes_listed(block.block.file)
    if now:
        return MADE_AGAIN if stripes > now else None
    return OF_ANOTHER_FILE if stripes > osts_listed and not more else None


@cached_per_selection
def osts_in_use(s: Selection) -> dict[str, set[int]]:
    """The OSTs of the files that were read or written, of all where none is known to be, by their mount points."""
    laid = [(rows, [layout for layout in rows.lustre if layout.osts]) for rows in s.logs]
    used = [(rows, _used(rows, layouts)) for rows, layouts in laid]
    return osts_on_mounts(used if any(layouts for _, layouts in used) else laid)


def _used(rows: LogRows, layouts: Sequence[LustreLayout]) -> Sequence[LustreLayout]:
    """Those of files that were read or written; all where the log cannot tell."""
    ids = _moved(rows)
    return layouts if ids is None else [layout for layout in layouts if layout.record in ids]


@cached_per_log
def _moved(rows: LogRows) -> frozenset[int] | None:
    """Records of files that were read or written; None where the log cannot tell of each."""
    found: set[int] = set()
    for table, prefix in ((rows.posix, "POSIX"), (rows.mpiio, "MPIIO"), (rows.stdio, "STDIO")):
        if table is None:
            continue
        names = (f"{prefix}_BYTES_READ", f"{prefix}_BYTES_WRITTEN")
        if table.partial or not set(names) <= set(table.int_names):
            return None
        for name in names:
            found.update(table.ids[table.count(name) != 0].tolist())
    return frozenset(found) or None


@metric(
    "file.stripes_possible",
    "OSTs of the file system",
    "OSTs",
    formula="LUSTRE_OSTS of the records below the mount of the largest file, of all where it has none; else the OSTs "
    "that lfs df lists of the file system that the largest file is on; else the figure of the site's profile",
    needs="a Darshan log with LUSTRE records of Darshan before 3.4, lfs df, or a known site",
)
def stripes_possible(s: Selection) -> Outcome:
    stated = [
        (n, mounts_of_layouts(rows).get(layout.record))
        for rows in s.logs
        for layout in rows.lustre
        if (n := layout.osts_in_fs or 0) > 0
    ]
    if stated:
        where = tuple(Where(rows.source, Counter("LUSTRE", "LUSTRE_OSTS")) for rows in s.logs)
        best = largest_file(s)
        mount = None if best is None else mounts_of_layouts(best[0]).get(best[2])
        there = [n for n, of in stated if of == mount]
        return Value(max(there or [n for n, _ in stated]), where=where)
    listed = _listed(s)
    if listed is not None:
        source, usage = listed
        return Value(len(usage.osts), where=(Where(source, usage.lines),))
    if s.site_osts is not None:
        return Value(s.site_osts, "inferred")
    return Absent("neither the log nor the site's profile states how many OSTs there are", (OSTS,))


def _listed(s: Selection) -> tuple[int, OstUsage] | None:
    """What lfs df says about the file system that the largest file is on; where the file has no name, or none is
    mounted above it, of the one that it speaks of."""
    usages = [(source, usage) for source, usage in s.whole.of(OstUsage) if usage.osts and usage.complete]
    best = largest_file(s)
    name = None if best is None else best[0].name_of(best[2])
    above = [one for one in usages if name is not None and name.startswith(one[1].mount.rstrip("/") + "/")]
    if above:
        return max(above, key=lambda one: len(one[1].mount))
    mount = None if best is None or name is None else mount_above(name, best[0].log.job.mounts)
    return usages[0] if mount is None and len({usage.mount for _, usage in usages}) == 1 else None


@metric(
    "file.osts_seen",
    "OSTs seen on the mount of the largest file, at least",
    "OSTs",
    formula="the highest LUSTRE_OST_ID of files on the same mount as the largest file, and 1, for they are numbered "
    "from 0",
    needs="a Darshan log with LUSTRE records",
)
def osts_seen(s: Selection) -> Outcome:
    best = largest_file(s)
    if best is None:
        return NOT_RECORDED
    rows, _, record, _ = best
    mounts = rows.log.job.mounts
    mount = _mount_of(rows, record, mounts)
    highest = ((max(layout.osts, default=-1), layout.record) for layout in rows.log.lustre)
    # From the highest OST on: of a hundred thousand files few have to be looked up in the mount table.
    falling = sorted(highest, key=itemgetter(0), reverse=True)
    seen = next((ost for ost, of in falling if ost >= 0 and _mount_of(rows, of, mounts) == mount), None)
    if seen is None:
        return NOT_RECORDED
    return Value(seen + 1, "inferred", (Where(rows.source, Counter("LUSTRE", "LUSTRE_OST_ID")),))


def _mount_of(rows: LogRows, record: int, mounts: Sequence[Mount]) -> Mount | None:
    name = rows.name_of(record)
    return None if name is None else mount_above(name, mounts)
