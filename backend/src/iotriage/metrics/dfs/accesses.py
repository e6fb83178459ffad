"""Accesses through the file system layer of DAOS."""

from __future__ import annotations

from iotriage.metrics.tables.calls.daos_accesses import declare_accesses

declare_accesses("DFS")
