"""What decoding raises."""

from __future__ import annotations


class DecodeError(Exception):
    """The bytes are no message of the kind that was expected; the text says why, in words of ours only."""
