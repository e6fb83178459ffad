"""The key under which names get others: whoever has it can try names, and so it is no short one."""

from __future__ import annotations

import os
from typing import Final

ANONYMISE_KEY: Final = "IOTRIAGE_ANONYMISE_KEY"
SHORTEST_KEY: Final = 16


def key_refused() -> str | None:
    """Why the key that is set is not used; None where it is, or none is set."""
    if 0 < len(os.environ.get(ANONYMISE_KEY, "")) < SHORTEST_KEY:
        return f"{ANONYMISE_KEY} has {SHORTEST_KEY} characters at least: who guesses it can try names"
    return None


def key_that_is_set() -> str | None:
    """With it, names are the same each time."""
    return os.environ.get(ANONYMISE_KEY) or None


def key_of_names(*keys: str | None) -> bytes:
    """The first of these that there is, else one that nobody has again."""
    return next((key.encode() for key in keys if key), b"") or os.urandom(32)
