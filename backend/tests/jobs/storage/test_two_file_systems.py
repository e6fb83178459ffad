"""Files on two file systems: rates of OSTs are of what lies on OSTs, and the slower of the two is named."""

from __future__ import annotations

import pytest
from described import MIB, Part, Work, document, own, uneven

from iotriage.analysis.document import CaseDocument

PROJECT = ("/project", "gpfs")


def written(there: str, seconds: float, *, here_s: float = 20.0, mount: tuple[str, str] = PROJECT) -> CaseDocument:
    """A GiB of each rank on Lustre, and as much elsewhere."""
    parts = (
        Part("/scratch/run/a.{}", range(128), writes=256, size=4 * MIB, write_s=uneven(128, here_s), osts=own(128)),
        Part(f"{there}/b.{{}}", range(128), writes=256, size=4 * MIB, write_s=uneven(128, seconds)),
    )
    return document(Work(parts, 128, 300.0, nodes=2, mounts=(("/scratch", "lustre"), mount)))


def test_the_rate_of_all_is_not_said_to_be_that_of_the_osts() -> None:
    left = written("/project/run", 200.0).unexplained
    assert left is not None
    assert {rate.of for rate in left.rates} == {"rank", "node"}


def test_of_lustre_alone_it_is() -> None:
    left = written("/scratch/other", 200.0).unexplained
    assert left is not None
    assert "OST" in {rate.of for rate in left.rates}


def test_the_file_system_that_takes_most_of_the_time_is_named_with_what_the_other_gives() -> None:
    asked = written("/project/run", 200.0).headline.action or ""
    assert "91 % of that time passes on /project, where 596 MiB/s are moved, and 5.82 GiB/s on /scratch." in asked


@pytest.mark.parametrize(
    "found",
    [
        written("/project/run", 40.0),
        written("/tmp/run", 20.0, here_s=200.0, mount=("/tmp", "tmpfs")),
        written("/home/u/run", 20.0, here_s=200.0, mount=("/home", "nfs")),
        written("/scratch/other", 200.0),
    ],
    ids=["twice as slow", "the other is a node's", "the other is home", "one file system"],
)
def test_nobody_is_sent_to_what_is_hardly_faster_or_not_for_the_data_of_jobs(found: CaseDocument) -> None:
    assert "of that time passes on" not in (found.headline.action or "")
