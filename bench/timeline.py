"""From navigation to a timeline that can be moved, and its frames while it is, in a real browser on a server of its
own. Needs Node, the page built, and Chromium (CHROMIUM names it)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import upload

SCRIPT = Path(__file__).resolve().parents[1] / "e2e" / "timings" / "timeline.mjs"


@dataclass(frozen=True, slots=True)
class Moving:
    """Milliseconds to the first timeline and to one whose log is kept, bytes sent for the first, and milliseconds
    between two frames while it is moved: the middle one, and that of the slowest twentieth."""

    first: float
    again: float
    sent: int
    median: float
    slow: float


def measure(cli: Path, log: Path) -> Moving | None:
    """None where there is no browser to measure with."""
    browser = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None or shutil.which("node") is None:
        return None
    with tempfile.TemporaryDirectory(prefix="iotriage-bench-") as folder, upload.server(cli, Path(folder)) as address:
        case = upload.diagnosed(address, log)
        run = subprocess.run(
            ["node", SCRIPT, address, case],
            env={**os.environ, "CHROMIUM": browser},
            capture_output=True,
            text=True,
            check=True,
        )
    return Moving(**json.loads(run.stdout))
