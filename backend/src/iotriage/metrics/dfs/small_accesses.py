"""Accesses below 1 MiB through the file system layer of DAOS."""

from __future__ import annotations

from iotriage.metrics.daos.small_accesses import declare_small_accesses

declare_small_accesses("DFS")
