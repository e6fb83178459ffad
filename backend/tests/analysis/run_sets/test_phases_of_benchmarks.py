"""Results of benchmarks by phase, held against each other."""

from __future__ import annotations

import io

import pytest

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.analysis.run_sets.comparison import Comparison, compare
from iotriage_parsers.detect import read

MDTEST = """\
-- started at 02/11/2026 09:14:05 --

mdtest-{version} was launched with 64 total task(s) on {nodes} node(s)
Command line used: mdtest '-n' '200' '-d' '/scratch/md'
SUMMARY rate (in ops/sec): (of 10 iterations)
   Operation                     Max            Min           Mean        Std Dev
   File creation             {most:.3f}      {least:.3f}      {mean:.3f}      {spread:.3f}
   File stat                 9000.000       8000.000       8500.000         10.000
   Tree removal                 0.000          0.000          0.000          0.000
-- finished at 02/11/2026 09:17:26 --
"""
ELBENCHO = """\
$ elbencho -w -b {block} -t 1 --direct -s 10g /scratch/file
OPERATION   RESULT TYPE         FIRST DONE   LAST DONE
=========== ================    ==========   =========
WRITE       Elapsed time     :     {s}s     {s}s
            IOPS             :         {iops}         {iops}
            Throughput MiB/s :         {rate}         {rate}
            Total MiB        :       10240       10240
---
"""


def result(text: str) -> CaseDocument:
    return diagnose([ReadSource("result.txt", text, 1, read(io.BytesIO(text.encode())))])


def mdtest(mean: float, spread: float = 0.0, *, version: str = "4.0.0", nodes: int = 2) -> CaseDocument:
    figures = {"mean": mean, "spread": spread, "most": mean + spread, "least": mean - spread}
    return result(MDTEST.format(version=version, nodes=nodes, **figures))


def held(one: CaseDocument, other: CaseDocument) -> Comparison:
    return compare([("one", one), ("other", other)])


def change_of_creation(compared: Comparison) -> str:
    return next(row.changes[1] for row in compared.metrics if row.title.startswith("file creation"))


@pytest.mark.parametrize(
    ("spreads", "change", "outcome"),
    [
        ((0.0, 0.0), "worse", "worse"),
        ((50.0, 60.0), "worse", "worse"),
        ((561.0, 620.0), "usual", "same"),
        ((0.0, 280.0), "usual", "same"),
    ],
)
def test_a_difference_within_what_the_iterations_differed_by_is_none(
    spreads: tuple[float, float], change: str, outcome: str
) -> None:
    compared = held(mdtest(1982.0, spreads[0]), mdtest(1710.0, spreads[1]))
    assert (change_of_creation(compared), compared.outcome) == (change, outcome)


def test_operations_a_second_of_a_phase_with_its_bytes_are_no_phase_of_their_own() -> None:
    """Larger blocks are fewer operations."""
    small = result(ELBENCHO.format(block="4M", s="11.559", iops=221, rate=885))
    large = result(ELBENCHO.format(block="16M", s="5.780", iops=110, rate=1771))
    compared = held(small, large)
    assert compared.sentence.startswith("B is faster (write 885 MiB/s → 1.73 GiB/s); changed: b 4M → 16M.")
    assert (compared.outcome, {row.title: row.changes[1] for row in compared.metrics}) == (
        "better",
        {"write, operations a second": "other", "write": "better"},
    )


def test_the_version_of_a_benchmark_is_a_setting() -> None:
    compared = held(mdtest(1982.0, version="3.4.0"), mdtest(1710.0, nodes=3))
    changed = {row.name: [v.value for v in row.values] for row in compared.settings if row.changed}
    assert changed == {"version of mdtest": ["3.4.0", "4.0.0"], "nodes": ["2", "3"]}
    assert "the figures do not say which of them did it" in f"{compared.sentence} {compared.note}"
