"""Files that hold nothing: the kernel makes what is read of them each time."""

from __future__ import annotations

from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.largest import largest_file

_FOLDERS, _IN_MEMORY = ("/proc/", "/sys/", "/dev/"), "/dev/shm/"


def is_of_kernel(path: str | None) -> bool:
    return path is not None and path.startswith(_FOLDERS) and not path.startswith(_IN_MEMORY)


def of_kernel(s: Selection) -> bool:
    """Whether the largest of the files is one of the kernel's, as in /proc and /sys."""
    best = largest_file(s)
    return best is not None and is_of_kernel(best[0].name_of(best[2]))
