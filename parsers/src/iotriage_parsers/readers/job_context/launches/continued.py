"""Which lines that go on below are worth joining."""

from __future__ import annotations

from iotriage_parsers.readers.job_context.environment import EXPORTS
from iotriage_parsers.readers.job_context.launches.launch import LAUNCHERS
from iotriage_parsers.readers.job_context.launches.wrapping import WRAPPERS


def begins_a_command(text: str) -> bool:
    """Whether a line that goes on below may be one of those that are read."""
    return any(
        word in EXPORTS or word in LAUNCHERS or word in WRAPPERS or word in ("lfs", "module", "ml", "sbatch")
        for word in text.removesuffix("\\").split()[:12]
    )
