"""What it costs to take a day's logs in, diagnose and report them, from end to end. It asserts nothing.

    python bench/centre_ingest.py [--logs 20000] [--workers 2]

Logs are of the laboratory and the samples, in the mix of sizes that 84 published ones have (darshan-logs on GitHub:
half below 3.3 kB, a tenth above 34 kB, a hundredth above 499 kB), each of a job of its own. They are read in confined
processes, as always. Beside it, pydarshan's `job_stats` over the same folder. Processor seconds are of all processes;
those that a run takes before its first log are left out of what a log costs.
"""

from __future__ import annotations

import argparse
import random
import resource
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "parsers" / "tests")]

from darshan_writer import Counters, Job, Log, build, record_id
from laboratory.draws import drawn, plans
from laboratory.jobs import program_of
from laboratory.logfile import BEGAN_S, HEADER_BYTES
from laboratory.running import run
from laboratory.written import log_of

ROOT = Path(__file__).resolve().parents[1]
PYTHON, IOTRIAGE = sys.executable, ROOT / ".venv" / "bin" / "iotriage"
SIZES: Sequence[tuple[float, int]] = ((0.5, 3_300), (0.4, 34_000), (0.09, 499_000), (0.01, 10**7))
"""The share of logs whose size lies below, and above the one before."""
JOBS, MANY_FILES = {"faultless": 4, "known": 10, "unknown": 4, "two": 4}, (600, 2_000, 5_000, 12_000)
SEED = 20261120
PAGE = resource.getpagesize()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        few, many, warehouse = Path(scratch) / "few", Path(scratch) / "many", Path(scratch) / "warehouse"
        sizes = write_logs(many, chosen.logs)
        write_logs(few, 2)
        print(f"{chosen.logs:,} logs, {sum(sizes) / 1e6:,.0f} MB, the largest {max(sizes):,} B", flush=True)
        ours = _per_log(
            "iotriage ingest",
            _ingest(few, Path(scratch) / "w", 1),
            _ingest(many, warehouse, chosen.workers),
            chosen.logs,
        )
        day = datetime.fromtimestamp(BEGAN_S, UTC).date()
        cost = measured([IOTRIAGE, "report", "--warehouse", warehouse, "--date", str(day)])
        print(f"{'iotriage report of the day':<40} {cost.cpu_s:8.2f} s CPU")
        theirs = _per_log("pydarshan job_stats", _job_stats(few), _job_stats(many), chosen.logs)
        print(f"A log costs {ours / theirs:.1f} times what job_stats takes, which reads POSIX alone.")


@dataclass(frozen=True)
class Cost:
    """Processor seconds of a command and its children; the largest memory of all of them together in each quarter of
    its time, in MiB."""

    cpu_s: float
    seconds: float
    peaks_mib: Sequence[float]


def _ingest(folder: Path, warehouse: Path, workers: int) -> Cost:
    return measured([IOTRIAGE, "ingest", folder, "--warehouse", warehouse, "--workers", str(workers)])


def _job_stats(folder: Path) -> Cost:
    listed = folder.with_suffix(".txt")
    listed.write_text("".join(f"{path}\n" for path in sorted(folder.iterdir())))
    return measured([PYTHON, "-m", "darshan", "job_stats", "--csv", "--log_paths_file", listed])


def _per_log(what: str, few: Cost, many: Cost, logs: int) -> float:
    each = (many.cpu_s - few.cpu_s) / (logs - 2)
    peaks = ", ".join(f"{peak:,.0f}" for peak in many.peaks_mib)
    print(
        f"{what:<40} {many.cpu_s:8.2f} s CPU {many.seconds:8.2f} s: {1000 * each:.2f} ms CPU a log, "
        f"{logs / many.seconds:.0f} logs/s; MiB by quarters {peaks}",
        flush=True,
    )
    return each


def measured(command: Sequence[str | Path]) -> Cost:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seen: list[tuple[float, float]] = []
    watching = threading.Thread(target=_watch, args=(process, seen))
    watching.start()
    if process.wait() != 0:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    watching.join()
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - began
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(cpu, seconds, list(_by_quarter(seen, began, seconds)))


