"""The run sets of `sample-logs/run-sets.toml`: samples that belong together."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

from sample_documents import document_of
from samples import SAMPLE_LOGS, case

from iotriage.analysis.run_sets.comparison import Comparison, compare


@dataclass(frozen=True, slots=True)
class SampleRunSet:
    title: str
    cases: tuple[str, ...]
    kind: str
    triggered: frozenset[str]
    clear: frozenset[str]

    def __str__(self) -> str:
        return self.title

    def compared(self) -> Comparison:
        """The comparison of its cases, in their order."""
        return compare([(name, document_of(case(name).sources)) for name in self.cases])


def run_sets() -> tuple[SampleRunSet, ...]:
    """Every run set, in the order of the file."""
    said = tomllib.loads((SAMPLE_LOGS / "run-sets.toml").read_text(encoding="utf-8"))
    return tuple(
        SampleRunSet(s["title"], tuple(s["cases"]), s["kind"], frozenset(s["triggered"]), frozenset(s["clear"]))
        for s in said["run_set"]
    )
