"""Where a program keeps its scratch files, and how it is told: its inputs stay where they are."""

from __future__ import annotations

import re

from iotriage.metrics.core.pattern import OF_ONE_RANK
from iotriage.rules.advice.packages import package_among, temporaries_in_memory
from iotriage.rules.advice.stores import is_seen_by_others
from iotriage.rules.core import Advice, Citation, Context, advice
from iotriage.rules.core.action import Export, FillIn
from iotriage.sites.site import FileSystem, FileSystemKind, Site

SSD = Citation("theta-io", "Node Local SSD Usage")

VARIABLES = (
    (re.compile(r"(pw|cp|ph)\.x"), "ESPRESSO_TMPDIR"),
    (re.compile(r"g(09|16)|l\d{1,4}\.exel?"), "GAUSS_SCRDIR"),
    (re.compile(r"nwchem([_.-]\w+)*"), "SCRATCH_DIR"),
)
"""By the names of programs, the variable that names their scratch directory."""

OF_PATHS = (
    (re.compile(r"/dask-(worker|scratch)-space(/|$)"), "DASK_TEMPORARY_DIRECTORY"),
    (re.compile(r"/session_[^/]+/ray_spilled_objects(_\w+)?(/|$)"), "RAY_TMPDIR"),
)
"""The same by the paths of the files, of libraries that any program may call."""

NODE_FOLDER = FillIn("TMPDIR", "a folder on the disk of the node")
"""Many centres set it to that; where nobody has, what is told of it would be nowhere."""


def _disk_of(site: Site) -> FileSystem | None:
    return next((d for d in site.file_systems if d.kind == "local" and d.directory is not None), None)


def node_disk(site: Site | None) -> tuple[str, bool]:
    """The folder on the disk of the site's nodes, as its documents have it, or the variable that often names one; and
    whether the shell has to look that up."""
    disk = None if site is None else _disk_of(site)
    directory = NODE_FOLDER.value if disk is None else disk.directory or ""
    return directory, directory.startswith("$")


def use_node_disk(context: Context) -> Advice:
    """On the disk of the site's nodes, as its documents have it, or on one that the centre tells of."""
    disk, (directory, expands) = _disk_of(context.site), node_disk(context.site)
    if disk is None:
        where = (
            "If the nodes have disks of their own, point the program's scratch directory there, in its input or by its "
            "environment variable, and copy what should stay to the file system at the end. The centre says how to "
            "ask for "
            "them and where they are mounted; often it is $TMPDIR."
        )
    else:
        ask = (
            "" if disk.request is None else f"Ask for the disk of each node when the job is submitted: {disk.request}. "
        )
        where = (
            f"{ask}Point the program's scratch directory to {directory}, in its input or by its environment "
            "variable, and "
            "copy what should stay to the file system at the end."
        )
    variable = scratch_variable(context)
    lines = () if variable is None else (Export(variable, directory, expands=expands),)
    return advice(where, *lines, citation=SSD)


def scratch_variable(context: Context) -> str | None:
    """What names the directory of the program's scratch files, where that is known."""
    program, path = context.program or "", context.file or ""
    known = [name for programs, name in VARIABLES if programs.fullmatch(program)]
    return next(iter(known), variable_of_path(path))


def variable_of_path(path: str) -> str | None:
    """What names the directory of scratch files at `path`, whatever program made them."""
    return next((name for paths, name in OF_PATHS if paths.search(path)), None)


def scratch_of_any_program(context: Context) -> tuple[Advice, ...]:
    """What is said of scratch files where nothing is known of the program."""
    asked_for = _disk_of(context.site) is not None
    return (keep_scratch_in_memory(context), *(() if asked_for else (use_node_disk(context),)))


BACK = 0.9
"""Share of the bytes written that the rank reads again, from which it wrote them to read them."""

_SHARED: frozenset[FileSystemKind] = frozenset(("lustre", "gpfs", "vast", "weka", "beegfs", "nfs", "other"))


def move_temporary_files(context: Context) -> tuple[Advice, ...]:
    """For files on a shared file system that each rank writes first, and then reads whole: the disk of the node. Where
    it reads most of what it did not write, the files come from an earlier run, or stay for a later."""
    read, written = context.number("io.bytes_read") or 0.0, context.number("io.bytes_written") or 0.0
    if read > written / BACK or is_seen_by_others(context.file):
        return ()
    return (use_node_disk(context),) if _read_back(context) else ()


def move_reread_files(context: Context) -> tuple[Advice, ...]:
    """For such files that the rank reads several times: what a program keeps between its steps, and no input."""
    return (use_node_disk(context), keep_scratch_in_memory(context)) if _read_back(context) else ()


def _read_back(context: Context) -> bool:
    """Whether the files are temporaries on a shared file system."""
    return are_temporaries(context) and context.file_system in _SHARED


def are_temporaries(context: Context) -> bool:
    """Whether each rank writes its files first, and reads as much as it wrote."""
    back, own = context.number("file.read_back_fraction") or 0.0, context.word("io.pattern") in OF_ONE_RANK
    return own and back >= BACK and context.word("file.read_first") == "no"


def keep_scratch_in_memory(context: Context) -> Advice:
    package = package_among([context.program or ""])
    known = None if package is None else temporaries_in_memory(package)
    does = "many programs have a setting for it" if known is None else f"in {known}"
    return advice(f"Keep what is written and read again in memory, where that is enough: {does}.")
