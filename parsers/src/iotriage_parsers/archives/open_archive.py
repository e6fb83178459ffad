"""Archives: zip (APPNOTE.TXT) and tar, bare or compressed, and mails with what is attached to them, each file in them
unpacked on its own and in bounds.

What an archive states about itself is not believed: sizes are counted while unpacking, members that share bytes are
refused, and no name becomes a path. What cannot be determined: an archive inside an archive is not looked into, but the
first that is attached to a mail, and a member that is encrypted is named as such.
"""

from __future__ import annotations

import hashlib
import io
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import BinaryIO, Final

from iotriage_parsers import containers
from iotriage_parsers.archives import mail_archives, tar_archives, zip_archives
from iotriage_parsers.archives.entries import DAMAGE, Entry, Losses, shown
from iotriage_parsers.evidence import Failure, Problem
from iotriage_parsers.evidence.archive import Packing
from iotriage_parsers.frozen import frozen
from iotriage_parsers.reader import HEAD_BYTES, Limits
from iotriage_parsers.temporary_files import temporary_file

_STEP_BYTES: Final = 2**18
_MIB: Final = 2**20
_ZIPS: Final = (b"PK\x03\x04", b"PK\x05\x06")


@frozen
class Unpacked:
    """A file of an archive, seekable, at offset 0; `problem` where the archive says something else of it."""

    file: BinaryIO
    sha256: str
    size_bytes: int
    problem: Problem | None = None


@dataclass(slots=True)
class OpenArchive:
    """The files of an archive in its order; `left_out` says why there are not more of them. `limits` are for all of
    them together: what is unpacked of one, and inflated of what it holds, is gone for the others."""

    packing: Packing
    entries: tuple[Entry, ...]
    left_out: Failure | None
    limits: Limits
    stored_bytes: int = field(default=0)
    """What was read of files that stand in the archive as they are: this inflates nothing."""
    doubt: Problem | None = field(default=None)
    """What every one of the files may suffer from: the checksum over all of them fails."""

    def left_out_with(self, took: Sequence[int], beyond: Sequence[bool]) -> Failure | None:
        """Why not all was read, where files were `beyond` what is inflated of one input; of each file in its order, and
        how many bytes it took of that."""
        lost = list(compress(self.entries, beyond))
        if not lost:
            return self.left_out
        most = max(took)
        first, largest = lost[0].name, self.entries[took.index(most)].name
        message = (
            f"what is inflated of one input is at most {self.limits.inflated_bytes // _MIB:,} MiB: {len(lost):,} of "
            f"{len(self.entries):,} files were not read, or not whole, {first} first; {largest} alone took "
            f"{most // _MIB:,} MiB"
        )
        advice = f"Give them without {largest} if it is no log, or a part of them at a time."
        if self.left_out is None:
            return Failure("too-large", message, advice)
        return replace(self.left_out, message=f"{self.left_out.message}; {message}")

    @contextmanager
    def unpacked(self, entry: Entry) -> Iterator[Unpacked | Failure]:
        """The entry's bytes, gone afterwards."""
        if entry.refused is not None:
            yield entry.refused
            return
        with ExitStack() as opened_here:
            try:
                found = self._opened(entry, opened_here)
            except DAMAGE as error:
                reason = " ".join(str(error).split())[:120] or type(error).__name__
                again = "Have it sent again." if self.packing == "mail" else "Make the archive again."
                found = Failure("damaged", f"it cannot be unpacked ({reason})", again)
            yield found

    def _opened(self, entry: Entry, opened_here: ExitStack) -> Unpacked | Failure:
        """What is stored as it is, is read where it stands; what is packed, from a temporary file."""
        digest = hashlib.sha256()
        size = 0
        packed = opened_here.enter_context(entry.open())
        file: BinaryIO
        if entry.stored:
            assert isinstance(packed, io.BufferedReader)
            file = packed
        else:
            file = opened_here.enter_context(temporary_file())
        while piece := packed.read(_STEP_BYTES):
            size += len(piece)
            if self._take(len(piece), stored=entry.stored) > self.limits.inflated_bytes:
                return _too_large(self.limits.inflated_bytes)
            digest.update(piece)
            if not entry.stored:
                file.write(piece)
        file.seek(0)
        doubt = entry.doubt
        if doubt is None and entry.stated_bytes is not None and size != entry.stated_bytes:
            doubt = f"the archive says that it has {entry.stated_bytes:,} bytes, and {size:,} came out"
        around = "mail" if self.packing == "mail" else "archive"
        problem = self.doubt if doubt is None else Problem("damaged", f"in the {around} {doubt}", loses_data=True)
        return Unpacked(file, digest.hexdigest(), size, problem)

    def _take(self, size: int, *, stored: bool) -> int:
        """So many bytes more were read: how many that are by now, of this kind."""
        if stored:
            self.stored_bytes += size
            return self.stored_bytes
        self.limits.spent.inflated_bytes += size
        return self.limits.spent.inflated_bytes


