"""The environment of a process that strangers' bytes reach: nothing of the server's."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

OF_A_CHILD: Final[Mapping[str, str]] = MappingProxyType(
    {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        # A fork of a process with threads is not safe, and a child may not start any.
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }
)
