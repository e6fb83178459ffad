"""Darshan 2.x: one record a file for all layers, counters CP_*, to the tables of Darshan 3.x.

Only what means the same is taken over. The descriptions that darshan-parser 2.x prints, and darshan-log-format.h of
2.3.1, say what each counter is: CP_POSIX_*, CP_BYTES_*, the histogram CP_SIZE_READ_*, strides, access sizes and
alignment are of the POSIX layer (stdio calls included); CP_INDEP_*, CP_COLL_*, CP_SPLIT_*, CP_NB_* and CP_SIZE_*_AGG_*
are of MPI-IO. Timestamps and the fastest and slowest rank's times are of MPI-IO for files opened through it, else of
POSIX. Bytes at the MPI-IO layer were not recorded.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from iotriage_parsers.evidence import NOT_AVAILABLE
from iotriage_parsers.frozen import frozen_identity
from iotriage_parsers.readers.darshan_log.records import NAMES, Rows
from iotriage_parsers.readers.darshan_text.columns import Shape

MODULES: Final = ("POSIX", "MPI-IO", "STDIO")
"""The layers that its rows are of."""
_SIZES: Final = (
    *("0_100", "100_1K", "1K_10K", "10K_100K", "100K_1M"),
    *("1M_4M", "4M_10M", "10M_100M", "100M_1G", "1G_PLUS"),
)
POSIX_CALLS: Final = ("READS", "WRITES", "OPENS", "SEEKS", "STATS", "MMAPS", "FSYNCS", "FDSYNCS")
POSIX_SAME: Final = (
    *("BYTES_READ", "BYTES_WRITTEN", "MAX_BYTE_READ", "MAX_BYTE_WRITTEN"),
    *("CONSEC_READS", "CONSEC_WRITES", "SEQ_READS", "SEQ_WRITES", "RW_SWITCHES"),
    *("MEM_NOT_ALIGNED", "MEM_ALIGNMENT", "FILE_NOT_ALIGNED", "FILE_ALIGNMENT"),
    *("MAX_READ_TIME_SIZE", "MAX_WRITE_TIME_SIZE"),
    *(f"SIZE_{way}_{size}" for way in ("READ", "WRITE") for size in _SIZES),
    *(f"STRIDE{i}_{what}" for what in ("STRIDE", "COUNT") for i in range(1, 5)),
    *(f"ACCESS{i}_{what}" for what in ("ACCESS", "COUNT") for i in range(1, 5)),
)
MPIIO_SAME: Final = (
    *(f"{kind}_{call}" for kind in ("INDEP", "COLL") for call in ("OPENS", "READS", "WRITES")),
    *(f"{kind}_{call}" for kind in ("SPLIT", "NB") for call in ("READS", "WRITES")),
    *("SYNCS", "HINTS", "VIEWS"),
    *(f"SIZE_{way}_AGG_{size}" for way in ("READ", "WRITE") for size in _SIZES),
)
STDIO_CALLS: Final = (("OPENS", "FOPENS"), ("READS", "FREADS"), ("WRITES", "FWRITES"), ("SEEKS", "FSEEKS"))
STDIO_SAME: Final = ("BYTES_READ", "BYTES_WRITTEN", "MAX_BYTE_READ", "MAX_BYTE_WRITTEN")
_RANKS: Final = ("FASTEST_RANK", "FASTEST_RANK_BYTES", "SLOWEST_RANK", "SLOWEST_RANK_BYTES")
_TIMESTAMPS: Final = (
    ("F_OPEN_START_TIMESTAMP", "F_OPEN_TIMESTAMP"),
    ("F_READ_START_TIMESTAMP", "F_READ_START_TIMESTAMP"),
    ("F_WRITE_START_TIMESTAMP", "F_WRITE_START_TIMESTAMP"),
    ("F_READ_END_TIMESTAMP", "F_READ_END_TIMESTAMP"),
    ("F_WRITE_END_TIMESTAMP", "F_WRITE_END_TIMESTAMP"),
    ("F_CLOSE_END_TIMESTAMP", "F_CLOSE_TIMESTAMP"),
)
_RANK_TIMES: Final = ("F_FASTEST_RANK_TIME", "F_SLOWEST_RANK_TIME", "F_VARIANCE_RANK_TIME")
_FLOATS: Final = (
    *(f"CP_{old}" for _, old in _TIMESTAMPS),
    *(f"CP_F_{layer}_{what}_TIME" for layer in ("POSIX", "MPI") for what in ("READ", "WRITE", "META")),
    *("CP_F_MAX_READ_TIME", "CP_F_MAX_WRITE_TIME"),
    *(f"CP_{name}" for name in _RANK_TIMES),
    "CP_F_VARIANCE_RANK_BYTES",
)
_NOT_TAKEN: Final = frozenset(
    {
        *("CP_MODE", "CP_DEVICE", "CP_SIZE_AT_OPEN", "CP_INDEP_NC_OPENS", "CP_COLL_NC_OPENS", "CP_HDF5_OPENS"),
        *(f"CP_EXTENT_{way}_{size}" for way in ("READ", "WRITE") for size in _SIZES),
        *(
            f"CP_COMBINER_{name}"
            for name in (
                *("NAMED", "DUP", "CONTIGUOUS", "VECTOR", "HVECTOR_INTEGER", "HVECTOR", "INDEXED"),
                *("HINDEXED_INTEGER", "HINDEXED", "INDEXED_BLOCK", "STRUCT_INTEGER", "STRUCT", "SUBARRAY", "DARRAY"),
                *("F90_REAL", "F90_COMPLEX", "F90_INTEGER", "RESIZED"),
            )
        ),
    }
)
_LATER: Final = frozenset({*(f"CP_{name}" for name in (*_RANKS, *_RANK_TIMES)), "CP_F_VARIANCE_RANK_BYTES"})
"""Not printed for logs of the first 2.x formats."""

SHAPE: Final = Shape(
    module="Darshan 2.x",
    int_names=tuple(
        f"CP_{name}"
        for name in (
            *(f"POSIX_{call}" for call in POSIX_CALLS),
            *POSIX_SAME,
            *MPIIO_SAME,
            *(f"POSIX_{old}" for _, old in STDIO_CALLS),
            *_RANKS,
        )
    ),
    float_names=_FLOATS,
    aliases={},
    optional=_NOT_TAKEN | _LATER,
)


@frozen_identity
class Layers:
    """The rows of each module; `mixed` is how many records had POSIX and stdio calls on one file, which share their
    byte counts: they stand under POSIX."""

    posix: Rows
    mpiio: Rows
    stdio: Rows
    mixed: int


def layers(rows: Rows) -> Layers:
    """`rows` in the order of SHAPE, to the modules of Darshan 3.x; what they do not have is −1."""
    ints = {name: rows.ints[:, i] for i, name in enumerate(SHAPE.int_names)}
    mpiio = (ints["CP_INDEP_OPENS"] > 0) | (ints["CP_COLL_OPENS"] > 0)
    stdio_calls = (ints["CP_POSIX_FOPENS"] > 0) | (ints["CP_POSIX_FREADS"] > 0) | (ints["CP_POSIX_FWRITES"] > 0)
    moves = (ints["CP_POSIX_OPENS"] > 0) | (ints["CP_POSIX_READS"] > 0) | (ints["CP_POSIX_WRITES"] > 0)
    others = np.zeros(len(rows.ids), np.bool_)
    for call in POSIX_CALLS:
        others |= ints[f"CP_POSIX_{call}"] > 0
    return Layers(
        posix=_posix(rows, moves | (others & ~stdio_calls), mpiio),
        mpiio=_mpiio(rows, mpiio),
        stdio=_stdio(rows, stdio_calls & ~moves & ~mpiio),
        mixed=int((stdio_calls & moves).sum()),
    )


def _posix(rows: Rows, chosen: NDArray[np.bool_], mpiio: NDArray[np.bool_]) -> Rows:
    names = [(f"POSIX_{call}", f"CP_POSIX_{call}") for call in POSIX_CALLS]
    names += [(f"POSIX_{same}", f"CP_{same}") for same in POSIX_SAME]
    floats = [(f"POSIX_F_{what}_TIME", f"CP_F_POSIX_{what}_TIME") for what in ("READ", "WRITE", "META")]
    floats += [(f"POSIX_F_MAX_{way}_TIME", f"CP_F_MAX_{way}_TIME") for way in ("READ", "WRITE")]
    floats += [("POSIX_F_VARIANCE_RANK_BYTES", "CP_F_VARIANCE_RANK_BYTES")]
    return _moved("POSIX", rows, names, floats, chosen, own=~mpiio)


def _mpiio(rows: Rows, chosen: NDArray[np.bool_]) -> Rows:
    names = [(f"MPIIO_{same}", f"CP_{same}") for same in MPIIO_SAME]
    floats = [(f"MPIIO_F_{what}_TIME", f"CP_F_MPI_{what}_TIME") for what in ("READ", "WRITE", "META")]
    return _moved("MPI-IO", rows, names, floats, chosen, own=chosen)


def _stdio(rows: Rows, chosen: NDArray[np.bool_]) -> Rows:
    names = [(f"STDIO_{new}", f"CP_POSIX_{old}") for new, old in STDIO_CALLS]
    names += [(f"STDIO_{same}", f"CP_{same}") for same in STDIO_SAME]
    floats = [(f"STDIO_F_{what}_TIME", f"CP_F_POSIX_{what}_TIME") for what in ("READ", "WRITE", "META")]
    floats += [("STDIO_F_VARIANCE_RANK_BYTES", "CP_F_VARIANCE_RANK_BYTES")]
    return _moved("STDIO", rows, names, floats, chosen, own=chosen)


def _moved(
    module: str,
    rows: Rows,
    names: list[tuple[str, str]],
    float_pairs: list[tuple[str, str]],
    chosen: NDArray[np.bool_],
    own: NDArray[np.bool_],
) -> Rows:
    """The `chosen` records. Timestamps and rank figures are taken where `own` says that they are of this layer."""
    prefix = {"POSIX": "POSIX", "MPI-IO": "MPIIO", "STDIO": "STDIO"}[module]
    int_names, float_names = NAMES[module]
    ints = np.full((len(rows.ids), len(int_names)), NOT_AVAILABLE, np.int64)
    floats = np.full((len(rows.ids), len(float_names)), float(NOT_AVAILABLE))
    if module == "POSIX":
        ints[:, int_names.index("POSIX_RENAMED_FROM")] = 0
    for new, old in names:
        ints[:, int_names.index(new)] = rows.ints[:, SHAPE.int_names.index(old)]
    for new, old in float_pairs:
        floats[:, float_names.index(new)] = rows.floats[:, SHAPE.float_names.index(old)]
    # The bytes of the fastest and slowest rank are POSIX bytes, whichever layer's times chose the rank.
    ranks = ("FASTEST_RANK", "SLOWEST_RANK") if module == "MPI-IO" else _RANKS
    for name in ranks:
        column = rows.ints[:, SHAPE.int_names.index(f"CP_{name}")]
        ints[:, int_names.index(f"{prefix}_{name}")] = np.where(own, column, NOT_AVAILABLE)
    for new, old in (*_TIMESTAMPS, *((name, name) for name in _RANK_TIMES)):
        column_of_times = rows.floats[:, SHAPE.float_names.index(f"CP_{old}")]
        floats[:, float_names.index(f"{prefix}_{new}")] = np.where(own, column_of_times, float(NOT_AVAILABLE))
    return Rows(rows.ids, rows.ranks, ints, floats).where(chosen)
