"""Sentences that name the centre's support, in two forms: on a page and in a report the user is told to ask the
support; in a reply to a ticket the support itself is speaking."""

from __future__ import annotations

from collections.abc import Callable

from iotriage_parsers.frozen import frozen

YOUR_SUPPORT, US = "your centre's support", "us"


@frozen
class SupportText:
    """A text that speaks of the support: as a page says it to a user (`on_page`), and as the support says it
    (`in_reply`)."""

    on_page: str
    in_reply: str


def naming_support(say: Callable[[str], str]) -> SupportText:
    """The text of `say`, which is given the support's name: on a page “your centre's support”, in a reply “us”."""
    return SupportText(say(YOUR_SUPPORT), say(US))
