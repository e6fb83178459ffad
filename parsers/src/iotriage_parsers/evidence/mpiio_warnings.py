"""What Cray MPICH's MPI-IO complains of on standard error: one part for each kind of complaint, however many lines."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from iotriage_parsers.frozen import frozen


@frozen
class DvsStripeWarning:
    """`DVS stripe width of N was requested but DVS set it to M`, which each rank prints for each file it opens; the
    text names neither. `count` is how often it stands in the source, from line `line` to `last_line`."""

    requested_width: int
    set_width: int
    count: int
    line: int
    last_line: int
    kind: Literal["dvs_stripe_warning"] = field(default="dvs_stripe_warning")


@frozen
class FailedCall:
    """One failed read or write. What its torn line does not show is None; `complete` is false then. `source_line` is
    the line of MPICH's source, which tells versions apart. `last_line` is after `line` where the message wraps."""

    file: str | None
    rank: int | None
    record: int | None
    offset_bytes: int | None
    length_bytes: int | None
    source_line: int | None
    line: int
    last_line: int
    complete: bool = True


@frozen
class IoError:
    """All ADIOI_CRAY_READCONTIG or WRITECONTIG errors of one errno: data that was not read or written. The run may go
    on after them.

    `errno` is Linux's number and `name` its name ("EIO", "EDQUOT", "ENOSPC", …), None where no whole number was read.
    `count` is exact; `rank_count` and `file_count` count distinct ones, of which `ranks` (lowest first) and `files`
    (in order of appearance) hold the first, as `calls` does of the calls. `length_bytes` is summed over the calls.
    """

    operation: Literal["read", "write"]
    errno: int | None
    name: str | None
    message: str | None
    count: int
    rank_count: int
    ranks: tuple[int, ...]
    file_count: int
    files: tuple[str, ...]
    length_bytes: int
    calls: tuple[FailedCall, ...]
    line: int
    last_line: int
    kind: Literal["mpiio_io_error"] = field(default="mpiio_io_error")


SystemErrorName = Literal[
    "EDQUOT", "ENOSPC", "EIO", "ESTALE", "ENOLCK", "ENOSYS", "EOPNOTSUPP", "ENOTSUPP", "EAGAIN", "ESHUTDOWN", "EMFILE",
    "ENFILE", "ENOMEM", "EROFS", "EFBIG", "ETXTBSY", "ENOTCONN", "EREMOTEIO", "EACCES", "ETIMEDOUT", "EHOSTDOWN",
    "ECOMM",
]  # fmt: skip


@frozen
class SystemErrors:
    """Lines in which a program or a command says that a read or write failed for one reason, in the system's words,
    which seldom tell the one from the other; EMFILE and ENFILE are of opens, ENOMEM of the MPI library's I/O, and some
    of locks or of files with a path alone. `message` is the first of them."""

    errno: int
    name: SystemErrorName
    message: str
    count: int
    line: int
    last_line: int
    kind: Literal["system_errors"] = field(default="system_errors")


@frozen
class InternalError:
    """A failed assertion within Cray's ADIO, for example in ADIOI_CRAY_Calc_aggregator_pfl, or within ROMIO, of which
    the file of its source stands for the function: a defect of the library, not of the job. `text` holds its first
    lines as they stand."""

    function: str
    source: str | None
    source_line: int | None
    message: str
    count: int
    rank_count: int
    ranks: tuple[int, ...]
    text: tuple[str, ...]
    line: int
    last_line: int
    kind: Literal["mpiio_internal_error"] = field(default="mpiio_internal_error")


@frozen
class MpichAbort:
    """`MPICH ERROR [Rank …] - Abort(code)` lines of one code. `message` and `job` are the first one's."""

    code: int
    message: str
    job: str
    count: int
    rank_count: int
    ranks: tuple[int, ...]
    nodes: tuple[str, ...]
    line: int
    last_line: int
    kind: Literal["mpich_abort"] = field(default="mpich_abort")
