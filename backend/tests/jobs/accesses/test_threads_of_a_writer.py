"""Several threads of one process write at the same time: what holds of their calls is said, with their seconds."""

from __future__ import annotations

import pytest
from described import KIB, Part, Work, document, seconds_of


def writers(threads: int, processes: int) -> Work:
    """Each thread of the first process writes a file of its own to the end of the run."""
    parts = tuple(
        Part(f"/scratch/out/part-{i}.dat", range(1), writes=100_000, size=4 * KIB, write_s=85.0, osts=(i,),
             begins_s=2.0 + 0.1 * i)
        for i in range(threads)
    )  # fmt: skip
    return Work(parts, processes, 100.0, nodes=1 if processes == 1 else 2)


@pytest.mark.parametrize("threads", [2, 8, 32])
@pytest.mark.parametrize(("processes", "rule"), [(1, "small-io"), (64, "serial-io")])
def test_threads_are_told_of_and_silence_nothing(threads: int, processes: int, rule: str) -> None:
    work = writers(threads, processes)
    found = document(work)
    assert found.headline.rule == rule
    assert seconds_of(work)[rule] == pytest.approx(86.0, rel=0.05)
    held = {f.rule for f in found.findings if f.verdict == "triggered"}
    assert "calls-side-by-side" in held
    assert "impossible-times" not in held
