"""Files to which a program adds lines, as it goes on: what is said of a checkpoint does not fit them."""

from __future__ import annotations

import re

from iotriage.metrics.core.averages import average_of
from iotriage.rules.core import Context

LIKE_A_LOG = re.compile(r"(\.|^|/)(log|out|err|txt|csv|tsv|json|jsonl|trace|prof|events?)(\.|$)", re.IGNORECASE)
"""Names of logs; records of data come as small, and as close together."""

LINE = average_of(4096)
"""Bytes of a write, a page: whoever writes as much at once to a file of that name writes no lines."""


def named_as_log(path: str | None) -> bool:
    return path is not None and LIKE_A_LOG.search(path) is not None


def written_as_log(context: Context) -> bool:
    """Whether the file is named as a log, and its writes are as short as lines."""
    average = context.number("posix.average_write_size")
    return named_as_log(context.file) and average is not None and average < LINE
