"""The condition that files hold data. Files that a program reads while it starts belong to the rule `import-storm`,
however they are accessed."""

from __future__ import annotations

from iotriage.rules.core.condition import IsOneOf

DATA_FILES = IsOneOf("group.imported", ("no", "unknown"))
