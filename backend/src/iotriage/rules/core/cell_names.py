"""What the cells of the account of the time are called: in reports, in replies and on the page alike."""

from __future__ import annotations

from collections.abc import Mapping

from iotriage.metrics.tables.account.cells import Cell

CELL_NAMES: Mapping[Cell, str] = {
    "reads": "reads",
    "writes": "writes",
    "metadata": "metadata",
    "exchange": "MPI-IO beyond the calls to storage",
    "streams": "buffered streams",
    "library": "HDF5 or PnetCDF beyond the calls below",
    "imbalance": "what the slowest rank takes beyond the mean",
    "not_split": "not split",
}
