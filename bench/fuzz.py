"""Reads mutants of the samples, seeds from the clock, and prints a table of what came of them.

    python bench/fuzz.py [--seed N] [--darshan N] [--texts N] [--archives N] [--reports N] [--keep FOLDER]

What must hold of each: no exception; at most `ALLOWED_S` of CPU and `ALLOWED_S_PER_MIB` for each MiB that it inflates
to; no more memory than `MEMORY_BYTES`; not complete where the second decoder of `parsers/tests/mutants` finds something
wrong, and the same records where both find nothing. One in `--reports` goes through the diagnosis to every form of
report. What fails is kept in a folder, and makes the exit code 1.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import multiprocessing
import random
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Literal

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "parsers/tests"), str(ROOT / "backend/tests/golden")]

from mutants import archives, darshan, texts  # noqa: E402
from samples import cases  # noqa: E402

from iotriage.analysis.engine import diagnose  # noqa: E402
from iotriage.analysis.inputs import GivenSource  # noqa: E402
from iotriage.api.exported import answers, case_without_store  # noqa: E402
from iotriage.digests import with_digests  # noqa: E402
from iotriage.reports.formats import FORMATS  # noqa: E402
from iotriage.reports.page import as_page  # noqa: E402
from iotriage.reports.terminal import as_text  # noqa: E402
from iotriage_parsers import detect  # noqa: E402
from iotriage_parsers.evidence import Archive, DarshanLog, Evidence, Failure  # noqa: E402

Family = Literal["darshan", "texts", "archives"]
Answer = Literal["refused", "damage named", "complete"]

ALLOWED_S = 2.0
ALLOWED_S_PER_MIB = 0.5
STOPPED_AFTER_S = 30.0
MEMORY_BYTES = 3 * 2**30
BATCH = 200
LARGEST_SEED_BYTES = 60_000
MADE_AT = datetime(2026, 1, 1, tzinfo=UTC)
ROWS = {1: "posix", 2: "mpiio", 9: "stdio"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of one mutant. `agrees` is None where no second decoder knows the format."""

    answer: Answer | None
    agrees: bool | None
    cpu_s: float
    inflated_bytes: int
    reported: bool
    wrong: str | None = None


class StoppedError(BaseException):
    """It took longer than anything may."""


@cache
def logs() -> tuple[bytes, ...]:
    """The Darshan samples that are small and sound."""
    found = []
    for case in cases():
        for path in case.sources if case.format == "darshan_log" else ():
            data = path.read_bytes()
            try:
                darshan.sound(data)
            except darshan.UnsoundError:
                continue
            if len(data) <= LARGEST_SEED_BYTES:
                found.append(data)
    return tuple(found)


@cache
def samples_of_text() -> tuple[bytes, ...]:
    """The samples of all texts that are small."""
    every = [path.read_bytes() for case in cases() for path in case.sources if case.format != "darshan_log"]
    return tuple(data for data in every if 0 < len(data) <= LARGEST_SEED_BYTES)


def mutant(family: Family, seed: str) -> bytes:
    """The bytes that this seed makes."""
    chance = random.Random(seed)
    if family == "darshan":
        return darshan.mutant(chance.choice(logs()), chance)[0]
    if family == "texts":
        data, other = chance.choices(samples_of_text(), k=2)
        return texts.mutant(data, other, chance)
    files = {f"run/{i}.err": data for i, data in enumerate(chance.sample(samples_of_text(), 3))}
    files["run/a.darshan"] = chance.choice(logs())
    kind = chance.choice(archives.KINDS)
    return archives.mutant(archives.packed(files, kind), kind, chance)


def tried(family: Family, seed: str, report: bool) -> Outcome:
    """What came of one mutant."""
    data = mutant(family, seed)
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, STOPPED_AFTER_S)
    try:
        found = detect.read_given(io.BytesIO(data))
        spent = time.process_time() - start
        if report:
            _reported(data, found)
    except (Exception, StoppedError):
        return Outcome(None, None, time.process_time() - start, len(data), report, traceback.format_exc(limit=-4))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    answer = _answer(found)
    agrees, size = _second_opinion(family, data, found, answer)
    wrong = None
    if agrees is False:
        wrong = "complete, and the second decoder disagrees"
    elif spent > ALLOWED_S + ALLOWED_S_PER_MIB * size / 2**20:
        wrong = f"{spent:.1f} s of CPU"
    return Outcome(answer, agrees, spent, size, report, wrong)


