"""What a program, a library or a shell prints when the system refuses a read or write: its own words (strerror) for
EDQUOT, ENOSPC, EIO, ESTALE, ENOLCK, ESHUTDOWN, EMFILE, ENFILE, EROFS, EFBIG, ETXTBSY and EREMOTEIO, of a path also
ENOTCONN, ETIMEDOUT, EHOSTDOWN and ECOMM, of a file that a program opens EACCES, and of a lock EAGAIN, ENOSYS,
EOPNOTSUPP and the kernel's own ENOTSUPP ("Unknown error 524"), as Python, HDF5, Fortran, IOR, coreutils, Go, Rust,
MPICH and others print them; of a quota, of a full file system and of EIO those of other languages too. And what ROMIO,
the MPI library's I/O, prints where it gets no memory or no lock, which it calls by no such word.

Only where these words stand as the reason of an error, behind a colon or an errno: a sentence that mentions them is
none, nor is a comment or a traced command of a script, nor EIO of a terminal that is gone. Which of the job's files it
was is not kept: where the words are of another command than the program, nothing tells.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from iotriage_parsers.evidence import Part, SystemErrors
from iotriage_parsers.evidence.mpiio_warnings import SystemErrorName
from iotriage_parsers.text.blocks import BlockReader, BlockResult, LineResult
from iotriage_parsers.text.lines import Line, plain_lines
from iotriage_parsers.text.strerror import WORDS
from iotriage_parsers.text.wording import plural

_ERRNO: Final[Mapping[SystemErrorName, int]] = {
    "EIO": 5,
    "EAGAIN": 11,
    "ENOMEM": 12,
    "EACCES": 13,
    "ENFILE": 23,
    "EMFILE": 24,
    "ETXTBSY": 26,
    "EFBIG": 27,
    "ENOSPC": 28,
    "EROFS": 30,
    "ENOLCK": 37,
    "ENOSYS": 38,
    "ECOMM": 70,
    "EOPNOTSUPP": 95,
    "ENOTCONN": 107,
    "ESHUTDOWN": 108,
    "ETIMEDOUT": 110,
    "EHOSTDOWN": 112,
    "ESTALE": 116,
    "EREMOTEIO": 121,
    "EDQUOT": 122,
    "ENOTSUPP": 524,
}
_NAMES: Final[Mapping[int, SystemErrorName]] = {number: name for name, number in _ERRNO.items()}
_REASON: Final = re.compile(
    r"(?:[:\]]\s{1,4}(?:Other I/O error )?|：\s{0,4}|error message = |\berrno\s{0,2}[:=]?\s{0,2}\d{1,3},?\s{1,4})['\"]?"
    rf"({'|'.join(re.escape(words) for words in WORDS)})(?=['\"]?\s*(?:$|[:;,.()\[}}。]))"
)
_OF_ROMIO: Final = "Out of memory in file "
_NO_MEMORY: Final = re.compile(rf"{_OF_ROMIO}\S{{0,400}}\b(?:romio|adio)/\S{{1,200}}, line \d{{1,9}}\s*$")
_LOCKING: Final = "File locking failed in ADIOI_Set_lock"
_NOT_LOCKED: Final = re.compile(
    rf"{_LOCKING}(?:64)?\(fd .{{1,120}}\) with return value [0-9A-F]{{1,16}} and errno ([0-9A-F]{{1,3}})\b"
)
"""What ROMIO prints besides the system's words, which the launcher may lose; the number is hexadecimal."""
_OF_HDF5: Final = b"error message = '"
_CUT: Final = re.compile(r"\berrno = (\d{1,3}), error message = '([A-Z][A-Za-z /]{0,60})$")
"""As `_OF_HDF5` has them, where the line ends within the words; the number still tells which they were."""
_NO_ERROR: Final = re.compile(
    rf"\s*(?:#(?!\d{{3}}:)|\+{{1,8}} |echo |//|!|(?:[-*•] )?`?(?:{'|'.join(_ERRNO)})`?(?: \(\d{{1,3}}\))?: )"
    r"|.*(?:ADIOI_CRAY_(?:READ|WRITE)CONTIG\(|MPICH ERROR|MPI_ERR_IO: |error stack:\s*$)"
)
"""A list of errors begins with their names. Open MPI has the words of EIO for any error of MPI-IO; MPICH's title has
those of the lines that follow."""
_OF_NO_FILE: Final = re.compile(
    r"/dev/(?:tty|pts)|\b(?:tty|terminal|stdout|stdin|standard (?:output|input))\b|\bdf: ", re.IGNORECASE
)
"""What says of EIO that a terminal is gone, as after a logout, and of ESTALE that some mount is, which `df` lists."""
_OF_A_LOCK: Final = re.compile(r"lock", re.IGNORECASE)
_OF_A_LOCKED_FILE: Final = re.compile(r"\block (?:the )?file|\bflock\b|F_SETLKW?", re.IGNORECASE)
_NO_SOCKET: Final = re.compile(
    r"(?!.{0,500}(?:socket|getpeername|shutdown|recv|send|connect\())(?:.{0,500}[\s'\"`:‘(])??/[^\s/:'\"]{1,200}/"
)
"""A connection of another kind that is gone is called by the words of a mount that is; such a line has no path."""
_OF_A_HOST: Final = frozenset(("ENOTCONN", "ETIMEDOUT", "EHOSTDOWN", "ECOMM"))
_OF_THE_NETWORK: Final = re.compile(r"\b(?:url|host|port|ssh)\b|https?:|Connection(?:Error|Pool)|new connection")
_OF_A_PROGRAM: Final = re.compile(
    r"\berrno\s{0,2}[:=]?\s{0,2}13\b|\bFortran runtime error: |\b(?:file open|fopen|MPI_File_open)\b"
    r"|\bn(?:c|f90|cmpi)_\w{1,30}\b|\bADIOI?_\w{2,40}\(\d",
    re.IGNORECASE,
)
"""Commands that go through directories say EACCES of each that is another's, and scripts of what they cannot run."""
_OF_NO_DATA: Final = re.compile(r"['\"` ](?:/proc|/sys|/dev|/var|/etc|/root)/")
_OF_INTEL: Final = "permission to access file denied"
_OF_A_CACHE: Final = re.compile(r"\bwarn(?:ing)?\b|/\.\w|matplotlib", re.IGNORECASE)
"""What a program would keep for itself, and goes on without."""
_LOCKS_ALONE: Final = frozenset(("ENOSYS", "EOPNOTSUPP", "ENOTSUPP"))
"""What else is not implemented or supported may be asked for on trial."""
_QUOTING: Final = re.compile(r"(?:\s{0,8}[>|]){1,20}\s{0,8}")
"""Of a mail."""
_BETWEEN: Final = 16
LONGEST_MESSAGE: Final = 512


