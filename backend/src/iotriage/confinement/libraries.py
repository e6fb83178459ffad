"""Where Python, its libraries and the time zones are: a reader may import something only when it needs that."""

from __future__ import annotations

import sys
from pathlib import Path

_SYSTEM = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime")


def libraries() -> tuple[Path, ...]:
    """Folders and files, none of them below another. Nobody's data lies in them."""
    wanted = {Path(place) for place in (sys.prefix, sys.base_prefix, *sys.path, *_SYSTEM) if place.startswith("/")}
    return tuple(sorted(path for path in wanted if not any(parent in wanted for parent in path.parents)))
