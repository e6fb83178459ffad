"""Single complaint lines: their fields, whole or torn."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from iotriage_parsers.evidence import FailedCall
from iotriage_parsers.text.numbers import count

LONGEST_MESSAGE: Final = 512
LONGEST_PATH: Final = 4096

IO_ERROR: Final = re.compile(r"ADIOI_CRAY_(READ|WRITE)CONTIG\(")
IO_ERROR_TAIL: Final = re.compile(r"See MPICH_MPIIO_ABORT_ON_RW_ERROR\b")
DVS: Final = re.compile(
    r"MPIIO WARNING: DVS stripe width of (\d{1,9}) was requested but DVS set it to (\d{1,9})(?![\d.]|[,']\d)"
)
DVS_HELP: Final = re.compile(r"See MPICH_MPIIO_DVS_MAXNODES\b")
INTERNAL: Final = re.compile(r"(?:(?<![\d.,'])(\d{1,9})[ \t]+)?(ADIOI_CRAY_[A-Za-z]\w{0,60})\(\)[ \t]+(\S.{0,4096})")
BROKEN_PLACE: Final = re.compile(
    r"(?:(?:\d{1,9}[ \t]+)?ADIOI_CRAY_[A-Za-z]\w{0,60}\(\)[ \t]+[\w.-]{0,80}/[\w./-]{0,400}(?: \+\d{0,9})?"
    r"|Assertion failed in file(?: (\S{1,600})(?: a(?:t(?: l(?:i(?:n(?:e(?: \d{0,9}:?)?)?)?)?)?)?)?)?)\s*$"
)
"""An internal error that a terminal or a mail broke within file and line number."""
_OF_ROMIO: Final = re.compile(r"\b(?:romio|adio)/")
ROMIO_ERROR: Final = re.compile(r"\bError in (ADIOI_[A-Z]\w{0,60})\(\): (?!.*%l{0,2}[dux])(\S.{0,4096})")
"""As ROMIO has it of itself in any MPI library, ahead of the abort; its source has such lines with `%d`."""
ASSERTION: Final = re.compile(
    r"Assertion failed in file (\S{0,400}\b(?:romio|adio)/\S{1,200}\.[ch]) at line (\d{1,9}): (\S.{0,4096})"
)
"""As MPICH has it of any of its parts; here of its I/O."""
ABORT: Final = re.compile(
    r"MPICH ERROR \[Rank (\d{1,9})\] \[job id ([^\]]{0,64})\] \[[^\]]{0,64}\] \[([^\]]{0,64})\] - "
    r"Abort\((-?\d{1,10})\)(?: \(rank \d{1,9} in comm [^)]{0,64}\))?: ?(.*)"
)
OF_ANOTHER_CALL: Final = re.compile(
    r"error in (?:internal_|P?MPI_)(?!File_|Register_datarep)[A-Z]\w{0,60}", re.IGNORECASE
)
"""An abort in a call that is none of MPI-IO's, as in MPI_Init_thread."""

_HEADLINE: Final = re.compile(r"(\S{1,4096}\.[ch]) \+(\d{1,9}) (.*)")
WHOLE: Final = re.compile(
    r"ADIOI_CRAY_(?:READ|WRITE)CONTIG\((\d{1,9})\): filename='([^']{0,4096})'  error='([^']{0,512})'  errno=(\d{1,9})  "
    r"PE=(\d{1,18})  [RW]_rec=(\d{1,18})  off=(\d{1,18})  len=(\d{1,18})  "
)
_PLAIN_QUOTES: Final = str.maketrans("\u2018\u2019\u201a\u201b\u00b4\u0060", "'" * 6)
"""What word processors and mails set for the quotes."""
_PADDED_DIGITS: Final = 10
_FILE: Final = re.compile(r"filename='(.*?)'\s+error=")
_ERROR: Final = re.compile(r"error='(.*?)'\s+errno=")
_SOURCE_LINE: Final = re.compile(r"CONTIG\((\d{1,9})\):")

ERRNO_NAMES: Final = {
    1: "EPERM",
    2: "ENOENT",
    4: "EINTR",
    5: "EIO",
    6: "ENXIO",
    9: "EBADF",
    11: "EAGAIN",
    12: "ENOMEM",
    13: "EACCES",
    14: "EFAULT",
    16: "EBUSY",
    19: "ENODEV",
    22: "EINVAL",
    26: "ETXTBSY",
    27: "EFBIG",
    28: "ENOSPC",
    29: "ESPIPE",
    30: "EROFS",
    32: "EPIPE",
    75: "EOVERFLOW",
    103: "ECONNABORTED",
    104: "ECONNRESET",
    107: "ENOTCONN",
    108: "ESHUTDOWN",
    110: "ETIMEDOUT",
    112: "EHOSTDOWN",
    113: "EHOSTUNREACH",
    116: "ESTALE",
    121: "EREMOTEIO",
    122: "EDQUOT",
    125: "ECANCELED",
}
"""Linux's numbers (asm-generic/errno.h), wherever this runs."""


