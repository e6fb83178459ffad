"""What kind of file system a mount point is of, and that nothing of Lustre is told of those that are not."""

from __future__ import annotations

import re

import pytest
from described import MIB, Part, Work, document

from iotriage.rules.core.advice import advice_text
from iotriage.sites.mounts import kind_of

OTHERS = ("ceph", "panfs", "CIFS", "fuse.glusterfs", "fuse.s3fs")
OF_LUSTRE = re.compile(r"\b(lfs (set|get)stripe|OSTs?)\b")


@pytest.mark.parametrize("fs_type", OTHERS)
def test_a_file_system_that_has_a_name_is_not_taken_for_lustre(fs_type: str) -> None:
    assert kind_of(fs_type) == "other"
    shared = (
        Part("/data/run/in.nc", range(256), "MPI-IO", reads=40, size=4 * MIB, read_s=300.0, collective=True),
        Part("/data/run/in.nc", range(1), reads=10_240, size=4 * MIB, read_s=290.0, in_order=0.2),
    )
    found = document(Work(shared, 256, 1000.0, nodes=4, mounts=(("/data", fs_type.lower()), ("/", "xfs"))))
    said = [f for f in found.findings if f.verdict == "triggered"]
    assert "single-aggregator" in {f.rule for f in said}
    told = [text for f in said for a in f.advice if a.withheld is None for text in (advice_text(a), a.command or "")]
    assert [text for text in told if OF_LUSTRE.search(text)] == []


@pytest.mark.parametrize("fs_type", ["dvs", "autofs", "fuse.portal", "something-new"])
def test_what_may_show_files_of_any_is_not_known(fs_type: str) -> None:
    assert kind_of(fs_type) == "unknown"
