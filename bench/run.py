"""Measures what the product promises to be quick at and prints one table. It asserts nothing: read it, compare runs.

CPU seconds are user and system time of a child process of its own; ratios compare rows of the same run only. This
process stays small, for a child's peak of memory is never below that of the process that started it.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import files
import upload

ROOT = Path(__file__).resolve().parents[1]
CLI = ROOT / ".venv" / "bin" / "iotriage"
UPLOADS = 10
SMALL_BYTES = 200_000
FIGURES = {
    "diagnosing_median_ms": ("a diagnosis, median", "ms"),
    "diagnosing_mean_ms": ("a diagnosis, mean", "ms"),
    "document_median_bytes": ("the document as JSON, median", "B"),
    "stored_median_bytes": ("the document as it is stored, median", "B"),
    "loading_median_ms": ("loading and validating it, median", "ms"),
}
SMALL_LOG = ROOT / "sample-logs/darshan_log/14-balanced/14-balanced.darshan"


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds of the whole process and its peak resident set in MiB; `work_s` is the measured part alone."""

    cpu_s: float
    peak_mib: float
    work_s: float
    says: str


def run(*command: str | Path) -> Cost:
    """Runs one command to its end in a process of its own. Raises CalledProcessError where it fails."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([str(part) for part in command], stdout=output, cwd=ROOT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise subprocess.CalledProcessError(process.returncode, [str(part) for part in command])
        output.seek(0)
        says = output.read().decode()
    cpu = usage.ru_utime + usage.ru_stime
    return Cost(cpu, usage.ru_maxrss / 1024, cpu, says)


def task(name: str, path: Path) -> Cost:
    """A task of tasks.py, whose first word of output is the CPU time of the work alone."""
    cost = run(sys.executable, ROOT / "bench" / "tasks.py", name, path)
    work, _, says = cost.says.strip().partition(" ")
    return Cost(cost.cpu_s, cost.peak_mib, float(work), says)


def row(title: str, seconds: float, unit: str = "s CPU", peak: float | None = None, note: str = "") -> None:
    memory = f"{peak:7.0f} MiB" if peak is not None else " " * 11
    print(f"  {title:<52}{seconds:9.3f} {unit:<6}{memory}  {note}".rstrip(), flush=True)


def reading(folder: Path) -> None:
    log = folder / "large.darshan"
    size = log.stat().st_size / 2**20
    print(f"Reading every record of a log with 100,000 files, POSIX and MPI-IO ({size:.0f} MiB)")
    ours = task("read", log)
    row("iotriage_parsers", ours.work_s, peak=ours.peak_mib)
    for name, title in (
        ("pydarshan-records", "PyDarshan, records"),
        ("pydarshan-frames", "PyDarshan, records and DataFrame"),
    ):
        theirs = task(name, log)
        row(title, theirs.work_s, peak=theirs.peak_mib, note=f"{theirs.work_s / ours.work_s:.1f} times ours")


def diagnosing() -> None:
    print(f"Diagnosing a log of {SMALL_LOG.stat().st_size} bytes, the whole process")
    costs = [run(CLI, "diagnose", SMALL_LOG) for _ in range(5)]
    row("iotriage diagnose, median of 5", statistics.median(c.cpu_s for c in costs), peak=costs[0].peak_mib)


def diagnosing_many() -> None:
    """This commit, and beside it the one that BASE names, in turn; each by its own packages."""
    corpus = Path(os.environ.get("IOTRIAGE_CORPUS", ROOT.parent / "shared"))
    logs = [*ROOT.glob("sample-logs/**/*.darshan"), *corpus.glob("logs/*.darshan")]
    small = sorted(log for log in logs if log.stat().st_size < SMALL_BYTES)
    print(f"Diagnosing {len(small)} logs under {SMALL_BYTES // 1000} kB in a warm process")
    ours = _diagnoses(ROOT, small)
    for name, (title, unit) in FIGURES.items():
        row(title, ours[name], unit)
    base = os.environ.get("BASE")
    if base is None:
        print("  make bench BASE=<commit> measures an earlier commit beside it")
        return
    with tempfile.TemporaryDirectory(prefix="iotriage-bench-") as folder:
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", folder, base], cwd=ROOT, check=True)
        try:
            theirs = _diagnoses(Path(folder), small)
            ours = _diagnoses(ROOT, small)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", folder], cwd=ROOT, check=True)
    for name, (title, unit) in FIGURES.items():
        row(f"{base}: {title}", theirs[name], unit, note=f"{theirs[name] / ours[name]:.1f} times this commit's")


def _diagnoses(checkout: Path, logs: list[Path]) -> dict[str, float]:
    packages = os.pathsep.join(str(checkout / name / "src") for name in ("backend", "parsers"))
    command = [sys.executable, str(ROOT / "bench" / "diagnoses.py"), *map(str, logs)]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": packages}, capture_output=True, text=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def texts(folder: Path) -> None:
    print("Reading text")
    for title, path in (
        ("100 MB of stderr with three STATS blocks", folder / "large.stderr"),
        ("a line of 20 MB, then a STATS block", folder / "line.stderr"),
        ("200 MB of IOR with -vv on 16,384 ranks", folder / "ior.txt"),
    ):
        cost = task("read", path)
        row(title, cost.work_s, peak=cost.peak_mib, note=cost.says)


def uploading() -> None:
    logs = sorted(ROOT.glob("sample-logs/darshan_log/[0-4]*/*.darshan"), key=lambda log: log.stat().st_size)[:UPLOADS]
    print(f"Uploading {len(logs)} logs of 2 to 3 kB, each until its diagnosis can be read, over HTTP")
    times = upload.measure(CLI, logs)
    row("the first", times[0], "s")
    row("the others, median", statistics.median(times[1:]), "s")
    row("the others, slowest", max(times[1:]), "s")


def diagnosing_large(folder: Path) -> None:
    print("Diagnosing a log of 100,000 files, the whole process")
    cost = run(CLI, "diagnose", folder / "large.darshan")
    row("iotriage diagnose", cost.cpu_s, peak=cost.peak_mib)


def listing(folder: Path) -> None:
    print("Listing the files of a case with 100,000, a page of 100 at a time, over HTTP")
    found = files.measure(CLI, folder / "large.darshan")
    row("the first page, log to be read", found.first_s, "s", note=f"{found.first_bytes:,} bytes sent")
    row(f"the slowest of {files.AGAIN} others, sorted and filtered", found.slowest_s * 1000, "ms")
    row("all of them as CSV", found.csv_s, "s")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="iotriage-bench-") as name:
        folder = Path(name)
        run(sys.executable, ROOT / "bench" / "material.py", folder)
        reading(folder)
        diagnosing()
        diagnosing_many()
        texts(folder)
        diagnosing_large(folder)
        uploading()
        listing(folder)


if __name__ == "__main__":
    main()
