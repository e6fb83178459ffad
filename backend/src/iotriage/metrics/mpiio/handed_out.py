"""To how many ranks MPI-IO hands each byte that it reads."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.registry import metric
from iotriage.metrics.tables.calls.rereads import reached_by_file
from iotriage.metrics.tables.counters import sum_counters
from iotriage.metrics.tables.files.pairs import Pair, file_pairs
from iotriage_parsers.evidence.darshan import exact_sum

ALL_OF_IT = 0.9
"""Of what lies before the last byte read, the part that was read below MPI-IO, from which nothing else can have been
handed out."""


@metric(
    "mpiio.read_copies",
    "Bytes that MPI-IO hands to ranks per byte that it reads",
    "ratio",
    about=About(time=False, direction="read"),
    formula="MPIIO_BYTES_READ / POSIX_BYTES_READ of the same files, where the latter is at least "
    f"{ALL_OF_IT:.0%} of the span of the bytes read, POSIX_MAX_BYTE_READ + 1",
    needs="a Darshan log whose MPI-IO and POSIX modules are whole",
    of=file_pairs,
)
def read_copies(pairs: tuple[Pair, ...]) -> Outcome:
    handed = sum(sum_counters(above, "MPIIO_BYTES_READ") for _, above, _ in pairs)
    fetched = sum(sum_counters(below, "POSIX_BYTES_READ") for _, _, below in pairs)
    span = sum(exact_sum(np.maximum(reached_by_file(below, "POSIX"), 0)) for _, _, below in pairs)
    if not handed or not span:
        return Absent("nothing was read through MPI-IO")
    if fetched < ALL_OF_IT * span:
        return Absent("below MPI-IO the files were read in part")
    of_mpiio = (r.where(above, "MPIIO_BYTES_READ") for r, above, _ in pairs)
    of_posix = (r.where(below, "POSIX_BYTES_READ", "POSIX_MAX_BYTE_READ") for r, _, below in pairs)
    return Value(handed / max(fetched, span), "inferred", joined(*of_mpiio, *of_posix))
