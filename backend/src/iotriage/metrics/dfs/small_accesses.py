"""Accesses below 1 MiB to DAOS, through its file system layer."""

from __future__ import annotations

from iotriage.metrics.tables.daos_accesses import declare_small_accesses

declare_small_accesses("DFS")
