"""tar (POSIX ustar and pax, GNU): its members, and every byte that belongs to none.

`tarfile` ends without a word at a header that fails its checksum and at the end of the file alike. So where it ends is
looked at again: an archive ends in two blocks of zeros and has nothing but zeros behind them. Behind a damaged header
reading goes on at the next block that is a sound one, as GNU tar does.

What it cannot tell: whether the bytes of a member are right, for tar has no checksum of them; and the name of a member
whose header is lost.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from typing import IO, BinaryIO, Final

from iotriage_parsers.archive_entries import DAMAGE, MOST_HEADERS, Entry, Losses, is_wanted, shown
from iotriage_parsers.evidence import Failure

HEAD_BYTES: Final = tarfile.BLOCKSIZE
_MAGIC_AT: Final = 257
_MAGIC: Final = b"ustar"
_MAGICS: Final = (b"ustar\x0000", b"ustar  \x00")
_LEAST_ALIKE: Final = 5
_CHECKSUM: Final = slice(148, 156)
_STEP_BYTES: Final = 2**20


def is_tar(head: bytes) -> bool:
    """Whether these are the first 512 bytes of a tar archive: by the magic number, though a byte or two of it be
    damaged, or by the checksum of the header, which older archives have alone."""
    found = head[_MAGIC_AT : _MAGIC_AT + len(_MAGICS[0])]
    alike = max(sum(a == b for a, b in zip(found, magic, strict=False)) for magic in _MAGICS)
    return alike >= _LEAST_ALIKE or _is_header(head)


def entries(stream: BinaryIO, losses: Losses) -> Iterator[Entry]:
    """The files of the archive, as they stand in it; what cannot be followed is added to `losses`."""
    size = stream.seek(0, 2)
    archive, at = _opened(stream, 0, losses)
    for _ in range(MOST_HEADERS):
        if archive is None:
            return
        found, reason = _next(archive, at)
        if found is not None:
            at = archive.offset
            if not _has_sound_header(stream, found):
                losses.add(
                    f"the header of {shown(found.name)} at byte {found.offset:,} is damaged: its name and its size may "
                    "be wrong"
                )
            if (entry := _entry(archive, found)) is not None:
                yield entry
            continue
        again = _follow(stream, archive.offset, size, reason, losses)
        if again is None:
            return
        archive, at = _opened(stream, again, losses)
    losses.add(f"only its first {MOST_HEADERS:,} headers were looked at")


def _next(archive: tarfile.TarFile, at: int) -> tuple[tarfile.TarInfo | None, str | None]:
    """The next member, or why there is none; both None where `tarfile` does not say."""
    try:
        found = archive.next()
    except DAMAGE as error:
        return None, " ".join(str(error).split())[:80]
    # A negative size would lead back to where the reading came from.
    if found is not None and (found.size < 0 or archive.offset <= at):
        return None, "a header states a size that cannot be"
    return found, None


def _opened(stream: BinaryIO, at: int, losses: Losses) -> tuple[tarfile.TarFile | None, int]:
    """The archive from the first sound header at or behind `at`; what lies before that header is lost."""
    start = at
    while True:
        stream.seek(at)
        if _is_header(stream.read(HEAD_BYTES)):
            stream.seek(at)
            try:
                archive = tarfile.TarFile(fileobj=stream)
            except DAMAGE:
                pass
            else:
                if at > start:
                    losses.add(_lost(start, at))
                return archive, at
        following = _next_header(stream, at + HEAD_BYTES)
        if following is None:
            losses.add(f"from byte {start:,} on no header can be read: the files from there on are lost")
            return None, at
        at = following


def _follow(stream: BinaryIO, at: int, size: int, reason: str | None, losses: Losses) -> int | None:
    """What stands where `tarfile` found no member, byte `at`: where to go on, None at the archive's end."""
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
    if at > size or reason == "unexpected end of data":
        losses.add(f"it ends at byte {size:,}, inside the file before")
        return None
    if not any(two):
        losses.add(f"it ends at byte {size:,} without the two blocks of zeros that end a tar archive")
        return None
    following = _next_header(stream, at + HEAD_BYTES)
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


def _has_sound_header(stream: BinaryIO, found: tarfile.TarInfo) -> bool:
    """Whether its first block and the last one before its content are as headers are: `tarfile` looks at no byte behind
    the digits of a checksum. Before the content of a sparse file stands the list of its holes."""
    for at in {found.offset, found.offset if found.issparse() else found.offset_data - HEAD_BYTES}:
        stream.seek(at)
        if not _is_header(stream.read(HEAD_BYTES)):
            return False
    return True


def _entry(archive: tarfile.TarFile, found: tarfile.TarInfo) -> Entry | None:
    def content() -> IO[bytes]:
        opened = archive.extractfile(found)
        if opened is None:
            raise tarfile.ReadError("no content")
        return opened

    refused = None
    if found.type not in tarfile.SUPPORTED_TYPES:
        refused = Failure("unsupported", "it is stored in a way that is not known here", "Unpack the archive first.")
    elif not found.isreg():
        return None
    elif found.issparse():
        refused = Failure("unsupported", "it is stored with holes (a sparse file)", "Unpack the archive first.")
    return Entry(shown(found.name), refused, content, found.size, stored=True) if is_wanted(found.name) else None
