"""Which mutant a seed makes: of the project's own samples, small and sound ones."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Final, Literal

from mutants import archives, darshan, texts

Family = Literal["darshan", "texts", "archives"]
FAMILIES: Final[tuple[Family, ...]] = ("darshan", "texts", "archives")

_SAMPLES: Final = Path(__file__).resolve().parents[3] / "sample-logs"
_SAID: Final = frozenset({"origin.md", "evidence.json", "metrics.json", "findings.json"})
_LARGEST_BYTES: Final = 60_000


def _sources() -> list[Path]:
    return sorted(p for p in _SAMPLES.glob("*/*/*") if p.is_file() and p.name not in _SAID and p.parts[-3] != "src")


@cache
def logs() -> tuple[bytes, ...]:
    """The Darshan samples that are small and sound."""
    found = []
    for path in _sources():
        data = path.read_bytes() if path.parts[-3] == "darshan_log" else b""
        try:
            darshan.sound(data)
        except darshan.UnsoundError:
            continue
        if len(data) <= _LARGEST_BYTES:
            found.append(data)
    return tuple(found)


@cache
def samples_of_text() -> tuple[bytes, ...]:
    """The samples of all texts that are small."""
    every = [path.read_bytes() for path in _sources() if path.parts[-3] != "darshan_log"]
    return tuple(data for data in every if 0 < len(data) <= _LARGEST_BYTES)


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
