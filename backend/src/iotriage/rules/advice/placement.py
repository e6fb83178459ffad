"""Where files are, and where else such files could be: another file system of the site, by its documents' figures."""

from __future__ import annotations

import re

from iotriage.metrics.tables.mounts import OF_A_NODE
from iotriage.rules.core import Advice, Citation, Context, advice
from iotriage.rules.core.action import ChangeDirectory, FillIn
from iotriage.rules.core.words import number, size
from iotriage.sites.site import DocumentedRates, FileSystem, RateRow

WORK_DIRECTORY = FillIn("WORK_DIRECTORY", "your directory on the file system for jobs")
_TYPED = re.compile(r"/[A-Za-z0-9_./-]*")
"""A mount point that a comment of a shell can name."""


def run_there(mount: str | None) -> ChangeDirectory:
    """To one's own directory on the file system for jobs, mounted at `mount` where that is known: no log names it, and
    in the mount point itself nothing of the job is found."""
    copied = "with what the job reads copied there"
    known = mount is not None and _TYPED.fullmatch(mount) is not None
    return ChangeDirectory(WORK_DIRECTORY, remark=f"on {mount}, {copied}" if known else copied)


def on_the_node_already(context: Context) -> bool:
    """Whether the files are on a disk of the node, or in its memory."""
    return context.file_system == "local"


def what_stood_still(lies_on: str | None) -> str:
    """What may have stood still where a call takes far too long, by `file.lies_on`."""
    return "the node" if lies_on in OF_A_NODE else "a server or the network"


def faster_file_system(context: Context) -> tuple[Advice, ...]:
    """The file system of the site on which more was measured with as many processes, for files used like these."""
    here = context.site.file_system_of(context.file) if context.file is not None else None
    found = None if here is None else _faster(context, here)
    if found is None:
        return ()
    table, there, of_here = found
    title = next(f.title for f in context.site.file_systems if f.id in table.file_systems)
    text = (
        f"Put such files on the {title} of {context.site.title}, if you have space there: its documents measured "
        f"{size(there.rate)}/s for them with {number(there.processes)} processes, and {size(of_here.rate)}/s here."
    )
    return (advice(text, citation=Citation(table.source.document, table.source.place)),)


def _faster(context: Context, here: FileSystem) -> tuple[DocumentedRates, RateRow, RateRow] | None:
    """Of two medians or two maxima of the pattern at one process count, the one elsewhere where it is higher."""
    pattern = context.word("io.pattern")
    tables = [t for t in context.site.rates if t.pattern == pattern and t.direction == "write"]
    pairs = (
        (other, there, row)
        for mine in tables
        if here.id in mine.file_systems
        for other in tables
        if here.id not in other.file_systems and other.statistic == mine.statistic != "range"
        for row in mine.rows
        for there in other.rows
        if there.processes == row.processes and there.rate > row.rate
    )
    return max(pairs, key=lambda found: found[1].rate / found[2].rate, default=None)
