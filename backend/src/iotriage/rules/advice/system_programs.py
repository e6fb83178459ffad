"""Advice for programs of the system itself, such as cp, tar and rm: it takes the place of lines of code."""

from __future__ import annotations

from collections.abc import Mapping

from iotriage.metrics.tables.system_programs import COMPRESSES, COPIES, PACKS, READS, WALKS, ZIPS
from iotriage.rules.core.action import FillIn, RunCommand
from iotriage.rules.core.advice import Advice, Citation, advice
from iotriage.sites.launcher import started
from iotriage_parsers.evidence.job_context import Launcher

ARCHIVE = FillIn("ARCHIVE", "the archive")
TO_PACK = FillIn("FOLDER", "the folder to pack")
COPIED = (FillIn("FROM", "what is to be copied"), FillIn("TO", "where it is to go"))
TOOLS = Citation("mpifileutils", "dcp, dtar, drm, dwalk")

_SEVERAL = "run {program} on several files at once, on several nodes where they are many"

_INSTEAD: Mapping[str, str] = {
    **dict.fromkeys(
        COPIES,
        "dcp of mpiFileUtils shares the files, and the parts of large ones, out among many processes; {program} is one "
        "stream.",
    ),
    **dict.fromkeys(PACKS, "dtar of mpiFileUtils packs and unpacks with many processes; {program} is one stream."),
    **dict.fromkeys(
        WALKS,
        "dwalk and drm of mpiFileUtils do with many processes what {program} does file by file; on Lustre, lfs find "
        "lists files without asking the servers of their data.",
    ),
    **dict.fromkeys(ZIPS, f"{_SEVERAL}, or keep a tar archive: dtar of mpiFileUtils has many processes for one."),
    **dict.fromkeys(COMPRESSES, f"{_SEVERAL}; pigz and zstd -T0 use all cores of a node."),
    **dict.fromkeys(READS, f"{_SEVERAL}: xargs -P 8 -n 1 starts eight."),
    "sort": "-S gives {program} memory, for fewer temporaries, and -T names a folder for those, best on a disk of the "
    "node; --parallel says how many cores it uses.",
    "dd": "give {program} blocks of 8 MiB: bs=8M.",
    "mksquashfs": "make the folder on a disk or in the memory of the node, where there is room for it, and the image "
    "from there: then the shared file system gets one file.",
}
"""By program, what its user can do instead of changing its code."""

SYSTEM_PROGRAMS = frozenset(_INSTEAD)

MOVERS_OF_FILES = frozenset((*COPIES, *PACKS, *ZIPS))
"""Programs that copy or move files from one place to another."""


def replace_if_system_program(program: str | None, launcher: Launcher | None, *, writes: bool) -> tuple[Advice, ...]:
    """What its user can do; empty for other programs. `writes` says that most of its files are written."""
    known = program is not None and program in SYSTEM_PROGRAMS
    return (replace_system_program(program, launcher, writes=writes),) if program is not None and known else ()


def replace_system_program(program: str, launcher: Launcher | None, *, writes: bool) -> Advice:
    """What the user of such a program can do; with the site's launcher, where it is known. One that packs and mostly
    `writes` files unpacks."""
    start = ("mpirun", "-n", "16") if launcher is None else started(launcher, 16, None, None)
    text = f"You cannot change the code of {program}: {_INSTEAD[program].format(program=program)}"
    if program in COPIES:
        return advice(text, RunCommand((*start, "dcp", *COPIED)), citation=TOOLS)
    if program in PACKS:
        which = ("-x", "-f", ARCHIVE) if writes else ("-c", "-f", "archive.tar", TO_PACK)
        return advice(text, RunCommand((*start, "dtar", *which)), citation=TOOLS)
    return advice(text, citation=TOOLS if program in WALKS else None)
