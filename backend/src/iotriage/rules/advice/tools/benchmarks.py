"""Benchmarks of file systems, which users start to measure the very accesses that a rule would have them change."""

from __future__ import annotations

from iotriage.rules.advice.tools.tool import Tool, tool

_MEASURED = "measures what its options ask for, these very files and accesses. To measure others, change the options"

BENCHMARKS: tuple[Tool, ...] = tuple(
    tool(benchmark, benchmark, _MEASURED, measures=True) for benchmark in ("fio", "mdtest", "elbencho")
)
