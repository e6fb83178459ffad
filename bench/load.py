"""Loads the real server as a busy day would and prints what became of it: `make load`.

Uploads at a steady rate, then a burst at once, while others look at cases; on SQLite and on PostgreSQL. It asserts
nothing about time. It fails where an upload was lost, an answer was wrong, or something was left behind. This process
asks from the same machine: its own share of the processors is in the times.

    LOAD_SECONDS=120   how long the steady rate lasts
    LOAD_SEED=1        what is uploaded
    LOAD_THINKING_S=10 how long one of the people who look reads a case, on average
    BASE=<commit>      measures an earlier commit first
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / name) for name in ("backend/tests", "parsers/tests")]

from load_expected import PARTS, said
from load_inputs import Upload, uploads
from load_people import PATIENCE_S, Done, Person, Tally, Uploads, Viewers, settled
from load_server import ROOT, Server, State, paths, server
from postgresql_cluster import NoPostgresqlError, new_database, scratch_cluster

SECONDS = float(os.environ.get("LOAD_SECONDS", "120"))
SEED = int(os.environ.get("LOAD_SEED", "1"))
A_SECOND, BURST = 5, 50
WARM = 100
"""Before memory is measured: until so many were given and looked at, the server still makes what it keeps for good."""
VIEWERS, UPLOADERS = 20, 60
QUIET_S = 120.0
"""How long what was started for a case may stay after the last question."""
MORE_MIB = 64.0
"""Growth that is no leak: what the allocator keeps, by threads."""


def row(title: str, said: str) -> None:
    print(f"  {title:<46}{said}", flush=True)


def times(done: Sequence[Done]) -> str:
    seconds = sorted(d.seconds for d in done if d.upload.sound and d.seconds is not None)
    if len(seconds) < 2:
        return "too few"
    p95 = statistics.quantiles(seconds, n=20, method="inclusive")[-1]
    return f"p50 {statistics.median(seconds):6.3f} s   p95 {p95:6.3f} s   most {seconds[-1]:6.3f} s"


def load(packages: Path, folder: Path, database: str | None) -> bool:
    """Whether nothing was lost, wrong or left behind."""
    steady = int(SECONDS * A_SECOND)
    given = list(uploads(WARM + steady + BURST, SEED))
    tally = Tally()
    with server(packages, folder, database) as running:
        samples = running.stored_files()
        viewers = Viewers(running.port, tally, VIEWERS, UPLOADERS)
        viewers.start()
        warm = _given(running, tally, given[:WARM], 0.2)
        viewers.stop()
        before = _quiet(running, None)
        viewers, tally.looks = Viewers(running.port, tally, VIEWERS, UPLOADERS), 0
        viewers.start()
        start, cpu_s = time.monotonic(), time.process_time()
        at_rate = _given(running, tally, given[WARM : WARM + steady], 1 / A_SECOND)
        at_once = _given(running, tally, given[WARM + steady :], 0.0)
        seconds, cpu_s = time.monotonic() - start, time.process_time() - cpu_s
        viewers.stop()
        after = _quiet(running, before)
        done = [*warm, *at_rate, *at_once]
        _print_times(at_rate, at_once, tally, seconds, cpu_s)
        sound = _print_answers(packages, folder, running, done, samples)
        return _print_left(before, after, running) and sound


def _given(running: Server, tally: Tally, given: Sequence[Upload], each_s: float) -> list[Done]:
    giving = Uploads(running.port, tally, UPLOADERS)
    giving.run(given, each_s)
    return giving.done


def _quiet(running: Server, before: State | None) -> State:
    """When nothing is left to do; as soon as no more processes run than `before`, else after `QUIET_S`."""
    deadline = time.monotonic() + (QUIET_S if before else 5.0)
    while time.monotonic() < deadline and not (before and running.state().processes <= before.processes):
        time.sleep(1.0)
    return running.state()


def _print_times(at_rate: Sequence[Done], at_once: Sequence[Done], tally: Tally, seconds: float, cpu_s: float) -> None:
    bad = sum(not d.upload.sound for d in (*at_rate, *at_once))
    row("given", f"{len(at_rate)} at {A_SECOND} a second, then {len(at_once)} at once; {bad} damaged or hostile")
    row("meanwhile", f"{VIEWERS} people, {tally.looks / seconds:.1f} cases looked at a second, each three requests")
    row("upload to diagnosis, steady, sound ones", times(at_rate))
    row("upload to diagnosis, burst, sound ones", times(at_once))
    row("processors used by this program itself", f"{cpu_s / seconds:.2f}")
    refused = {status: count for status, count in sorted(tally.statuses.items()) if status >= 400}
    row("answers", f"{tally.statuses.total()}; refused or failed: {refused or 'none'}")
    row("connections that broke", str(dict(tally.failures) or "none"))


def _print_answers(packages: Path, folder: Path, running: Server, done: Sequence[Done], samples: int) -> bool:
    person = Person(running.port, 0, Tally())
    accepted = [d for d in done if d.case_id is not None]
    lost = [d for d in accepted if person.ask("HEAD", f"sources/{d.sha256}")[0] != 200]
    late = [d for d in accepted if d.seconds is None]
    never = [d for d in late if settled(person.ask("GET", f"cases/{d.case_id}")[1]) is None]
    unread = Counter(d.status for d in done if d.upload.sound and d.status != "ready" and d not in late)
    compared = [d for d in done if d.upload.sound and d.status == "ready"]
    wrong = _wrong(packages, folder, person, compared)
    row("not accepted", str(dict(Counter(d.status for d in done if d.case_id is None)) or "none"))
    row("lost", str(len(lost)))
    row(f"settled after more than {PATIENCE_S:.0f} s", str(len(late) - len(never)))
    row("never settled", f"{len(never)} ({sum(d.upload.sound for d in never)} of them sound)")
    row("sound ones that were not read", str(dict(unread) or "none"))
    row("wrong", f"{len(wrong)} of {len(compared)} compared {', '.join(wrong[:5])}".rstrip())
    files = running.stored_files() - samples - len({d.sha256 for d in accepted})
    row("files stored without need", str(files))
    person.close()
    return not (lost or never or unread or wrong or files)


def _wrong(packages: Path, folder: Path, person: Person, done: Sequence[Done]) -> list[str]:
    """The names of those whose diagnosis is not what the log by itself gets."""
    logs = folder / "logs"
    logs.mkdir()
    for one in done:
        (logs / one.upload.name).write_bytes(one.upload.data)
    asked = [sys.executable, str(ROOT / "bench" / "load_expected.py"), str(logs)]
    found = subprocess.run(asked, env={**os.environ, **paths(packages)}, stdout=subprocess.PIPE, check=True)
    expected: dict[str, list[object]] = json.loads(found.stdout)
    wrong = []
    for one in done:
        status, content = person.ask("GET", f"cases/{one.case_id}")
        document = json.loads(content)["document"] if status == 200 else None
        answered = said(document) if document else [None] * len(PARTS)
        differ = [part for part, a, b in zip(PARTS, answered, expected[one.upload.name], strict=True) if a != b]
        if differ:
            wrong.append(f"{one.upload.name} ({', '.join(differ)}; it says: {answered[0]})")
    return wrong


def _print_left(before: State, after: State, running: Server) -> bool:
    def change(name: str, unit: str = "") -> str:
        return f"{getattr(before, name):.0f} → {getattr(after, name):.0f}{unit}"

    row("processes", change("processes"))
    row("memory of them all", change("memory_mib", " MiB"))
    row("descriptors of the server", change("descriptors"))
    row("files in the scratch folder", change("scratch_files"))
    alive = running.process.poll() is None
    if not alive:
        row("the server", f"ended with {running.process.returncode}")
    leaked = (
        after.processes > before.processes
        or after.memory_mib > before.memory_mib + MORE_MIB
        or after.scratch_files > before.scratch_files
    )
    return alive and not leaked


@contextmanager
def checkout(commit: str | None) -> Iterator[Path]:
    if commit is None:
        yield ROOT
        return
    with tempfile.TemporaryDirectory(prefix="iotriage-load-base-") as folder:
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", folder, commit], cwd=ROOT, check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", folder], cwd=ROOT, check=True)


def on_both_databases(packages: Path, what: str) -> bool:
    fine = True
    with tempfile.TemporaryDirectory(prefix="iotriage-load-") as name:
        print(f"{what}, SQLite")
        fine &= load(packages, Path(name), None)
    try:
        with (
            scratch_cluster() as cluster,
            new_database(cluster.url) as url,
            tempfile.TemporaryDirectory(prefix="iotriage-load-") as name,
        ):
            print(f"{what}, PostgreSQL")
            fine &= load(packages, Path(name), url)
    except NoPostgresqlError as reason:
        print(f"{what}, PostgreSQL: left out, {reason}")
    return fine


def main() -> None:
    base = os.environ.get("BASE")
    if base is not None:
        with checkout(base) as packages:
            on_both_databases(packages, base)
    sys.exit(0 if on_both_databases(ROOT, "this checkout") else 1)


if __name__ == "__main__":
    main()
