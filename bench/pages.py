"""The page in a real browser on a server of its own: how soon each route says its first sentence and how much of it
moves afterwards, and how soon a timeline of 2 million calls can be moved and what a frame costs while it is. At a desk,
on a phone and in a wide window, on a processor four times slower too. Needs Node, the page built, and Chromium
(CHROMIUM names it)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import material
import upload

ROOT = Path(__file__).resolve().parents[1]
CLI = ROOT / ".venv" / "bin" / "iotriage"
SCRIPTS = ROOT / "e2e" / "timings"
SAMPLES = ROOT / "sample-logs" / "darshan_log"
CASE, OTHER = "39-heat2d-legacy", "40-heat2d-tuned"
WINDOWS = ((390, 1), (1440, 1), (2560, 1), (1440, 4))
"""Width in pixels, and how much slower the browser's processor is made."""


@dataclass(frozen=True, slots=True)
class Opened:
    """Milliseconds from navigation to the first heading, the middle one and the least of three, which is what the page
    takes where other work disturbs it; and the largest layout shift."""

    path: str
    first: float
    least: float
    shift: float


@dataclass(frozen=True, slots=True)
class Moved:
    """Milliseconds to the first timeline and to one whose log is kept, bytes sent for the first; milliseconds between
    two frames while it is moved and of the main thread's work for one: the middle one, and that of the slowest
    twentieth."""

    first: float
    again: float
    sent: int
    median: float
    slow: float
    work_median: float
    work_slow: float


def script(name: str, browser: str, *arguments: object) -> str:
    return subprocess.run(
        ["node", SCRIPTS / name, *map(str, arguments)],
        env={**os.environ, "CHROMIUM": browser},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


def routes(address: str) -> list[str]:
    case, other = (upload.diagnosed(address, SAMPLES / name / f"{name}.darshan") for name in (CASE, OTHER))
    views = [f"/cases/{case}{view}" for view in ("", "/timeline", "/ranks", "/files", "/evidence", "/triage")]
    others = ["/queue", "/rules", "/rules/single-aggregator", "/sites/archer2", "/glossary", "/access"]
    return ["/", *views, f"/compare?cases={case},{other}", *others]


def opening(address: str, browser: str) -> None:
    paths = routes(address)
    for width, slowdown in WINDOWS:
        print(f"Opening each route {width} pixels wide, {said(slowdown)}: first sentence, and what moved afterwards")
        for found in json.loads(script("pages.mjs", browser, address, width, slowdown, *paths)):
            one = Opened(**found)
            print(f"  {one.path:<52}{one.first:7.0f} ms, at least {one.least:5.0f} ms    {one.shift:.3f}", flush=True)


def moving(address: str, browser: str, log: Path) -> None:
    case = upload.diagnosed(address, log)
    for width, slowdown in WINDOWS:
        print(f"The timeline of {material.TRACED_CALLS:,} calls {width} pixels wide, {said(slowdown)}")
        one = Moved(**json.loads(script("timeline.mjs", browser, address, case, width, slowdown)))
        print(f"  until it can be moved, the first time      {one.first / 1000:7.2f} s, {one.sent:,} bytes sent")
        print(f"  until it can be moved, its log kept        {one.again / 1000:7.2f} s")
        print(f"  between two frames, median and 95 %        {one.median:7.1f} ms {one.slow:7.1f} ms")
        print(
            f"  work of a frame, median and 95 %           {one.work_median:7.1f} ms {one.work_slow:7.1f} ms",
            flush=True,
        )


def said(slowdown: int) -> str:
    return "as fast as it is" if slowdown == 1 else f"{slowdown} times slower"


def main() -> None:
    browser = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if browser is None or shutil.which("node") is None:
        print("no browser was found: CHROMIUM=… names one")
        return
    with tempfile.TemporaryDirectory(prefix="iotriage-bench-") as name:
        log = Path(name) / "trace.darshan"
        log.write_bytes(material.large_trace())
        with upload.server(CLI, Path(name) / "data") as address:
            opening(address, browser)
            moving(address, browser, log)


if __name__ == "__main__":
    main()
