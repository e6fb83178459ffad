"""What a user is to ask or tell their centre's support. A page and a report speak of them; a reply to a ticket is
theirs."""

from __future__ import annotations

from collections.abc import Callable

from iotriage_parsers.frozen import frozen

YOUR_SUPPORT, US = "your centre's support", "us"


@frozen
class SupportText:
    """The same to a user: by a page (`on_page`), and by the support (`in_reply`)."""

    on_page: str
    in_reply: str


def naming_support(say: Callable[[str], str]) -> SupportText:
    """Where only the name differs that `say` is given."""
    return SupportText(say(YOUR_SUPPORT), say(US))
