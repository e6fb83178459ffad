"""A job's output as collectors of logs keep it: a JSON record for each line, with the line in one of its fields.

Docker and Kubernetes write `{"log":"…\\n","stream":"stderr","time":"…"}`, Fluentd and Fluent Bit `log` or `message`
(their files have a time and a tag before the record), `journalctl -o json` `MESSAGE` (an array of bytes where it is not
UTF-8), `logcli -o jsonl` `line`, Google's logging `textPayload`; what is exported of Elasticsearch has them under
`_source`, of Splunk as `result._raw`. Each record's text stays on the record's line, so that places are those in the
file. What is no record is left as it is.

A text of several lines under any key of a document, as a ticket's, is read too.

Of records in one document (an array, objects over several lines as `journalctl -o json-pretty` prints them, an answer
of Loki, Elasticsearch or CloudWatch) the texts stand one after the other, and places are those among them.

The records do not tell which process wrote a line: those of several containers are one text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

from iotriage_parsers.evidence import Failure, Problem
from iotriage_parsers.extraction.extracted_text import read_whole
from iotriage_parsers.frozen import frozen
from iotriage_parsers.reader import Limits
from iotriage_parsers.temporary_files import temporary_file

MOST_LOOKED_AT: Final = 200
"""Lines by which a text is told to be of records."""
MOST_AT_ONCE: Final = 8 * 2**20
"""Bytes of a document that is read as one: its values take some thirty times as many."""
LEAST_TEXTS: Final = 3
SURE: Final = 0.9
"""Share of these that must be: a program may print a record of its own among its lines."""

_TEXT_KEYS: Final = ("log", "message", "MESSAGE", "msg", "line", "textPayload", "_raw", "@message")
_WITHIN: Final = ("_source", "result", "jsonPayload")
_TIME_KEYS: Final = ("time", "timestamp", "@timestamp", "ts", "date", "__REALTIME_TIMESTAMP", "@timestamp_ns")
_RECORD: Final = re.compile(rb'[^{}"]{0,200}?(\{\s*"[^"\\]{1,80}"\s*:.*)', re.DOTALL)
_BACKWARDS: Final = 0.9
"""Share of the records that are older than the one before them, from which on the newest stand first."""
_LEAST_MOVES: Final = 3


@frozen
class Unwrapped:
    """The text, and what is to be said about it."""

    text: BinaryIO
    note: Problem
    damage: Problem | None


@frozen
class _Found:
    text: bytes
    time: str


def is_of_records(head: bytes) -> bool:
    """Whether the first 64 KiB are of lines that are records with a text in each."""
    lines = [line for line in head[: head.rfind(b"\n") + 1 or None].splitlines() if line.strip()][:MOST_LOOKED_AT]
    return bool(lines) and sum(_record(line) is not None for line in lines) >= SURE * len(lines)


@contextmanager
def unwrapped(stream: BinaryIO, limits: Limits) -> Iterator[Unwrapped | Failure]:
    """The texts of the records at offset 0, each on its record's line, in a file of its own."""
    stream.seek(0)
    records = later = earlier = 0
    first_cut: int | None = None
    cut = 0
    before = ""
    with temporary_file() as text:
        number = 1
        for raw, is_whole in _pieces(stream, limits.line_bytes):
            at, number = number, number + raw.endswith(b"\n")
            if not is_whole:
                text.write(raw)
                continue
            found = _record(raw)
            if found is None:
                begins = _RECORD.match(raw)
                if begins is not None and not _is_json(begins[1]):
                    first_cut, cut = first_cut or at, cut + 1
                    text.write(b"\n" if raw.endswith(b"\n") else b"")
                else:
                    text.write(raw)
                continue
            records += 1
            if len(found.time) == len(before):
                later += found.time > before
                earlier += found.time < before
            before = found.time
            text.write(found.text + b"\n")
        if earlier >= max(_LEAST_MOVES, _BACKWARDS * (later + earlier)):
            yield _BACKWARDS_FAILURE
            return
        text.seek(0)
        yield Unwrapped(text, _note(records), _damage(first_cut, cut))


def document_texts(stream: BinaryIO, head: bytes) -> bytes | None:
    """The texts of the records that the document at offset 0 has, a line each; None where it has none."""
    if _DOCUMENT.match(head) is None or _TEXT_OF_DOCUMENT.search(head) is None:
        return None
    whole = read_whole(stream, MOST_AT_ONCE)
    if whole is None:
        return None
    try:
        texts = [text for value in _values(whole.decode("utf-8")) for text in _texts(value)]
    except (ValueError, RecursionError):
        return None
    joined = b"".join(text.replace(b"\r", b"\n") + b"\n" for text in texts)
    return joined if joined.count(b"\n") >= LEAST_TEXTS else None


