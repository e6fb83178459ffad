"""Whether a benchmark read what its nodes had in memory: IOR reads in the same start what it wrote, unless it is told
to have each rank read what another node wrote (`-C`, `-Z`)."""

from __future__ import annotations

import re
from typing import NamedTuple

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.core.text_statements import places_of
from iotriage_parsers.evidence import BenchmarkRun

NEEDS = "the output of an IOR that writes and reads"
ORDER = "ordering inter file"
OWN_NODES, OTHER_NODES, PAST_MEMORY = "own nodes", "other nodes", "past the memory"
_OBJECT_STORES = ("DFS", "DAOS", "RADOS", "S3")
"""Interfaces that go past the memory in which the kernel keeps files."""
_DIRECT = re.compile(r"\s(?:--posix\.odirect|-B)(?=\s|$)|\buseO_DIRECT=1")
"""Options of IOR that open files with O_DIRECT; -B is that of versions before 3.3."""


class ReadBack(NamedTuple):
    """The run of which the reading is farthest above the writing."""

    source: int
    run: BenchmarkRun
    factor: float


@cached_per_selection
def read_back(s: Selection) -> ReadBack | Absent:
    found = [ReadBack(i, run, factor) for i, run in s.of(BenchmarkRun) if (factor := _factor(run)) is not None]
    return max(found, key=lambda r: r.factor, default=None) or Absent("no IOR that writes and reads was given")


def _factor(run: BenchmarkRun) -> float | None:
    best = {
        way: max((r.best_bytes_per_s for r in run.of(way) if r.best_bytes_per_s), default=None)
        for way in ("write", "read")
    }
    if run.tool != "IOR" or best["write"] is None or best["read"] is None:
        return None
    return best["read"] / best["write"]


_metrics_of_read_back = MetricsOf(read_back, needs=NEEDS, scopes=["job"])
_metrics_of_read_back.value(
    "benchmark.read_over_write",
    "Read bandwidth of the benchmark over its write bandwidth",
    "ratio",
    lambda found: Value(found.factor, where=(Where(found.source, found.run.lines),)),
    about=About(time=False, direction="both"),
    formula="highest read bandwidth / highest write bandwidth of the run of IOR in which that is most",
)


@_metrics_of_read_back(
    "benchmark.read_back",
    "Whose bytes the benchmark read",
    "word",
    about=About(direction="read"),
    formula=f"of that run: {OWN_NODES} where its head has no offset of tasks, or it ran on one node; else "
    f"{OTHER_NODES}; where its calls go past the memory of the nodes (O_DIRECT, DFS): {PAST_MEMORY}",
)
def benchmark_read_back(found: ReadBack) -> Outcome:
    order = next((s for s in found.run.settings if s.key == ORDER), None)
    interface = (found.run.api or "").partition("-")[0].upper()
    if interface in _OBJECT_STORES or (interface == "POSIX" and _DIRECT.search(found.run.command_line or "")):
        return Value(PAST_MEMORY, where=(Where(found.source, found.run.lines),))
    if found.run.nodes == 1:
        return Value(OWN_NODES, where=(Where(found.source, found.run.lines),))
    if order is None:
        return Absent("the output does not say in which order ranks read the files")
    word = OWN_NODES if order.text.startswith("no ") else OTHER_NODES
    return Value(word, where=places_of(found.source, order.line, found.run.lines))


NOT_STATED = Absent("the output of that run does not say it")


@_metrics_of_read_back(
    "benchmark.api",
    "Interface of the benchmark that read back what it wrote",
    "word",
    formula="api of that run of IOR",
)
def api(found: ReadBack) -> Outcome:
    run = found.run
    return (
        NOT_STATED if run.api is None else Value(run.api, where=places_of(found.source, run.line_of("api"), run.lines))
    )


@_metrics_of_read_back(
    "benchmark.access",
    "Whether the ranks of the benchmark share a file",
    "word",
    formula="access of that run: single-shared-file or file-per-process; with collective calls: collective",
)
def access(found: ReadBack) -> Outcome:
    run = found.run
    word = "collective" if run.collective else run.access
    return NOT_STATED if word is None else Value(word, where=places_of(found.source, run.line_of("access"), run.lines))


_metrics_of_read_back.value(
    "benchmark.block_size",
    "Block size of the benchmark",
    "B",
    lambda found: _bytes(found, found.run.block_size_bytes),
    formula="block size of that run",
)
_metrics_of_read_back.value(
    "benchmark.transfer_size",
    "Transfer size of the benchmark",
    "B",
    lambda found: _bytes(found, found.run.transfer_size_bytes),
    formula="transfer size of that run",
)


def _bytes(found: ReadBack, size: int | None) -> Outcome:
    return NOT_STATED if size is None else Value(size, where=(Where(found.source, found.run.lines),))
