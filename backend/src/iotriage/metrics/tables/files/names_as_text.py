"""The names of a log's files as one text: whether any of a hundred thousand has a word in it is seen at once, where to
ask each takes most of the time of a diagnosis."""

from __future__ import annotations

from collections.abc import Iterable

from iotriage.metrics.core.selection import LogRows
from iotriage.metrics.core.selection_cache import cached_per_log

END = "\n"
"""Stands before and behind each name."""


@cached_per_log
def names_as_text(rows: LogRows) -> str:
    return f"{END}{END.join(rows.log.names.values())}{END}"


def may_have(rows: LogRows, words: Iterable[str]) -> bool:
    """Whether one of the words stands in a name, or across two of them."""
    names = names_as_text(rows)
    return any(word in names for word in words)
