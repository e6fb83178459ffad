"""Mails with what is attached to them (RFC 5322; MIME, RFC 2045 to 2049), as they are saved, forwarded as attachments,
or handed on by a mail system: each attachment a file, also those of mails in the mail.

What is written in the mail is a file too where it may have something of a log; what programs add by themselves, as
pictures in the text and signatures, is none. A mail to which nothing but texts is attached is a text like any other,
and no archive. One archive that is attached is looked into. What cannot be told: whether an attachment is whole, as a
mail does not say how long it is; where the mail ends in the midst of one, that is said.
"""

from __future__ import annotations

import binascii
import email.errors
import io
import re
from collections.abc import Callable, Iterator
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesHeaderParser
from typing import IO, TYPE_CHECKING, BinaryIO, Final

from iotriage_parsers.archives.entries import Entry, shown
from iotriage_parsers.extraction.base64_mails import beyond_base64
from iotriage_parsers.frozen import frozen

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Worth = Callable[[bytes], bool]
"""Whether a text may have something of a log."""

MOST_PARTS: Final = 2_000
_MOST_NESTED: Final = 20
_LONGEST_HEAD: Final = 64 * 2**10
_LINE_BYTES: Final = 64 * 2**10
_TEXT_BYTES: Final = 2**20
"""Of what is written in a mail, so much is looked at for a line of a log."""
_STEP_BYTES: Final = 2**16
_FIRST_BYTES: Final = 512

_FIRST_LINE: Final = re.compile(rb"(?:From \S[^\r\n]*\r?\n)?[A-Za-z][A-Za-z0-9-]{1,60}:[ \t]*\S")
_OF_A_MAIL: Final = re.compile(
    rb"^(?:from|received|return-path|message-id|mime-version):", re.IGNORECASE | re.MULTILINE
)
_HOLDS_PARTS: Final = re.compile(rb"^content-type:[ \t]*(?:multipart/|message/)", re.IGNORECASE | re.MULTILINE)
_BLANK: Final = re.compile(rb"\r?\n\r?\n")
_ADDED: Final = frozenset(
    ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature", "text/calendar")
)


@frozen
class Part:
    """A file of a mail: what stands from `start` to `end`, in this encoding. `whole` where what follows it is there."""

    name: str
    kind: str
    encoding: str
    attached: bool
    start: int
    end: int
    whole: bool


def is_mail(head: bytes) -> bool:
    """Whether the first 64 KiB begin with the head of a mail that has several parts."""
    if _FIRST_LINE.match(head) is None:
        return False
    end = _BLANK.search(head)
    own = head[: end.start()] if end is not None else head
    return _OF_A_MAIL.search(own) is not None and _HOLDS_PARTS.search(own) is not None


def parts_of(stream: BinaryIO, worth: Worth) -> tuple[Part, ...]:
    """The files of the mail, in its order; none where nothing but texts is attached."""
    try:
        found = list(_scanned(stream))
        if not any(part.attached and not _is_text(stream, part) for part in found):
            return ()
        plain = any(part.kind == "text/plain" and not part.attached for part in found)
        return tuple(part for part in found if part.attached or _is_told(stream, part, worth, plain=plain))
    except (email.errors.MessageError, LookupError, ValueError):
        return ()


def entry_of(stream: BinaryIO, part: Part) -> Entry:
    doubt = _damage(stream, part) if part.whole else "it is where the mail ends, and may go on"
    return Entry(shown(part.name), None, lambda: opened(stream, part), None, doubt)


def opened(stream: BinaryIO, part: Part) -> IO[bytes]:
    """The file as it was attached, to be read from its begin on."""
    return io.BufferedReader(_Decoded(stream, part))


def _damage(stream: BinaryIO, part: Part) -> str | None:
    """What shows that letters were lost or changed on the mail's way: what decodes base64 passes over them, and over
    what follows an equals sign, which stands at the end alone."""
    stream.seek(part.start)
    ended = False
    while part.encoding == "base64" and (raw := stream.read(min(_STEP_BYTES, part.end - stream.tell()))):
        letters = raw.split()
        written = b"".join(letters).rstrip(b"=")
        if (ended and written) or b"=" in written or beyond_base64(raw):
            return "its encoding (base64) is damaged: bytes of it may be lost or wrong"
        ended = ended or (bool(letters) and letters[-1].endswith(b"="))
    return None


def _is_text(stream: BinaryIO, part: Part) -> bool:
    """As it is called, and as it is: what is called nothing is a text by default."""
    if not part.kind.startswith("text/"):
        return False
    with opened(stream, part) as file:
        return b"\0" not in file.read(_FIRST_BYTES)


def _is_told(stream: BinaryIO, part: Part, worth: Worth, *, plain: bool) -> bool:
    """Of what is written in a mail twice, as text and as a page, the text is enough."""
    if not part.kind.startswith("text/") or (part.kind == "text/html" and plain):
        return False
    with opened(stream, part) as text:
        return worth(text.read(_TEXT_BYTES))


