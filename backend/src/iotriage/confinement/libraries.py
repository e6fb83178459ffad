"""Where Python, its libraries and the time zones are: a reader may import something only when it needs that."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

_SYSTEM = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime")


@cache
def libraries() -> tuple[Path, ...]:
    """Folders and files, none of them below another, as they were when first asked for. Nobody's data lies in them."""
    wanted = {Path(place) for place in (sys.prefix, sys.base_prefix, *sys.path, *_SYSTEM) if place.startswith("/")}
    return tuple(sorted(path for path in wanted if not any(parent in wanted for parent in path.parents)))
