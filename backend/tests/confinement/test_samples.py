"""Reading and diagnosing need nothing that confinement takes: every sample comes out as it is committed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from samples import cases

HERE = Path(__file__).parent
SEARCH = (HERE.parent / "golden", HERE.parents[2] / "parsers" / "tests")


def test_every_sample_is_read_and_diagnosed_the_same_when_confined(tmp_path: Path) -> None:
    names = [str(case) for case in cases()]
    command = [sys.executable, "-I", "-B", str(HERE / "confined_samples.py"), *map(str, SEARCH), "--", *names]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", env={"TMPDIR": str(tmp_path)}, timeout=250)
    assert done.returncode == 0, done.stderr
    ends = json.loads(done.stdout)
    assert set(ends) == set(names)
    assert {name: end for name, end in ends.items() if end != "as committed"} == {}
