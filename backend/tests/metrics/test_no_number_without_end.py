"""Figures that are each possible may come to no number; then there is none, with the reason."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from iotriage.metrics import all_metrics
from iotriage.metrics.core.metric import Value
from iotriage.metrics.core.registry import compute
from iotriage.metrics.tables.selecting import select_job


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_a_number_without_end_is_absent_with_the_reason(value: float) -> None:
    spec = replace(all_metrics()["posix.average_read_size"], compute=lambda _: Value(value))
    found = compute(spec, select_job([]))
    assert found.value is None
    assert found.reason == "the figures that it is made of cannot be: they come to no number"