def _values(text: str) -> Iterator[object]:
    """The values that stand one after the other. ValueError where anything else does."""
    decoder, at = json.JSONDecoder(), 0
    while blanks := _BLANKS.match(text, at):
        at = blanks.end()
        if at == len(text):
            return
        value, at = decoder.raw_decode(text, at)
        yield value


def _texts(value: object) -> Iterator[bytes]:
    match value:
        case list():
            for one in value:
                text = _text(one) if isinstance(one, str) else None
                yield from _texts(one) if text is None else (text,)
        case {"data": {"result": list(streams)}}:
            rows = [row for stream in streams if isinstance(stream, dict) for row in _list(stream.get("values"))]
            timed = [row for row in rows if isinstance(row, list) and len(row) > 1 and isinstance(row[1], str)]
            for row in sorted(timed, key=lambda row: str(row[0])):
                yield _text(row[1]) or b""
        case {"hits": {"hits": list(found)}} | {"events": list(found)}:
            yield from _texts(found)
        case dict():
            record = _of(value)
            if record is not None:
                yield record.text
            else:
                yield from _long_texts(value)
        case _:
            return


def _long_texts(value: object) -> Iterator[bytes]:
    """What stands under any key and has lines, or is a list of them, as the text of a ticket, or the output of a job in
    what ran it."""
    if isinstance(value, str) and value.count("\n") >= LEAST_TEXTS:
        yield _text(value) or b""
    elif isinstance(value, list) and len(value) >= LEAST_TEXTS and all(isinstance(one, str) for one in value):
        yield from (_text(one) or b"" for one in value)
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _long_texts(one)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


_BLANKS: Final = re.compile(r"\s*")
_DOCUMENT: Final = re.compile(rb"\s*[\[{]")
_TEXT_OF_DOCUMENT: Final = re.compile(
    rb'"(?:' + b"|".join(re.escape(key.encode()) for key in (*_TEXT_KEYS, "values")) + rb')"\s*:|\[\s*"'
    rb'|:\s*"(?:[^"\\\n]|\\[^n\n]){0,4096}+\\n'
)
"""What the first 64 KiB of a document with texts have: the key of one, a list of texts, or a text with lines."""
OF_A_DOCUMENT: Final = Problem(
    "note", "records of a log collector in one document: their texts are read, and lines are counted in them"
)
_BACKWARDS_FAILURE: Final = Failure(
    "unrecognised",
    "records of a log collector with the newest first: the lines of the job's output stand in reverse",
    "Give them with the oldest first (logcli query --forward; in other tools, sort by time ascending), or give the "
    "job's own output.",
)


def _note(records: int) -> Problem:
    what = "the text of 1 record" if records == 1 else f"the text of each of {records:,} records"
    return Problem("note", f"JSON lines of a log collector: {what} is read, at its record's line")


def _damage(first: int | None, count: int) -> Problem | None:
    if first is None:
        return None
    message = (
        f"line {first} is a record that is cut off or damaged: it was not read"
        if count == 1
        else f"line {first} is a record that is cut off or damaged (and {count - 1:,} more): they were not read"
    )
    return Problem("truncated", message, loses_data=True, line=first)


def _pieces(stream: BinaryIO, line_bytes: int) -> Iterator[tuple[bytes, bool]]:
    """Lines, and whether each is whole: one that is longer than any that is read comes in pieces."""
    continues = False
    while raw := stream.readline(line_bytes):
        ends = raw.endswith(b"\n") or len(raw) < line_bytes
        yield raw, ends and not continues
        continues = not ends


def _record(raw: bytes) -> _Found | None:
    if raw.startswith(b"{"):
        record = _parsed(raw)
    else:
        begins = _RECORD.match(raw)
        record = _parsed(begins[1]) if begins is not None else None
    return _of(record) if isinstance(record, dict) else None


def _of(record: dict[object, object]) -> _Found | None:
    for holder in (record, *(record.get(key) for key in _WITHIN)):
        if not isinstance(holder, dict):
            continue
        for key in _TEXT_KEYS:
            text = _text(holder.get(key))
            if text is not None:
                return _Found(text, next((str(t) for k in _TIME_KEYS if (t := holder.get(k)) is not None), ""))
    return None


def _text(value: object) -> bytes | None:
    """The text of a field on one line: what the reader of lines does with a CR keeps its lines apart there."""
    if isinstance(value, str):
        content = value.encode("utf-8", errors="replace")
    elif isinstance(value, list) and value and all(isinstance(b, int) and 0 <= b < 256 for b in value):
        content = bytes(_numbers(value))
    else:
        return None
    return content.rstrip(b"\r\n").replace(b"\r\n", b"\r").replace(b"\n", b"\r")


def _numbers(values: Iterable[object]) -> Iterator[int]:
    return (value for value in values if isinstance(value, int))


def _is_json(raw: bytes) -> bool:
    return _parsed(raw) is not None


def _parsed(raw: bytes) -> object:
    try:
        value: object = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return value
