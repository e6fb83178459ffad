"""Named quantities derived from evidence: each with a unit, measured, or absent with a reason.

The metric `mpiio.aggregators` is declared in a module of the folder `mpiio/`: one folder for each prefix of an id.
`core/` is what every formula stands on (values, selections, the register), `tables/` what several of them read. To add
a metric, declare its formula with `@metric` in a module of its prefix's folder; nothing lists them.

A formula takes a `Selection`, the records of a job or of one group of its files, and reads another metric by
`outcome(selection, "io.bytes")`, never by calling its formula: a selection answers each once. What several formulas
need that is no metric is a function of `tables/`, marked `@cached_per_selection` where it is worth keeping.

Entry points: `compute_metrics(selection)`, and `lazy_metrics(selection)`, computed when asked for, of a group of files
`group_metrics(group, of_job)`; the register: `all_metrics()`.
"""

from iotriage.metrics.core.registry import all_metrics, compute_metrics, group_metrics, lazy_metrics, outcome

__all__ = ["all_metrics", "compute_metrics", "group_metrics", "lazy_metrics", "outcome"]
