"""Files that a rank writes to read them again belong on the disk of its node; files that only look like them do not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from described import KIB, MIB, Part, Work, document

from iotriage.analysis.document import CaseDocument

ON_NFS = (("/scratch", "nfs"), ("/home", "nfs"))
ON_THE_NODE = (("/scratch", "xfs"), ("/home", "nfs"))

SMALL = Part(
    "/scratch/tmp/sort_{k}.tmp", range(1), writes=2, reads=2, size=10 * KIB, write_s=0.001, read_s=0.002, meta_s=0.02
)
PIECES = Part("/scratch/tmp/run.{k}.bam", range(1), writes=1024, reads=1024, size=64 * KIB, write_s=0.15, read_s=0.15)


def job(part: Part, files: int, runtime_s: float, mounts: tuple[tuple[str, str], ...] | None = None) -> Work:
    parts = tuple(
        replace(part, path=part.path.format(k=k), reach=max(part.writes, part.reads) * part.size) for k in range(files)
    )
    made = Work(parts, nprocs=1, runtime_s=runtime_s, nodes=1, program="/sw/bin/tool")
    return made if mounts is None else replace(made, mounts=mounts)


def told_of_the_node(found: CaseDocument, rule: str) -> bool:
    (one,) = (f for f in found.findings if f.rule == rule and f.verdict == "triggered")
    return one.says is not None and any("$TMPDIR" in advice.text for advice in one.says.advice)


@pytest.mark.parametrize("rule", ["metadata-bound", "many-small-files"])
def test_many_small_temporaries_are_kept_on_the_node(rule: str) -> None:
    assert told_of_the_node(document(job(SMALL, 3000, 150)), rule)


def test_pieces_that_are_merged_afterwards_are_kept_on_the_node() -> None:
    found = document(job(PIECES, 400, 600))
    assert found.headline.rule == "small-io"
    assert "$TMPDIR" in (found.headline.action or "")


@pytest.mark.parametrize(
    "other",
    [
        replace(PIECES, reads_first=True),
        replace(PIECES, reads=0),
        replace(PIECES, reads=200, read_s=0.03),
        replace(PIECES, writes=200, write_s=0.03),
    ],
    ids=["a restart that is replaced", "never read", "hardly read", "most of it from before"],
)
def test_what_comes_from_an_earlier_run_or_stays_for_a_later_is_no_temporary(other: Part) -> None:
    assert not told_of_the_node(document(job(other, 400, 600)), "small-io")


def test_the_disk_of_the_node_is_not_advised_to_who_uses_it() -> None:
    for found in (document(job(SMALL, 3000, 150, ON_THE_NODE)), document(job(PIECES, 400, 600, ON_THE_NODE))):
        assert not any("$TMPDIR" in advice.text for one in found.findings for advice in one.advice)


def test_a_server_of_nfs_is_shared_too() -> None:
    assert told_of_the_node(document(job(SMALL, 3000, 150, ON_NFS)), "metadata-bound")


def test_what_all_ranks_share_does_not_lie_on_a_node() -> None:
    """Each rank has a small file that it reads again, beside shared files that are written and read."""
    shared = tuple(
        Part(f"/scratch/s{k}.dat", range(16), writes=2, reads=2, size=8 * KIB, meta_s=0.03, write_s=0.001, read_s=0.001)
        for k in range(1000)
    )
    mine = Part("/scratch/m.{}", range(16), writes=4, reads=4, size=MIB // 4, meta_s=0.01)
    found = document(Work((*shared, mine), nprocs=16, runtime_s=60, nodes=2))
    assert not any("$TMPDIR" in advice.text for one in found.findings for advice in one.advice)
