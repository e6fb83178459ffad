"""IOR, 2.10 to 4.1: its text with any verbosity, `-O summaryFormat=JSON` and `CSV`, and result lines alone, as grep and
tickets leave them. Bandwidths are printed in MiB/s (2^20) by all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from iotriage_parsers.evidence import BenchmarkRun, Part
from iotriage_parsers.readers.ior.csv_rows import CSV_HEADER, CsvMachine
from iotriage_parsers.readers.ior.json_tests import JSON_FIRST, JsonMachine
from iotriage_parsers.readers.ior.output import OUTPUT_FIRST, OutputMachine
from iotriage_parsers.text.blocks import MOST_RUNS, BlockReader, Machine
from iotriage_parsers.text.line_start import at_line_start
from iotriage_parsers.text.lines import Line


def _start(line: Line, before: Iterable[Line]) -> Machine:
    text = line.text.lstrip()
    if text.startswith("access,"):
        return CsvMachine(line)
    return JsonMachine(line) if text.startswith(("{", '"')) else OutputMachine(line, before)


def _describe(parts: tuple[Part, ...]) -> str | None:
    runs = [p for p in parts if isinstance(p, BenchmarkRun) and p.tool == "IOR"]
    if not runs:
        return None
    versions = " and ".join(dict.fromkeys(r.version for r in runs if r.version is not None))
    name = f"IOR {versions}" if versions else "IOR"
    operations = ", ".join(dict.fromkeys(result.operation for run in runs for result in run.results))
    return f"{name}: {len(runs):,} run{'' if len(runs) == 1 else 's'}" + (f" ({operations})" if operations else "")


reader: Final = BlockReader(
    id="ior",
    title="IOR output",
    anchors=(
        b": MPI Coordinated Test of Parallel I/O",
        b"bw(MiB/s)",
        b" MiB/sec (",
        b"Summary of all tests:",
        b" Max(MiB) ",
        b" Max (MiB) ",
        b'"Version": "',
    ),
    begins=at_line_start(re.compile(f"{OUTPUT_FIRST}|{CSV_HEADER}|{JSON_FIRST}")),
    start=_start,
    describe=_describe,
    precedence=40,
    most_blocks=MOST_RUNS,
)
