"""What stands instead of lines of code where the program is one of the system's own: cp, tar, rm and their like."""

from __future__ import annotations

from collections.abc import Mapping

from iotriage.rules.core.action import FillIn, RunCommand
from iotriage.rules.core.advice import Advice, Citation, advice
from iotriage.sites.launcher import started
from iotriage_parsers.evidence.job_context import Launcher

ARCHIVE = FillIn("ARCHIVE", "the archive")
TO_PACK = FillIn("FOLDER", "the folder to pack")
COPIED = (FillIn("FROM", "what is to be copied"), FillIn("TO", "where it is to go"))
TOOLS = Citation("mpifileutils", "dcp, dtar, drm, dwalk")

_COPIES = ("cp", "mv", "rsync", "scp", "cat", "cpio", "install")
_PACKS = ("tar", "gtar", "bsdtar")
_ZIPS = ("zip", "unzip")
_WALKS = ("rm", "find", "du", "ls", "chmod", "chown", "stat")
_COMPRESSES = ("gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd")
_READS = ("md5sum", "sha1sum", "sha256sum", "sha512sum", "cksum", "grep", "wc", "awk", "gawk", "sed", "cmp")

_SEVERAL = "run {program} on several files at once, on several nodes where they are many"

_INSTEAD: Mapping[str, str] = {
    **dict.fromkeys(
        _COPIES,
        "dcp of mpiFileUtils shares the files, and the parts of large ones, out among many processes; {program} is one "
        "stream.",
    ),
    **dict.fromkeys(_PACKS, "dtar of mpiFileUtils packs and unpacks with many processes; {program} is one stream."),
    **dict.fromkeys(
        _WALKS,
        "dwalk and drm of mpiFileUtils do with many processes what {program} does file by file; on Lustre, lfs find "
        "lists files without asking the servers of their data.",
    ),
    **dict.fromkeys(_ZIPS, f"{_SEVERAL}, or keep a tar archive: dtar of mpiFileUtils has many processes for one."),
    **dict.fromkeys(_COMPRESSES, f"{_SEVERAL}; pigz and zstd -T0 use all cores of a node."),
    **dict.fromkeys(_READS, f"{_SEVERAL}: xargs -P 8 -n 1 starts eight."),
    "sort": "-S gives {program} memory, for fewer temporaries, and -T names a folder for those, best on a disk of the "
    "node; --parallel says how many cores it uses.",
    "dd": "give {program} blocks of 8 MiB: bs=8M.",
}
"""By program, what its user can do, since its code is not his to change."""

SYSTEM_PROGRAMS = frozenset(_INSTEAD)

MOVERS_OF_FILES = frozenset((*_COPIES, *_PACKS, *_ZIPS))
"""Whoever runs one of these has files in one place and wants them in another."""


def replace_if_system_program(program: str | None, launcher: Launcher | None, *, writes: bool) -> tuple[Advice, ...]:
    """What its user can do; empty for other programs. `writes` says that most of its files are written."""
    known = program is not None and program in SYSTEM_PROGRAMS
    return (replace_system_program(program, launcher, writes=writes),) if program is not None and known else ()


def replace_system_program(program: str, launcher: Launcher | None, *, writes: bool) -> Advice:
    """What the user of such a program can do; with the site's launcher, where it is known. One that packs and mostly
    `writes` files unpacks."""
    start = ("mpirun", "-n", "16") if launcher is None else started(launcher, 16, None, None)
    text = f"You cannot change the code of {program}: {_INSTEAD[program].format(program=program)}"
    if program in _COPIES:
        return advice(text, RunCommand((*start, "dcp", *COPIED)), citation=TOOLS)
    if program in _PACKS:
        which = ("-x", "-f", ARCHIVE) if writes else ("-c", "-f", "archive.tar", TO_PACK)
        return advice(text, RunCommand((*start, "dtar", *which)), citation=TOOLS)
    return advice(text, citation=TOOLS if program in _WALKS else None)
