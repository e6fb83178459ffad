"""Faults: each replaces one part of a job by a worse one, and knows the part as it would be without the fault.

`rules` are the diagnoses that name the fault as far as a log's evidence allows; what the catalogue cannot name has
none, and `also` has what is true of the job all the same. `told_by` are those that ask for the stripes of the files,
"unexplained" for what nothing explains: where the log lists none, they name the fault too, since the answer tells it.
In each theme one family is held out of development.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from .jobs import AT_HOME, Input, Job, Output, SmallFiles, TextLog, program_of
from .laws import GiB, KiB, MiB
from .programs import Weather

CALLS = 60_000
"""Calls that cannot be said as a run of equal ones, at most of one job: what keeps a draw at seconds."""
Slot = Literal["output", "input", "small", "log", "weather", "late_s"]
Part = Output | Input | SmallFiles | TextLog | Weather | float | None
Pair = tuple[Part, Part]
"""The part with the fault and without it, moving the same data."""


@dataclass(frozen=True)
class Fault:
    """`pair(job, rng, strength)`: more strength, more seconds lost."""

    id: str
    theme: str
    slot: Slot
    pair: Callable[[Job, np.random.Generator, float], Pair]
    rules: frozenset[str] = frozenset()
    also: frozenset[str] = frozenset()
    fits: Callable[[Job], bool] = lambda job: True  # noqa: ARG005
    held_out: bool = False
    told_by: frozenset[str] = frozenset()

    @property
    def known(self) -> bool:
        return bool(self.rules)


def _volume(given: Output, strength: float) -> Output:
    pieces = max(1, round(given.bytes_per_rank * strength / given.transfer))
    return replace(given, bytes_per_rank=pieces * given.transfer)


def _pick(rng: np.random.Generator, values: Sequence[int]) -> int:
    return int(values[int(rng.integers(len(values)))])


def _is_collective(job: Job) -> bool:
    return job.output.pattern == "collective"


def _has_own_files(job: Job) -> bool:
    return job.output.pattern == "own"


def _calls(job: Job) -> int:
    """How many calls of each rank at each step are simulated one by one, at most."""
    return max(1, min(200, CALLS // (job.ranks * job.steps)))


def _whole(given: Output, unit: int) -> Output:
    """With a volume for each rank that the unit divides."""
    return replace(given, bytes_per_rank=max(unit, given.bytes_per_rank // unit * unit))


def small_pieces(job: Job, rng: np.random.Generator, strength: float) -> Pair:
    clean = _whole(_volume(job.output, strength / 16), job.output.transfer)
    size = _pick(rng, (4096, 8000, 16_384, 24_576, 47_008, 65_536))
    faulty = replace(clean, pattern="shared", transfer=size, interleaved=True, mpi=bool(rng.integers(2)), piece=0)
    return faulty, clean


def shifted(job: Job, rng: np.random.Generator, strength: float) -> Pair:
    clean = replace(
        _volume(job.output, strength / 4),
        pattern="shared",
        transfer=MiB,
        stripe_size=MiB,
        interleaved=True,
        mpi=bool(rng.integers(2)),
        piece=0,
    )
    return replace(clean, shift=_pick(rng, (512, 2048, 96_000, 4096))), clean


def alone(job: Job, rng: np.random.Generator, strength: float) -> Pair:  # noqa: ARG001
    clean = _volume(job.output, strength / 8)
    return replace(clean, pattern="serial", transfer=MiB, piece=0, stripes=min(clean.stripes, 8)), clean


def one_aggregator(job: Job, rng: np.random.Generator, strength: float) -> Pair:  # noqa: ARG001
    clean = _volume(job.output, strength / 4)
    return replace(clean, aggregators=1), clean


def buffering_off(job: Job, rng: np.random.Generator, strength: float) -> Pair:
    piece = _pick(rng, (8 * KiB, 32 * KiB, 48_000, 64 * KiB))
    clean = replace(job.output, piece=piece, transfer=16 * piece)
    clean = replace(clean, bytes_per_rank=clean.transfer * max(1, min(_calls(job) // 16, round(strength))))
    return replace(clean, buffering="disable"), clean


def holes(job: Job, rng: np.random.Generator, strength: float) -> Pair:
    piece = _pick(rng, (32 * KiB, 64 * KiB))
    clean = replace(job.output, piece=piece, transfer=64 * piece)
    clean = replace(clean, bytes_per_rank=clean.transfer * max(1, round(6 * strength)))
    return replace(clean, hole=piece * job.ranks // _pick(rng, (4, 8))), clean


def heavy_first_rank(job: Job, rng: np.random.Generator, strength: float) -> Pair:
    factor = _pick(rng, (6, 10, 20))
    clean = _volume(job.output, strength * (job.ranks + factor) / job.ranks)
    return replace(_volume(job.output, strength), first_rank_factor=factor), clean


def reopened(job: Job, rng: np.random.Generator, strength: float) -> Pair:
    size = _pick(rng, (32 * KiB, 64 * KiB))
    clean = replace(job.output, transfer=size, bytes_per_rank=size * max(1, min(_calls(job), round(20 * strength))))
    return replace(clean, reopen_each=True), clean


def synced(job: Job, rng: np.random.Generator, strength: float) -> Pair:
    size = _pick(rng, (64 * KiB, 128 * KiB, 256 * KiB))
    clean = replace(job.output, transfer=size, bytes_per_rank=size * max(1, min(_calls(job), round(20 * strength))))
    return replace(clean, sync_each=True), clean


def library_metadata(job: Job, rng: np.random.Generator, strength: float) -> Pair:  # noqa: ARG001
    clean = replace(job.output, extension="h5")
    return replace(clean, metadata_reads=max(1, round(400 * strength))), clean


def one_stripe(job: Job, rng: np.random.Generator, strength: float) -> Pair:  # noqa: ARG001
    clean = _volume(job.output, strength / 8)
    return replace(clean, stripes=1), clean


def output_at_home(job: Job, rng: np.random.Generator, strength: float) -> Pair:  # noqa: ARG001
    clean = _volume(job.output, strength / 16)
    return replace(clean, system=AT_HOME, stripes=1), clean


def everybody_reads(job: Job, rng: np.random.Generator, strength: float) -> Pair:  # noqa: ARG001
    whole = Input(max(64 * MiB, round(strength * 2 * GiB) // MiB * MiB), MiB, stripes=_pick(rng, (1, 4)))
    return replace(whole, everybody=True), whole


def read_again(job: Job, rng: np.random.Generator, strength: float) -> Pair:
    whole = Input(job.nodes * 30 * GiB, 4 * MiB, stripes=job.laws.osts)
    return replace(whole, passes=1 + max(1, round(_pick(rng, (3, 5)) * strength))), whole


def random_reads(job: Job, rng: np.random.Generator, strength: float) -> Pair:
    size = _pick(rng, (4 * KiB, 16 * KiB, 32 * KiB))
    number = max(100, min(2 * CALLS // job.ranks, round(1000 * strength)))
    faulty = Input(size * number * job.ranks, size, stripes=16, random=True)
    return faulty, replace(faulty, random=False)


def streams_read_again(job: Job, rng: np.random.Generator, strength: float) -> Pair:
    whole = Input(job.ranks * GiB, 64 * KiB, stripes=16, by_stdio=True)
    return replace(whole, passes=1 + max(1, round(_pick(rng, (8, 16)) * strength))), whole


def _files(job: Job, limit: int = 12_000) -> int:
    return max(4, limit // job.ranks)


def many_files(job: Job, rng: np.random.Generator, strength: float) -> Pair:
    return SmallFiles(_files(job), _pick(rng, (2, 8, 64)) * KiB, rounds=max(1, round(strength))), None


def striped_files(job: Job, rng: np.random.Generator, strength: float) -> Pair:
    faulty = SmallFiles(
        max(1, min(_files(job), round(20 * strength))), _pick(rng, (16, 32)) * MiB, stripes=job.laws.osts, name="member"
    )
    return faulty, replace(faulty, stripes=1)


def striped_small_files(job: Job, rng: np.random.Generator, strength: float) -> Pair:
    faulty = SmallFiles(
        max(1, min(_files(job), round(20 * strength))), _pick(rng, (4, 16, 256)) * KiB, stripes=job.laws.osts
    )
    return faulty, replace(faulty, stripes=1)


def stat_storm(job: Job, rng: np.random.Generator, strength: float) -> Pair:  # noqa: ARG001
    return SmallFiles(
        4, 64 * KiB, shared=True, stats_each=round(500 * strength), name="lock", extension="txt"
    ), SmallFiles(4, 64 * KiB, shared=True, name="lock", extension="txt")


def imports(job: Job, rng: np.random.Generator, strength: float) -> Pair:
    number = min(400, CALLS // job.ranks)
    size = _pick(rng, (6, 20)) * KiB
    return SmallFiles(
        number, size, shared=True, stats_each=round(8 * strength), name="site-packages/module", extension="py"
    ), None


def small_files_at_home(job: Job, rng: np.random.Generator, strength: float) -> Pair:
    faulty = SmallFiles(max(1, min(_files(job), round(20 * strength))), _pick(rng, (8, 64)) * KiB, system=AT_HOME)
    return faulty, replace(faulty, system=0)


def flushed_lines(job: Job, rng: np.random.Generator, strength: float) -> Pair:  # noqa: ARG001
    faulty = TextLog(max(100, round(200_000 * strength)), flushed=True)
    return faulty, replace(faulty, flushed=False)


def slow_ost(job: Job, rng: np.random.Generator, strength: float) -> Pair:
    """One of the OSTs on which the output lies."""
    program = program_of(replace(job, weather=Weather()))
    used = next(file for file in program.files if f"/{job.output.name}." in file.path)
    ost = (used.first_ost + int(rng.integers(used.stripes))) % job.laws.osts
    return Weather(slow_osts={ost: 1 + 6 * strength}), Weather()


def busy_storage(job: Job, rng: np.random.Generator, strength: float) -> Pair:  # noqa: ARG001
    return Weather(storage=1 + 2 * strength), Weather()


def slow_clients(job: Job, rng: np.random.Generator, strength: float) -> Pair:  # noqa: ARG001
    return Weather(clients=1 + 3 * strength), Weather()


def slow_exchange(job: Job, rng: np.random.Generator, strength: float) -> Pair:  # noqa: ARG001
    return Weather(exchange=1 + 8 * strength), Weather()


def slow_node(job: Job, rng: np.random.Generator, strength: float) -> Pair:
    return Weather(slow_nodes={int(rng.integers(job.nodes)): 1 + 8 * strength}), Weather()


def stalls(job: Job, rng: np.random.Generator, strength: float) -> Pair:  # noqa: ARG001
    return Weather(stall_s=4 * strength), Weather()


def late_ranks(job: Job, rng: np.random.Generator, strength: float) -> Pair:  # noqa: ARG001
    return 6.0 * strength, 0.0


def _few(job: Job) -> bool:
    return job.ranks <= 128


def _one_class(*rules: str) -> frozenset[str]:
    return frozenset(rules)


_LOCKS = _one_class("independent-shared", "small-io", "lock-contention", "misaligned-io")
_SLOW_PART = _one_class("slow-ost", "straggler-rank")
_METADATA = _one_class("metadata-bound", "fpp-many-files", "many-small-files", "reopened-files")
_WAITING = _one_class("collective-overhead", "data-send-bound", "wait-for-coll")

FAULTS: tuple[Fault, ...] = (
    Fault("small-pieces", "access", "output", small_pieces, _LOCKS, fits=_is_collective),
    Fault("shifted", "access", "output", shifted, _LOCKS, fits=_is_collective),
    Fault("everybody-reads", "access", "input", everybody_reads, _one_class("redundant-reads")),
    Fault("read-again", "access", "input", read_again, _one_class("rereads", "redundant-reads")),
    Fault(
        "random-reads",
        "access",
        "input",
        random_reads,
        _one_class("random-access", "small-io"),
        fits=_few,
        held_out=True,
    ),
    Fault("alone", "collective", "output", alone, _one_class("serial-io"), fits=_is_collective),
    Fault(
        "one-aggregator",
        "collective",
        "output",
        one_aggregator,
        _one_class("single-aggregator", "few-aggregators"),
        fits=_is_collective,
    ),
    Fault(
        "buffering-off",
        "collective",
        "output",
        buffering_off,
        _one_class("collective-disabled", "read-modify-write"),
        fits=_is_collective,
    ),
    Fault("holes", "collective", "output", holes, _one_class("read-modify-write", "write-gaps"), fits=_is_collective),
    Fault(
        "heavy-first-rank",
        "collective",
        "output",
        heavy_first_rank,
        _one_class("straggler-rank", "uneven-files"),
        fits=_has_own_files,
        held_out=True,
    ),
    Fault("many-files", "metadata", "small", many_files, _METADATA),
    Fault(
        "reopened", "metadata", "output", reopened, _one_class("reopened-files", "metadata-bound"), fits=_has_own_files
    ),
    Fault("synced", "metadata", "output", synced, _one_class("sync-heavy"), fits=_has_own_files),
    Fault(
        "library-metadata",
        "metadata",
        "output",
        library_metadata,
        _one_class("hdf5-independent-metadata"),
        fits=_is_collective,
    ),
    Fault("imports", "metadata", "small", imports, _one_class("import-storm", "metadata-bound"), fits=_few),
    Fault("stat-storm", "metadata", "small", stat_storm, _one_class("metadata-bound"), held_out=True),
    Fault("flushed-lines", "streams", "log", flushed_lines, _one_class("stdio-heavy", "sync-heavy")),
    Fault(
        "streams-read-again",
        "streams",
        "input",
        streams_read_again,
        _one_class("stdio-reread", "rereads"),
        held_out=True,
    ),
    Fault(
        "one-stripe",
        "striping",
        "output",
        one_stripe,
        _one_class("ssf-understriped"),
        fits=_is_collective,
        told_by=_one_class("unexplained"),
    ),
    Fault(
        "striped-files",
        "striping",
        "small",
        striped_files,
        _one_class("fpp-striped", "overstriped-small"),
        told_by=_one_class("many-small-files", "metadata-bound", "too-many-files-per-directory"),
    ),
    Fault("slow-ost", "striping", "weather", slow_ost, _SLOW_PART),
    Fault(
        "striped-small-files",
        "striping",
        "small",
        striped_small_files,
        _one_class("fpp-striped", "overstriped-small"),
        told_by=_one_class("many-small-files", "metadata-bound", "too-many-files-per-directory"),
        held_out=True,
    ),
    Fault("output-at-home", "placement", "output", output_at_home, _one_class("wrong-filesystem"), fits=_has_own_files),
    Fault(
        "small-files-at-home",
        "placement",
        "small",
        small_files_at_home,
        _one_class("wrong-filesystem"),
        also=_METADATA,
        held_out=True,
    ),
    Fault("busy-storage", "unknown", "weather", busy_storage, also=_one_class("below-expectation")),
    Fault("slow-clients", "unknown", "weather", slow_clients, also=_one_class("below-expectation")),
    Fault("slow-exchange", "unknown", "weather", slow_exchange, also=_WAITING, fits=_is_collective),
    Fault("slow-node", "unknown", "weather", slow_node, also=_SLOW_PART | _WAITING),
    Fault("late-ranks", "unknown", "late_s", late_ranks, also=_WAITING | _SLOW_PART, fits=_is_collective),
    Fault("stalls", "unknown", "weather", stalls, also=_WAITING, held_out=True),
)

NEUTRAL = frozenset(
    {"below-expectation", "io-not-the-bottleneck", "partial-evidence", "impossible-times", "unexplained"}
)
"""What names no cause: beside an unknown fault they are no error."""