@dataclass(slots=True)
class _Tally:
    """The lines of one reason."""

    message: str
    count: int
    line: int
    last_line: int


class SystemErrorsMachine:
    """Adds up the lines of each reason; other lines stand between them, as those of a traceback. Thousands of ranks may
    say the same thousands of times, which is read at once."""

    def __init__(self, line: Line) -> None:
        self._found: dict[tuple[SystemErrorName, bool], _Tally] = {}
        self._besides: dict[tuple[SystemErrorName, bool], _Tally] = {}
        self._foreign = 0
        self.feed(line)

    def feed(self, line: Line) -> LineResult:
        name = reason_of(line.text)
        if name is None:
            self._foreign += 1
            return LineResult.OVER if self._foreign > _BETWEEN else LineResult.FOREIGN
        self._count(name, line.text, line.number)
        return LineResult.TAKEN

    def take(self, data: bytes, start: int, end: int, number: int) -> int:
        at = start
        for text, following in plain_lines(data, start, end):
            name = reason_of(text)
            if name is None:
                break
            self._count(name, text, number)
            at, number = following, number + 1
        return at

    def close(self) -> BlockResult:
        # The same failures in both: the system's words count where they are there.
        found = {**self._besides, **self._found}
        return BlockResult(
            tuple(
                SystemErrors(_ERRNO[name], name, one.message, one.count, one.line, one.last_line)
                for (name, _), one in found.items()
            )
        )

    def _count(self, name: SystemErrorName, text: str, number: int) -> None:
        self._foreign = 0
        tallies = self._besides if _LOCKING in text else self._found
        key = (name, _QUOTING.match(text) is not None)
        one = tallies.get(key)
        if one is None:
            tallies[key] = _Tally(text.strip()[:LONGEST_MESSAGE], 1, number, number)
        else:
            one.count += 1
            one.last_line = number


