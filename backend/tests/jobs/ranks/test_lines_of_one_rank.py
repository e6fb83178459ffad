"""One rank writes line by line, beside a file that all write fast: that is the cause, and its slowness the symptom."""

from __future__ import annotations

import pytest
from described import MIB, Part, Work, document, osts

from iotriage.analysis.document import CaseDocument

RANKS = range(64)
FAST = (
    Part("/scratch/f.dat", RANKS, "MPI-IO", writes=100, size=4 * MIB, write_s=3.0, collective=True),
    Part("/scratch/f.dat", range(0, 64, 8), writes=800, size=4 * MIB, write_s=2.5, in_order=0.2, osts=osts(16)),
)


def beside(calls: int, size: int, *, longest_s: float | None = 0.5, took_s: float = 200.0) -> CaseDocument:
    log = Part("/scratch/log.txt", range(1), writes=calls, size=size, write_s=took_s, longest_s=longest_s)
    return document(Work((*FAST, log), nprocs=64, runtime_s=260, nodes=4))


@pytest.mark.parametrize(("way", "said"), [("writes", "Write state.txt less often"), ("reads", "Read state.txt once")])
def test_what_one_rank_goes_over_again_is_not_gathered(way: str, said: str) -> None:
    """Of 20 B nobody makes blocks, whichever finding tells of them."""
    state = Part("/scratch/state.txt", range(1), size=20, reach=20, **{way: 2000, f"{way[:-1]}_s": 200.0})  # type: ignore[arg-type]
    found = document(Work((*FAST, state), nprocs=64, runtime_s=260, nodes=4)).findings
    told = [
        (f.rule, f.advice[0].text) for f in found if f.rule in ("serial-io", "small-io") and f.verdict == "triggered"
    ]
    assert ("serial-io", f"{said}") in [(rule, text[: len(said)]) for rule, text in told]
    assert not any("1 MiB" in text for _, text in told)


def _explained(found: CaseDocument) -> dict[str, str | None]:
    return {f.rule: f.explained_by for f in found.findings if f.verdict == "triggered"}


@pytest.mark.parametrize("calls", [1000, 3000, 30_000])
@pytest.mark.parametrize("longest_s", [None, 0.5])
def test_many_lines_are_the_cause_however_slow_each_is(calls: int, longest_s: float | None) -> None:
    found = beside(calls, 100, longest_s=longest_s)
    assert found.headline.rule == "serial-io"
    assert found.headline.sentence.startswith(f"One rank alone makes {calls:,} calls of 100 B")
    assert _explained(found)["straggler-rank"] == "serial-io"
    leading = next(f for f in found.findings if f.rule == "serial-io")
    pieces = "blocks of 1 MiB or more" if calls * 100 > 2**20 else "few calls"
    assert leading.advice[0].text.startswith(f"Write log.txt in {pieces}: ")


@pytest.mark.parametrize(
    "found",
    [
        beside(999, 100),
        beside(3000, 100, longest_s=190.0),
        beside(30_000, 100, longest_s=190.0),
        beside(1000, MIB // 2),
    ],
    ids=["few", "one of them waits", "one of very many waits", "large ones on slow storage"],
)
def test_what_is_slow_for_another_reason_is_a_slow_rank(found: CaseDocument) -> None:
    assert found.headline.rule == "straggler-rank"
    assert "serial-io" not in _explained(found)


def test_the_calls_of_a_stream_are_not_those_that_it_makes_of_the_system() -> None:
    """400,000 lines of 100 B fill a buffer 9,766 times: these are waited for, and none of them has 100 B."""
    lines = Part("/scratch/log.txt", range(1), "STDIO", writes=400_000, size=100, write_s=200.0)
    said = document(Work((*FAST, lines), nprocs=64, runtime_s=260, nodes=4)).headline
    assert said.rule == "serial-io"
    assert said.sentence.startswith("One rank alone makes many calls of 100 B")


@pytest.mark.parametrize(("name", "least_s"), [("log.txt", 179.8), ("state.sqlite", None)])
def test_blocks_save_a_writer_of_lines_its_time_however_many_ranks_there_are(name: str, least_s: float | None) -> None:
    """All but what 95 MiB take at 500 MiB/s, and a tenth, of 200 s; nobody collects the pages of a database."""
    lines = Part(f"/scratch/{name}", range(1), writes=1_000_000, size=100, write_s=200.0)
    (mine,) = (f for f in document(Work((lines,), nprocs=4, runtime_s=300)).findings if f.rule == "serial-io")
    assert mine.could_save_at_least_s == (least_s and pytest.approx(least_s, abs=0.1))
