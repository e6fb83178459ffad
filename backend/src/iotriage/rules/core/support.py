"""What a user is to ask or tell their centre's support. A page and a report speak of them; a reply to a ticket is
theirs."""

from __future__ import annotations

from collections.abc import Callable

from iotriage_parsers.frozen import frozen

YOUR_SUPPORT, US = "your centre's support", "us"


@frozen
class Spoken:
    """The same to a user: by a page (`plainly`), and by the support (`replied`)."""

    plainly: str
    replied: str


def to_support(say: Callable[[str], str]) -> Spoken:
    """Where only the name differs that `say` is given."""
    return Spoken(say(YOUR_SUPPORT), say(US))
