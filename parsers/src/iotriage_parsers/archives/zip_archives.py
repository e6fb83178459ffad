"""zip (APPNOTE.TXT): the files that its central directory lists, held against everything else that it says.

The directory, the header before each file and the record at the end state the same things. `zipfile` believes the
directory; here every byte of the archive must belong to a listed file, the directory or the end record, the counts must
agree, and so must the two headers of each file. What does not is named.
"""

from __future__ import annotations

import stat
import struct
import zipfile
from collections.abc import Iterator
from typing import BinaryIO, Final

from iotriage_parsers.archives.entries import DAMAGE, MOST_HEADERS, Entry, Losses, is_wanted, shown
from iotriage_parsers.containers import LARGEST_RATIO, NO_BOMB_BYTES
from iotriage_parsers.evidence import Failure
from iotriage_parsers.frozen import frozen

LARGEST_DIRECTORY_BYTES: Final = 8 * 2**20
"""The central directory is held in memory; an entry takes 46 bytes and a name."""

_UNPACKED_HERE: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
"""LZMA in a zip names its own dictionary size, up to 4 GiB."""

_LOCAL: Final = struct.Struct("<4s5H3I2H")
_LOCAL_MAGIC: Final = b"PK\x03\x04"
_END: Final = struct.Struct("<4s4H2IH")
_END_MAGIC: Final = b"PK\x05\x06"
_WIDE_END: Final = struct.Struct("<4sQ2H2I4Q")
_WIDE_MAGIC: Final = b"PK\x06\x06"
_WIDE_LOCATOR: Final = struct.Struct("<4sIQI")
_WIDE_LOCATOR_MAGIC: Final = b"PK\x06\x07"
_TAIL_BYTES: Final = 65_535 + _END.size + _WIDE_LOCATOR.size + _WIDE_END.size
_IN_EXTRA: Final = 0xFFFF_FFFF
_SIZES_FOLLOW: Final = 0x08
_ENCRYPTED: Final = 0x41
_DESCRIPTOR_BYTES: Final = (12, 16, 20, 24)


@frozen
class _End:
    """The end record, of 64 bits where there is one: the directory's place and size, the files it lists, where it
    begins itself, how many bytes follow it and its comment, and whether it says that this is all of the archive."""

    entries: int
    directory_bytes: int
    directory_at: int
    begins: int
    behind: int
    one_part: bool


def opened(stream: BinaryIO, size: int) -> zipfile.ZipFile | Failure:
    """The archive, or why it cannot be used."""
    try:
        end = _end_of(stream, size)
        if end is not None and max(end.directory_bytes, 46 * end.entries) > LARGEST_DIRECTORY_BYTES:
            return Failure("too-large", "the zip archive lists too many files", "Give the files of one job.")
        stream.seek(0)
        archive = zipfile.ZipFile(stream)
        if len(archive.infolist()) > MOST_HEADERS:
            return Failure("too-large", "the zip archive lists too many files", "Give the files of one job.")
        if _overlap(archive.infolist()):
            return Failure(
                "damaged", "members of the zip archive share the same bytes, as in a bomb", "Make the archive again."
            )
    except DAMAGE as error:
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        return Failure("damaged", f"the zip archive is damaged ({reason})", "Copy it again, in binary mode.")
    return archive


def entries(archive: zipfile.ZipFile, stream: BinaryIO, size: int, losses: Losses) -> Iterator[Entry]:
    """The files that the directory lists; what else the archive holds or promises is added to `losses`."""
    listed = archive.infolist()
    end = _end_of(stream, size)
    if end is None:
        losses.add("its end record is not whole")
    else:
        _hold_end(end, len(listed), losses)
    doubts = _hold_files(stream, listed, size if end is None else end.directory_at, losses)
    hollow_bytes = 0
    for info in listed:
        if _is_file(info):
            hollow_bytes += info.file_size if _is_hollow(info) else 0
            bomb = _is_hollow(info) and hollow_bytes > NO_BOMB_BYTES
            yield _entry(archive, info, doubts.get(info.header_offset), bomb=bomb)


def _end_of(stream: BinaryIO, size: int) -> _End | None:
    start = max(0, size - _TAIL_BYTES)
    stream.seek(start)
    tail = stream.read()
    at = tail.rfind(_END_MAGIC)
    if at < 0 or len(tail) < at + _END.size:
        return None
    _, disk, first_disk, here, entries, length, offset, comment = _END.unpack_from(tail, at)
    begins, behind = start + at, len(tail) - at - _END.size - comment
    locator = at - _WIDE_LOCATOR.size
    if locator >= 0 and tail.startswith(_WIDE_LOCATOR_MAGIC, locator):
        wide = locator - _WIDE_END.size
        if wide >= 0 and tail.startswith(_WIDE_MAGIC, wide):
            *_, disk, first_disk, here, entries, length, offset = _WIDE_END.unpack_from(tail, wide)
            begins = start + wide
    one_part = disk == first_disk == 0 and here == entries
    return _End(entries, length, offset, begins, behind, one_part)


def _hold_end(end: _End, listed: int, losses: Losses) -> None:
    if end.entries != listed:
        losses.add(f"its end record counts {end.entries:,} files, its directory lists {listed:,}")
    if end.directory_at + end.directory_bytes != end.begins:
        losses.add(
            f"its directory is said to take {end.directory_bytes:,} bytes from byte {end.directory_at:,} on, "
            f"which does not lead to the end record at byte {end.begins:,}"
        )
    if not end.one_part:
        losses.add("its end record says that it is one part of several")
    if end.behind > 0:
        losses.add(f"{end.behind:,} bytes follow its end")
    if end.behind < 0:
        losses.add(f"{-end.behind:,} bytes of its comment are missing")


