"""How bytes grow from one layer to the next."""

from __future__ import annotations

from iotriage_parsers.frozen import frozen


@frozen
class FileGrowth:
    """Bytes of one file that the program requested of MPI-IO, and that POSIX calls moved (`stored_…`).
    `unrequested_read` are bytes that POSIX read without an MPI-IO read, or beyond it, in a file that MPI-IO writes:
    they are inferred to be read-modify-write."""

    file: str
    requested_written: int
    stored_written: int
    requested_read: int
    stored_read: int
    unrequested_read: int


@frozen
class LayerGrowth:
    """Of all files that both layers have; `files` has those that grow most, `rmw_reported` is the read-modify-write
    bytes of the MPICH_MPIIO_STATS blocks, None without them."""

    requested_written: int
    stored_written: int
    requested_read: int
    stored_read: int
    unrequested_read: int
    files_compared: int
    files: tuple[FileGrowth, ...]
    rmw_reported: int | None
