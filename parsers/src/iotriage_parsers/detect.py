"""The entry point of the package: turns any bytes into `Evidence`, or into a `Failure` that says what they are and what
to do. For an archive or a mail it returns one answer for each file in it.

Readers are found in `readers/`: each module there with a `reader` takes part, a `Reader` of whole files or a
`BlockReader` of blocks in texts. The name of a source is ignored; its content decides.
"""

from __future__ import annotations

import importlib
import io
import pkgutil
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, BinaryIO, Final

from iotriage_parsers import readers
from iotriage_parsers.evidence import Archive, DarshanLog, Evidence, Failure, Member, Part, Problem
from iotriage_parsers.frozen import frozen
from iotriage_parsers.reader import HEAD_BYTES, Limits, Reader
from iotriage_parsers.text.blocks import BlockReader

if TYPE_CHECKING:
    from iotriage_parsers.archives.entries import Entry
    from iotriage_parsers.archives.open_archive import OpenArchive
    from iotriage_parsers.extraction.extracted_text import ExtractedText
    from iotriage_parsers.text.anchors import Owners, Search

SURE: Final = 0.5
"""The least certainty at which a reader of whole files is given the source."""
TEXT: Final = "text"
MOST_GIVEN: Final = "darshan_log"
"""The reader that is tried first. Where it is certain, no other reader is imported."""

PRINTED_OF_LOGS: Final = frozenset(("darshan_parser_text", "darshan_dxt_text"))
"""The readers of what Darshan's own tools print from a log."""


_OLD_DARSHAN: Final = re.compile(rb"[12]\.[0-9]{2}\0{4}(?:75d\0{5}|\0{5}d57)|1\.2[0-9]\0{4}")
"""The version in 8 bytes, then the magic number 6567223 in either byte order, which not all of 1.x have there."""

_MAY_BE_MAIL: Final = re.compile(rb"(?:From \S[^\n]*\n)?[A-Za-z][A-Za-z0-9-]{1,60}:")


@frozen
class Guess:
    """The format that a source seems to have; `certainty` is from 0.0 to 1.0."""

    reader: str
    title: str
    certainty: float


@cache
def whole_file_readers() -> tuple[Reader, ...]:
    """The readers of whole files, by id."""
    return tuple(r for r in _discovered() if isinstance(r, Reader))


@cache
def block_readers() -> tuple[BlockReader, ...]:
    """The readers of blocks in texts, by id."""
    return tuple(r for r in _discovered() if isinstance(r, BlockReader))


def detect(head: bytes) -> Guess | None:
    """The format that the first 64 KiB look like; None where no reader knows them. A text whose blocks begin later
    looks like any other text here; only `read` finds them."""
    head = head[:HEAD_BYTES]
    guesses = [Guess(r.id, r.title, r.recognises(head)) for r in whole_file_readers()]
    by_precedence = sorted(block_readers(), key=lambda r: -r.precedence)
    guesses += [Guess(r.id, r.title, 0.9) for r in by_precedence if _begins_in(head, r)]
    if _looks_like_text(head):
        guesses.append(Guess(TEXT, "job output", 0.1))
    best = max(guesses, key=lambda g: g.certainty, default=None)
    return best if best is not None and best.certainty > 0 else None


def read(stream: BinaryIO, limits: Limits | None = None) -> Evidence | Failure:
    """The evidence of all readers in `stream`, which must be seekable. At most `limits.inflated_bytes` are inflated.
    The content never raises an error; errors of the stream itself (OSError) are passed on."""
    return _read_file(stream, (limits or Limits()).for_another())


def read_or_unpack(stream: BinaryIO, limits: Limits | None = None) -> Evidence | Archive | Failure:
    """As `read`, for a file that may be an archive: then the evidence of every file in it, with one budget of inflated
    bytes for all. Archives within the archive are not read."""
    limits = (limits or Limits()).for_another()
    with _archive(stream, limits) as archive:
        if archive is None:
            return _read_file(stream, limits)
        if isinstance(archive, Failure):
            return archive
        members, took, beyond = list[Member](), list[int](), list[bool]()
        for entry in archive.entries:
            before = limits.spent.inflated_bytes
            members.append(_read_member(archive, entry))
            took.append(limits.spent.inflated_bytes - before)
            beyond.append(archive.limits.room_bytes == 0 and _stopped_at_limit(members[-1].outcome))
        return Archive(archive.packing, tuple(members), archive.left_out_with(took, beyond))


