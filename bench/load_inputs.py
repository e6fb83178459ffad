"""What `make load` uploads: logs that differ from one another, one in ten damaged or hostile; all below 100 kB."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import material
import numpy as np
from darshan_writer import Counters, Job, Log, build, record_id

SAMPLES = Path(__file__).resolve().parents[1] / "sample-logs"
LARGEST_BYTES = 100_000
MOST_FILES = 200
BOMB_BYTES = 32 * 2**20
TEXTS = ("mpich_stats", "mpich_hints", "mpich_timers", "darshan_parser_text")
SOUND_DARSHAN, SOUND_TEXT = 0.6, 0.3
"""Shares of all; the rest is bad."""


@dataclass(frozen=True, slots=True)
class Upload:
    name: str
    data: bytes
    sound: bool


def uploads(count: int, seed: int) -> Iterator[Upload]:
    """`count` of them, none like another; the same for the same seed."""
    draw = random.Random(seed)
    rows = _rows()
    texts = _texts()
    bad = _bad(draw, rows)
    for number in range(count):
        kind = number % 10 / 10
        if kind < SOUND_DARSHAN:
            yield Upload(f"job{number}.darshan", darshan(draw, rows, 500_000 + number), True)
        elif kind < SOUND_DARSHAN + SOUND_TEXT:
            yield Upload(f"job{number}.err", b" step %09d done\n" % number + draw.choice(texts), True)
        else:
            yield Upload(f"bad{number}.darshan", next(bad) + b"%d" % number, False)


Rows = dict[str, tuple[np.ndarray, np.ndarray]]


def _rows() -> Rows:
    """The counters of real records, by module."""
    tables = {name: [t for log in material.REAL_LOGS for t in material.tables(log, name)] for name in material.MODULES}
    return {
        name: (np.concatenate([t.ints for t in found]), np.concatenate([t.floats for t in found]))
        for name, found in tables.items()
    }


def darshan(draw: random.Random, rows: Rows, job_id: int) -> bytes:
    """A log of real records under names, ranks and times of its own."""
    files = draw.randint(1, MOST_FILES)
    names = [f"/scratch/proj{draw.randrange(100)}/run{job_id}/part.{number:05d}" for number in range(files)]
    ids = np.array([record_id(name) for name in names], np.uint64)
    modules = []
    for name, (ints, floats) in rows.items():
        chosen = [draw.randrange(len(ints)) for _ in names]
        modules.append(Counters(name, ids, np.arange(files) % 64, ints[chosen], floats[chosen], material.MODULES[name]))
    named = {int(number): name for number, name in zip(ids, names, strict=True)}
    return build(Log(job=Job(nprocs=64, job_id=job_id, exe=f"./sim{job_id} in.nml"), names=named, modules=modules))


def _texts() -> list[bytes]:
    found = [path for kind in TEXTS for path in sorted(SAMPLES.glob(f"{kind}/*/*.txt"))]
    return [path.read_bytes() for path in found if path.stat().st_size < LARGEST_BYTES]


def _bad(draw: random.Random, rows: Rows) -> Iterator[bytes]:
    """In turn: cut, flipped, nothing but noise, a compressed bomb, and text that no encoding can say."""

    def cut() -> bytes:
        whole = darshan(draw, rows, draw.randrange(10**6))
        return whole[: draw.randrange(1, len(whole))]

    def flipped() -> bytes:
        whole = bytearray(darshan(draw, rows, draw.randrange(10**6)))
        for _ in range(8):
            whole[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        return bytes(whole)

    kinds: tuple[Callable[[], bytes], ...] = (
        cut,
        flipped,
        lambda: draw.randbytes(draw.randrange(1, 50_000)),
        lambda: gzip.compress(bytes(BOMB_BYTES), 9, mtime=draw.randrange(2**31)),
        lambda: _surrogate(draw),
    )
    while True:
        yield from (make() for make in kinds)


def _surrogate(draw: random.Random) -> bytes:
    """Output of IOR whose command line holds half of a character."""
    path = min(SAMPLES.glob("ior/*/ior-*.json"))
    said = json.loads(path.read_text())
    said["Command line"] = f"ior -o /scratch/{draw.randrange(10**9)}/\ud800"
    return json.dumps(said).encode()
