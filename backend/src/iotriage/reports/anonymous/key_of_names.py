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


def is_key_set() -> bool:
    """Whether names are the same each time."""
    return bool(os.environ.get(ANONYMISE_KEY))


def key_of_names() -> bytes:
    """The key that is set, else one that nobody has again."""
    return os.environ.get(ANONYMISE_KEY, "").encode() or os.urandom(32)