def _read_member(archive: OpenArchive, entry: Entry) -> Member:
    with archive.unpacked(entry) as file:
        if isinstance(file, Failure):
            return Member(entry.name, "", 0, file)
        outcome = _with_problem(_read_file(file.file, archive.limits), file.problem)
        return Member(entry.name, file.sha256, file.size_bytes, outcome)


def _stopped_at_limit(outcome: Evidence | Failure) -> bool:
    if isinstance(outcome, Failure):
        return outcome.code == "too-large"
    return any(problem.code == "limit" for problem in outcome.problems)


@contextmanager
def member_of(stream: BinaryIO, member: int | None, limits: Limits) -> Iterator[BinaryIO | Failure | None]:
    """The file with this index of the archive that `stream` is, at offset 0; None where there is none. Without
    `member` it is the stream itself."""
    if member is None:
        yield stream
        return
    with _archive(stream, limits.for_another()) as archive:
        if archive is None or isinstance(archive, Failure) or not 0 <= member < len(archive.entries):
            yield None
            return
        with archive.unpacked(archive.entries[member]) as file:
            yield file if isinstance(file, Failure) else file.file


@contextmanager
def _archive(stream: BinaryIO, limits: Limits) -> Iterator[OpenArchive | Failure | None]:
    """The result of `archives.opened`. That module is not imported for a file that is plainly no archive."""
    stream.seek(0)
    head = stream.read(512)
    stream.seek(0)
    # A tar header has the file's mode in octal digits here; a damaged one may have lost its magic number.
    may_be_tar = head[100:108].strip(b"\0 ").isdigit() and len(head) == 512
    if (
        head[:2] not in (b"PK", b"\x1f\x8b", b"BZ", b"\xfd7", b"\x28\xb5")
        and head[257:262] != b"ustar"
        and not may_be_tar
        and _MAY_BE_MAIL.match(head) is None
    ):
        yield None
        return
    from iotriage_parsers.archives import open_archive

    with open_archive.opened(stream, limits, _may_have_blocks) as archive:
        yield archive


def _may_have_blocks(text: bytes) -> bool:
    search, _ = _searches()
    return next(search(text), None) is not None


@cache
def _searches() -> tuple[Search, Owners]:
    """For the anchors of all readers, whose owners are numbered as `block_readers` has them."""
    from iotriage_parsers.text.anchors import searches_of

    return searches_of(tuple(reader.anchors for reader in block_readers()))


def describe(evidence: Evidence) -> tuple[str, ...]:
    """What a source holds, in a few words for each kind: "MPICH_MPIIO_STATS: 3 blocks of 2 files"."""
    if evidence.reader == MOST_GIVEN:
        return _darshan_logs(evidence.parts)
    contents = [r.describe(evidence.parts) for r in sorted(block_readers(), key=lambda r: -r.precedence)]
    return (*_darshan_logs(evidence.parts), *(words for words in contents if words))


def title_of(reader: str) -> str:
    """The title of the reader with this id, for `Evidence.reader`."""
    found = _loaded(reader) if reader in _names() else None
    return "job output" if found is None else found.title


def _read_file(stream: BinaryIO, limits: Limits) -> Evidence | Failure:
    """Reads a file that is no archive, or a member of one."""
    answer = _read(stream, limits, nested=False)
    return answer if isinstance(answer, Failure) or answer.reader == MOST_GIVEN else _representable(answer)