def _scanned(stream: BinaryIO) -> Iterator[Part]:
    """The parts that hold no others, by the lines between them."""
    stream.seek(0)
    boundaries: list[bytes] = []
    head = _head(stream)
    here: tuple[Message, int] | None = None
    for _ in range(MOST_PARTS):
        # What only holds other mails or parts is gone into.
        while head is not None and head.get_content_type() == "message/rfc822" and _encoding(head) == "":
            head = _head(stream)
        if head is not None:
            boundary = head.get_boundary() if head.get_content_maintype() == "multipart" else None
            if boundary:
                boundaries.append(f"--{boundary}".encode("utf-8", "surrogateescape"))
                here = None
            else:
                here = head, stream.tell()
            if len(boundaries) > _MOST_NESTED:
                return
        end, begins = _next_boundary(stream, boundaries)
        if here is not None:
            yield _part(*here, end, whole=begins is not None)
        if begins is None:
            return
        here = None
        head = _head(stream) if begins else None


def _next_boundary(stream: BinaryIO, boundaries: list[bytes]) -> tuple[int, bool | None]:
    """Where what stands here ends, and whether another part begins behind that: None at the mail's end. Those of which
    the last part has ended are taken off `boundaries`."""
    at = end = stream.tell()
    begins_line = True
    while raw := stream.readline(_LINE_BYTES):
        if begins_line and raw.startswith(b"--"):
            line = raw.rstrip()
            for depth in range(len(boundaries) - 1, -1, -1):
                last = line == boundaries[depth] + b"--"
                if last or line == boundaries[depth]:
                    del boundaries[depth + (0 if last else 1) :]
                    return max(end, 0), not last
        begins_line = raw.endswith(b"\n")
        # The end of the line before a boundary is the boundary's (RFC 2046, 5.1.1).
        end = at + len(raw.rstrip(b"\r\n")) if begins_line else at + len(raw)
        at += len(raw)
    return at, None


def _head(stream: BinaryIO) -> Message | None:
    """What is said of the part that begins here; None where that has no end."""
    said = b""
    while raw := stream.readline(_LINE_BYTES):
        if not raw.strip():
            return BytesHeaderParser().parsebytes(said)
        said += raw
        if len(said) > _LONGEST_HEAD:
            return None
    return None


def _part(head: Message, start: int, end: int, *, whole: bool) -> Part:
    kind, name = head.get_content_type(), _name(head)
    disposition = head.get_content_disposition()
    in_the_text = kind.startswith("image/") and (head["content-id"] is not None or disposition == "inline")
    is_file = name is not None or disposition == "attachment" or not kind.startswith(("text/", "image/"))
    attached = is_file and not in_the_text and kind not in _ADDED
    given = name or ("what is written in the mail" if kind.startswith("text/") else f"attached {kind}")
    return Part(given, kind, _encoding(head), attached, start, max(start, end), whole)


def _name(head: Message) -> str | None:
    name = head.get_filename()
    if name is None:
        return None
    try:
        return str(make_header(decode_header(name)))
    except (email.errors.MessageError, LookupError, ValueError):
        return name


def _encoding(head: Message) -> str:
    """ "base64", "quoted-printable", or empty for what stands there as it is."""
    said = str(head.get("content-transfer-encoding", "")).strip().lower()
    return said if said in ("base64", "quoted-printable") else ""


class _Decoded(io.RawIOBase):
    """A part's bytes, decoded while they are read."""

    def __init__(self, stream: BinaryIO, part: Part) -> None:
        self._stream, self._part = stream, part
        self._at = part.start
        self._pending = b""
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, into: WriteableBuffer) -> int:
        room = memoryview(into)
        while not self._pending and self._at < self._part.end:
            self._pending = self._step()
        given = self._pending[: len(room)]
        room[: len(given)] = given
        self._pending = self._pending[len(given) :]
        return len(given)

    def _step(self) -> bytes:
        self._stream.seek(self._at)
        match self._part.encoding:
            case "base64":
                raw = self._stream.read(min(_STEP_BYTES, self._part.end - self._at))
                self._at += len(raw)
                return self._of_base64(raw)
            case "quoted-printable":
                raw = self._stream.readline(min(_LINE_BYTES, self._part.end - self._at))
                self._at += len(raw)
                return binascii.a2b_qp(raw)
            case _:
                raw = self._stream.read(min(_STEP_BYTES, self._part.end - self._at))
                self._at += len(raw)
                return raw

    def _of_base64(self, raw: bytes) -> bytes:
        """Four letters stand for three bytes; the end of an encoded text is behind its equals signs."""
        letters = self._left + raw.translate(None, b"\r\n\t ")
        whole = len(letters) if self._at >= self._part.end else len(letters) // 4 * 4
        self._left = letters[whole:]
        return binascii.a2b_base64(letters[:whole])
