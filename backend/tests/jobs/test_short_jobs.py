"""Short runs and short steps: start-up is said and not grave, and the program is the one whose ranks are shown."""

from __future__ import annotations

import pytest
from described import KIB, Part, Work, document

from iotriage.analysis.document import Finding


def imports(ranks: int, seconds: float) -> tuple[Part, ...]:
    """600 modules that every rank reads."""
    each = seconds / 600
    name = "/sw/python/lib/python3.11/site-packages/pkg/m{:03}.py"
    return tuple(
        Part(name.format(k), range(ranks), reads=2, size=4 * KIB, read_s=0.3 * each, meta_s=0.7 * each, stats=2)
        for k in range(600)
    )


def found(rule: str, *parts: Part, ranks: int, runtime_s: float) -> Finding:
    case = document(Work(parts, nprocs=ranks, runtime_s=runtime_s, program="/sw/bin/python3 run.py"))
    return next(f for f in case.findings if isinstance(f, Finding) and f.rule == rule and f.verdict == "triggered")


@pytest.mark.parametrize(("ranks", "seconds"), [(8, 3.0), (64, 300.0)])
def test_start_up_is_paid_once_a_run_and_is_not_grave(ranks: int, seconds: float) -> None:
    said = found("import-storm", *imports(ranks, seconds), ranks=ranks, runtime_s=2 * seconds)
    assert (said.severity, said.takes_s) == ("medium", pytest.approx(seconds, rel=0.01))


def test_the_program_of_several_steps_is_that_whose_ranks_are_shown() -> None:
    steps = [
        Work((Part(f"/scratch/{name}", range(ranks), writes=64, write_s=2.0),), ranks, seconds, program=f"/sw/{name}")
        for name, ranks, seconds in (("prepare", 4, 30.0), ("solve", 512, 300.0), ("plot", 1, 40.0))
    ]
    job = document(*steps).job
    assert (job.executable, job.nprocs, job.runtime_s) == ("/sw/solve", 512, 370.0)


@pytest.mark.parametrize(
    ("part", "runtime_s", "headline"),
    [
        # 400 KB in 5,000 opens of the first rank.
        (Part("/scratch/h", range(1), "STDIO", writes=5000, size=80, opens=5000, meta_s=99.0), 400, "reopened-files"),
        (Part("/scratch/h.dat", range(1), "STDIO", writes=50, size=80, opens=50, meta_s=0.5), 4, None),
        (Part("/scratch/n.nml", range(128), "STDIO", reads=1, size=900, read_s=90.0, reach=900), 300, "stdio-reread"),
        (Part("/scratch/n.nml", range(128), "STDIO", reads=1, size=900, read_s=3.0), 300, "io-not-the-bottleneck"),
    ],
    ids=["opened again", "a few times", "a line of all", "a line of all at once"],
)  # fmt: skip
def test_few_bytes_that_take_much_of_the_run_matter(part: Part, runtime_s: float, headline: str | None) -> None:
    found = document(Work((part,), nprocs=128, runtime_s=runtime_s, nodes=2)).headline
    matters = headline in ("reopened-files", "stdio-reread")
    assert (found.rule, found.severity in ("medium", "high")) == (headline, matters)
