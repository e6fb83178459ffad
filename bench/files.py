"""Pages of the list of 100,000 files over HTTP, as the view of all files asks for them."""

from __future__ import annotations

import tempfile
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import upload

PAGE = "limit=100&offset={offset}&sort={sort}&q={words}"
AGAIN = 20


@dataclass(frozen=True, slots=True)
class Listing:
    """Seconds and bytes sent, gzipped, of the first page of a case that nobody looked at yet; the slowest of `AGAIN`
    other pages, sorted and filtered; the seconds of all files as CSV."""

    first_s: float
    first_bytes: int
    slowest_s: float
    csv_s: float


def measure(cli: Path, log: Path) -> Listing:
    with tempfile.TemporaryDirectory(prefix="iotriage-bench-") as folder, upload.server(cli, Path(folder)) as address:
        files = f"{address}/api/v1/cases/{upload.diagnosed(address, log)}/files"
        first_s, first_bytes = _timed(f"{files}?{PAGE.format(offset=0, sort='-time_s', words='')}")
        others = [
            PAGE.format(offset=100 * i, sort=("path", "-bytes_written")[i % 2], words=("", f"part+{i}")[i % 2])
            for i in range(1, AGAIN + 1)
        ]
        slowest_s = max(_timed(f"{files}?{page}")[0] for page in others)
        csv_s, _ = _timed(f"{files}.csv")
    return Listing(first_s, first_bytes, slowest_s, csv_s)


def _timed(url: str) -> tuple[float, int]:
    start = time.perf_counter()
    with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept-Encoding": "gzip"})) as answer:
        sent = len(answer.read())
    return time.perf_counter() - start, sent
