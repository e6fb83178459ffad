"""Joins lines of a script that a mail program broke at a blank, where the next line can only be the rest of the one
before."""

from __future__ import annotations

import re
from typing import Final

from iotriage_parsers.frozen import frozen
from iotriage_parsers.readers.job_context.directives import WITH_VALUE

WRAPPED_AT: Final = 60
"""Line width below which no mail program breaks a line."""
LONGEST_WRAPPED: Final = 1_000
"""Largest length of a joined command, since each further line parses all of it again."""
GOES_ON: Final = re.compile(r"-|\.{0,2}/|~/|\$")
"""Beginnings of the rest of a launch."""
_OPTION: Final = re.compile(r"--?[A-Za-z]")


@frozen
class LastDirective:
    """The directive that was read last: its dialect, its last word, where it stands and how wide its line is."""

    word: str
    last: str
    number: int
    width: int

    def rest(self, number: int, text: str) -> str | None:
        """What of it stands on this line, whose first word had no place beside it. No command begins with a dash."""
        if number != self.number + 1 or self.width + len(text.split(maxsplit=1)[0]) < WRAPPED_AT:
            return None
        if _OPTION.match(text):
            return text
        return f"{self.last} {text}" if self.last in WITH_VALUE.get(self.word, ()) else None
