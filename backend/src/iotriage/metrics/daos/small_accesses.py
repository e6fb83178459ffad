"""Accesses below 1 MiB to DAOS, to its objects, arrays and key-value stores."""

from __future__ import annotations

from iotriage.metrics.tables.daos_accesses import declare_small_accesses

declare_small_accesses("DAOS")
