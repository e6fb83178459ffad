"""Archives: zip (APPNOTE.TXT) and tar, bare or compressed, each file in them unpacked on its own and in bounds.

What an archive states about itself is not believed: sizes are counted while unpacking, members that share bytes are
refused, and no name becomes a path. What cannot be told: an archive inside an archive is not looked into, and a member
that is encrypted is named as such.
"""

from __future__ import annotations

import hashlib
import stat
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, BinaryIO, Final, Literal

from iotriage_parsers import containers
from iotriage_parsers.evidence import Failure
from iotriage_parsers.reader import Limits

LONGEST_NAME: Final = 200
_TAR_MAGIC: Final = (257, b"ustar")
_TAR_HEAD: Final = 512
_STEP_BYTES: Final = 2**18
_LARGEST_DIRECTORY_BYTES: Final = 32 * 2**20
"""A zip's central directory is held in memory; an entry takes 46 bytes and a name."""
_MOST_HEADERS: Final = 100_000
_UNPACKED_HERE: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
"""LZMA in a zip names its own dictionary size, up to 4 GiB."""
_DESKTOP: Final = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})

_DAMAGE: Final = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    IndexError,
    OverflowError,
)
"""What `zipfile` and `tarfile` raise for damaged archives, RecursionError among the RuntimeErrors."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of an archive, not unpacked yet; `refused` says why it will not be."""

    name: str
    refused: Failure | None
    open: Callable[[], IO[bytes]]


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A file of an archive in a temporary file, at offset 0."""

    file: BinaryIO
    sha256: str
    size_bytes: int


@dataclass(slots=True)
class OpenArchive:
    """The files of an archive in its order; `left_out` says why there are not more of them. What is unpacked is
    counted over all of them."""

    packing: Literal["zip", "tar"]
    entries: tuple[Entry, ...]
    left_out: Failure | None
    most_bytes: int
    spent_bytes: int = field(default=0)

    @contextmanager
    def unpacked(self, entry: Entry) -> Iterator[Unpacked | Failure]:
        """The entry's bytes, gone afterwards."""
        if entry.refused is not None:
            yield entry.refused
            return
        with tempfile.TemporaryFile() as file:
            try:
                found = self._copied(entry, file)
            except _DAMAGE as error:
                reason = " ".join(str(error).split())[:120] or type(error).__name__
                found = Failure("damaged", f"it cannot be unpacked ({reason})", "Make the archive again.")
            yield found

    def _copied(self, entry: Entry, file: BinaryIO) -> Unpacked | Failure:
        digest = hashlib.sha256()
        size = 0
        with entry.open() as packed:
            while piece := packed.read(_STEP_BYTES):
                size += len(piece)
                self.spent_bytes += len(piece)
                if self.spent_bytes > self.most_bytes:
                    return _too_large(self.most_bytes)
                digest.update(piece)
                file.write(piece)
        file.seek(0)
        return Unpacked(file, digest.hexdigest(), size)


@contextmanager
def opened(stream: BinaryIO, limits: Limits) -> Iterator[OpenArchive | Failure | None]:
    """The archive that `stream` is, a failure where it is one that cannot be used, None where it is something else.
    A compressed tar is inflated into a temporary file first."""
    size = stream.seek(0, 2)
    stream.seek(0)
    head = stream.read(_TAR_HEAD)
    stream.seek(0)
    most = containers.most_inflated(size, limits)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        yield _zip(stream, size, most, limits)
    elif _is_tar(head):
        yield _tar(stream, most, limits)
    elif (packing := containers.packing(head)) is not None and _is_tar(_inside(stream, packing)):
        with containers.inflated(stream, packing, limits) as inside:
            yield inside if isinstance(inside, Failure) else _tar(inside.file, most, limits)
    else:
        stream.seek(0)
        yield None


def _inside(stream: BinaryIO, packing: containers.Packing) -> bytes:
    head = containers.first_inflated(stream, packing, _TAR_HEAD)
    stream.seek(0)
    return head


def _is_tar(head: bytes) -> bool:
    at, magic = _TAR_MAGIC
    return head[at : at + len(magic)] == magic


def _archive(
    packing: Literal["zip", "tar"], entries: Iterator[Entry], most: int, limits: Limits
) -> OpenArchive | Failure:
    """The archive with as many entries as may be; an archive that breaks off has those before."""
    found: list[Entry] = []
    left_out: Failure | None = None
    try:
        for entry in entries:
            if len(found) == limits.members:
                left_out = Failure(
                    "too-large",
                    f"the archive holds more than {limits.members:,} files: the first {limits.members:,} were read",
                    "Give the files of one job, without what is not a log.",
                )
                break
            found.append(entry)
    except _DAMAGE:
        left_out = Failure(
            "damaged", "the archive is damaged or ends early: what follows was not read", "Make the archive again."
        )
    if not found:
        return left_out or Failure(
            "empty", f"the {packing} archive holds no files", "Pack the logs themselves, not links or empty folders."
        )
    return OpenArchive(packing, tuple(found), left_out, most)


