"""An ingest that is killed again and again, at any moment, comes to what an undisturbed one comes to."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from centre_logs import Run, digest, put, small_centre, taken

pytestmark = pytest.mark.faults

KILLS = 20
RUN = """
import sys
from pathlib import Path
from iotriage.centre import ingest
ingest.ROWS_TOGETHER = 5
ingest.ingest(ingest.IngestOptions(Path(sys.argv[1]), Path(sys.argv[2]), workers=2), lambda _: None)
"""


def test_killed_at_random(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    small_centre(logs)
    for number in range(100, 160):
        run = Run(number, job_id=9000 + number // 7, day=number % 3)
        put(logs / "2026" / "11" / str(20 + number % 3), f"{run.name}_100.darshan", run.log())
    taken(logs, tmp_path / "undisturbed")
    began = time.monotonic()
    taken(logs, tmp_path / "timed")
    lasts = time.monotonic() - began
    dice = random.Random(7)
    for _ in range(KILLS):
        process = subprocess.Popen([sys.executable, "-c", RUN, str(logs), str(tmp_path / "killed")])
        try:
            process.wait(dice.uniform(0.2, 1.2) * lasts)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    taken(logs, tmp_path / "killed")
    assert digest(tmp_path / "killed") == digest(tmp_path / "undisturbed")
