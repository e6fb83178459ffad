"""Accesses to DAOS's objects, arrays and key-value stores, without its file system layer."""

from __future__ import annotations

from iotriage.metrics.tables.calls.daos_accesses import declare_accesses

declare_accesses("DAOS")
