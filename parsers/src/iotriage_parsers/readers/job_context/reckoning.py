"""What the shell reckons from numbers that are written out."""

from __future__ import annotations

import re
from typing import Final

_TOKEN: Final = re.compile(r"\s*(?:(\d{1,12})|([*/%+-]))")
LARGEST: Final = 10**15


_IN_PARENTHESES: Final = re.compile(r"\(([^()]{1,200})\)")


def reckoned(text: str) -> int | None:
    """Whole numbers with `+ - * / %` between them, as the shell takes them, and what stands in parentheses first; None
    for anything else."""
    while (inner := _IN_PARENTHESES.search(text)) is not None:
        number = _reckoned(inner[1])
        if number is None:
            return None
        text = f"{text[: inner.start()]} {number} {text[inner.end() :]}"
    return _reckoned(text)


def _reckoned(text: str) -> int | None:
    numbers: list[int] = []
    signs: list[str] = []
    at = 0
    text = text.strip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or (found[1] is not None) != (len(numbers) == len(signs)):
            return None
        at = found.end()
        if found[2] is not None:
            signs.append(found[2])
        elif len(found[1]) > 1 and found[1].startswith("0"):
            return None  # The shell takes it for an octal number.
        elif signs and signs[-1] in "*/%":
            before, number, sign = numbers.pop(), int(found[1]), signs.pop()
            if sign != "*" and number == 0:
                return None
            numbers.append(before * number if sign == "*" else before // number if sign == "/" else before % number)
        else:
            numbers.append(int(found[1]))
    if len(numbers) != len(signs) + 1 or max(numbers) > LARGEST:
        return None
    return numbers[0] + sum(n if sign == "+" else -n for sign, n in zip(signs, numbers[1:], strict=True))
