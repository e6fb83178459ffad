"""Words and numbers that somebody typed, and that name no file."""

from __future__ import annotations

import argparse
from collections.abc import Callable

LONGEST_NAME = 200
"""Of what a person calls something, as the API has it."""


def typed_words(words: str) -> str:
    """An argument that is kept, or sent, as it is, where everything is Unicode."""
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


def number_of(what: str, most: int) -> Callable[[str], int]:
    """The type of an argument that says how many of `what`: one at least, and `most` at most."""

    def typed(text: str) -> int:
        if not text.isdecimal() or not 1 <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number of {what} from 1 to {most:,}")
        return int(text)

    return typed
