"""Named quantities derived from evidence. Entry point: `compute_all(selection)`; the register: `all_metrics()`."""

from iotriage.metrics.core.registry import all_metrics, compute_all

__all__ = ["all_metrics", "compute_all"]
