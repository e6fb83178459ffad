"""Modules that another one imports, and that nothing we have it do uses."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType


def import_when_used(name: str) -> None:
    """Has `import` of this module cost nothing: what it names is imported once something of it is asked for."""
    if name not in sys.modules:
        sys.modules[name] = _Later(name)


class _Later(ModuleType):
    def __getattr__(self, attribute: str) -> object:
        name = self.__name__
        if sys.modules.get(name) is self:
            del sys.modules[name]
        return getattr(importlib.import_module(name), attribute)
