"""Homes that lie on a parallel file system: another is no faster, and what is wrong with the I/O is named."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Work, document, own, uneven

SMALL = Part("/home/u/o.{}", range(64), writes=50_000, size=2 * KIB, write_s=uneven(64, 100.0))
ALONE = Part("/home/u/o.dat", range(1), writes=20_000, size=4 * MIB, write_s=150.0, osts=(3,))
LARGE = Part("/home/u/o.{}", range(64), writes=1000, size=4 * MIB, write_s=uneven(64, 50.0), osts=own(64))


def on(home: str, part: Part) -> Work:
    mounts = (("/scratch", "lustre"), ("/home", home))
    return Work((part,), nprocs=64, runtime_s=250.0, nodes=2, mounts=mounts)


@pytest.mark.parametrize(("part", "rule"), [(SMALL, "small-io"), (ALONE, "serial-io"), (LARGE, None)])
@pytest.mark.parametrize("home", ["lustre", "gpfs"])
def test_what_takes_the_time_is_named_and_not_where_it_lies(home: str, part: Part, rule: str | None) -> None:
    found = document(on(home, part))
    assert found.headline.rule == rule
    assert "wrong-filesystem" not in {f.rule for f in found.findings if f.verdict == "triggered"}


@pytest.mark.parametrize("part", [SMALL, ALONE, LARGE])
def test_on_nfs_home_takes_it(part: Part) -> None:
    assert document(on("nfs", part)).headline.rule == "wrong-filesystem"
