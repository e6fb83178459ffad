"""How many ranks moved the bytes of the largest shared file, and how many could."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection, base_name, unique
from iotriage.metrics.tables.counters import no_table
from iotriage.metrics.tables.files.largest import reaches
from iotriage.metrics.tables.files.shared import SharedFile, effective_ranks, largest_shared_file
from iotriage.metrics.tables.layouts import stated_layouts
from iotriage.metrics.tables.nodes import MOST_ON_A_NODE, nodes_at_least
from iotriage.metrics.tables.texts.profiled import movers
from iotriage.metrics.tables.texts.stats_fields import leading, place
from iotriage_parsers.evidence import Counter, Lines, MpiioHints

MIB = 2**20


@metric(
    "mpiio.effective_aggregators",
    "Ranks that effectively move the largest shared file",
    "ranks",
    about=About(seen_below=True),
    formula="B² / (N·V + B²/N) of its POSIX record: B bytes read and written, N ranks, V POSIX_F_VARIANCE_RANK_BYTES; "
    "with one record a rank, and by CrayPAT, the same as (Σb)² / Σb² of the ranks' bytes; where CrayPAT shows no "
    "single ranks, those that used it",
    needs="a Darshan log with a shared POSIX record, or a CrayPAT report",
)
def effective_aggregators(s: Selection) -> Outcome:
    if not s.tables("POSIX"):
        return movers(s) or no_table(s, "POSIX")
    file = largest_shared_file(s)
    return Absent("no file was shared by several ranks") if file is None else effective_ranks(file)


@metric(
    "mpiio.expected_aggregators",
    "Ranks that could move the bytes of the largest shared file",
    "ranks",
    formula="min(ranks that opened it, size of the file / stripe size), at least 1; the stripe size is that of the "
    "LUSTRE record, else of STATS, of lfs getstripe, or of the hints as the MPI library displays them; where no source "
    "has it, the alignment that Darshan assumes, and no less than 1 MiB",
    needs="a Darshan log with a shared POSIX record",
)
def expected_aggregators(s: Selection) -> Outcome:
    """The stripe count is no limit here: a file with one stripe has room for more, and the stripes can be had."""
    if not s.tables("POSIX"):
        return no_table(s, "POSIX")
    file = largest_shared_file(s)
    if file is None:
        return Absent("no file was shared by several ranks")
    if file.rows.nprocs is None:
        return Absent("the log does not state the number of ranks")
    size = max(int(file.records.count(f"POSIX_MAX_BYTE_{w}").max()) for w in ("READ", "WRITTEN")) + 1
    stripe, stated_at = _stripe_size(s, file, size)
    ranks = _openers(file, file.rows.nprocs)
    where = file.rows.where(file.records, "POSIX_MAX_BYTE_WRITTEN", record=file.record)
    return Value(max(1, min(ranks, math.ceil(size / stripe))), "inferred", (*where, *stated_at))


def _openers(file: SharedFile, nprocs: int) -> int:
    """Ranks that opened it, with MPI-IO too: below that only those that move the bytes may have."""
    above = file.rows.mpiio
    opened = [file.records.ranks] + ([] if above is None else [above.ranks[above.ids == file.record]])
    if any(bool((ranks < 0).any()) for ranks in opened):
        return nprocs
    return len(unique(np.concatenate(opened)))


def _stripe_size(s: Selection, file: SharedFile, size: int) -> tuple[int, tuple[Where, ...]]:
    """Bytes of a stripe of the file, and where that is stated."""
    rows, name = file.rows, file.rows.name_of(file.record)
    layout = rows.layout_of(file.record)
    if layout and layout.stripe_size and reaches(layout, size):
        return layout.stripe_size, (
            Where(rows.source_of(file.record), Counter("LUSTRE", "LUSTRE_STRIPE_SIZE", str(file.record), file=name)),
        )
    for stated, where in () if name is None else _stated_stripe_sizes(s, name, size):
        if stated:
            return stated, where
    alignment = int(file.records.count("POSIX_FILE_ALIGNMENT").max())
    return max(alignment, MIB), rows.where(file.records, "POSIX_FILE_ALIGNMENT", record=file.record)


def _stated_stripe_sizes(s: Selection, path: str, size: int) -> Iterator[tuple[int | None, tuple[Where, ...]]]:
    """What texts say about the file, the surest first. Of the lists of hints only Cray MPICH's name their file."""
    name = base_name(path)
    mine = tuple(b for b in s.stats if base_name(b.block.file) == name)
    block = leading(tuple(b for b in mine if b.block.stripe_size_bytes))
    if block is not None:
        yield block.block.stripe_size_bytes, place(block, "stripe size")
    layout = stated_layouts(s).of_file(path, size)
    if layout is not None:
        yield layout.stripe_size_bytes, layout.size_at
    for source, part in s.of(MpiioHints):
        unit = part.hint("striping_unit") if part.file is not None and base_name(part.file) == name else None
        if unit is not None and re.fullmatch(r"[0-9]{1,15}", unit.value):
            yield int(unit.value), (Where(source, Lines(unit.line, unit.line)),)


