"""The code that every child of a fork server runs: it confines itself, carries out its order, and ends."""

from __future__ import annotations

import fcntl
import os
import signal
import struct
from collections.abc import Callable, Sequence
from typing import NoReturn

Work = Callable[[bytes], None]
"""What a child does with its order. Its descriptors are the numbers from `FIRST_DESCRIPTOR` on."""

Prepare = Callable[..., Work]

NEW_CHILD = b"+"
ASK_TIME = b"?"
RUNNING, ENDED = b"R", b"E"
CHILD_STATUS = struct.Struct("=cid")
"""What a fork server says about a child: whether it runs or ended, its wait status then, and the processor time that it
has used in seconds."""

ORDER_LENGTH = struct.Struct("=I")
"""The length that stands before an order, since queries may follow before the order was read."""

ORDER_BYTES = 16 * 1024
FIRST_DESCRIPTOR = 3
MOST_DESCRIPTORS = 3

_OUT_OF_THE_WAY = 64


def run_child(work: Work, order: bytes, descriptors: Sequence[int]) -> NoReturn:
    """Runs the whole life of a child and never returns. Whatever goes wrong in the child, the other side finds out from
    how it ended."""
    try:
        _keep_only(descriptors)
        work(order)
    finally:
        os._exit(0)


def _keep_only(descriptors: Sequence[int]) -> None:
    """Leaves the child its descriptors, from 3 on, and nothing on the standard ones."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # Moved out of the way first: one may stand where another is to go.
    moved = [fcntl.fcntl(d, fcntl.F_DUPFD, _OUT_OF_THE_WAY) for d in descriptors]
    nothing = os.open(os.devnull, os.O_RDWR)
    for target, descriptor in enumerate((nothing, nothing, nothing, *moved)):
        os.dup2(descriptor, target)
    os.closerange(FIRST_DESCRIPTOR + len(moved), os.sysconf("SC_OPEN_MAX"))
