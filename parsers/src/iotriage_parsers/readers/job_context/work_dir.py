"""Where a script goes with `cd` before it starts its program."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from iotriage_parsers.evidence import ContextField
from iotriage_parsers.readers.job_context.shell import unquoted

_ABSOLUTE: Final = re.compile(r"/[\w.,+@%=:/-]{1,1000}")
_BELOW: Final = re.compile(r"(?:\./)?((?!\.\.)[\w,+@%=:][\w.,+@%=:-]{0,200}(?:/(?!\.\.)[\w.,+@%=:-]{1,200})*)/?")


def entered(before: ContextField | None, words: Sequence[str], line: int) -> ContextField | None:
    """The directory behind a `cd` with these words, from where the one before it led; None where a variable names it,
    or what is not known lies above it."""
    target = unquoted(words[0]) if words else ""
    if _ABSOLUTE.fullmatch(target):
        return ContextField("work_dir", target.rstrip("/") or target, line)
    below = _BELOW.fullmatch(target)
    if before is None or below is None:
        return None
    return ContextField("work_dir", f"{before.text}/{below.group(1)}", line)
