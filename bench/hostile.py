"""Gives files that are meant to do harm to the command line and to the real server, and prints what became of each.

    python bench/hostile.py [FOLDER]

Without FOLDER those of `IOTRIAGE_CORPUS`, and nothing where there are none. It fails where one ended a process, made
the program itself fail, took longer than anything may, or left the server gone or a case reading; and where the two
ways say different things of a source.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / name) for name in ("backend/tests", "parsers/tests")]

from load_inputs import Upload
from load_people import Person, Tally, give
from load_server import ROOT, paths, server

MOST_CPU_S, MOST_WALL_S = 60.0, 600.0
FAILED = 70
_DIAGNOSE = "from iotriage.cli import main; main()"


@dataclass(frozen=True, slots=True)
class Ended:
    """`said` is how its sources were read, or why there is no document."""

    said: str
    cpu_s: float
    peak_mib: float
    wrong: str | None = None


def by_command(path: Path) -> Ended:
    """What `iotriage diagnose` makes of the file."""
    environment = {**os.environ, **paths(ROOT)}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        command = [sys.executable, "-c", _DIAGNOSE, "diagnose", "--format", "json", str(path)]
        started = subprocess.Popen(command, env=environment, stdout=out, stderr=err)
        _, status, used = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        printed, complained = out.read(), err.read()
    cpu_s, peak_mib = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    if started.returncode < 0 or started.returncode == FAILED or b"Traceback" in complained:
        return Ended("-", cpu_s, peak_mib, f"it ended with {started.returncode}")
    if cpu_s > MOST_CPU_S:
        return Ended("-", cpu_s, peak_mib, f"{cpu_s:.0f} s of CPU")
    documents = list(_documents(printed.decode()))
    return Ended(said_of(documents) if documents else complained.decode()[:40], cpu_s, peak_mib)


def _documents(printed: str) -> Iterator[dict[str, object]]:
    """One, or one after the other where an archive holds several jobs."""
    rest = printed.strip()
    while rest:
        document, end = json.JSONDecoder().raw_decode(rest)
        yield document
        rest = rest[end:].lstrip()


def by_server(person: Person, path: Path) -> tuple[str, str | None]:
    """What the server says of it, and what is wrong with that."""
    done = give(person, Upload(path.name, path.read_bytes(), True))
    if done.status not in ("ready", "failed"):
        return done.status, f"{done.status} by the server"
    status, content = person.ask("GET", f"cases/{done.case_id}")
    if status != 200:
        return "-", f"the case is answered {status}"
    case = json.loads(content)
    return said_of([case["document"]]) if case["document"] else "failed", None


def said_of(documents: Sequence[dict[str, object]]) -> str:
    """How the sources were read: "complete", "failed/partial"."""
    statuses = set[str]()
    for document in documents:
        sources = document["sources"]
        assert isinstance(sources, list)
        statuses |= {source["status"] for source in sources}
    return "/".join(sorted(statuses))


def tried(files: Sequence[Path]) -> int:
    """How many went wrong."""
    bad = 0
    with tempfile.TemporaryDirectory(prefix="iotriage-hostile-") as folder, server(ROOT, Path(folder), None) as running:
        person = Person(running.port, 0, Tally())
        for path in files:
            start = time.monotonic()
            command = by_command(path)
            said, wrong = by_server(person, path)
            seconds = time.monotonic() - start
            wrong = command.wrong or wrong
            if wrong is None and said != command.said:
                wrong = f"the server says: {said}"
            if wrong is None and seconds > MOST_WALL_S:
                wrong = f"{seconds:.0f} s"
            if wrong is None and running.process.poll() is not None:
                wrong = "the server is gone"
            bad += wrong is not None
            cells = f"{path.name:<40}{command.said:<28}{command.cpu_s:6.2f} s{command.peak_mib:7.0f} MiB"
            print(f"{cells}  {wrong or ''}".rstrip(), flush=True)
        status, _ = person.ask("GET", "samples")
        bad += status != 200
    print(f"{len(files)} files, {bad} of them wrong")
    return bad


def main() -> int:
    corpus = Path(os.environ.get("IOTRIAGE_CORPUS", ROOT.parent / "shared"))
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else corpus / "hostile"
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".md", ".tsv"))
    if not files:
        print(f"no hostile files: {folder} has none")
        return 0
    return 1 if tried(files) else 0


if __name__ == "__main__":
    sys.exit(main())
