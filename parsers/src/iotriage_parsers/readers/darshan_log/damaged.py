"""The problem reported for damaged records of a module, in one form for all modules."""

from __future__ import annotations

from iotriage_parsers.evidence import Problem


def damaged(module: str, what: str) -> Problem:
    """The problem that records of the module are lost; `what` is a sentence without the module's name."""
    return Problem("damaged", f"{module}: {what}", loses_data=True, where=module)