Operation = Literal["read", "write"]


class Complaint(NamedTuple):
    """One READCONTIG or WRITECONTIG line."""

    operation: Operation
    errno: int | None
    message: str | None
    call: FailedCall


class Assertion(NamedTuple):
    """One line of an internal error. `source` is None on the lines that explain the one before."""

    function: str
    rank: int | None
    source: str | None
    source_line: int | None
    message: str


def operation_of(text: str) -> Operation:
    """Whether a line that begins with the function's name is of a read or of a write."""
    return "read" if text.startswith("ADIOI_CRAY_READ") else "write"


def io_error(text: str, line: int, ended: bool, last_line: int | None = None) -> Complaint:
    """`text` begins with the function's name; a field that is torn or missing is None. Numbers are decimal, padded
    with zeros to some width and wider where they need to be."""
    operation = operation_of(text)
    text = text if "filename='" in text else text.translate(_PLAIN_QUOTES)
    if (whole := WHOLE.match(text)) is not None:
        source_line, errno, rank, record, offset, length = (int(n) for n in whole.group(1, 4, 5, 6, 7, 8))
        call = FailedCall(whole.group(2), rank, record, offset, length, source_line, line, last_line or line)
        return Complaint(operation, errno, whole.group(3), call)
    return _in_pieces(operation, text, line, ended, last_line or line)


def _in_pieces(operation: Operation, text: str, line: int, ended: bool, last_line: int) -> Complaint:
    """Field by field, for lines that are torn, joined, or have quotes in a name."""
    file, error, source = _FILE.search(text), _ERROR.search(text), _SOURCE_LINE.search(text)
    after = text[error.end() - len("errno=") :] if error else text
    errno, rank, offset, length = (_number(after, name, ended) for name in ("errno", "PE", "off", "len"))
    record = _number(after, "R_rec" if operation == "read" else "W_rec", ended)
    name = file.group(1) if file and len(file.group(1)) <= LONGEST_PATH else None
    complete = None not in (name, errno, rank, offset, length)
    source_line = int(source.group(1)) if source else None
    call = FailedCall(name, rank, record, offset, length, source_line, line, last_line, complete)
    return Complaint(operation, errno, error.group(1)[:LONGEST_MESSAGE] if error else None, call)


def assertion(match: re.Match[str]) -> Assertion:
    """What a line matched by `INTERNAL` says."""
    rank = int(match.group(1)) if match.group(1) else None
    said = match.group(3).rstrip()
    headline = _HEADLINE.match(said)
    if headline is None:
        return Assertion(match.group(2), rank, None, None, said[:LONGEST_MESSAGE])
    source, number, message = headline.groups()
    return Assertion(match.group(2), rank, source.lstrip("./"), int(number), message[:LONGEST_MESSAGE])


def romio_assertion(match: re.Match[str]) -> Assertion:
    """What a line matched by `ASSERTION` says: it names no function, nor a rank."""
    source, number, condition = match.groups()
    file, said = source.rpartition("/")[2], condition.rstrip()[:LONGEST_MESSAGE]
    return Assertion(file, None, source.lstrip("./"), int(number), said)


def placeless(match: re.Match[str]) -> Assertion | None:
    """What a line matched by `BROKEN_PLACE` says without the rest of its place; None where that may be of another part
    of the library."""
    path = match.group(1)
    if path is None:
        cray = INTERNAL.match(match.group())
        return None if cray is None else assertion(cray)
    if not _OF_ROMIO.search(path):
        return None
    whole = path.endswith((".c", ".h"))
    source = path.lstrip("./") if whole else None
    return Assertion(path.rpartition("/")[2] if whole else "ROMIO", None, source, None, "assertion failed")


def romio_error(match: re.Match[str]) -> Assertion:
    """What a line matched by `ROMIO_ERROR` says: it names no place, nor a rank."""
    return Assertion(match.group(1), None, None, None, match.group(2).rstrip()[:LONGEST_MESSAGE])


def _number(text: str, name: str, ended: bool) -> int | None:
    """The number of a `name=000123` field; None where the text may have been cut, or wrapped, within its digits."""
    match = re.search(rf"(?<!\w){name}=(-?\d{{1,32}})(?=\s|$)", text)
    if match is None:
        return None
    if match.end() == len(text) and not (ended and len(match.group(1)) >= _PADDED_DIGITS):
        return None
    number = count(match.group(1)).number
    return number if isinstance(number, int) else None
