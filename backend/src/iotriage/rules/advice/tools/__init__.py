"""Advice for tools whose users start them but do not write their code: it takes the place of changes to the program.

A tool is an entry of the module of its field."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace

from iotriage.rules.advice.one_rank import EACH_TO_A_FILE, SEND_TO_A_FILE
from iotriage.rules.advice.scratch import node_disk
from iotriage.rules.advice.system_programs import SYSTEM_PROGRAMS
from iotriage.rules.advice.tools.benchmarks import BENCHMARKS
from iotriage.rules.advice.tools.of_builds import OF_BUILDS
from iotriage.rules.advice.tools.of_data import OF_DATA
from iotriage.rules.advice.tools.of_engineering import OF_ENGINEERING
from iotriage.rules.advice.tools.of_genomes import OF_GENOMES
from iotriage.rules.advice.tools.of_molecules import OF_MOLECULES
from iotriage.rules.advice.tools.tool import Tool, Typed
from iotriage.rules.core import Advice, Citation, Context, advice
from iotriage.rules.core.action import Export, FillIn, Named, RunCommand
from iotriage.rules.core.words import paragraph, printable

TOOLS = (*BENCHMARKS, *OF_BUILDS, *OF_DATA, *OF_ENGINEERING, *OF_GENOMES, *OF_MOLECULES)


def tool_among(programs: Iterable[str], commands: Collection[str] = ()) -> Tool | None:
    """The first that a source names, with what is left to type where it was started with these command lines."""
    found = next((tool for name in programs for tool in TOOLS if tool.programs.fullmatch(name)), None)
    if found is None or not commands:
        return found
    writes, reads = (tuple(t for t in way if not _has_it(t, commands)) for way in (found.writes, found.reads))
    return replace(found, writes=writes, reads=reads)


def _has_it(typed: Typed, commands: Collection[str]) -> bool:
    """Whether all of them do."""
    return typed.unless is not None and all(re.search(typed.unless, line) for line in commands)


def is_a_tool(program: str | None) -> bool:
    """Whether the program is a tool that its users start and do not write."""
    return program is not None and (program in SYSTEM_PROGRAMS or tool_among([program]) is not None)


def use_tool_otherwise(tool: Tool, context: Context | None, *, reads: bool) -> tuple[Advice, ...]:
    """What its user can do, whatever the program would have to do otherwise; `context` is that of the finding, and
    `reads` says that the files of it are read rather than written."""
    disk = node_disk(None if context is None else context.site)
    there = context is not None and _is_there(context)
    lines = () if tool.variable is None or there else (Export(tool.variable, *disk),)
    typed = "; ".join(one.says for one in tool.typed(reads=reads)).removesuffix(".")
    text = f"{tool.name} {typed}." if tool.measures else f"As the code of {tool.name} is not yours to change: {typed}."
    if there:
        text += " These files are on a disk of the node, or in its memory, already: what is said of that place is done."
    return (advice(text, *lines), *(() if context is None else _copied_first(tool, context)))


def tells_of_node_disk(tool: Tool, context: Context, *, reads: bool) -> bool:
    """Whether what its user can do says what goes on the disk of the node, or that it is there already."""
    return _is_there(context) or any(one.of_node_disk for one in tool.typed(reads=reads))


def _is_there(context: Context) -> bool:
    return context.file_system == "local"


def print_to_files(tool: Tool | None, citation: Citation | None, *, alone: bool) -> Advice:
    """What the user of a program can do that prints much; `alone` where it is one process."""
    known = None if tool is None or tool.prints is None else f"Of {tool.name}, {tool.prints}"
    return advice(paragraph(SEND_TO_A_FILE if alone else EACH_TO_A_FILE, known), citation=citation)


def _copied_first(tool: Tool, context: Context) -> tuple[Advice, ...]:
    """For one file that is only read, on a file system that all share: a benchmark would measure another."""
    if tool.measures:
        return ()
    file, written = context.file, context.number("io.bytes_written")
    several = max(context.files or 1, context.number("file.count") or 1.0) > 1
    if file is None or written or several or context.file_system not in SHARED or _PART.search(file) is not None:
        return ()
    return (
        advice(
            f"Where {printable(file.rpartition('/')[2])} is read more than once, or not in its order, and a disk or "
            "the memory of the node has room for it, copy it there first, with its index if it has "
            "one, and read the copy.",
            RunCommand(("cp", Named(file), FillIn("ON_THE_NODE", "a folder on its disk or in its memory"))),
        ),
    )


_PART = re.compile(r"\.(bp|zarr|n5)/")
"""What lies in a folder that is one file to the library that made it: a copy of the part alone is none."""
SHARED = ("lustre", "gpfs", "vast", "weka", "beegfs", "nfs", "dvs")
"""Kinds of file systems that are not on the node."""
