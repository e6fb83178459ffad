"""The process of one command gives up what reading needs not, before it looks at the first source."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from iotriage.cli.places import is_there
from iotriage.confinement import drop_write_access
from iotriage_parsers.temporary_files import preallocate


def restrict_reading(sources: Iterable[Path]) -> None:
    """From now on, and for good, this process reads the libraries and `sources`, and writes what it has open; it makes
    no file, starts nothing and connects to nobody. Where the kernel knows less, it gives up less."""
    # Whoever runs the command reads logs of their own: on a host that refuses, or has no room for temporary files,
    # which few logs need, that goes on.
    with suppress(OSError):
        preallocate()
    with suppress(OSError):
        drop_write_access([path for path in sources if is_there(path)])
