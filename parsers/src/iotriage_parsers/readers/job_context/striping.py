"""`lfs setstripe` lines of a script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from iotriage_parsers.evidence import StripeCommand
from iotriage_parsers.readers.job_context.figures import size_bytes
from iotriage_parsers.readers.job_context.shell import unquoted
from iotriage_parsers.text.numbers import whole

_NAMES: Final = {
    "-c": "count",
    "--stripe-count": "count",
    "--count": "count",
    "-S": "size",
    "-s": "size",
    "--stripe-size": "size",
    "--size": "size",
    "-i": "first",
    "--stripe-index": "first",
    "--index": "first",
    "--offset": "first",
    "-p": "pool",
    "--pool": "pool",
    "-E": "end",
    "--component-end": "end",
    "-L": "layout",
    "--layout": "layout",
    "-o": "osts",
    "--ost-list": "osts",
    "--ost": "osts",
    "-I": "component",
    "--component-id": "component",
    "-y": "yaml",
    "--yaml": "yaml",
    "--copy": "copy",
    "-N": "mirrors",
    "--mirror-count": "mirrors",
    "--mode": "mode",
}


def stripe_command(words: Sequence[str], line: int, text: str) -> StripeCommand | None:
    """The `lfs setstripe` that a command is; None where it is none or sets nothing on nothing."""
    if len(words) < 3 or words[0].rpartition("/")[2] != "lfs" or words[1] != "setstripe":
        return None
    given, targets = _parse_options([unquoted(w) for w in words[2:]])
    composite = "end" in given
    if composite:
        return StripeCommand(targets, line, text, composite=True) if targets else None
    if not targets and not given:
        return None
    first = whole(given.get("first"))
    return StripeCommand(
        targets,
        line,
        text,
        stripe_count=whole(given.get("count")),
        over_all_osts=given.get("count") == "-1",
        stripe_size_bytes=size_bytes(given.get("size")) or None,
        first_ost=first,
        pool=given.get("pool"),
    )


def _parse_options(words: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Options by what they set (the first of each), and the targets."""
    given: dict[str, str] = {}
    targets: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        name, equals, value = word.partition("=")
        if word in _NAMES:
            at += 1
            given.setdefault(_NAMES[word], words[at] if at < len(words) else "")
        elif equals and name in _NAMES:
            given.setdefault(_NAMES[name], value)
        elif len(word) > 2 and word[:2] in _NAMES and word[1] != "-":
            given.setdefault(_NAMES[word[:2]], word[2:])
        elif not word.startswith("-"):
            targets.append(word)
        at += 1
    return given, tuple(targets)
