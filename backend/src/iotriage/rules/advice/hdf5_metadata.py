"""HDF5's own metadata, which each rank reads by itself unless the program says otherwise."""

from __future__ import annotations

from iotriage.rules.advice.calls import LIBRARIES
from iotriage.rules.advice.snippets import COLLECTIVE_METADATA
from iotriage.rules.core.advice import advice

MAKE_METADATA_COLLECTIVE = advice(
    "Make metadata operations collective, on the file access list and on the access list of each dataset. All ranks "
    "must then open, create and read attributes together. Count the independent calls again: with HDF5 1.10.8 the file "
    "access list alone changed nothing.",
    COLLECTIVE_METADATA,
    citation=LIBRARIES,
)
