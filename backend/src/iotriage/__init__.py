"""IOtriage: what is wrong with a parallel job's I/O, which document says so, and what to type to fix it.

`iotriage.diagnose("job.darshan")` answers a `Diagnosis`. Both are loaded when they are asked for, so that to import
the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iotriage.release import __version__

if TYPE_CHECKING:
    from iotriage.diagnosis import Diagnosis, diagnose

__all__ = ["Diagnosis", "__version__", "diagnose"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from iotriage import diagnosis

    return getattr(diagnosis, name)
