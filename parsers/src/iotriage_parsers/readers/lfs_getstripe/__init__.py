"""`lfs getstripe`, Lustre 1.8 to 2.16, `lfs df`, and of `lfs quota`, `lfs df -i` and `df` what is used up.

Known are plain files (also in the oldest form, an object table alone), defaults of directories, progressive layouts
with data on the MDT, mirrors and compression, `-v`, `--yaml`, and patterns as names or numbers. What options like `-c`
or `-I` alone print, bare numbers, cannot be recognised as anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from iotriage_parsers.evidence import OstUsage, Part, QuotaRoom, StripeLayout, UsedUp
from iotriage_parsers.readers.lfs_getstripe.df import FIRST as FIRST_OF_DF
from iotriage_parsers.readers.lfs_getstripe.df import MOUNTED, DfMachine
from iotriage_parsers.readers.lfs_getstripe.layout import LayoutMachine
from iotriage_parsers.readers.lfs_getstripe.quota import FIRST, FIRST_OF_GPFS, GpfsQuotaMachine, QuotaMachine
from iotriage_parsers.readers.lfs_getstripe.usage import HEADER, ROW, UsageMachine
from iotriage_parsers.text.blocks import BlockReader, Machine
from iotriage_parsers.text.line_start import at_line_start
from iotriage_parsers.text.lines import Line
from iotriage_parsers.text.wording import plural

_FIRST: Final = re.compile(
    r"lcm_layout_gen:\s|lmm_stripe_count:\s"
    r"|(?:\(Default\) )?stripe_count:\s+-?\d+\s+stripe_size:\s"
    r"|obdidx\s+objid\s+objid\s+group"
    rf"|{HEADER}|{ROW}|{FIRST}|{FIRST_OF_GPFS}|{FIRST_OF_DF}"
)
_DF: Final = re.compile(FIRST_OF_DF)


def _start(line: Line, before: Iterable[Line]) -> Machine:
    text = line.text.strip()
    if text.startswith("UUID") or "_UUID" in text.split(maxsplit=1)[0]:
        return UsageMachine(line)
    if text.startswith("Disk quotas"):
        return QuotaMachine(line)
    if text.startswith("Block Limits"):
        return GpfsQuotaMachine(line)
    if _DF.match(text):
        return DfMachine(line)
    return LayoutMachine(line, before)


def _describe(parts: tuple[Part, ...]) -> str | None:
    layouts = [p for p in parts if isinstance(p, StripeLayout)]
    usages = [p for p in parts if isinstance(p, OstUsage)]
    contents: list[str] = []
    if layouts:
        files = sum(p.form != "directory-default" for p in layouts)
        directories = len(layouts) - files
        counts = [plural(files, "file", "files")] if files else []
        counts += [plural(directories, "directory", "directories")] if directories else []
        contents.append(f"lfs getstripe: {' and '.join(counts)}")
    if usages:
        osts = sum(len(u.osts) for u in usages)
        contents.append(f"lfs df: {plural(osts, 'OST', 'OSTs')}")
    used_up = [p for p in parts if isinstance(p, UsedUp)]
    if used_up:
        tools = " and ".join(dict.fromkeys(p.tool for p in used_up))
        contents.append(f"{tools}: {' and '.join(dict.fromkeys(p.of for p in used_up))} used up")
    room = [p for p in parts if isinstance(p, QuotaRoom)]
    if room and not used_up:
        contents.append(f"{' and '.join(dict.fromkeys(p.tool for p in room))}: there is room")
    return "; ".join(contents) or None


reader: Final = BlockReader(
    id="lfs_getstripe",
    title="lfs getstripe output",
    anchors=(
        b"stripe_count:",
        b"lcm_layout_gen:",
        b"obdidx",
        b"UUID  ",
        b"Disk quotas for ",
        b"Block Limits ",
        *(f"% {mounted}".encode() for mounted in MOUNTED),
    ),
    begins=at_line_start(_FIRST),
    start=_start,
    describe=_describe,
    precedence=20,
)