def _hold_files(stream: BinaryIO, listed: list[zipfile.ZipInfo], directory_at: int, losses: Losses) -> dict[int, str]:
    """What the header before each file says against the directory, by where the header stands; bytes between the files
    that belong to none are added to `losses`."""
    doubts: dict[int, str] = {}
    reached, before = 0, None
    for info in sorted(listed, key=lambda i: i.header_offset):
        if not _joins(stream, before, reached, info.header_offset):
            losses.add(_unlisted(stream, reached, info.header_offset))
        stream.seek(info.header_offset)
        raw = stream.read(_LOCAL.size)
        if len(raw) < _LOCAL.size or not raw.startswith(_LOCAL_MAGIC):
            doubts[info.header_offset] = "it has no header where the directory says"
            reached, before = max(reached, info.header_offset + 30 + info.compress_size), None
            continue
        _, _, flags, method, _, _, crc, packed, size, name, extra = _LOCAL.unpack(raw)
        follow = bool((flags | info.flag_bits) & _SIZES_FOLLOW)
        differing = [] if flags == info.flag_bits else ["its flags"]
        differing += [] if method == info.compress_type else ["how it is packed"]
        # Sizes that follow the data stand here as 0, those of 64 bits as all ones.
        unknown = (0, _IN_EXTRA) if follow else (_IN_EXTRA,)
        differing += [] if crc == info.CRC or (follow and crc == 0) else ["its checksum"]
        differing += [] if packed in (info.compress_size, *unknown) else ["its packed size"]
        differing += [] if size in (info.file_size, *unknown) else ["its size"]
        if differing:
            doubts[info.header_offset] = f"its two headers differ in {', '.join(differing)}"
        reached = info.header_offset + _LOCAL.size + name + extra + info.compress_size
        before = info if follow else None
        if reached > directory_at:
            doubts[info.header_offset] = "it reaches into the directory"
    if not _joins(stream, before, reached, directory_at):
        losses.add(_unlisted(stream, reached, directory_at))
    return doubts


def _joins(stream: BinaryIO, before: zipfile.ZipInfo | None, reached: int, start: int) -> bool:
    """Whether what begins at `start` follows what ended at `reached`: at once, or behind the checksum and sizes of the
    file `before`, where these follow its data."""
    if start <= reached:
        return before is None or start < reached
    if before is None or start - reached not in _DESCRIPTOR_BYTES:
        return False
    stream.seek(reached)
    sizes = (before.CRC, before.compress_size, before.file_size)
    found = stream.read(start - reached)
    return any(
        found.endswith(struct.pack(form, *sizes)) for form in ("<3I", "<IQQ") if max(sizes) < 2**32 or "Q" in form
    )


def _unlisted(stream: BinaryIO, start: int, end: int) -> str:
    stream.seek(start)
    raw = stream.read(_LOCAL.size)
    of = ""
    if len(raw) == _LOCAL.size and raw.startswith(_LOCAL_MAGIC):
        name = stream.read(min(_LOCAL.unpack(raw)[9], 4096)).decode("utf-8", "replace")
        of = f" ({shown(name)} begins there)"
    return f"the {end - start:,} bytes from byte {start:,} on belong to no file that its directory lists{of}"


def _overlap(listed: list[zipfile.ZipInfo]) -> bool:
    """Whether two members share bytes: a bomb of a few kilobytes can hold petabytes that way."""
    end = 0
    for info in sorted(listed, key=lambda i: i.header_offset):
        if info.header_offset < end:
            return True
        end = info.header_offset + _LOCAL.size + len(info.orig_filename) + info.compress_size
    return False


def _is_file(info: zipfile.ZipInfo) -> bool:
    mode = info.external_attr >> 16
    link = info.create_system == 3 and stat.S_ISLNK(mode)
    # Python ends a name at its first NUL, by which a file may look like a folder; and a folder has no bytes.
    folder = info.orig_filename.endswith("/") and not info.file_size
    return not folder and not link and is_wanted(info.orig_filename)


def _is_hollow(info: zipfile.ZipInfo) -> bool:
    """Whether it is one byte over and over, by the sizes in the directory; `zipfile` unpacks no more than those."""
    return info.file_size > LARGEST_RATIO * info.compress_size


def _entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, doubt: str | None, *, bomb: bool) -> Entry:
    refused = None
    if info.flag_bits & _ENCRYPTED:
        refused = Failure("unsupported", "it is encrypted", "Unpack the archive with its password and give the files.")
    elif info.compress_type not in _UNPACKED_HERE:
        refused = Failure(
            "unsupported",
            f"it is packed in a way that is not read here (zip method {info.compress_type})",
            "Unpack the archive and give the files.",
        )
    elif bomb:
        refused = Failure(
            "too-large",
            f"{info.compress_size:,} bytes of it unpack to {info.file_size:,}, as one byte over and over does: of such "
            f"files no more than {NO_BOMB_BYTES // 2**20} MiB are unpacked, and it was not read",
            "Give it by itself, if it is a log.",
        )
    return Entry(shown(info.orig_filename), refused, lambda: archive.open(info), info.file_size, doubt)