@contextmanager
def opened(stream: BinaryIO, limits: Limits, worth: mail_archives.Worth) -> Iterator[OpenArchive | Failure | None]:
    """The archive that `stream` is, a failure where it is one that cannot be used, None where it is something else. Of
    a mail with attachments, what is written in it is a file where it is `worth` it."""
    stream.seek(0)
    head = stream.read(HEAD_BYTES)
    parts = mail_archives.parts_of(stream, worth) if mail_archives.is_mail(head) else ()
    if not parts:
        with _packed(stream, limits) as archive:
            yield archive
        return
    with ExitStack() as attached:
        entries, losses, looked_into = list[Entry](), Losses(), False
        for part in parts:
            of_part = mail_archives.entry_of(stream, part)
            archive = None if looked_into else _attached(stream, part, limits, attached)
            if isinstance(archive, OpenArchive):
                entries += [_within(of_part, entry) for entry in archive.entries]
                looked_into = True
                if archive.left_out is not None:
                    losses.add(f"{of_part.name}: {archive.left_out.message}")
            else:
                entries.append(of_part if archive is None else replace(of_part, refused=archive))
        size = stream.seek(0, 2)
        yield _archive("mail", iter(entries), losses, _of_all(size, limits))


def _within(of_part: Entry, entry: Entry) -> Entry:
    """A file of an archive that is attached to a mail."""
    return replace(entry, name=shown(f"{of_part.name}/{entry.name}"), doubt=entry.doubt or of_part.doubt)


def _attached(
    stream: BinaryIO, part: mail_archives.Part, limits: Limits, kept: ExitStack
) -> OpenArchive | Failure | None:
    """The archive that is attached, open for as long as `kept` is; None where that is something else."""
    with ExitStack() as here:
        try:
            with mail_archives.opened(stream, part) as encoded:
                head = encoded.read(tar_archives.HEAD_BYTES)
            if not (head.startswith(_ZIPS) or tar_archives.is_tar(head) or containers.packing(head) is not None):
                return None
            decoded = here.enter_context(temporary_file())
            with mail_archives.opened(stream, part) as encoded:
                shutil.copyfileobj(encoded, decoded, _STEP_BYTES)
        except ValueError:
            # What its letters cannot be decoded for is said when it is read.
            return None
        archive = here.enter_context(_packed(decoded, limits))
        if isinstance(archive, OpenArchive):
            kept.push(here.pop_all())
        return archive


@contextmanager
def _packed(stream: BinaryIO, limits: Limits) -> Iterator[OpenArchive | Failure | None]:
    """The zip or tar that `stream` is. A compressed tar is inflated into a temporary file first."""
    size = stream.seek(0, 2)
    stream.seek(0)
    head = stream.read(tar_archives.HEAD_BYTES)
    stream.seek(0)
    limits = _of_all(size, limits)
    if head.startswith(_ZIPS):
        yield _zip(stream, size, limits)
    elif tar_archives.is_tar(head):
        yield _tar(stream, limits)
    elif (packing := containers.packing(head)) is not None and tar_archives.is_tar(_inside(stream, packing)):
        with containers.inflated(stream, packing, limits) as inside:
            yield inside if isinstance(inside, Failure) else _tar(inside.file, limits, inside)
    else:
        stream.seek(0)
        yield None


def _of_all(size: int, limits: Limits) -> Limits:
    """The limits for all that an archive of so many bytes holds together."""
    return replace(limits, inflated_bytes=containers.most_inflated(size, limits))


def _inside(stream: BinaryIO, packing: containers.Packing) -> bytes:
    head = containers.first_inflated(stream, packing, tar_archives.HEAD_BYTES)
    stream.seek(0)
    return head


def _archive(packing: Packing, entries: Iterator[Entry], losses: Losses, limits: Limits) -> OpenArchive | Failure:
    """The archive with as many entries as may be, and what of it could not be followed."""
    found: list[Entry] = []
    try:
        for entry in entries:
            if len(found) == limits.members:
                losses.too_many(limits.members)
                break
            found.append(entry)
    except DAMAGE:
        losses.add("what follows the files listed here could not be followed")
    if not found:
        return losses.failure() or Failure(
            "empty", f"the {packing} archive holds no files", "Pack the logs themselves, not links or empty folders."
        )
    return OpenArchive(packing, tuple(found), losses.failure(), limits)


def _zip(stream: BinaryIO, size: int, limits: Limits) -> OpenArchive | Failure:
    archive = zip_archives.opened(stream, size)
    if isinstance(archive, Failure):
        return archive
    losses = Losses()
    return _archive("zip", zip_archives.entries(archive, stream, size, losses), losses, limits)


def _tar(stream: BinaryIO, limits: Limits, around: containers.Inflated | None = None) -> OpenArchive | Failure:
    """`around` is the compressed file that the archive was inflated from."""
    losses = Losses()
    if around is not None and around.problem is not None:
        losses.add(around.problem.message)
    found = _archive("tar", tar_archives.entries(stream, losses), losses, limits)
    if isinstance(found, OpenArchive) and around is not None and around.suspect:
        found.doubt = around.problem
    return found


def _too_large(most: int) -> Failure:
    return Failure(
        "too-large",
        f"the archive unpacks to more than {most // 2**20:,} MiB: this file was not read",
        "Unpack it, keep the blocks of long texts (grep -a -B 40 -A 25 MPIIO FILE), and give the files.",
    )
