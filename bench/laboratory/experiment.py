"""One experiment: a drawn job run, its log written, read back by pydarshan, given to the product and judged."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from . import baseline
from .answers import Judged, judged
from .draws import Drawn, Plan, drawn
from .jobs import program_of
from .product import answer_of
from .readback import counters_of, differences
from .running import run
from .written import log_of, records_of


@dataclass(frozen=True)
class Outcome:
    judged: Judged
    baseline_leads: bool
    log_differs: Sequence[str]


def experiment(plan: Plan, keep: Path | None = None) -> Outcome | None:
    """None where nothing could be drawn. The log stays in `keep`, under its draw's name."""
    job = drawn(plan)
    if job is None:
        return None
    with TemporaryDirectory() as scratch:
        return outcome_of(job, keep or Path(scratch))


def outcome_of(job: Drawn, folder: Path) -> Outcome:
    ran = run(program_of(job.job))
    path = folder / f"{job.name}.darshan"
    path.write_bytes(log_of(ran))
    records = records_of(ran)
    differs = differences(records, [file.path for file in ran.program.files], counters_of(path))
    shared = [
        file.stripes
        for file in ran.program.files
        if file.path.endswith(f"/{job.job.output.name}.{job.job.output.extension}")
    ]
    simple = baseline.largest(records, shared[0] if shared else 0)
    costly = max(zip(job.cost_s, job.faults, strict=True), key=lambda pair: pair[0])[1] if job.faults else None
    wanted = costly.rules if costly is not None else frozenset()
    leads = bool(baseline.NAMES[simple] & wanted) if wanted else simple == "nothing"
    return Outcome(judged(job, answer_of(path)), leads, differs)


def experiments(plans: Sequence[Plan], keep: Path | None = None, processes: int | None = None) -> Iterator[Outcome]:
    """As they are done, several at once."""
    with ProcessPoolExecutor(processes or os.cpu_count()) as pool:
        for done in as_completed([pool.submit(experiment, plan, keep) for plan in plans]):
            outcome = done.result()
            if outcome is not None:
                yield outcome
