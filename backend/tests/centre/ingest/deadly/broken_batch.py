"""Processes that are to read a batch, on a machine that is not fit for them."""

from __future__ import annotations

from iotriage.centre import batch_child
from iotriage.intake.child import Work


def cannot_start() -> Work:
    raise ImportError("libz.so.1: cannot open shared object file")


def cannot_be_confined() -> Work:
    def confine(*_: object) -> None:
        raise OSError("no room for a sandbox")

    batch_child.confine = confine
    return batch_child.reading()
