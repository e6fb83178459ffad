"""How much of a source was read, in a word or a few."""

from __future__ import annotations

from iotriage.analysis.document import SourceReport


def how_read(source: SourceReport) -> str:
    return "left out: of another job" if source.of_another_job else source.status
