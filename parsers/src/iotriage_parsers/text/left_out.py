"""What somebody who shows a table puts for the rows that he leaves out."""

from __future__ import annotations

import re
from typing import Final

_MARK: Final = re.compile(r"[\s|#>*]*(?:[\[(<]\s?)?(?:\.\.\.|\u2026|-*\s?snip\s?-*)(?:\s?[\])>])?[\s|]*", re.IGNORECASE)
LONGEST: Final = 40
BESIDE: Final = 2
"""Lines between a block's own and such a mark: a blank one may lie there."""


def stands_for_rows(text: str) -> bool:
    """Whether the line is such a mark alone. Longer rows of dots are what programs print as they get on."""
    return len(text) <= LONGEST and _MARK.fullmatch(text) is not None
