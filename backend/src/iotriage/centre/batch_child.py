"""Reads and diagnoses a batch of a centre's logs in a confined child, and writes their rows into a pipe. All logs of a
batch are of one centre and trusted alike. A log that ends the child costs the batch this one child: that log is then
tried in a child of its own, and the rest of the batch goes on in another one (`iotriage.centre.batches`)."""

from __future__ import annotations

import hashlib
import io
import os
from typing import BinaryIO, Final

from iotriage.analysis.engine import diagnosis_of
from iotriage.analysis.inputs import ReadSource
from iotriage.centre.batch_messages import LENGTH, LISTINGS, ORDERS, OUTCOMES, READY, BatchOrder
from iotriage.centre.log_rows import LogOutcome, LogUnread
from iotriage.centre.rows_of_diagnosis import log_read
from iotriage.confinement import Limits, confine
from iotriage.intake.child import FIRST_DESCRIPTOR, Work
from iotriage.intake.reader_imports import import_readers
from iotriage.intake.synthetic_case import synthetic_evidence
from iotriage.metrics import all_metrics
from iotriage.rules import all_rules
from iotriage.sites import all_sites
from iotriage_parsers.detect import read_or_unpack
from iotriage_parsers.evidence import Archive, Failure
from iotriage_parsers.reader import Limits as ReaderLimits
from iotriage_parsers.readers.darshan_log.content_digest import content_digest
from iotriage_parsers.temporary_files import preallocate

_PIECE_BYTES: Final = 2**20
_LOGS, _OUTGOING = FIRST_DESCRIPTOR, FIRST_DESCRIPTOR + 1


def reading() -> Work:
    """Imports and prepares what every diagnosis needs, once before forking instead of in each child."""
    import_readers()
    all_metrics()
    all_rules()
    all_sites()
    diagnosis_of([ReadSource("made up", "0" * 64, 1, synthetic_evidence())])
    return _read_batch


def _read_batch(written: bytes) -> None:
    order = ORDERS.decode(written)
    limits = ReaderLimits()
    preallocate()
    confine(Limits(order.memory_bytes, order.cpu_seconds, limits.inflated_bytes), None)
    with os.fdopen(_LOGS, "rb") as logs, os.fdopen(_OUTGOING, "wb") as pipe:
        pipe.write(READY)
        pipe.flush()
        listing = LISTINGS.decode(logs.read(order.listing_bytes))
        for name, size in zip(listing.names, listing.sizes, strict=True):
            outcome = OUTCOMES.encode(_outcome(name, logs.read(size), order, limits))
            pipe.write(LENGTH.pack(len(outcome)) + outcome)
            pipe.flush()


def _outcome(name: str, log: bytes, order: BatchOrder, limits: ReaderLimits) -> LogOutcome:
    content = _content(io.BytesIO(log), limits.for_another()) or hashlib.sha256(log).hexdigest()
    answer = read_or_unpack(io.BytesIO(log), limits)
    if isinstance(answer, Archive):
        return LogUnread(content, "unsupported", f"{answer.packing} archive: the logs in it are taken in unpacked")
    if isinstance(answer, Failure):
        return LogUnread(content, answer.code, answer.message)
    source = ReadSource(name, content, len(log), answer)
    return log_read(content, answer, diagnosis_of([source], order.site, order.default_site))


def _content(stream: BinaryIO, limits: ReaderLimits) -> str | None:
    """Of a log that is compressed as a whole too, what is inside."""
    from iotriage_parsers import containers

    head = stream.read(64)
    packing = containers.packing(head)
    if packing is None:
        return content_digest(stream, limits)
    with containers.inflated(stream, packing, limits) as inside:
        if isinstance(inside, Failure) or inside.problem is not None:
            return None
        digest = content_digest(inside.file, limits)
        if digest is not None:
            return digest
        inside.file.seek(0)
        whole = hashlib.sha256()
        while piece := inside.file.read(_PIECE_BYTES):
            whole.update(piece)
        return whole.hexdigest()
