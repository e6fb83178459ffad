"""Which jobs are drawn, with which faults, how strong.

A faultless job is what remains when every cure that the catalogue knows has been tried on a drawn one, and taken where
it saved 5 %: more stripes, larger calls, more aggregators. In four of five the I/O matters: 15 to 60 % of the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

import numpy as np

from .faults import FAULTS, Fault, Part, Slot
from .jobs import Input, Job, Output, Pattern, TextLog, program_of, with_output
from .laws import LUSTRES, GiB, Laws, MiB, perturbed
from .running import run

RANKS, PER_NODE = (64, 96, 128, 256, 384), (16, 32)
IO_SECONDS = (25.0, 60.0)
IO_SHARE = (0.15, 0.6)
FAULT_IO_SECONDS, FAULT_IO_SHARE = (40.0, 400.0), (0.25, 0.75)
FAULT_SHARE = (0.12, 0.5)
"""Of a run with a fault that is added to its I/O: what the fault shall take."""
ENOUGH = 0.10
"""Faults that cost less of the run are not counted."""
CURE_SAVES = 0.05
Kind = Literal["faultless", "known", "unknown", "two"]
KINDS: tuple[Kind, ...] = ("faultless", "known", "unknown", "two")


@dataclass(frozen=True)
class Drawn:
    """A job, its faults, and for each what it costs: the run's seconds less those of the same job without it."""

    name: str
    kind: Kind
    job: Job
    faults: Sequence[Fault]
    cost_s: Sequence[float]
    wall_s: float


STRENGTHS = (0.1, 4.0)


def wall_of(job: Job) -> float:
    return run(program_of(job)).wall_s


def base_job(rng: np.random.Generator, seed: int, how: str = "", pattern: Pattern | None = None) -> Job:
    """A job whose I/O nobody would change, with time to compute between its steps."""
    laws = perturbed(LUSTRES[int(rng.integers(len(LUSTRES)))], how)
    ranks, per_node = int(rng.choice(RANKS)), int(rng.choice(PER_NODE))
    kind = pattern or cast(
        Pattern, str(rng.choice(["own", "collective", "shared", "subfile"], p=[0.3, 0.4, 0.15, 0.15]))
    )
    job = Job(
        laws,
        ranks,
        per_node,
        int(rng.integers(4, 9)),
        0.0,
        _output(rng, kind, laws, ranks, per_node),
        seed=seed,
        with_heatmap=bool(rng.random() < 0.7),
        with_layouts=bool(rng.random() < 0.8),
    )
    if rng.random() < 0.35:
        job = replace(job, input=Input(ranks * int(rng.integers(64, 512)) * MiB, 4 * MiB, stripes=laws.osts))
    if rng.random() < 0.3:
        job = replace(job, log=TextLog(int(rng.integers(20, 200))))
    return _cured(_scaled(job, float(rng.uniform(*IO_SECONDS))))


