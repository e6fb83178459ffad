"""AUTOPERF MPI records: of the MPI calls of each rank only the node it ran on is read, which no other module has.

Layout: darshan-apmpi-log-format.h, version 1: one header of 48 bytes that ends in no name, then one record a rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from iotriage_parsers.evidence import Problem
from iotriage_parsers.readers.darshan_log.container import ByteOrder

MODULE: Final = "APMPI"
VERSIONS: Final = (1,)
HEADER_BYTES: Final = 48
RECORD_BYTES: Final = 16 + 8 * (396 + 240) + 128
"""Id and rank, 396 counters of calls and sizes, 240 of times, the node's name."""

_MAGIC: Final = int.from_bytes(b"APMPI", "big")


def read_nodes(data: bytes, byte_order: ByteOrder, nprocs: int | None) -> tuple[Mapping[int, str], tuple[Problem, ...]]:
    """The node of every rank that has a whole record."""
    mark = "<" if byte_order == "little" else ">"
    if len(data) < HEADER_BYTES or np.frombuffer(data, f"{mark}i8", 1, offset=16)[0] != _MAGIC:
        return {}, (_damaged("its header is not that of AUTOPERF MPI; it was not read."),)
    layout = np.dtype([("id", f"{mark}u8"), ("rank", f"{mark}i8"), ("counters", np.void, 8 * 636), ("node", "S128")])
    whole, rest = divmod(len(data) - HEADER_BYTES, RECORD_BYTES)
    records = np.frombuffer(data, layout, whole, HEADER_BYTES)
    problems = [_damaged(f"the last {rest} bytes of the region are no whole record.")] if rest else []
    possible = (records["rank"] >= 0) & (records["rank"] < (np.iinfo(np.int64).max if nprocs is None else nprocs))
    if not possible.all():
        lost = int((~possible).sum())
        problems.append(_damaged(f"{lost} records name a rank that the job cannot have; left out."))
    nodes = {
        int(rank): bytes(node).split(b"\0", 1)[0].decode("utf-8", "backslashreplace")
        for rank, node in zip(records["rank"][possible], records["node"][possible], strict=True)
    }
    return {rank: node for rank, node in nodes.items() if node}, tuple(problems)


def _damaged(what: str) -> Problem:
    return Problem("damaged", f"{MODULE}: {what}", loses_data=True, where=MODULE)