def _zip(stream: BinaryIO, size: int, most: int, limits: Limits) -> OpenArchive | Failure:
    try:
        if _directory_bytes(stream, size) > _LARGEST_DIRECTORY_BYTES:
            return Failure("too-large", "the zip archive lists too many files", "Give the files of one job.")
        archive = zipfile.ZipFile(stream)
        if _overlap(archive.infolist()):
            return Failure(
                "damaged", "members of the zip archive share the same bytes, as in a bomb", "Make the archive again."
            )
    except _DAMAGE as error:
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        return Failure("damaged", f"the zip archive is damaged ({reason})", "Copy it again, in binary mode.")
    return _archive("zip", (_zip_entry(archive, i) for i in archive.infolist() if _is_file(i)), most, limits)


def _directory_bytes(stream: BinaryIO, size: int) -> int:
    """The size of the central directory as the end record states it, which is how much `zipfile` reads."""
    stream.seek(max(0, size - 65_557))
    tail = stream.read()
    stream.seek(0)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) < at + 16:
        return 0
    stated = int(struct.unpack_from("<I", tail, at + 12)[0])
    wide = tail.rfind(b"PK\x06\x06", 0, at)
    if stated == 0xFFFF_FFFF or (wide >= 0 and tail.rfind(b"PK\x06\x07", 0, at) >= 0):
        return int(struct.unpack_from("<Q", tail, wide + 40)[0]) if 0 <= wide <= len(tail) - 48 else 0
    return stated


def _overlap(entries: list[zipfile.ZipInfo]) -> bool:
    """Whether two members share bytes: a bomb of a few kilobytes can hold petabytes that way."""
    end = 0
    for entry in sorted(entries, key=lambda e: e.header_offset):
        if entry.header_offset < end:
            return True
        end = entry.header_offset + 30 + len(entry.orig_filename) + entry.compress_size
    return False


def _is_file(entry: zipfile.ZipInfo) -> bool:
    mode = entry.external_attr >> 16
    link = entry.create_system == 3 and stat.S_ISLNK(mode)
    return not entry.is_dir() and not link and _is_wanted(entry.filename)


def _zip_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Entry:
    refused = None
    if entry.flag_bits & 0x41:
        refused = Failure("unsupported", "it is encrypted", "Unpack the archive with its password and give the files.")
    elif entry.compress_type not in _UNPACKED_HERE:
        refused = Failure(
            "unsupported",
            f"it is packed in a way that is not read here (zip method {entry.compress_type})",
            "Unpack the archive and give the files.",
        )
    return Entry(_shown(entry.filename), refused, lambda: archive.open(entry))


def _tar(stream: BinaryIO, most: int, limits: Limits) -> OpenArchive | Failure:
    try:
        archive = tarfile.TarFile(fileobj=stream)
    except _DAMAGE:
        return Failure("damaged", "the tar archive is damaged", "Copy it again, in binary mode.")
    return _archive("tar", _tar_entries(archive), most, limits)


def _tar_entries(archive: tarfile.TarFile) -> Iterator[Entry]:
    """Raises one of `_DAMAGE` where the archive cannot be followed further."""
    before = -1
    for _ in range(_MOST_HEADERS):
        entry = archive.next()
        if entry is None:
            return
        # A negative size would lead back to where the reading came from.
        if entry.size < 0 or entry.offset <= before:
            raise tarfile.ReadError("it goes backwards")
        before = entry.offset
        if entry.isreg() and _is_wanted(entry.name):
            yield _tar_entry(archive, entry)
    raise tarfile.ReadError("too many headers")


def _tar_entry(archive: tarfile.TarFile, entry: tarfile.TarInfo) -> Entry:
    def content() -> IO[bytes]:
        found = archive.extractfile(entry)
        if found is None:
            raise tarfile.ReadError("no content")
        return found

    refused = None
    if entry.issparse():
        refused = Failure("unsupported", "it is stored with holes (a sparse file)", "Unpack the archive first.")
    return Entry(_shown(entry.name), refused, content)


def _is_wanted(name: str) -> bool:
    """False for what a desktop adds to archives by itself."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return not name.startswith("__MACOSX/") and not last.startswith("._") and last not in _DESKTOP


def _shown(name: str) -> str:
    """A name fit to be shown; of a long one the end, which tells files apart."""
    printable = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name.removeprefix("./"))
    return printable if len(printable) <= LONGEST_NAME else f"…{printable[1 - LONGEST_NAME :]}"


def _too_large(most: int) -> Failure:
    return Failure(
        "too-large",
        f"the archive unpacks to more than {most // 2**20:,} MiB: this file was not read",
        "Unpack it, keep the blocks of long texts (grep -a -B 40 -A 25 MPIIO FILE), and give the files.",
    )
