"""tar (POSIX ustar and pax, GNU): its members, and every byte that belongs to none.

`tarfile` is asked for one header block at a time: what it makes of several holds whatever they state, in memory and one
within the other. What stands before a member's own header, its long name or its pax records, is read here, as much of
it as names take. An archive ends in two blocks of zeros and has nothing but zeros behind them. Behind a damaged header
reading goes on at the next block that is a sound one, as GNU tar does.

What it cannot tell: whether the bytes of a member are right, for tar has no checksum of them; and the name of a member
whose header is lost.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, BinaryIO, Final

from iotriage_parsers.archives.entries import DAMAGE, MOST_HEADERS, Entry, Losses, is_wanted, shown
from iotriage_parsers.evidence import Failure
from iotriage_parsers.frozen import frozen

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

HEAD_BYTES: Final = tarfile.BLOCKSIZE
MOST_BEFORE: Final = 8
"""Headers before a member's own: its long name and that of its link, pax records of its own and of all."""
LARGEST_BEFORE_BYTES: Final = 2**20
"""Of what one of these holds, which is kept in memory."""
_MAGIC_AT: Final = 257
_MAGIC: Final = b"ustar"
_MAGICS: Final = (b"ustar\x0000", b"ustar  \x00")
_LEAST_ALIKE: Final = 5
_CHECKSUM: Final = slice(148, 156)
_STEP_BYTES: Final = 2**20
_OWN_RECORDS: Final = (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE)
_BEFORE_A_MEMBER: Final = (*_OWN_RECORDS, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
_GOES_ON_AT, _MORE_GOES_ON_AT = 482, 504
"""Where the header of a sparse file, and each block of its list behind that, says that another follows."""
_LONGEST_LENGTH: Final = 9
"""Digits of a pax record's length."""


@frozen
class _Member:
    """`own_at` is where its own header stands, behind those before it; the next one is looked for at `behind`."""

    found: tarfile.TarInfo
    name: str
    size: int
    begins: int
    own_at: int
    content_at: int
    behind: int
    sparse: bool
    records_damaged: bool


@frozen
class _Broken:
    """No member begins here; one may stand from byte `search_from` on."""

    search_from: int


@frozen
class _Records:
    """What a member's own pax records say of it, as far as they can be followed."""

    name: str | None = None
    size: int | None = None
    sparse: bool = False
    damaged: bool = False


def is_tar(head: bytes) -> bool:
    """Whether these are the first 512 bytes of a tar archive: by the magic number, though a byte or two of it be
    damaged, or by the checksum of the header, which older archives have alone."""
    found = head[_MAGIC_AT : _MAGIC_AT + len(_MAGICS[0])]
    alike = max(sum(a == b for a, b in zip(found, magic, strict=False)) for magic in _MAGICS)
    return alike >= _LEAST_ALIKE or _is_header(head)


def entries(stream: BinaryIO, losses: Losses) -> Iterator[Entry]:
    """The files of the archive, as they stand in it; what cannot be followed is added to `losses`."""
    size = stream.seek(0, 2)
    at = _first_header(stream, losses)
    for _ in range(MOST_HEADERS):
        if at is None:
            return
        member = _member(stream, at, size)
        if isinstance(member, _Broken):
            at = _follow(stream, at, member.search_from, size, losses)
            continue
        if not _has_sound_headers(stream, member):
            losses.add(
                f"the header of {shown(member.name)} at byte {at:,} is damaged: its name and its size may be wrong"
            )
        if member.records_damaged:
            losses.add(
                f"the pax records of {shown(member.name)} at byte {at:,} are damaged: its name and its size may be "
                "wrong"
            )
        if (entry := _entry(stream, member)) is not None:
            yield entry
        at = member.behind
    losses.add(f"only its first {MOST_HEADERS:,} headers were looked at")


def _first_header(stream: BinaryIO, losses: Losses) -> int | None:
    stream.seek(0)
    if _is_header(stream.read(HEAD_BYTES)):
        return 0
    at = _next_header(stream, HEAD_BYTES)
    losses.add("from byte 0 on no header can be read: all its files are lost" if at is None else _lost(0, at))
    return at


def _member(stream: BinaryIO, begins: int, size: int) -> _Member | _Broken:
    """The member whose headers begin here. The first of several that state its name, or its size, holds."""
    at, name, stated, sparse, damaged = begins, None, None, False, False
    for _ in range(MOST_BEFORE + 1):
        stream.seek(at)
        block = stream.read(HEAD_BYTES)
        try:
            head = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except DAMAGE:
            return _Broken(begins + HEAD_BYTES)
        behind = at + HEAD_BYTES + -(-head.size // HEAD_BYTES) * HEAD_BYTES
        if head.size < 0 or (head.type in _BEFORE_A_MEMBER and behind > size):
            return _Broken(begins + HEAD_BYTES)
        if head.type not in _BEFORE_A_MEMBER:
            return _behind_its_headers(stream, begins, at, head, _Records(name, stated, sparse, damaged))
        if head.size > LARGEST_BEFORE_BYTES:
            return _Broken(behind)
        if head.type == tarfile.GNUTYPE_LONGNAME:
            name = name if name is not None else _text(stream.read(head.size).partition(b"\0")[0])
        elif head.type in _OWN_RECORDS:
            records = _records(stream.read(head.size))
            name = name if name is not None else records.name
            stated = stated if stated is not None else records.size
            sparse, damaged = sparse or records.sparse, damaged or records.damaged
        at = behind
    return _Broken(at)


def _behind_its_headers(stream: BinaryIO, begins: int, at: int, head: tarfile.TarInfo, records: _Records) -> _Member:
    """The member whose own header stands at byte `at`."""
    content_at = at + HEAD_BYTES
    if head.type == tarfile.GNUTYPE_SPARSE:
        content_at = _behind_holes(stream, at)
    size = head.size if records.size is None else records.size
    has_content = head.isreg() or head.type not in tarfile.SUPPORTED_TYPES
    return _Member(
        found=head,
        name=(head.name if records.name is None else records.name).removesuffix("/" if head.isdir() else ""),
        size=size,
        begins=begins,
        own_at=at,
        content_at=content_at,
        behind=content_at + (-(-size // HEAD_BYTES) * HEAD_BYTES if has_content else 0),
        sparse=records.sparse or head.type == tarfile.GNUTYPE_SPARSE,
        records_damaged=records.damaged,
    )


def _behind_holes(stream: BinaryIO, at: int) -> int:
    """Where the list of a sparse file's holes ends, which goes on in blocks behind the header at byte `at`."""
    stream.seek(at)
    goes_on = stream.read(HEAD_BYTES)[_GOES_ON_AT]
    while goes_on:
        block = stream.read(HEAD_BYTES)
        goes_on = len(block) == HEAD_BYTES and block[_MORE_GOES_ON_AT]
    return stream.tell()


def _records(content: bytes) -> _Records:
    """Of pax records, "length key=value" and a line's end each, the last of a key holds."""
    said: dict[bytes, bytes] = {}
    at, sparse, damaged = 0, False, False
    while at < len(content) and not damaged:
        length, blank, _ = content[at : at + _LONGEST_LENGTH + 1].partition(b" ")
        end = at + int(length) if blank and length.isdigit() else at
        key, equals, value = content[at + len(length) + 1 : end].partition(b"=")
        damaged = end > len(content) or not (key and equals and value.endswith(b"\n"))
        if not damaged:
            sparse = sparse or key.startswith(b"GNU.sparse.")
            if key in (b"path", b"size", b"GNU.sparse.name"):
                said[key] = value[:-1]
        at = end
    size = said.get(b"size")
    known = size is not None and size.isdigit() and len(size) <= len(str(2**63))
    name = said.get(b"GNU.sparse.name", said.get(b"path"))
    return _Records(
        None if name is None else _text(name),
        int(size) if size is not None and known else None,
        sparse,
        damaged or (size is not None and not known),
    )


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _follow(stream: BinaryIO, at: int, search_from: int, size: int, losses: Losses) -> int | None:
    """What stands where no member begins, byte `at`: where to go on, None at the archive's end."""
    stream.seek(min(at, size))
    two = stream.read(2 * HEAD_BYTES)
    if len(two) == 2 * HEAD_BYTES and not any(two):
        behind = _first_not_zero(stream)
        if behind is None:
            return None
        following = _next_header(stream, behind - behind % HEAD_BYTES)
        if following is None:
            losses.add(
                f"the {size - behind:,} bytes from byte {behind:,} on, behind the end of the archive, are not tar"
            )
        else:
            losses.add(f"the archive goes on at byte {following:,} behind its end; what began before that is lost")
        return following
    if at > size:
        losses.add(f"it ends at byte {size:,}, inside the file before")
        return None
    if not any(two):
        losses.add(f"it ends at byte {size:,} without the two blocks of zeros that end a tar archive")
        return None
    following = _next_header(stream, search_from)
    if following is None:
        losses.add(f"the header at byte {at:,} is damaged or cut: that file and all that follow are lost")
    else:
        losses.add(_lost(at, following))
    return following


def _lost(start: int, end: int) -> str:
    return f"the header at byte {start:,} is damaged: what it began is lost, and reading went on at byte {end:,}"


def _first_not_zero(stream: BinaryIO) -> int | None:
    """Where the first byte that is not 0 stands, from here on."""
    while piece := stream.read(_STEP_BYTES):
        rest = piece.lstrip(b"\0")
        if rest:
            return stream.tell() - len(rest)
    return None


def _next_header(stream: BinaryIO, at: int) -> int | None:
    """The first block at or behind byte `at`, a multiple of 512, that is a sound header."""
    at += -at % HEAD_BYTES
    stream.seek(at)
    while piece := stream.read(_STEP_BYTES):
        found = piece.find(_MAGIC)
        while found >= 0:
            block = found - _MAGIC_AT
            if block >= 0 and block % HEAD_BYTES == 0 and _is_header(piece[block : block + HEAD_BYTES]):
                return at + block
            found = piece.find(_MAGIC, found + 1)
        at += len(piece)
    return None


def _is_header(block: bytes) -> bool:
    if len(block) < HEAD_BYTES or not any(block):
        return False
    stated = block[_CHECKSUM].strip(b"\0 ")
    # Some old programs added the bytes up as signed ones.
    rest = block[: _CHECKSUM.start] + b" " * 8 + block[_CHECKSUM.stop :]
    sums = (sum(rest), sum(b - 256 if b > 127 else b for b in rest))
    return len(stated) > 0 and all(c in b"01234567" for c in stated) and int(stated, 8) in sums


def _has_sound_headers(stream: BinaryIO, member: _Member) -> bool:
    """Whether its first block and its own header are as headers are: `tarfile` looks at no byte behind the digits of a
    checksum."""
    for at in {member.begins, member.own_at}:
        stream.seek(at)
        if not _is_header(stream.read(HEAD_BYTES)):
            return False
    return True


def _entry(stream: BinaryIO, member: _Member) -> Entry | None:
    def content() -> IO[bytes]:
        return io.BufferedReader(_Content(stream, member.content_at, member.size))

    refused = None
    if member.found.type not in tarfile.SUPPORTED_TYPES:
        refused = Failure("unsupported", "it is stored in a way that is not known here", "Unpack the archive first.")
    elif not member.found.isreg():
        return None
    elif member.sparse:
        refused = Failure("unsupported", "it is stored with holes (a sparse file)", "Unpack the archive first.")
    return Entry(shown(member.name), refused, content, member.size, stored=True) if is_wanted(member.name) else None


class _Content(io.RawIOBase):
    """A member's bytes, where they stand in the archive."""

    def __init__(self, stream: BinaryIO, start: int, size: int) -> None:
        self._stream, self._start, self._size = stream, start, size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = max(0, offset + (0, self._at, self._size)[whence])
        return self._at

    def readinto(self, into: WriteableBuffer) -> int:
        room = memoryview(into)
        wanted = max(0, min(len(room), self._size - self._at))
        self._stream.seek(self._start + self._at)
        given = self._stream.read(wanted)
        if wanted and not given:
            raise tarfile.ReadError("unexpected end of data")
        room[: len(given)] = given
        self._at += len(given)
        return len(given)
