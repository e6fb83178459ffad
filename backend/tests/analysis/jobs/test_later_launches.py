"""Of several programs that a script's trace shows, statistics are of one that was started before them."""

from __future__ import annotations

from sources_of_jobs import block, given

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose

START = "+ srun -n {} --ntasks-per-node=32 ./{}\nit runs\n"


def case_of(*texts: str) -> CaseDocument:
    return diagnose([given("job.err", "".join(texts))])


def statistics(name: str = "/s/sea.dat") -> str:
    return block(name, 8 << 30).replace("|   ranks in communicator   = 8\n", "")


def test_what_is_started_behind_the_statistics_is_another_run() -> None:
    document = case_of(START.format(64, "sea"), statistics(), START.format(256, "post"))
    assert (document.job.nprocs, document.job.nnodes, document.job.executable) == (64, 2, "./sea")


def test_what_was_started_before_and_is_smaller_prepared_it() -> None:
    document = case_of(START.format(1, "prep"), START.format(64, "sea"), statistics())
    assert (document.job.nprocs, document.job.executable) == (64, "./sea")


def test_of_what_was_started_before_and_is_larger_nothing_tells_whose_they_are() -> None:
    """It may run beside the other, or have ended without MPI-IO."""
    document = case_of(START.format(256, "mesh"), START.format(64, "sea"), statistics())
    assert document.job.nprocs is None
    assert document.job.nnodes is None


def test_a_trace_behind_all_statistics_stays() -> None:
    assert case_of(statistics(), START.format(64, "sea")).job.nprocs == 64
