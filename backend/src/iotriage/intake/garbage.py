"""How often Python looks for garbage in a process that does one piece of work after another."""

from __future__ import annotations

import gc

_OBJECTS_BETWEEN_COLLECTIONS = 50_000


def collect_nothing_yet() -> None:
    """What is imported stays: to look through it again and again as it comes is a sixth of what importing takes."""
    gc.disable()


def collect_rarely() -> None:
    """What is here now stays for good: a collection in a child would copy its pages for nothing. What a piece of work
    makes mostly lives as long as it does: to look for the rest every 700 objects, as Python does, is a sixth of the
    time of a diagnosis."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    gc.enable()
