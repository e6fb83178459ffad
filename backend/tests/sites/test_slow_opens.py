"""Opens of a job held against what its centre measured with mdtest and IO500: where that accuses, where it may not."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from darshan_writer import Counters, Job, Log, build, record_id

from iotriage.analysis.document import CaseDocument, Finding
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.sites.measured_profile import NewSite, profile_of
from iotriage_parsers.detect import read, read_or_unpack
from iotriage_parsers.evidence import Evidence
from iotriage_parsers.reader import Limits

RANKS, FILES = 8, 130
SLOW_S = 0.02
RESULT = (Path(__file__).parents[3] / "sample-logs/io500/summary-and-result/result.txt").read_text()
READ = """
[mdtest-easy-read]
exe = ./mdtest -n 1000000 -u -L -F -P -N {others} -d /scratch/fjord/auser/io500/mdtest-easy -E -a POSIX
score = {rate:.6f}
"""

Measured = Callable[..., None]


def result(rate: float, processes: int = RANKS, directories: str = "-u ", also: str = "") -> str:
    """A run that created files at `rate` thousand a second: RANKS of them take 80 µs for one each at 100."""
    text = RESULT.replace("procs           = 640", f"procs           = {processes}").replace("-u ", directories)
    return text.replace("score           = 100.000000", f"score           = {rate:.6f}").replace(
        "\n[SCORE]", f"{also}\n[SCORE]"
    )


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Measured:
    """Makes the profile of the centre of these results."""

    def write(*texts: str) -> None:
        found = [(f"{i}.txt", read_or_unpack(BytesIO(text.encode()), Limits())) for i, text in enumerate(texts)]
        results = [(name, one) for name, one in found if isinstance(one, Evidence)]
        (tmp_path / "fjord.toml").write_text(profile_of("fjord", results, "2026-11-22", NewSite()).toml)

    monkeypatch.setenv("IOTRIAGE_SITES", str(tmp_path))
    return write


def job(
    *,
    seconds: float = SLOW_S,
    written: int = 1000,
    read_bytes: int = 0,
    seeks: int = 0,
    directory: str = "r{rank}/",
    ranks: int = RANKS,
    files: int = FILES,
    shared: bool = False,
) -> CaseDocument:
    """A job that opens `files` files a rank, which takes `seconds` each."""
    names, rows = {}, []
    for rank in range(ranks):
        for i in range(files):
            path = f"/scratch/fjord/auser/run/{directory.format(rank=rank)}out.{i if shared else rank * files + i}"
            names[record_id(path)] = path
            rows.append(
                {
                    "id": record_id(path),
                    "rank": rank,
                    "POSIX_OPENS": 1,
                    "POSIX_SEEKS": seeks,
                    "POSIX_WRITES": int(written > 0),
                    "POSIX_READS": int(read_bytes > 0),
                    "POSIX_BYTES_WRITTEN": written,
                    "POSIX_BYTES_READ": read_bytes,
                    "POSIX_F_META_TIME": seconds,
                    "POSIX_F_WRITE_TIME": 0.0001,
                }
            )
    log = Log(
        job=Job(nprocs=RANKS, start_s=1_760_000_000, end_s=1_760_000_010, mounts=(("/scratch", "lustre"),)),
        names=names,
        modules=(Counters.of("POSIX", *rows),),
    )
    data = build(log)
    return diagnose([ReadSource("job.darshan", "0" * 64, len(data), read(BytesIO(data)))], "fjord")


def verdict(document: CaseDocument) -> str:
    """Of the rule on the job's files; "silent" where no finding stands."""
    found = [f for f in document.findings if f.rule == "slow-opens"]
    return found[0].verdict if found else "silent"


def finding(document: CaseDocument) -> Finding:
    (found,) = (f for f in document.findings if f.rule == "slow-opens")
    return found


def test_opens_slower_than_the_centre_measured_are_named(measured: Measured) -> None:
    measured(result(100), result(90))
    found = finding(job())
    assert found.verdict == "triggered"
    assert found.says is not None
    assert "20.0 ms each" in found.says.summary
    assert "created in 80.0 µs each" in found.says.summary
    assert "0.4 % of the measured rate" in found.says.summary


def test_as_fast_as_measured_is_said_to_be_fine(measured: Measured) -> None:
    measured(result(100), result(90))
    assert verdict(job(seconds=0.0001)) == "clear"
    assert verdict(job(seconds=0.00017)) == "triggered", "below half the rate, which is the threshold"


def test_quartiles_decide_where_there_are_enough_runs(measured: Measured) -> None:
    measured(*(result(rate) for rate in (100, 90, 60, 20, 10)))
    assert verdict(job(seconds=8 / 20_000 * 0.9)) == "clear", "above the lower quartile of 20,000/s"
    assert verdict(job(seconds=8 / 20_000 * 1.1)) == "triggered"


DECIDE_NOTHING = {
    "one result": ((result(100),), {}),
    "another scale": ((result(100, 640), result(90, 640)), {}),
    "one directory measured, one for each rank used": ((result(100, directories=""), result(90, directories="")), {}),
    "one for each rank measured, one directory used": ((result(100), result(90)), {"directory": ""}),
    "files that are written and read": ((result(100), result(90)), {"read_bytes": 10}),
    "files that are read, of which only creating was measured": (
        (result(100), result(90)),
        {"written": 0, "read_bytes": 10},
    ),
    "reading that may be of a node's memory": (
        (result(100, also=READ.format(others=0, rate=900)), result(90, also=READ.format(others=0, rate=800))),
        {"written": 0, "read_bytes": 10},
    ),
    "seeks, whose time is in it": ((result(100), result(90)), {"seeks": 1000}),
    "large files, whose closes wait for data": ((result(100), result(90)), {"written": 2**24}),
    "few files": ((result(100), result(90)), {"files": 10}),
    "half of the ranks": ((result(100), result(90)), {"ranks": 4}),
    "files that several ranks open": ((result(100), result(90)), {"directory": "", "shared": True}),
}


@pytest.mark.parametrize(("results", "given"), DECIDE_NOTHING.values(), ids=DECIDE_NOTHING)
def test_what_was_not_measured_so_decides_nothing(measured: Measured, results, given) -> None:
    measured(*results)
    assert verdict(job(**given)) in ("silent", "not_applicable")


def test_between_two_measured_scales_it_is_interpolated(measured: Measured) -> None:
    measured(*(result(rate, n) for n in (4, 16) for rate in (100, 90)))
    assert verdict(job()) == "triggered"
    assert verdict(job(seconds=0.0001)) == "clear"
