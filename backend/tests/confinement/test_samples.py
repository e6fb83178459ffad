"""Reading and diagnosing need nothing that confinement takes: samples come out as they are committed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from covering import covering_cases

HERE = Path(__file__).parent
SEARCH = (HERE.parent / "golden", HERE.parents[2] / "parsers" / "tests")


@pytest.mark.fuzz
def test_samples_are_read_and_diagnosed_the_same_when_confined(tmp_path: Path) -> None:
    names = [str(case) for case in covering_cases()]
    command = [sys.executable, "-I", "-B", str(HERE / "confined_samples.py"), *map(str, SEARCH), "--", *names]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", env={"TMPDIR": str(tmp_path)}, timeout=250)
    assert done.returncode == 0, done.stderr
    ends = json.loads(done.stdout)
    assert set(ends) == set(names)
    assert {name: end for name, end in ends.items() if end != "as committed"} == {}
