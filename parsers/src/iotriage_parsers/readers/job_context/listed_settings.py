"""Texts that consist of settings only, as `env` prints them or a guide lists them. They are read as if a script set
them."""

from __future__ import annotations

from typing import Final

from iotriage_parsers.evidence import EnvironmentSetting
from iotriage_parsers.readers.job_context.environment import ASSIGNMENT, is_kept, setting_of

MOST: Final = 5_000


class ListedSettings:
    """Nothing else may stand before, between or behind them: `alone` as long as nothing has."""

    def __init__(self, *, alone: bool) -> None:
        self.alone = alone
        self.found: list[EnvironmentSetting] = []

    def take(self, text: str, line: int) -> bool:
        """Keeps a line that is one setting and no more. One that a list may begin with is taken: not each begins
        another script."""
        assigned = ASSIGNMENT.fullmatch(text)
        if assigned is None:
            self.alone = False
            return False
        kept = is_kept(assigned.group(1))
        if self.alone and kept and len(self.found) < MOST:
            self.found.append(setting_of(assigned.group(1), assigned.group(2), line))
        return kept
