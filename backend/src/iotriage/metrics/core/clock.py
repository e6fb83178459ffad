"""Moments as a centre finds them in its own records."""

from __future__ import annotations

from datetime import UTC, datetime

LAST = 32_503_680_000.0
"""Seconds since the epoch to the year 3000: a later start is none."""


def clock_words(at: float | None) -> str | None:
    """ "2026-11-20 18:10 UTC", to the minute; None where the log's clock had no time, or one of no job."""
    if at is None or not 0 < at < LAST:
        return None
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")
