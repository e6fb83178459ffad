"""A digest of a log's contents that does not depend on how its regions are compressed, or where they are in the
file."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import BinaryIO

from iotriage_parsers.reader import Limits
from iotriage_parsers.readers.darshan_log.container import (
    FORMATS,
    JOB_ROOM_BYTES,
    Header,
    byte_order_of,
    job_end,
    layout_of,
    parse_header,
    place,
    version_of,
)
from iotriage_parsers.readers.darshan_log.heatmap import without_addresses
from iotriage_parsers.readers.darshan_log.inflate import Inflated
from iotriage_parsers.readers.darshan_log.source import Source


def content_digest(stream: BinaryIO, limits: Limits) -> str | None:
    """SHA-256, hexadecimal, of the header's words and each region inflated. None where some region cannot be inflated
    as the header says: then only its bytes tell one log from another."""
    source = Source(stream, limits)
    head = source.head(layout_of(FORMATS[-1]).header_bytes)
    version, byte_order = version_of(head), byte_order_of(head)
    if version not in FORMATS or byte_order is None or len(head) < layout_of(version).header_bytes:
        return None
    header = parse_header(head, version, byte_order)
    compression = header.compression
    if compression is None:
        return None
    digest = hashlib.sha256(f"{version} {byte_order} {_words(header)}".encode())
    end = job_end(header, source.size)
    job = source.inflated(header.header_bytes, end, compression, only_first=compression != "none", room=JOB_ROOM_BYTES)
    regions = [(region.entry.name, region) for region in place(header, source.size)]
    if any(region.problem is not None for _, region in regions) or not _add(digest, "job", job):
        return None
    for name, region in regions:
        inflated = source.inflated(region.start, region.end, compression)
        if name == "HEATMAP":
            inflated = replace(inflated, data=without_addresses(inflated.data, byte_order))
        if not _add(digest, name, inflated):
            return None
    return digest.hexdigest()


def _words(header: Header) -> str:
    """Fields of the header that are not offsets in the file."""
    return " ".join(f"{m.name}:{m.version}:{m.partial}" for m in header.modules) + f" {header.flagged_empty}"


def _add(digest: hashlib._Hash, name: str, inflated: Inflated) -> bool:
    if inflated.stop is not None:
        return False
    digest.update(f"|{name}:{len(inflated.data)}|".encode())
    digest.update(inflated.data)
    return True
