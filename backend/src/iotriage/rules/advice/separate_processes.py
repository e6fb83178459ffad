"""Advice that takes the place of MPI where the ranks are separate processes that do not know of one another, or their
language has no MPI."""

from __future__ import annotations

from collections.abc import Mapping

from iotriage.rules.advice.snippets import (
    BROADCAST,
    COLLECTIVE,
    COLLECTIVE_READ,
    NODE_FILE,
    PARALLEL_READ,
    PARALLEL_WRITE,
    READ_TOGETHER,
    SHARED_ON_NODE,
    SHARED_WRITE,
)
from iotriage.rules.core.action import Action, EditCode
from iotriage.rules.core.advice import Advice, Citation, advice, in_program

_OWN_FILES = (
    "These processes run without MPI-IO: let each write a file of its own in blocks of 1 MiB or more, and put the "
    "files together after the run."
)
_OWN_PART = "Let each process read only the part that it needs, in blocks of 1 MiB or more."
_ONE_COPY = "Copy the data to memory or a disk of each node at the start of the job, and read it from there."

_WITHOUT_MPI: Mapping[EditCode, str] = {
    **dict.fromkeys((SHARED_WRITE, NODE_FILE, *COLLECTIVE.values(), *PARALLEL_WRITE.values()), _OWN_FILES),
    **dict.fromkeys((READ_TOGETHER, *COLLECTIVE_READ.values(), *PARALLEL_READ.values()), _OWN_PART),
    **dict.fromkeys((BROADCAST, SHARED_ON_NODE), _ONE_COPY),
}


def without_mpi(actions: tuple[Action, ...], citation: Citation | None) -> Advice | None:
    """What such processes can do in place of these actions; None where there is nothing."""
    text = next((_WITHOUT_MPI[a] for a in actions if isinstance(a, EditCode) and a in _WITHOUT_MPI), None)
    if text is None:
        return None
    # Who starts a program can copy its data, and change nothing else of what it reads and writes.
    return advice(text, citation=citation) if text == _ONE_COPY else in_program(text, citation)
