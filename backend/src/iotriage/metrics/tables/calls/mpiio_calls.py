"""How the calls of MPI-IO are made, record by record."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from iotriage_parsers.evidence import CounterTable

Kind = Literal["INDEP", "COLL", "SPLIT", "NB"]

NOT_INDEPENDENT: tuple[Kind, ...] = ("COLL", "SPLIT", "NB")
"""Collective calls, in which ranks wait for one another, and nonblocking ones, which are timed as they are posted."""


def mpiio_calls(mpiio: CounterTable, *kinds: Kind) -> NDArray[np.int64]:
    """Reads and writes of these kinds together, of shape (records,)."""
    names = [f"MPIIO_{kind}_{way}S" for kind in kinds for way in ("READ", "WRITE")]
    found: NDArray[np.int64] = sum((np.maximum(mpiio.count(n), 0) for n in names), start=np.zeros(len(mpiio), np.int64))
    return found
