"""AUTOPERF Cray XC records: the counters of every Aries router that the job's nodes hang on, and where the router is.

Layout: darshan-apxc-log-format.h of AutoPerf, version 1: one header of 72 bytes about the whole machine part, then one
record a router: its group, chassis, blade and node, and flits and stalls by port. The header's memory and cluster mode
are not read.

What it cannot tell: whose traffic it was. A router serves other jobs too.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from iotriage_parsers.evidence import CounterTable, Problem
from iotriage_parsers.frozen import frozen_identity
from iotriage_parsers.readers.darshan_log.container import ByteOrder
from iotriage_parsers.readers.darshan_log.damaged import damaged
from iotriage_parsers.readers.darshan_log.values import Records, Run, checked_counts

MODULE: Final = "APXC"
VERSIONS: Final = (1,)
HEADER_BYTES: Final = 72

_NETWORK = (*(f"INCOMING_FLIT_VC{channel}" for channel in range(8)), "ROWBUS_STALL_CNT")
_PROCESSOR = ("INCOMING_FLIT_VC0", "INCOMING_FLIT_VC4", "REQ_ROWBUS_STALL_CNT", "RSP_ROWBUS_STALL_CNT")

PLACE: Final = ("APXC_GROUP", "APXC_CHASSIS", "APXC_BLADE", "APXC_NODE")
COUNTERS: Final = (
    *(f"APXC_AR_RTR_{row}_{tile}_INQ_PRF_{what}" for row in range(5) for tile in range(8) for what in _NETWORK),
    *(f"APXC_AR_RTR_PT_5_{tile}_INQ_PRF_{what}" for tile in range(8) for what in _PROCESSOR),
)
"""The ports between routers, then those to the nodes."""

RECORD_BYTES: Final = 16 + 8 * (len(PLACE) + len(COUNTERS))

_MAGIC: Final = int.from_bytes(b"AUTOPERF", "big")


@frozen_identity
class Routers:
    """`table` has one row a router, its place first."""

    table: CounterTable | None = None
    problems: tuple[Problem, ...] = ()


def read_routers(data: bytes, byte_order: ByteOrder, run: Run, *, partial: bool) -> Routers:
    """The records of the routers."""
    mark = "<" if byte_order == "little" else ">"
    if len(data) < HEADER_BYTES or np.frombuffer(data, f"{mark}i8", 1, offset=16)[0] != _MAGIC:
        return Routers(problems=(damaged(MODULE, "its header is not that of AUTOPERF Cray XC; it was not read."),))
    layout = np.dtype(
        [("id", f"{mark}u8"), ("rank", f"{mark}i8"), ("counters", f"{mark}i8", len(PLACE) + len(COUNTERS))]
    )
    whole, rest = divmod(len(data) - HEADER_BYTES, RECORD_BYTES)
    problems = [damaged(MODULE, f"the last {rest} bytes of the region are not a whole record.")] if rest else []
    records = np.frombuffer(data, layout, whole, HEADER_BYTES)
    ids, ranks = records["id"].astype(np.uint64), records["rank"].astype(np.int64)
    counts = checked_counts(
        Records(MODULE, (*PLACE, *COUNTERS), (), ids, ranks), records["counters"].astype(np.int64), run, problems
    )
    table = CounterTable(
        MODULE,
        (*PLACE, *COUNTERS),
        (),
        ids,
        ranks,
        counts,
        np.zeros((whole, 0)),
        partial or bool(problems),
    )
    return Routers(table if whole else None, tuple(problems))
