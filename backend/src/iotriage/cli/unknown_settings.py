"""Variables of the environment that look like settings and are none: a misspelt one changes nothing, in silence."""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Final

from iotriage.centre.mail.settings import MailSettings
from iotriage.reports.escaping import escape_line
from iotriage.settings import Settings

_PREFIX: Final = "IOTRIAGE_"
_OTHERS: Final = frozenset(f"{_PREFIX}{name}" for name in ("SERVER", "TOKEN", "SITES", "CORPUS", "FUZZ"))
"""Those of the command line, and of the tests."""
_ALIKE: Final = 0.75
_OF_TESTS: Final = f"{_PREFIX}TEST_"


def unknown_settings() -> Iterator[str]:
    """A sentence for each, with the setting that may be meant."""
    known = {f"{_PREFIX}{name}".upper() for name in Settings.model_fields} | _OTHERS
    known |= {f"{_PREFIX}MAIL_{name}".upper() for name in MailSettings.model_fields}
    for name in sorted(os.environ):
        if name.startswith(_PREFIX) and name not in known and not name.startswith(_OF_TESTS):
            nearest = get_close_matches(name[len(_PREFIX) :], sorted(k[len(_PREFIX) :] for k in known), 1, _ALIKE)
            meant = f"; is {_PREFIX}{nearest[0]} meant?" if nearest else ""
            yield f"{escape_line(name)} is no setting, and changes nothing{meant}"
