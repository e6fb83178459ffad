"""Makes numbers that a test draws ones that a log can hold: ranks of the job, spans that end after they begin."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def possible_counts(names: Sequence[str], ints: NDArray[np.int64], nprocs: int = 4) -> NDArray[np.int64]:
    """`ints` (n, counters) with ranks below `nprocs` and nothing not available."""
    ints = np.maximum(ints, 0)
    ranks = [i for i, name in enumerate(names) if re.search(r"_(FASTEST|SLOWEST)_RANK$", name)]
    ints[:, ranks] %= nprocs
    return ints


RUN_S = 100.0


def possible_times(names: Sequence[str], floats: NDArray[np.float64]) -> NDArray[np.float64]:
    """`floats` (n, counters) with moments inside the run and in their order."""
    floats = floats % RUN_S
    for i, name in enumerate(names):
        end = name.replace("_START_TIMESTAMP", "_END_TIMESTAMP")
        if end != name and end in names:
            pair = [i, list(names).index(end)]
            floats[:, pair] = np.sort(floats[:, pair], axis=1)
    return floats
