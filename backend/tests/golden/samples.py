"""The sample folders: `sample-logs/<format>/<case>/`, each the sources of one case and what we say about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

SAMPLE_LOGS = Path(__file__).resolve().parents[3] / "sample-logs"
SAID = ("evidence.json", "metrics.json", "findings.json")
NOT_SOURCES = {"origin.md", *SAID}


@dataclass(frozen=True, slots=True)
class Case:
    """`format` is the id of the reader whose samples these are; `sources` are in the order of their names."""

    format: str
    name: str
    folder: Path
    sources: tuple[Path, ...]

    def __str__(self) -> str:
        return f"{self.format}/{self.name}"

    def golden_file(self, which: str) -> Path:
        """The file that holds what we say: one of `SAID`."""
        return self.folder / which


@cache
def cases() -> tuple[Case, ...]:
    """Every sample, in the order of format and name."""
    folders = sorted(origin.parent for origin in SAMPLE_LOGS.glob("*/*/origin.md"))
    return tuple(
        Case(
            folder.parent.name,
            folder.name,
            folder,
            tuple(sorted(f for f in folder.iterdir() if f.name not in NOT_SOURCES)),
        )
        for folder in folders
    )


def case(name: str) -> Case:
    """The sample of this name ("mpich_stats/rmw-and-gaps"); a Darshan sample by its name or number alone ("06")."""
    return next(c for c in cases() if name in (str(c), c.name) or str(c).startswith(f"darshan_log/{name}-"))
