"""Jobs of which opens take most of the time: of the same files by all ranks, of many by one, of few that are slow."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Work, above_info, collective, document, osts, own, uneven

from iotriage.analysis.document import Finding
from iotriage.reports.sections.clear_rules import clear_rules

DECKS_OF_ALL = Work(
    tuple(
        Part(
            f"/scratch/case/conf/part{k}.in",
            range(4096),
            reads=2,
            size=4096,
            read_s=0.02,
            meta_s=2.1,
            stats=30,
            reach=8 * KIB,
        )
        for k in range(12)
    ),
    nprocs=4096,
    runtime_s=120,
    nodes=32,
)

TWO_SYSTEMS = Work(
    (
        *collective("/scratch/run/field.h5", range(128), range(0, 128, 8), 38.0, osts(16)),
        *(
            Part(f"/proj/p1/obs/{{}}/s{k:03}.dat", range(128), writes=1, size=2 * KIB, write_s=0.06, meta_s=9.9)
            for k in range(20)
        ),
    ),
    nprocs=128,
    runtime_s=300,
    nodes=2,
    mounts=(("/scratch", "lustre"), ("/proj", "gpfs"), ("/home", "nfs")),
)

SLOW_METADATA_SERVER = Work(
    (
        Part(
            "/scratch/ck/part.{}",
            range(64),
            writes=25,
            size=8 * MIB,
            write_s=0.6,
            meta_s=uneven(64, 40.0),
            osts=own(64),
        ),
    ),
    nprocs=64,
    runtime_s=90,
    nodes=2,
)

HEADERS_OF_ALL = Work(
    tuple(
        Part(f"/scratch/parts/p{k:03}.hdr", range(128), reads=1, size=4 * KIB, read_s=0.05, meta_s=0.28, reach=4 * KIB)
        for k in range(128)
    ),
    nprocs=128,
    runtime_s=60,
    nodes=2,
)

TINY_INPUTS = Work(
    tuple(
        Part(f"/gpfs/data/in/{k:05}.xml", range(1), reads=1, size=3 * KIB, read_s=0.004, meta_s=0.03, stats=3)
        for k in range(5000)
    ),
    nprocs=1,
    runtime_s=260,
    program="/usr/bin/perl",
    mounts=(("/gpfs", "gpfs"), ("/home", "gpfs")),
)

JOBS: dict[str, tuple[Work, set[str], set[str]]] = {
    "twelve decks opened by 4,096 ranks": (DECKS_OF_ALL, {"metadata-bound"}, {"import-storm", "many-small-files"}),
    "two file systems": (TWO_SYSTEMS, {"many-small-files"}, {"wrong-filesystem", "ssf-understriped"}),
    "slow opens": (SLOW_METADATA_SERVER, set(), {"many-small-files", "serial-io"}),
    "all read all headers": (HEADERS_OF_ALL, {"metadata-bound"}, {"serial-io", "straggler-rank"}),
    "tiny inputs of a script": (TINY_INPUTS, {"many-small-files"}, {"serial-io", "straggler-rank"}),
}


@pytest.mark.parametrize(("work", "must", "must_not"), JOBS.values(), ids=JOBS)
def test_what_is_said_and_what_is_not(work: Work, must: set[str], must_not: set[str]) -> None:
    said = above_info(document(work))
    assert must <= set(said)
    assert not must_not & set(said)


def the(rule: str, work: Work) -> Finding:
    return next(f for f in document(work).findings if f.rule == rule and f.verdict == "triggered")


def advised(rule: str, work: Work) -> str:
    return " ".join(f"{one.text} {one.command or ''}" for one in the(rule, work).advice)


def test_what_each_rank_opens_once_is_not_told_to_stay_open() -> None:
    for work in (DECKS_OF_ALL, HEADERS_OF_ALL):
        assert "keep it open" not in advised("metadata-bound", work)
        assert "Let one rank read each of these files" in advised("metadata-bound", work)
    assert "keep it open" not in advised("metadata-bound", TWO_SYSTEMS)


def test_where_metadata_takes_the_time_is_named_beside_other_io() -> None:
    assert "below /proj/p1/obs" in the("metadata-bound", TWO_SYSTEMS).summary
    assert "below" not in the("metadata-bound", TINY_INPUTS).summary


def test_slow_opens_of_few_files_are_not_explained_and_not_called_fine() -> None:
    found = document(SLOW_METADATA_SERVER)
    assert "the metadata server is slow" in (found.headline.action or "")
    fine = clear_rules(found.findings) or ""
    assert "metadata takes little" not in fine
