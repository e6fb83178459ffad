"""Files on file systems without stripes, of which Cray MPICH prints a stripe count and size all the same."""

from __future__ import annotations

import pytest
from printed_by_mpich import GIB, STORAGE, case, hinted, phases, printed, statistics

from iotriage.analysis.document import CaseDocument

ONE = {"stripe_count": 1, "stripe_size": 524288}


def of_one_stripe(file: str, driver: str = "CRAY ADIO:", **fields: int | str) -> CaseDocument:
    block = statistics(file, 64 * GIB, **ONE | fields)
    return case(
        printed(hinted(file, romio_filesystem_type=driver), block, phases(file, 64 * GIB, 30, STORAGE)),
    )


def triggered(document: CaseDocument) -> set[str]:
    return {f.rule for f in document.findings if f.verdict == "triggered"}


@pytest.mark.parametrize(
    ("file", "driver", "striped"),
    [
        ("/data/o.dat", "GPFS: IBM GPFS", False),
        ("/data/o.dat", "NFS:", False),
        ("/nesi/nobackup/nesi99999/o.dat", "CRAY ADIO:", False),
        ("/gpfs/alpine/x/o.dat", "CRAY ADIO:", False),
        ("/data/o.dat", "CRAY ADIO:", True),
        ("/data/o.dat", "UFS: Generic ROMIO driver", True),
        ("/lus/theta-fs0/projects/p/o.dat", "CRAY ADIO:", True),
    ],
)
def test_what_is_printed_as_one_stripe_is_one_on_lustre_alone(file: str, driver: str, *, striped: bool) -> None:
    document = of_one_stripe(file, driver)
    assert ("file.stripe_count" in document.metrics and document.metrics["file.stripe_count"].value == 1) == striped
    assert ("ssf-understriped" in triggered(document)) == striped
    commands = [a.command or "" for f in document.findings for a in f.advice]
    assert any("lfs setstripe" in c for c in commands) == striped


def test_a_file_of_no_stripes_lies_on_no_osts() -> None:
    document = of_one_stripe("/data/o.dat", stripe_count=0, stripe_size=0, stripe_sized_writes=0)
    assert document.metrics["file.stripe_count"].value is None
    assert "ssf-understriped" not in triggered(document)


def test_one_aggregator_is_found_without_stripes_too() -> None:
    alone = {"aggregators": 1, "aggregators_active": "5120,0,0,0 (1, <= 1, > 1, 1)"}
    assert "single-aggregator" in triggered(of_one_stripe("/data/o.dat", "GPFS: IBM GPFS", **alone))


def test_hints_of_one_file_take_no_stripes_from_another() -> None:
    blocks = statistics("/data/o.dat", 64 * GIB, **ONE), phases("/data/o.dat", 64 * GIB, 30, STORAGE)
    shown = hinted("/home/u/log.dat", romio_filesystem_type="NFS:")
    assert "ssf-understriped" in triggered(case(printed(shown, *blocks)))