@metric(
    "mpiio.effective_share",
    "Share of the ranks that moved the bytes of the largest shared file themselves",
    "share",
    about=About(time=False, seen_below=True),
    formula="mpiio.effective_aggregators / ranks of the job",
    needs="a Darshan log with a shared POSIX record",
)
def effective_share(s: Selection) -> Outcome:
    file = largest_shared_file(s)
    movers = outcome(s, "mpiio.effective_aggregators")
    if isinstance(movers, Absent) or file is None:
        return movers if isinstance(movers, Absent) else Absent("no file was shared by several ranks")
    ranks = file.rows.nprocs
    if ranks is None:
        return Absent("the log does not state the number of ranks")
    return quotient(movers, Value(ranks), zero="the job had no ranks")


LIKE_ONE_OF_THEM = 1.25
"""Times what one of them would move: from more, or from less by it, the shares are not equal and the ranks are more."""


def _equal_shares(s: Selection) -> Outcome:
    """How many ranks moved the bytes, where a variance alone tells, and the slowest has a share as that has it: of
    unequal shares the variance gives too few."""
    if isinstance(outcome(s, "mpiio.movers"), Value):
        return Absent("a source tells the ranks apart that move the bytes (mpiio.movers)")
    found, file = outcome(s, "mpiio.effective_aggregators"), largest_shared_file(s)
    if isinstance(found, Absent) or isinstance(found.value, str) or file is None:
        return found
    if not s.tables("MPI-IO") or not bool((file.records.ranks < 0).any()):
        return Absent("the file has no reduced record below MPI-IO")
    theirs = float(file.records.count("POSIX_SLOWEST_RANK_BYTES")[file.records.ranks < 0][0])
    of_each = file.moved / found.value if found.value else 0.0
    if of_each <= 0 or not 1 / LIKE_ONE_OF_THEM <= theirs / of_each <= LIKE_ONE_OF_THEM:
        return Absent("the ranks that moved the bytes did not share them equally, or the slowest is none of them")
    return found


@metric(
    "mpiio.effective_per_stripe",
    "Ranks that effectively move the largest shared file, per stripe",
    "ratio",
    about=About(time=False, seen_below=True),
    formula="mpiio.effective_aggregators / file.stripe_count, where mpiio.movers is not known and the slowest rank "
    f"moved what one of so many would, or by a factor of {LIKE_ONE_OF_THEM} more or less",
    needs="a Darshan log with a shared POSIX record below MPI-IO, and the striping of the file",
)
def effective_per_stripe(s: Selection) -> Outcome:
    return quotient(_equal_shares(s), outcome(s, "file.stripe_count"), zero="the file has no stripes")


@metric(
    "mpiio.effective_per_node",
    "Ranks that effectively move the largest shared file, per node",
    "ratio",
    about=About(time=False, seen_below=True),
    formula="the same / job.nnodes, or the fewest nodes that hold the ranks: of as many cores as the site states, else "
    f"of {MOST_ON_A_NODE}; at most that many a node",
    needs="a Darshan log with a shared POSIX record below MPI-IO",
)
def effective_per_node(s: Selection) -> Outcome:
    return quotient(_equal_shares(s), nodes_at_least(s), zero="the number of nodes is 0")
