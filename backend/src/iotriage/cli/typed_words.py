"""Words that somebody typed, which name no file: they are written where everything is Unicode."""

from __future__ import annotations

import argparse

LONGEST_NAME = 200
"""Of what a person calls something, as the API has it."""


def typed_words(words: str) -> str:
    """An argument that is kept, or sent, as it is. What is no UTF-8 cannot be."""
    try:
        words.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError(f"{words!r} is no UTF-8") from None
    return words


def typed_title(words: str) -> str:
    """What a person calls something."""
    if not 1 <= len(typed_words(words).strip()) <= LONGEST_NAME:
        raise argparse.ArgumentTypeError(f"a name has 1 to {LONGEST_NAME} characters")
    return words