def _watch(process: subprocess.Popen[bytes], seen: list[tuple[float, float]]) -> None:
    while process.poll() is None:
        seen.append((time.monotonic(), _memory(process.pid) / 2**20))
        time.sleep(1.0)


def _memory(pid: int) -> int:
    """Bytes of the process and its children: what they share is counted once, as far as the kernel tells."""
    found = 0
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                found = 1024 * int(line.split()[1])
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            found += _memory(int(child))
    except OSError:
        return found
    return found


def _by_quarter(seen: Sequence[tuple[float, float]], began: float, seconds: float) -> Iterator[float]:
    for quarter in range(4):
        first, last = (began + seconds * (quarter + beside) / 4 for beside in (0, 1))
        yield max((mib for at, mib in seen if first <= at < last), default=0.0)


def write_logs(folder: Path, logs: int) -> list[int]:
    """The sizes of the logs written."""
    folder.mkdir()
    draw, pool, sizes = random.Random(SEED), _pool(), []
    for number in range(logs):
        below = draw.choices(range(len(SIZES)), [share for share, _ in SIZES])[0]
        content = of_job(draw.choice(pool[below]), number + 1)
        (folder / f"user_code_id{number + 1}-{number}_11-20-{number}-{number}_1.darshan").write_bytes(content)
        sizes.append(len(content))
    return sizes


def _pool() -> list[list[bytes]]:
    """Logs by where they are in `SIZES`."""
    found = [path.read_bytes() for path in sorted((ROOT / "sample-logs" / "darshan_log").glob("*/*.darshan"))]
    made = (drawn(plan) for plan in plans(SEED, JOBS))  # type: ignore[arg-type]
    found += [log_of(run(program_of(job.job))) for job in made if job is not None]
    found += [_of_many_files(files) for files in MANY_FILES]
    by_size: list[list[bytes]] = [[] for _ in SIZES]
    for log in filter(_can_be_of_another_job, found):
        by_size[next(i for i, (_, most) in enumerate(SIZES) if len(log) < most)].append(log)
    return by_size


def _of_many_files(files: int) -> bytes:
    draw = random.Random(files)
    paths = [f"/scratch/project/run/{draw.randbytes(6).hex()}/part{n}.dat" for n in range(files)]
    records = (
        {
            "id": record_id(path),
            "rank": n % 64,
            "POSIX_OPENS": 1,
            "POSIX_WRITES": draw.randrange(1, 900),
            "POSIX_BYTES_WRITTEN": draw.randrange(10**4, 10**8),
            "POSIX_F_WRITE_TIME": draw.random(),
            "POSIX_F_META_TIME": draw.random() / 100,
        }
        for n, path in enumerate(paths)
    )
    return build(
        Log(
            job=Job(nprocs=64),
            names={record_id(path): path for path in paths},
            modules=(Counters.of("POSIX", *records),),
        )
    )


def _can_be_of_another_job(log: bytes) -> bool:
    return log[:8].rstrip(b"\0") == b"3.41" and log[16] == 0 and struct.unpack_from("<Q", log, 32)[0] > HEADER_BYTES


def of_job(log: bytes, job_id: int) -> bytes:
    """The log with another job id, of the bench's day: its first region, and the places of the others."""
    (names_at,) = struct.unpack_from("<Q", log, 32)
    job = bytearray(zlib.decompress(log[HEADER_BYTES:names_at]))
    start, _, end = struct.unpack_from("<3q", job, 8)
    struct.pack_into("<q", job, 8, BEGAN_S)
    struct.pack_into("<q", job, 24, BEGAN_S + end - start)
    struct.pack_into("<q", job, 48, job_id)
    packed, header = zlib.compress(job), bytearray(log[:HEADER_BYTES])
    for at in range(32, 32 + 16 * 65, 16):
        (place,) = struct.unpack_from("<Q", header, at)
        if place:
            struct.pack_into("<Q", header, at, place + len(packed) - (names_at - HEADER_BYTES))
    return bytes(header) + packed + log[names_at:]


if __name__ == "__main__":
    main()
