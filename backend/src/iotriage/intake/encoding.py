"""What a reader found as bytes, on their way from the process that read it to the one that diagnoses it."""

from __future__ import annotations

import pickle

from iotriage.intake.unpickling import UnexpectedResultError, result_from
from iotriage_parsers.evidence import Archive, Evidence, Failure


class NotEvidenceError(Exception):
    """The bytes are not the encoding of what a reader finds."""


def encoded(outcome: Evidence | Archive | Failure) -> bytes:
    return pickle.dumps(outcome, protocol=5)


def decoded(content: bytes) -> Evidence | Archive | Failure:
    """Raises `NotEvidenceError` for anything else."""
    try:
        found = result_from(content)
    except UnexpectedResultError as error:
        raise NotEvidenceError(str(error)) from error
    if not isinstance(found, Evidence | Archive | Failure):
        raise NotEvidenceError(f"unexpected {type(found).__name__}")
    return found
