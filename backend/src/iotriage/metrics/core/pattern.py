"""How the ranks of a job use files between them."""

from __future__ import annotations

from typing import Final, Literal, get_args

Pattern = Literal["serial", "file-per-process", "file-per-node", "shared-independent", "shared-collective", "subfiling"]
PATTERNS: Final[tuple[Pattern, ...]] = get_args(Pattern)

OF_ONE_RANK: Final[tuple[Pattern, ...]] = ("serial", "file-per-process", "file-per-node")
"""Those in which each file belongs to one rank."""
