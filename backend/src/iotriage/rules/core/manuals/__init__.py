"""The documentation of packages, whose settings advice names: a module for each field, as `rules/advice/packages`."""

from __future__ import annotations

from iotriage.rules.core.document import Document
from iotriage.rules.core.manuals.of_atoms import OF_ATOMS
from iotriage.rules.core.manuals.of_climate import OF_CLIMATE
from iotriage.rules.core.manuals.of_fluids import OF_FLUIDS
from iotriage.rules.core.manuals.of_plasmas import OF_PLASMAS
from iotriage.rules.core.manuals.of_quarks import OF_QUARKS

_ALL: tuple[Document, ...] = (*OF_ATOMS, *OF_CLIMATE, *OF_FLUIDS, *OF_PLASMAS, *OF_QUARKS)

MANUALS = sorted(_ALL, key=lambda one: one.key)
