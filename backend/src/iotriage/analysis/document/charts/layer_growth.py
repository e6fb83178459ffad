"""How bytes grow from one layer to the next."""

from __future__ import annotations

from iotriage_parsers.frozen import frozen


@frozen
class FileGrowth:
    """Bytes that MPI-IO was asked for and that POSIX calls moved, of one file. `unasked_read` are those that POSIX read
    on a file that MPI-IO writes, without or beyond an MPI-IO read: inferred to be read-modify-write."""

    file: str
    asked_written: int
    stored_written: int
    asked_read: int
    stored_read: int
    unasked_read: int


@frozen
class LayerGrowth:
    """Of all files that both layers have; `files` has those that grow most, `rmw_reported` is the read-modify-write
    bytes of the MPICH_MPIIO_STATS blocks, None without them."""

    asked_written: int
    stored_written: int
    asked_read: int
    stored_read: int
    unasked_read: int
    files_compared: int
    files: tuple[FileGrowth, ...]
    rmw_reported: int | None
