"""Texts that contradict themselves, or the log beside them."""

from __future__ import annotations

import pytest
from described import Work, collective, osts
from printed_by_mpich import GIB, case, printed, statistics

from iotriage.analysis.decision.evidence_headlines import CHECK_DARSHAN, NO_IO
from iotriage.reports.terminal import as_text


def test_stripes_that_one_text_states_differently_are_told() -> None:
    def listed(count: int) -> str:
        fields = f"lmm_stripe_count:  {count}\nlmm_stripe_size:   1048576\nlmm_pattern: raid0\n"
        return f"$ lfs getstripe o.dat\no.dat\n{fields}"

    block = statistics("/scratch/o.dat", 24 * GIB)
    (differ,) = (a for a in case(printed(block, listed(48))).agreement if not a.agrees)
    assert (differ.quantity, [s.value for s in differ.statements]) == ("stripe count", [12, 48])
    assert "has 12 stripes (stripe count); " in as_text(case(printed(block, listed(48))))
    assert case(printed(block, listed(12))).agreement == ()


STRANGE = "+ export MPICH_MPIIO_STATS=1\n+ srun --nodes=8 --ntasks=1024 ./other\n"


def beside_the_log(launch: str, file: str = "/scratch/other.dat") -> tuple[str, str | None]:
    """What is said of the text, and whether its setting counts."""
    work = Work(collective("/scratch/o.dat", range(512), range(0, 512, 43), 160.0, osts(12)), 512, 600.0)
    document = case(f"{launch}{statistics(file, 24 * GIB)}".encode(), work=work)
    said = [w.message for source in document.sources for w in source.warnings if w.code == "other-job"]
    set_to = document.metrics["environment.mpiio_stats"].value
    return "; ".join(said), set_to if isinstance(set_to, str) else None


def test_of_another_programs_output_nothing_counts() -> None:
    said, set_to = beside_the_log(STRANGE)
    assert said.startswith("it is the output of another program: it starts other, on another number of ranks")
    assert set_to is None


@pytest.mark.parametrize(
    ("launch", "file"),
    [
        (STRANGE.replace("1024", "512"), "/scratch/other.dat"),  # a wrapper of the program
        (STRANGE.replace("./other", "./app"), "/scratch/other.dat"),  # a step of the same program
        (STRANGE + "+ srun --ntasks=512 ./app\n", "/scratch/other.dat"),  # a step before it
        (STRANGE.replace(" --ntasks=1024", ""), "/scratch/other.dat"),  # ranks that nobody states
        (STRANGE, "/scratch/o.dat"),
    ],
)
def test_a_text_that_may_be_the_jobs_keeps_its_settings(launch: str, file: str) -> None:
    said, set_to = beside_the_log(launch, file)
    assert "another program" not in said
    assert set_to == "1"


def test_statistics_without_io_do_not_ask_whether_darshan_was_loaded() -> None:
    none = {"collective_writes": 0, "independent_writes": 0, "system_writes": 0, "stripe_sized_writes": 0}
    headline = case(statistics("/scratch/o.dat", 0, **none).encode()).headline
    assert headline.sentence == NO_IO
    assert "went through MPI-IO alone" in (headline.action or "")
    idle = case(work=Work((), 4, 100.0)).headline
    assert (idle.sentence, idle.action) == (NO_IO, CHECK_DARSHAN)
