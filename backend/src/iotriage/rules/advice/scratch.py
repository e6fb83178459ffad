"""Where a program keeps its scratch files, and how it is told: its inputs stay where they are."""

from __future__ import annotations

from collections.abc import Mapping

from iotriage.rules.core import Advice, Citation, Context, advice
from iotriage.rules.core.action import Export
from iotriage.sites.site import FileSystemKind

SSD = Citation("theta-io", "Node Local SSD Usage")

_VARIABLES: Mapping[str, str] = {
    **dict.fromkeys(("pw.x", "cp.x", "ph.x"), "ESPRESSO_TMPDIR"),
    **dict.fromkeys(("g09", "g16"), "GAUSS_SCRDIR"),
    "nwchem": "SCRATCH_DIR",
}
"""By program, the variable that names its scratch directory."""

_IN_MEMORY: Mapping[str, str] = {
    **dict.fromkeys(("pw.x", "cp.x"), "Quantum ESPRESSO does where the input has disk_io = 'low'."),
}


def on_the_node(context: Context) -> Advice:
    """On the disk of the site's nodes, as its documents have it, or on one that the centre tells of."""
    disk = next((d for d in context.site.file_systems if d.kind == "local" and d.directory is not None), None)
    directory = "$TMPDIR" if disk is None else disk.directory or ""
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
    variable = _VARIABLES.get(context.word("job.program") or "")
    lines = () if variable is None else (Export(variable, directory, expands=directory.startswith("$")),)
    return advice(where, *lines, citation=SSD)


BACK = 0.9
"""Share of the bytes written that the rank reads again, from which it wrote them to read them."""

_SHARED: frozenset[FileSystemKind] = frozenset(("lustre", "gpfs", "vast", "weka", "beegfs", "nfs"))

_OWN = ("file-per-process", "file-per-node", "serial")


def temporaries(context: Context) -> tuple[Advice, ...]:
    """For files on a shared file system that each rank writes first, and then reads whole: the disk of the node. Where
    it reads most of what it did not write, or reads first, the files come from an earlier run, or stay for a later."""
    read, written = context.number("io.bytes_read") or 0.0, context.number("io.bytes_written") or 0.0
    back = context.number("file.read_back_fraction") or 0.0
    own = context.word("io.pattern") in _OWN
    if not own or back < BACK or read > written / BACK or context.word("file.read_first") != "no":
        return ()
    return (on_the_node(context),) if context.file_system in _SHARED else ()


def in_memory(context: Context) -> Advice:
    known = _IN_MEMORY.get(context.word("job.program") or "")
    does = "many programs have a setting for it." if known is None else known
    return advice(f"Keep what is written and read again in memory, where that is enough: {does}")
