"""Adjusts how often Python's garbage collector runs in processes that do one piece of work after another."""

from __future__ import annotations

import gc

_OBJECTS_BETWEEN_COLLECTIONS = 50_000


def collect_nothing_yet() -> None:
    """Switches collection off while modules are imported: imported objects stay, and looking through them repeatedly is
    a sixth of the time of importing."""
    gc.disable()


def collect_rarely() -> None:
    """What is here now stays for good: a collection in a child would copy its pages for nothing. What a piece of work
    makes mostly lives as long as it does: to look for the rest every 700 objects, as Python does, is a sixth of the
    time of a diagnosis."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    gc.enable()
