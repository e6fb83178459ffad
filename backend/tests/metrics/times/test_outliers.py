"""What one time among many is held against."""

from __future__ import annotations

import numpy as np
import pytest

from iotriage.metrics.tables.outliers import median, quantile


@pytest.mark.parametrize("n", [1, 2, 3, 8, 40, 1000])
def test_medians_and_quantiles_are_those_of_numpy_to_the_last_digit(n: int) -> None:
    times = np.random.default_rng(n).exponential(3.0, n)
    assert median(times) == float(np.median(times))
    for share in (0.0, 1 - 0.95, 0.25, 0.5, 0.9, 0.95, 1.0):
        assert quantile(times, share) == float(np.quantile(times, share))
