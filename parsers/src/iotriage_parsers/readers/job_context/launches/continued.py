"""Which lines are commands: of those that are read and go on below, and of those of which nothing is kept."""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.readers.job_context.environment import EXPORTS
from iotriage_parsers.readers.job_context.launches.launch import LAUNCHERS
from iotriage_parsers.readers.job_context.launches.wrapping import WRAPPERS
from iotriage_parsers.readers.job_context.shell import indentation

PLAIN_COMMAND: Final = re.compile(r"(?:set [-+]|(?:cd|source|\.|ulimit|mkdir|rm|cp|echo) |date$|[A-Za-z_]\w{0,80}=)")
"""What scripts begin with otherwise: directives behind it are none, though nothing is read of it."""


def begins_a_command(text: str) -> bool:
    """Whether a line that goes on below may be one of those that are read."""
    return any(
        word in EXPORTS or word in LAUNCHERS or word in WRAPPERS or word in ("lfs", "module", "ml", "sbatch")
        for word in text.removesuffix("\\").split()[:12]
    )


def blank_before(pending: str, text: str, indented: int) -> str:
    """What stands between a line that goes on, `pending`, and the next: what that begins with, beyond the blanks with
    which all lines are `indented`, as where a mail quotes them. Where blanks were lost on the way here, no word goes on
    with a dash."""
    quoted = pending.count('"') % 2 == 1
    return " " if indentation(text) > indented or (not quoted and text.lstrip().startswith("-")) else ""
