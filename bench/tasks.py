"""One piece of work a process: `python bench/tasks.py TASK FILE` prints its CPU seconds, without those of imports."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path


def read(path: Path) -> Callable[[], str]:
    from iotriage_parsers import detect
    from iotriage_parsers.evidence import Failure

    def work() -> str:
        with path.open("rb") as source:
            found = detect.read(source)
        return found.message if isinstance(found, Failure) else f"{len(found.parts)} parts, {found.status}"

    return work


def pydarshan_records(path: Path) -> Callable[[], str]:
    import darshan

    def work() -> str:
        report = darshan.DarshanReport(str(path), read_all=False)
        report.mod_read_all_records("POSIX")
        report.mod_read_all_records("MPI-IO")
        return f"{len(report.records['POSIX'])} records"

    return work


def pydarshan_frames(path: Path) -> Callable[[], str]:
    import darshan

    def work() -> str:
        report = darshan.DarshanReport(str(path), read_all=False)
        report.mod_read_all_records("POSIX")
        report.mod_read_all_records("MPI-IO")
        frames = [report.records[module].to_df() for module in ("POSIX", "MPI-IO")]
        return f"{len(frames[0]['counters'])} records"

    return work


TASKS = {"read": read, "pydarshan-records": pydarshan_records, "pydarshan-frames": pydarshan_frames}


def main() -> None:
    work = TASKS[sys.argv[1]](Path(sys.argv[2]))
    before = time.process_time()
    says = work()
    print(f"{time.process_time() - before:.6f} {says}")


if __name__ == "__main__":
    main()