def _read(stream: BinaryIO, limits: Limits, nested: bool) -> Evidence | Failure:
    stream.seek(0)
    head = stream.read(HEAD_BYTES)
    while len(head) < HEAD_BYTES and (more := stream.read(HEAD_BYTES - len(head))):
        head += more
    stream.seek(0)
    if not head:
        return Failure(
            "empty",
            "the file is empty",
            "Give it again if it should not be: a copy may have been cut short, or the job had not written it "
            "yet. Cray MPICH prints its statistics where the job script has export MPICH_MPIIO_STATS=1.",
        )
    if _OLD_DARSHAN.match(head):
        return Failure(
            "unsupported",
            f"a Darshan {head[:4].decode('ascii')} log: formats before 3.00 are another format altogether",
            "Give the text that darshan-parser of the time prints of it, which is read here: darshan-util 2.3.1 of "
            "Darshan 2.x has it, and reads logs from 1.21 to 2.06.",
        )
    first = _loaded(MOST_GIVEN)
    if isinstance(first, Reader) and first.recognises(head) == 1.0:
        return first.read(stream, limits)
    surest = max(whole_file_readers(), key=lambda r: r.recognises(head), default=None)
    if surest is not None and surest.recognises(head) >= SURE:
        return surest.read(stream, limits)
    # What follows is not needed for the logs that most sources are, so it is not loaded for them.
    from iotriage_parsers import containers

    refusal = containers.refusal(head)
    if refusal is not None:
        return refusal
    packing = containers.packing(head)
    if packing is not None:
        if nested:
            return Failure("unsupported", f"{packing} inside a compressed file", "Unpack it and give the file inside.")
        with containers.inflated(stream, packing, limits) as inside:
            if isinstance(inside, Failure):
                return inside
            answer = _read(inside.file, limits, nested=True)
            return _with_problem(answer, inside.problem)
    return _read_text(stream, head, limits)


_Opened = Callable[[BinaryIO, Limits], "AbstractContextManager[ExtractedText]"]


def _read_text(
    stream: BinaryIO, head: bytes, limits: Limits, taken_off: frozenset[_Opened] = frozenset()
) -> Evidence | Failure:
    """What is no format of its own, as text: out of what it is kept in, each kind `taken_off` once, as a text may look
    like what it came out of; and without what stands before its lines."""
    from iotriage_parsers import differences
    from iotriage_parsers.extraction import (
        base64_mails,
        markdown_escapes,
        one_line_pages,
        quoted_printable,
        rtf_documents,
    )

    of_wrappings = (
        (base64_mails.is_base64_mail, base64_mails.decoded),
        (quoted_printable.is_quoted_printable, quoted_printable.decoded),
        (rtf_documents.is_rtf, rtf_documents.opened),
        (one_line_pages.is_one_line_page, one_line_pages.opened),
        (markdown_escapes.is_escaped, markdown_escapes.unescaped),
    )
    opened = next((opened for is_of, opened in of_wrappings if opened not in taken_off and is_of(head)), None)
    if opened is not None:
        with opened(stream, limits) as within:
            answer = _read_text(within.text, _head(within.text), limits, taken_off | {opened})
            return _with_problem(answer, within.note)
    if differences.of_two_texts(head):
        return differences.REFUSAL
    within_another = _read_within(stream, head, limits)
    return _read_lines(stream, head, limits) if within_another is None else within_another


def _read_within(stream: BinaryIO, head: bytes, limits: Limits) -> Evidence | Failure | None:
    """The texts in a notebook, in records of a log collector, in a JSON document, or in Python's values; None where it
    is none of these."""
    from iotriage_parsers.extraction import log_records, notebooks, python_values
    from iotriage_parsers.text.source import read_text

    if notebooks.is_notebook(head):
        with notebooks.printed(stream, limits) as printed:
            if isinstance(printed, Failure):
                return printed
            return _with_problem(read_text(printed.text, block_readers(), limits, is_text=True), printed.note)
    if log_records.is_of_records(head):
        with log_records.unwrapped(stream, limits) as unwrapped:
            if isinstance(unwrapped, Failure):
                return unwrapped
            answer = read_text(unwrapped.text, block_readers(), limits, is_text=True)
            return _with_problem(_with_problem(answer, unwrapped.damage), unwrapped.note)
    for texts_in, note in (
        (log_records.document_texts, log_records.OF_A_DOCUMENT),
        (python_values.python_texts, python_values.OF_PYTHON),
    ):
        texts = texts_in(stream, head)
        if texts is not None:
            return _with_problem(read_text(io.BytesIO(texts), block_readers(), limits, is_text=True), note)
    return None


