"""What ten lines over raw counters name: the largest of four shares. A diagnosis must beat it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .counters import Records

NAMES: Mapping[str, frozenset[str]] = {
    "small": frozenset({"small-io", "random-access"}),
    "independent": frozenset({"independent-shared", "collective-disabled", "lock-contention"}),
    "one-stripe": frozenset({"ssf-understriped"}),
    "metadata": frozenset(
        {"metadata-bound", "fpp-many-files", "import-storm", "hdf5-independent-metadata", "sync-heavy"}
    ),
    "nothing": frozenset(),
}
SMALL = ("0_100", "100_1K", "1K_10K", "10K_100K")


def largest(records: Sequence[Records], narrowest_shared: int) -> str:
    """One of `NAMES`. `narrowest_shared` is the stripe count of the largest file that all ranks share."""
    posix = next((part for part in records if part.module == "POSIX"), None)
    mpiio = next((part for part in records if part.module == "MPI-IO"), None)
    if posix is None:
        return "nothing"
    ints = {name: int(column.sum()) for name, column in posix.ints.items()}
    time = {name: float(column.sum()) for name, column in posix.floats.items() if name.endswith("_TIME")}
    calls = max(1, ints["POSIX_READS"] + ints["POSIX_WRITES"])
    small = sum(ints[f"POSIX_SIZE_{way}_{size}"] for way in ("READ", "WRITE") for size in SMALL) / calls
    independent = 0.0
    if mpiio is not None:
        alone, together = (
            sum(int(mpiio.ints[f"MPIIO_{kind}_{way}"].sum()) for way in ("READS", "WRITES"))
            for kind in ("INDEP", "COLL")
        )
        independent = alone / max(1, alone + together)
    meta = time["POSIX_F_META_TIME"] / max(1e-9, sum(time[f"POSIX_F_{way}_TIME"] for way in ("READ", "WRITE", "META")))
    shares = {
        "small": small,
        "independent": independent,
        "one-stripe": 0.5 if narrowest_shared == 1 else 0.0,
        "metadata": meta,
    }
    return max(shares, key=lambda name: shares[name]) if max(shares.values()) > 0.3 else "nothing"