def reason_of(text: str) -> SystemErrorName | None:
    """The name of the error whose words stand as the reason of one."""
    found = _REASON.search(text)
    name = _otherwise(text) if found is None else WORDS[found[1]]
    if name is None or _NO_ERROR.match(text):
        return None
    if name in ("EIO", "ESTALE") and _OF_NO_FILE.search(text):
        return None
    if name in _OF_A_HOST and not _NO_SOCKET.match(text if found is None else text.replace(found[1], "")):
        return None
    if name == "ETIMEDOUT" and _OF_THE_NETWORK.search(text):
        return None
    if name in ("EROFS", "EACCES") and _OF_A_CACHE.search(text):
        return None
    if name == "EACCES" and found is not None and (not _OF_A_PROGRAM.search(text) or _OF_NO_DATA.search(text)):
        return None
    # A process or a thread that could not be started says so too, of no file.
    if name == "EAGAIN" and not _OF_A_LOCKED_FILE.search(text):
        return None
    return None if name in _LOCKS_ALONE and not _OF_A_LOCK.search(text) else name


def _otherwise(text: str) -> SystemErrorName | None:
    """The name where the words are cut short, or are not the system's."""
    if _OF_ROMIO in text and _NO_MEMORY.search(text):
        return "ENOMEM"
    if _LOCKING in text and (locking := _NOT_LOCKED.search(text)) is not None:
        return _NAMES.get(int(locking[1], 16))
    if _OF_INTEL in text and "forrtl: severe (9)" in text:
        return "EACCES"
    cut = _CUT.search(text)
    if cut is None:
        return None
    alike = (name for words, name in WORDS.items() if words.startswith(cut[2]) and _ERRNO[name] == int(cut[1]))
    return next(alike, None)


def _begins(text: str) -> int | None:
    return None if reason_of(text) is None else len(text) - len(text.lstrip())


def _together(parts: tuple[Part, ...], _every: tuple[Part, ...]) -> BlockResult:
    """One part for each reason. What a mail quotes of itself is the same failures once more."""
    of_reasons: dict[SystemErrorName, list[SystemErrors]] = {}
    for part in parts:
        if isinstance(part, SystemErrors):
            of_reasons.setdefault(part.name, []).append(part)
    return BlockResult(tuple(map(_one_part, of_reasons.values())))


def _one_part(parts: Sequence[SystemErrors]) -> SystemErrors:
    """The parts of one reason as one, whose first message stays."""
    plain = [p for p in parts if _QUOTING.match(p.message) is None]
    quoted = [replace(p, message=_QUOTING.sub("", p.message, count=1)) for p in parts if _QUOTING.match(p.message)]
    counts = sum(p.count for p in plain), sum(p.count for p in quoted)
    repeats = bool({p.message for p in plain} & {p.message for p in quoted})
    first = min((*plain, *quoted), key=lambda p: p.line)
    last = max(p.last_line for p in parts)
    return replace(first, count=max(counts) if repeats else sum(counts), last_line=last)


def _describe(parts: tuple[Part, ...]) -> str | None:
    names = [f"{p.name} on {plural(p.count, 'line')}" for p in parts if isinstance(p, SystemErrors)]
    return f"failed reads or writes: {', '.join(names)}" if names else None


reader: Final = BlockReader(
    id="system_errors",
    title="a program's failed reads and writes",
    anchors=(*(words.encode() for words in WORDS), _OF_HDF5, _OF_ROMIO.encode(), _LOCKING.encode(), _OF_INTEL.encode()),
    begins=_begins,
    start=lambda line, _before: SystemErrorsMachine(line),
    in_comments=False,
    describe=_describe,
    finish=_together,
    precedence=5,
)
