"""When a job began, where a log's clock states no time at all; in words it is held to the vectors of the page."""

from __future__ import annotations

import math

import pytest

from iotriage.metrics.core.clock import clock_words


@pytest.mark.parametrize("at", [math.nan, math.inf, -math.inf])
def test_no_number_is_no_moment(at: float) -> None:
    assert clock_words(at) is None