def _read_lines(stream: BinaryIO, head: bytes, limits: Limits) -> Evidence | Failure:
    """Reads a text without the prefixes of its lines, such as time stamps and ranks; where the text was pasted several
    times, one copy of it."""
    from iotriage_parsers import repeated_texts, wrapped_lines
    from iotriage_parsers.extraction import learnt_prefixes, line_prefixes
    from iotriage_parsers.text.source import read_text

    is_text = _looks_like_text(head)
    repeated = repeated_texts.one_copy(stream) if is_text else None
    if repeated is not None:
        copy, note = repeated
        return _with_problem(_read_lines(copy, _head(copy), limits), note)
    form = line_prefixes.form_of(head) if is_text else None
    if is_text and form is None:
        form = learnt_prefixes.learnt_form(head, _may_have_blocks, _begins_at)
    if form is None:
        broken = wrapped_lines.broken_lines(head) if is_text else None
        return _with_problem(read_text(stream, block_readers(), limits, is_text), broken)
    with line_prefixes.stripped(stream, form, limits) as stripped:
        below_head = _head(stripped.text)
        of_writers = form.begins.groups and not form.counted
        below = None if of_writers else line_prefixes.form_of(below_head)
        if below is None or below is form:
            return _with_problem(read_text(stripped.text, block_readers(), limits, is_text), stripped.note)
        # As where a page breaks lines that a program began with a star.
        with line_prefixes.stripped(stripped.text, below, limits) as again:
            answer = _with_problem(read_text(again.text, block_readers(), limits, is_text), again.note)
            return _with_problem(answer, stripped.note)


def _head(stream: BinaryIO) -> bytes:
    stream.seek(0)
    head = stream.read(HEAD_BYTES)
    stream.seek(0)
    return head


def _representable(evidence: Evidence) -> Evidence:
    from iotriage_parsers.evidence.representable import representable

    return representable(evidence)


def _with_problem(answer: Evidence | Failure, problem: Problem | None) -> Evidence | Failure:
    """The answer with a problem that was met on the way added: where nothing was read, that problem may be the
    reason."""
    if problem is None:
        return answer
    if isinstance(answer, Failure):
        may_be_why = problem.loses_data and answer.code == "unrecognised"
        return replace(answer, message=f"{answer.message} ({problem.message})") if may_be_why else answer
    return replace(answer, problems=(problem, *answer.problems))


@cache
def _names() -> tuple[str, ...]:
    return tuple(sorted(m.name for m in pkgutil.iter_modules(readers.__path__) if not m.name.startswith("_")))


@cache
def _loaded(name: str) -> Reader | BlockReader | None:
    found = getattr(importlib.import_module(f"{readers.__name__}.{name}"), "reader", None)
    return found if isinstance(found, Reader | BlockReader) else None


def _discovered() -> tuple[Reader | BlockReader, ...]:
    return tuple(r for name in _names() if (r := _loaded(name)) is not None)


def _begins_in(head: bytes, reader: BlockReader) -> bool:
    """Whether a line of `head` begins a block of this reader. An anchor elsewhere in a line only mentions the
    format."""
    if not any(anchor in head for anchor in reader.anchors):
        return False
    lines = (line for line in head.splitlines() if any(anchor in line for anchor in reader.anchors))
    return any(reader.begins(line.decode("utf-8", errors="replace")) is not None for line in lines)


def _begins_at(line: bytes) -> int | None:
    """The position in the line where a block of some reader begins."""
    _, owners = _searches()
    text = line.decode("utf-8", errors="replace")
    found = (block_readers()[owner].begins(text) for owner in owners(line))
    return next((at for at in found if at is not None), None)


def _looks_like_text(head: bytes) -> bool:
    """Whether hardly any byte is a control character that no text has. NULs do not count: crashes leave them."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    controls = head.translate(None, bytes(b for b in range(256) if b >= 32 or b in b"\0\t\n\r\f\b\x07\x1b"))
    written = len(head) - head.count(b"\0")
    return written > 0 and len(controls) * 50 <= written


def _darshan_logs(parts: tuple[Part, ...]) -> tuple[str, ...]:
    """Those that hold the same are counted: a text may have many."""
    found = Counter(_darshan_log(part) for part in parts if isinstance(part, DarshanLog))
    return tuple(held if many == 1 else f"{many:,} times {held}" for held, many in found.items())


def _darshan_log(log: DarshanLog) -> str:
    counted = [f"{m.name} {m.records:,}" for m in log.modules if m.records]
    version = f" {log.log_version}" if log.log_version else ""
    return f"Darshan{version} log: {', '.join(counted) or 'no records'}"
