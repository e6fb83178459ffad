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


LINES = "/scratch/lines.csv"
ADDED = Part(LINES, range(1), writes=3000, size=15, opens=3000, write_s=12.4, meta_s=0.1)
FORCED_OUT = Part(LINES, range(1), writes=4000, size=31, write_s=17.2)
WITH_LARGER_MODULES = tuple(
    Part(f"/sw/lib/python3.11/site-packages/{name}.pyc", range(1), reads=2, size=200 * KIB, read_s=0.001, begins_s=0.1)
    for name in (chr(97 + i) + chr(97 + j) for i in range(8) for j in range(8))
)


@pytest.mark.parametrize(
    ("parts", "headline", "says"),
    [
        ((FORCED_OUT,), "small-io", "emptied after each record"),
        ((ADDED,), "reopened-files", "Open the file once"),
        ((*WITH_LARGER_MODULES, ADDED), "reopened-files", "Open the file once"),
        ((Part(LINES, range(1), "STDIO", writes=1500, size=12, opens=1500, meta_s=11.0),), "reopened-files", "stream"),
        ((Part("/scratch/rows.h5", range(1), writes=4000, size=200, write_s=17.2),), "small-io", "Do not flush"),
        (
            (Part("/scratch/t.nc", range(1), writes=4000, size=200, write_s=17.2, in_order=0.0, forward=0.0),),
            "random-access",
            "Do not sync",
        ),
    ],
    ids=["flushed", "added", "behind modules", "streams", "rows of HDF5", "synced netCDF"],
)
def test_lines_that_a_process_writes_one_by_one_take_most_of_its_run(
    parts: tuple[Part, ...], headline: str, says: str
) -> None:
    case = document(Work(parts, nprocs=1, runtime_s=18.0, program="/usr/bin/python3 steps.py"))
    assert (case.headline.rule, case.headline.severity in ("medium", "high")) == (headline, True)
    (found,) = (f for f in case.findings if isinstance(f, Finding) and f.rule == headline and f.verdict == "triggered")
    assert says in found.says.advice[0].text


MODULES = imports(1, 0.6)


@pytest.mark.parametrize(
    ("program", "parts", "rule", "says"),
    [
        # As many bytes of the index are read at once as are written in lines.
        (
            "/sw/bin/bwa mem ref.fa r.fq",
            (
                Part("/scratch/ref.fa.bwt", range(1), "STDIO", reads=30, size=700 * KIB, read_s=0.2),
                Part("/scratch/out.sam", range(1), "STDIO", writes=50_000, size=400, write_s=38.0),
            ),
            "stdio-heavy",
            "into samtools sort",
        ),
        (
            "/sw/bin/bwa mem ref.fa r.fq",
            (
                Part("/scratch/ref.fa.bwt", range(1), "STDIO", reads=30_000, size=700, read_s=38.0),
                Part("/scratch/out.sam", range(1), "STDIO", writes=100, size=400 * KIB, write_s=0.2),
            ),
            "stdio-heavy",
            "each start reads the whole index",
        ),
        (
            "/usr/bin/python3 load.py",
            (Part("/scratch/rows.db", range(1), writes=6000, size=4 * KIB, write_s=22.0, syncs=4),),
            "small-io",
            "in few transactions already",
        ),
        (
            "/usr/bin/python3 load.py",
            (*MODULES, *(Part(f"/scratch/r{i}.joblib", range(1), writes=2, meta_s=0.05, stats=2) for i in range(500))),
            "metadata-bound",
            "Write fewer files",
        ),
        (
            "/usr/bin/python3 steps.py",
            (
                *MODULES,
                Part("/scratch/state.tmp", range(1), writes=900, opens=900, stats=900, meta_s=20.0, write_s=8.0),
            ),
            "metadata-bound",
            "Open each file once",
        ),
    ],
    ids=["lines of SAM", "an index", "one transaction", "written beside modules", "one state beside modules"],
)
def test_advice_is_about_what_takes_the_time(program: str, parts: tuple[Part, ...], rule: str, says: str) -> None:
    case = document(Work(parts, nprocs=1, runtime_s=45.0, program=program))
    (said,) = (f for f in case.findings if isinstance(f, Finding) and f.rule == rule and f.verdict == "triggered")
    assert says in " ".join(one.text for one in said.says.advice)
