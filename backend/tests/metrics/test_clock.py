"""When a job began, in words."""

from __future__ import annotations

import math

import pytest

from iotriage.metrics.core.clock import LAST, clock_words


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (1_795_198_252.29, "2026-11-20 18:10 UTC"),
        (1.0, "1970-01-01 00:00 UTC"),
        (LAST - 1, "2999-12-31 23:59 UTC"),
        (LAST, None),
        (0.0, None),
        (-1.0, None),
        (math.nan, None),
        (math.inf, None),
        (None, None),
    ],
)
def test_a_moment_is_said_to_the_minute_where_it_can_be_one_of_a_job(at: float | None, words: str | None) -> None:
    assert clock_words(at) == words
