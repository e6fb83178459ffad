"""Whether anybody is left who waits for an answer."""

from __future__ import annotations

import os
import select

_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL


def end_if_unawaited(answer: int) -> None:
    """Ends this process where nobody holds the other end of the pipe that it answers by. Whoever started it may have
    been interrupted as it did, or have ended before the kernel was told to end this process with it: so it comes after
    that, and before a log is opened, which may never end."""
    pipe = select.poll()
    pipe.register(answer, 0)
    if any(event & _GONE for _, event in pipe.poll(0)):
        os._exit(1)