def _output(rng: np.random.Generator, kind: Pattern, laws: Laws, ranks: int, per_node: int) -> Output:
    nodes = -(-ranks // per_node)
    extension = str(rng.choice(["dat", "h5", "nc"])) if kind == "collective" else "dat"
    stripe = int(rng.choice([8, 16])) * MiB
    if kind == "own":
        return Output(kind, GiB, int(rng.choice([4, 8, 16])) * MiB)
    if kind == "subfile":
        return Output(kind, GiB, stripe, stripes=1, stripe_size=stripe)
    if kind == "shared":
        return Output(
            kind, GiB, stripe, laws.osts, stripe, mpi=bool(rng.integers(2)), interleaved=bool(rng.integers(2))
        )
    return Output(kind, GiB, stripe, laws.osts, stripe, extension=extension, aggregators=min(laws.osts, 2 * nodes))


def _io_s(job: Job) -> float:
    """The seconds of the run in which the job does not compute."""
    return wall_of(replace(job, compute_s=0.0))


def _scaled(job: Job, seconds: float) -> Job:
    """With as much output that its I/O takes so long, as far as whole calls allow."""
    for _ in range(2):
        factor = seconds / _io_s(job)
        calls = max(1, min(600, round(job.output.bytes_per_rank * factor / job.output.transfer)))
        job = with_output(job, bytes_per_rank=calls * job.output.transfer)
    return job


def _with_compute(job: Job, share: float) -> Job:
    return replace(job, compute_s=_io_s(job) * (1 / share - 1) / job.steps)


def _cures(job: Job) -> Iterator[Job]:
    given = job.output
    if given.pattern in ("collective", "shared") and given.stripes < job.laws.osts:
        yield with_output(job, stripes=job.laws.osts)
    if given.pattern == "collective":
        number = given.aggregators or min(job.nodes, given.stripes)
        if 2 * number <= min(given.stripes, job.ranks):
            yield with_output(job, aggregators=2 * number)
        yield with_output(job, aggregators=max(1, number // 2))
    if given.bytes_per_rank % (2 * given.transfer) == 0:
        larger = 2 * given.transfer
        yield with_output(
            job, transfer=larger, stripe_size=max(given.stripe_size, larger) if given.pattern != "own" else MiB
        )
    if given.pattern == "subfile" and given.stripes < 4:
        yield with_output(job, stripes=4)


def _cured(job: Job) -> Job:
    for _ in range(2):
        now = _io_s(job)
        better = [(seconds, cure) for cure in _cures(job) if (seconds := _io_s(cure)) < now * (1 - CURE_SAVES)]
        if not better:
            return job
        job = min(better, key=lambda pair: pair[0])[1]
    return job


def faultless(rng: np.random.Generator, seed: int, index: int, how: str) -> Drawn:
    job = base_job(rng, seed, how)
    share = float(rng.uniform(*IO_SHARE)) if index % 5 else float(rng.uniform(0.01, 0.05))
    job = _with_compute(job, share)
    return Drawn(f"faultless-{index:03d}", "faultless", job, (), (), wall_of(job))


def _with_part(job: Job, slot: Slot, part: Part) -> Job:
    return replace(job, **{slot: part})  # type: ignore[arg-type]


def _faulty(rng: np.random.Generator, job: Job, fault: Fault) -> tuple[Job, Part]:
    """The job with the fault, strong enough to be counted, and the part that it would have without."""
    seed = int(rng.integers(1 << 30))
    structural = fault.slot == "output"
    wanted_s = float(np.exp(rng.uniform(*np.log(FAULT_IO_SECONDS))))
    wanted_share = float(rng.uniform(*FAULT_SHARE))
    share = float(rng.uniform(*(FAULT_IO_SHARE if structural else IO_SHARE)))
    if not structural and job.compute_s == 0:
        job = _with_compute(job, share)
    strength = 1.0
    for _ in range(4):
        with_part, clean = fault.pair(job, np.random.default_rng(seed), strength)
        faulty = _with_part(job, fault.slot, with_part)
        if structural:
            ratio = wanted_s / _io_s(faulty)
        else:
            lost, wall = wall_of(faulty) - wall_of(_with_part(job, fault.slot, clean)), wall_of(faulty)
            ratio = wanted_share / (1 - wanted_share) * (wall - lost) / max(lost, 1e-6 * wall)
        if 0.8 < ratio < 1.25:
            break
        strength *= min(64.0, max(1 / 64, ratio))
    with_part, clean = fault.pair(job, np.random.default_rng(seed), strength)
    faulty = _with_part(job, fault.slot, with_part)
    return (_with_compute(faulty, share) if structural and job.compute_s == 0 else faulty), clean


def _base_for(rng: np.random.Generator, seed: int, faults: Sequence[Fault], how: str) -> Job | None:
    patterns: tuple[Pattern | None, ...] = (None, "collective", "own")
    for pattern in patterns:
        for _ in range(3):
            job = base_job(rng, seed, how, pattern)
            if all(fault.fits(job) for fault in faults):
                return job
    return None


def with_faults(rng: np.random.Generator, seed: int, index: int, faults: Sequence[Fault], how: str) -> Drawn | None:
    """One job with the faults; None where no job fits them or one costs less than counts."""
    job = _base_for(rng, seed, faults, how)
    if job is None:
        return None
    cleans: list[tuple[Slot, Part]] = []
    for fault in sorted(faults, key=lambda f: f.slot != "output"):
        job, clean = _faulty(rng, job, fault)
        cleans.append((fault.slot, clean))
    ordered = sorted(faults, key=lambda f: f.slot != "output")
    wall = wall_of(job)
    cost = [wall - wall_of(_with_part(job, slot, part)) for slot, part in cleans]
    if min(cost) < ENOUGH * wall:
        return None
    kind: Kind = "two" if len(faults) == 2 else "known" if ordered[0].known else "unknown"
    name = "+".join(fault.id for fault in ordered)
    return Drawn(f"{name}-{index:03d}", kind, job, ordered, cost, wall)


def many(seed: int) -> Iterator[Job]:
    """Jobs without end, for what needs many logs and no truth: a base, then it with each fault that fits, as strong as
    it comes."""
    rng = np.random.default_rng(seed)
    while True:
        base = base_job(rng, int(rng.integers(1 << 30)))
        yield base
        for fault in FAULTS:
            if fault.fits(base):
                faulty, _ = fault.pair(base, rng, float(np.exp(rng.uniform(*np.log(STRENGTHS)))))
                yield _with_part(base, fault.slot, faulty)


@dataclass(frozen=True)
class Plan:
    """One draw to be made; any process can make it."""

    seed: int
    kind: Kind
    index: int
    held_out: bool = False
    how: str = ""


def plans(seed: int, numbers: Mapping[Kind, int], *, held_out: bool = False, how: str = "") -> list[Plan]:
    """So many of each kind. Held out: the families kept from development instead of the others, from other seeds."""
    return [Plan(seed, kind, index, held_out, how) for kind, number in numbers.items() for index in range(number)]


def drawn(plan: Plan) -> Drawn | None:
    """The job of a plan; None where eight tries gave none with faults that cost enough."""
    catalogue = [fault for fault in FAULTS if fault.held_out == plan.held_out]
    fitting = [fault for fault in catalogue if fault.known == (plan.kind != "unknown")]
    start = (plan.seed, 1_000_003 if plan.held_out else 1, KINDS.index(plan.kind), plan.index)
    for attempt in range(8):
        rng = np.random.default_rng([*start, attempt])
        job_seed = int(rng.integers(1 << 30))
        if plan.kind == "faultless":
            return faultless(rng, job_seed, plan.index, plan.how)
        one = with_faults(rng, job_seed, plan.index, _faults(rng, plan.kind, fitting, plan.index), plan.how)
        if one is not None:
            return one
    return None


def _faults(rng: np.random.Generator, kind: Kind, fitting: Sequence[Fault], turn: int) -> list[Fault]:
    """Each fault in turn, so that rare ones come too; two never replace the same part."""
    first = fitting[turn % len(fitting)]
    if kind != "two":
        return [first]
    others = [fault for fault in fitting if fault.slot != first.slot]
    return [first, others[int(rng.integers(len(others)))]]
