"""Jobs of the laboratory judged by a query beside their case documents: findings, severities, seconds and order.

    python bench/centre_laboratory.py [--jobs 5000] [--seed 1]

Each job that is said differently is named with both answers, and then the command fails. A small draw of it is in the
tests (`backend/tests/centre/judging/test_days_judged.py`).
"""

from __future__ import annotations

import argparse
import hashlib
import io
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "backend" / "tests" / "golden")]
sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "backend" / "tests" / "centre")]

from judged_days import Case, case_of, judged_again, to_judge, written
from judged_documents import said
from laboratory.draws import many
from laboratory.jobs import program_of
from laboratory.running import run
from laboratory.written import log_of

from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.detect import read

TOGETHER = 250


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    judged = findings = differ = 0
    cases = _diagnosed(chosen.seed, chosen.jobs)
    while batch := list(islice(cases, TOGETHER)):
        with tempfile.TemporaryDirectory() as scratch, to_judge(written(Path(scratch), batch)) as days:
            found = judged_again(days, {})
        for case in batch:
            expected = said(case.diagnosis.document.findings)
            judged, findings = judged + 1, findings + len(expected)
            if found.get(case.name, []) != expected:
                differ += 1
                print(f"{case.name} is said as\n  {found.get(case.name)}\nby the query, and as\n  {expected}")
        print(f"{judged:,} jobs, {findings:,} findings: {differ} jobs differ", flush=True)
    sys.exit(1 if differ else 0)


def _diagnosed(seed: int, jobs: int) -> Iterator[Case]:
    for number, job in enumerate(islice(many(seed), jobs)):
        log = log_of(run(program_of(job)))
        source = ReadSource(f"{number}", hashlib.sha256(log).hexdigest(), len(log), read(io.BytesIO(log)))
        case = case_of(source.name, [source])
        if case is not None:
            yield case


if __name__ == "__main__":
    main()
