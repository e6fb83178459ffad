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
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "parsers/tests"), str(ROOT / "backend/tests/golden")]

from mutants.drawn import FAMILIES, Family, mutant  # noqa: E402
from mutants.judged import Answer, answer_of, second_opinion  # noqa: E402

from iotriage.analysis.engine import diagnose  # noqa: E402
from iotriage.analysis.inputs import ReadSource  # noqa: E402
from iotriage.api.embedded import case_without_store, embedded_answers  # noqa: E402
from iotriage.digests import with_digests  # noqa: E402
from iotriage.reports.formats import FORMATS  # noqa: E402
from iotriage.reports.page import as_page  # noqa: E402
from iotriage.reports.terminal import as_text  # noqa: E402
from iotriage_parsers import detect  # noqa: E402
from iotriage_parsers.evidence import Archive, Evidence, Failure  # noqa: E402

ALLOWED_S = 2.0
ALLOWED_S_PER_MIB = 0.5
STOPPED_AFTER_S = 30.0
MEMORY_BYTES = 3 * 2**30
BATCH = 200
MADE_AT = datetime(2026, 1, 1, tzinfo=UTC)


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


def tried(family: Family, seed: str, report: bool) -> Outcome:
    """What came of one mutant."""
    data = mutant(family, seed)
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, STOPPED_AFTER_S)
    try:
        found = detect.read_or_unpack(io.BytesIO(data))
        spent = time.process_time() - start
        if report:
            _reported(data, found)
    except (Exception, StoppedError):
        return Outcome(None, None, time.process_time() - start, len(data), report, traceback.format_exc(limit=-4))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    answer = answer_of(found)
    agrees, size = second_opinion(family, data, found, answer)
    wrong = None
    if agrees is False:
        wrong = "complete, and the second decoder disagrees"
    elif spent > ALLOWED_S + ALLOWED_S_PER_MIB * size / 2**20:
        wrong = f"{spent:.1f} s of CPU"
    return Outcome(answer, agrees, spent, size, report, wrong)


def _reported(data: bytes, found: Evidence | Archive | Failure) -> None:
    digest = hashlib.sha256(data).hexdigest()
    document = with_digests(diagnose([ReadSource("mutant", digest, len(data), found)], None))
    as_text(document)
    for form in FORMATS.values():
        form.write(document)
    as_page(ROOT / "frontend/dist", "mutant", embedded_answers(case_without_store(document, "mutant", MADE_AT)))


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    signal.signal(signal.SIGPROF, _stop)


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise StoppedError


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
    for family in FAMILIES:
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
