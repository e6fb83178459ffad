"""Moments as a centre finds them in its own records."""

from __future__ import annotations

from datetime import UTC, datetime

LAST = 32_503_680_000.0
"""The start of the year 3000 in seconds since the epoch: a start after it is an error of the log's clock."""


def clock_words(at: float | None) -> str | None:
    """ "2026-11-20 18:10 UTC", to the minute; None where the log has no start time, or one that cannot be right."""
    if at is None or not 0 < at < LAST:
        return None
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