def _reported(data: bytes, found: Evidence | Archive | Failure) -> None:
    digest = hashlib.sha256(data).hexdigest()
    document = with_digests(diagnose([GivenSource("mutant", digest, len(data), found)], None))
    as_text(document)
    for form in FORMATS.values():
        form.write(document)
    as_page(ROOT / "frontend/dist", "mutant", answers(case_without_store(document, "mutant", MADE_AT)))


def _answer(found: Evidence | Archive | Failure) -> Answer:
    if isinstance(found, Failure):
        return "refused"
    if isinstance(found, Evidence):
        return "complete" if found.status == "complete" else "damage named"
    lost = found.left_out is not None or any(not member.sha256 for member in found.members)
    named = [p for m in found.members if isinstance(m.outcome, Evidence) for p in m.outcome.problems]
    doubted = any(p.message.startswith(("in the archive", "the gzip data", "the bzip2 data")) for p in named)
    return "damage named" if lost or doubted else "complete"


def _second_opinion(
    family: Family, data: bytes, found: Evidence | Archive | Failure, answer: Answer
) -> tuple[bool | None, int]:
    """Whether a second decoder agrees that all is there, None where it has no say; and the size inflated."""
    if family == "texts":
        return None, len(data)
    if family == "archives":
        size = sum(m.size_bytes for m in found.members) if isinstance(found, Archive) else len(data)
        if answer != "complete" or not isinstance(found, Archive):
            return None, size
        try:
            return archives.whole(data) == sorted(m.sha256 for m in found.members), size
        except archives.UnsoundError:
            return False, size
    try:
        parts = darshan.apart(data)
        size = len(parts.job) + sum(len(region.data) for region in parts.regions)
    except darshan.UnsoundError:
        return (False if answer == "complete" else None), 2**20
    if answer != "complete" or not isinstance(found, Evidence):
        return None, size
    try:
        counted = darshan.sound(data)
    except darshan.UnsoundError:
        return False, size
    (log,) = found.of(DarshanLog)
    tables = {place: getattr(log, name) for place, name in ROWS.items() if place in counted}
    return all((0 if t is None else len(t)) == counted[place] for place, t in tables.items()), size


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def stop(signum: int, frame: FrameType | None) -> None:
        raise StoppedError

    signal.signal(signal.SIGPROF, stop)


def _batch(family: Family, seed: int, first: int, last: int, every: int) -> list[tuple[str, Outcome]]:
    names = [f"{seed} {family} {i}" for i in range(first, last)]
    return [(name, tried(family, name, (first + i) % every == 0)) for i, name in enumerate(names)]


def outcomes(family: Family, seed: int, many: int, every: int, workers: int) -> Iterator[tuple[str, Outcome]]:
    """All of them, as they come. A process that dies ends it with BrokenProcessPool."""
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, spawned, _limited) as pool:
        starts = range(0, many, BATCH)
        asked = [pool.submit(_batch, family, seed, at, min(many, at + BATCH), every) for at in starts]
        for batch in asked:
            yield from batch.result()


def row(*cells: object) -> None:
    print("".join(f"{cell!s:>14}" if i else f"{cell!s:<12}" for i, cell in enumerate(cells)), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--darshan", type=int, default=20_000)
    parser.add_argument("--texts", type=int, default=10_000)
    parser.add_argument("--archives", type=int, default=10_000)
    parser.add_argument("--reports", type=int, default=10, help="one in so many goes through to the reports")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, default=ROOT / ".fuzz")
    asked = parser.parse_args()
    print(f"seed {asked.seed}; {ALLOWED_S:g} s of CPU and {ALLOWED_S_PER_MIB:g} s a MiB inflated allowed", flush=True)
    row("", "mutants", "refused", "damage named", "complete", "agree", "reported", "wrong", "slowest s CPU")
    bad = 0
    families: tuple[Family, ...] = ("darshan", "texts", "archives")
    for family in families:
        found: Counter[str] = Counter()
        agree = reported = wrong = 0
        slowest = 0.0
        for name, outcome in outcomes(family, asked.seed, getattr(asked, family), asked.reports, asked.workers):
            found[outcome.answer or "nothing"] += 1
            agree += outcome.agrees is True
            reported += outcome.reported
            slowest = max(slowest, outcome.cpu_s)
            if outcome.wrong is not None:
                wrong += 1
                asked.keep.mkdir(exist_ok=True)
                (asked.keep / name.replace(" ", "-")).write_bytes(mutant(family, name))
                print(f"{name}: {outcome.wrong}", file=sys.stderr, flush=True)
        counts = [found[a] for a in ("refused", "damage named", "complete")]
        row(
            family, sum(found.values()), *counts, "-" if family == "texts" else agree, reported, wrong, f"{slowest:.2f}"
        )
        bad += wrong
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
