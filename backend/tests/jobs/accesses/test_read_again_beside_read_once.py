"""Small groups of files that are read again, beside as many that are read once: together neither would be seen."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Work, document, osts, seconds_of

RANKS = range(64)
NAMES = ("alpha", "beta", "gamma", "delta", "zeta", "eta", "theta", "iota", "kappa", "mu", "nu", "xi")


def tables(once: int, thrice: int) -> Work:
    """Ranks read their parts of these tables, of the last ones three times over."""

    def table(name: str, times: int) -> Part:
        return Part(
            f"/scratch/in/{name}.dat", RANKS, reads=20 * times, size=4 * MIB, read_s=3.0 * times,
            reach=64 * 20 * 4 * MIB, osts=osts(4),
        )  # fmt: skip

    parts = (table(name, 1 if i < once else 3) for i, name in enumerate(NAMES[: once + thrice]))
    return Work(tuple(parts), nprocs=64, runtime_s=150, nodes=4)


@pytest.mark.parametrize(("once", "thrice"), [(0, 6), (6, 6), (9, 3)])
def test_what_is_read_again_is_named_with_its_seconds_alone(once: int, thrice: int) -> None:
    assert "read 3 times" in document(tables(once, thrice)).headline.sentence
    assert seconds_of(tables(once, thrice))["redundant-reads"] == pytest.approx(2 / 3 * 9 * thrice, rel=0.02)


def test_what_is_read_once_is_not() -> None:
    assert "redundant-reads" not in seconds_of(tables(12, 0))


@pytest.mark.parametrize("layer", ["STDIO", "POSIX"])
@pytest.mark.parametrize("ranks", [1, 8])
def test_one_process_is_no_rank_beside_others(layer: str, ranks: int) -> None:
    again = Part("/scratch/in/t{}.txt", range(ranks), layer, reads=12_000, size=4 * KIB, read_s=60.0, reach=4 * MIB)
    found = document(Work((again,), ranks, 200.0, nodes=1))
    (finding,) = (
        f for f in found.findings if f.verdict == "triggered" and f.rule in ("stdio-reread", "redundant-reads")
    )
    assert (finding.headline or "").startswith("The process reads") is (ranks == 1)
    assert any("each rank" in one.text for one in finding.advice) is (ranks > 1)
