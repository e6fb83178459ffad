"""Files that hold data, and not what a program reads as it starts: that is `import-storm`'s, whatever its accesses are
like."""

from __future__ import annotations

from iotriage.rules.core.condition import IsOneOf

DATA_FILES = IsOneOf("group.imported", ("no", "unknown"))
