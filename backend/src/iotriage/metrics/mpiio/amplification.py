"""What becomes of MPI-IO's bytes below it."""

from __future__ import annotations

from iotriage.metrics.core.about import About
from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.outcomes import joined
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.counters import no_records_of, sum_counters
from iotriage.metrics.tables.files.pairs import Pair, file_pairs

SEEN_SHARE = 0.9
"""Below this share of MPI-IO's bytes at the POSIX layer, Darshan did not see the calls and no ratio is formed."""


def _amplification(s: Selection, counter: str, word: str) -> Outcome:
    pairs = file_pairs(s)
    if isinstance(pairs, Absent):
        return pairs
    asked = sum(sum_counters(a, f"MPIIO_{counter}") for _, a, _ in pairs)
    stored = sum(sum_counters(b, f"POSIX_{counter}") for _, _, b in pairs)
    if not asked:
        return Absent(f"no bytes were {word} through MPI-IO")
    if stored < SEEN_SHARE * asked:
        return Absent(
            f"POSIX shows {stored / asked:.0%} of the bytes that MPI-IO {word}: Darshan did not see all the calls"
        )
    where = joined(
        *(r.where(a, f"MPIIO_{counter}") for r, a, _ in pairs), *(r.where(b, f"POSIX_{counter}") for r, _, b in pairs)
    )
    return Value(stored / asked, where=where)


@metric(
    "mpiio.write_amplification",
    "Bytes stored per byte written",
    "ratio",
    about=About(time=False, direction="both"),
    formula="POSIX_BYTES_WRITTEN / MPIIO_BYTES_WRITTEN of the same files",
    needs="a Darshan log whose MPI-IO and POSIX modules are whole",
    unless=no_records_of("MPI-IO"),
)
def write_amplification(s: Selection) -> Outcome:
    return _amplification(s, "BYTES_WRITTEN", "written")


@metric(
    "mpiio.read_amplification",
    "Bytes fetched per byte read",
    "ratio",
    about=About(time=False, direction="read"),
    formula="POSIX_BYTES_READ / MPIIO_BYTES_READ of the same files",
    needs="a Darshan log whose MPI-IO and POSIX modules are whole",
    unless=no_records_of("MPI-IO"),
)
def read_amplification(s: Selection) -> Outcome:
    return _amplification(s, "BYTES_READ", "read")


@metric(
    "mpiio.fetched_fraction",
    "Share of the bytes moved that MPI-IO fetched beyond those asked for",
    "share",
    about=About(time=False),
    formula="(POSIX_BYTES_READ − MPIIO_BYTES_READ) / (POSIX_BYTES_READ + POSIX_BYTES_WRITTEN) of the same files, at "
    "least 0",
    needs="a Darshan log whose MPI-IO and POSIX modules are whole",
    of=file_pairs,
)
def fetched_fraction(pairs: tuple[Pair, ...]) -> Outcome:
    asked = sum(sum_counters(a, "MPIIO_BYTES_READ") for _, a, _ in pairs)
    fetched = sum(sum_counters(b, "POSIX_BYTES_READ") for _, _, b in pairs)
    moved = fetched + sum(sum_counters(b, "POSIX_BYTES_WRITTEN") for _, _, b in pairs)
    if not moved:
        return Absent("no bytes were moved below MPI-IO")
    where = joined(
        *(r.where(b, "POSIX_BYTES_READ") for r, _, b in pairs), *(r.where(a, "MPIIO_BYTES_READ") for r, a, _ in pairs)
    )
    return Value(max(0, fetched - asked) / moved, where=where)
