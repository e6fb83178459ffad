"""How storage lays data out, as its own commands print it: `mmlsfs` with and without -Y (GPFS, Storage Scale 4 and 5),
`beegfs-ctl --getentryinfo` (BeeGFS 6 and 7), `beegfs entry info` (BeeGFS 8), `daos container query` and `daos pool
query` (2.x), and `lfs getdirstripe`.

Their other figures (replicas, space, quotas) are not kept. Where files of a job lie on GPFS or DAOS, none of them says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from iotriage_parsers.evidence import Part, StorageLayout
from iotriage_parsers.readers.storage_layout import beegfs, beegfs_table, daos, directories, gpfs, gpfs_fields
from iotriage_parsers.text.blocks import BlockReader, Machine
from iotriage_parsers.text.line_start import at_line_start
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.wording import plural

_FIRST: Final = re.compile(
    "|".join(
        p.pattern
        for p in (gpfs.FIRST, gpfs_fields.FIRST, beegfs.FIRST, beegfs_table.FIRST, daos.FIRST, directories.FIRST)
    )
)


def _start(line: Line, before: Iterable[Line]) -> Machine:
    text = line.text.strip()
    if gpfs.FIRST.match(text):
        return gpfs.FileSystemMachine(line)
    if gpfs_fields.FIRST.match(text):
        return gpfs_fields.FieldsMachine(line)
    if beegfs_table.FIRST.match(text):
        return beegfs_table.TableMachine(line)
    if beegfs.FIRST.match(text):
        return beegfs.EntryMachine(line, before)
    if daos.FIRST.match(text):
        return daos.DaosMachine(line)
    return directories.DirectoriesMachine(line, before)


def _describe(parts: tuple[Part, ...]) -> str | None:
    layouts = [p for p in parts if isinstance(p, StorageLayout)]
    tools = list(dict.fromkeys(p.tool for p in layouts))
    return "; ".join(f"{t}: {plural(sum(p.tool == t for p in layouts), 'layout')}" for t in tools) or None


reader: Final = BlockReader(
    id="storage_layout",
    title="layout of storage (mmlsfs, beegfs, daos, lfs getdirstripe)",
    anchors=(
        b"flag  ",
        b"flag value ",
        b":HEADER:",
        b"EntryID:",
        b"ENTRY ID",
        b"Container UUID",
        b"Pool ",
        b"lmv_stripe_count:",
    ),
    begins=at_line_start(_FIRST),
    start=_start,
    describe=_describe,
    precedence=15,
)
