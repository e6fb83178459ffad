"""Small pieces in collective calls: whether they are the cause is told by what each call brings together."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Work, above_info, document, osts

from iotriage.analysis.document import CaseDocument


def written(
    piece: int, calls: int, below_s: float, ranks: int = 512, aggregators: int = 8, site: str | None = None
) -> CaseDocument:
    """One file, by collective calls of all ranks, in 17 s; eight aggregators write it in pieces of 1 MiB."""
    each = ranks * piece * calls // aggregators // MIB
    parts = (
        Part("/scratch/o/p.nc", range(ranks), "MPI-IO", writes=calls, size=piece, write_s=17.0, collective=True),
        Part(
            "/scratch/o/p.nc",
            range(0, ranks, ranks // aggregators),
            writes=each,
            size=MIB,
            write_s=below_s,
            osts=osts(8),
        ),
    )
    return document(Work(parts, ranks, 100.0, nodes=4, site=site))


def test_pieces_of_64_kib_that_become_32_mib_are_no_small_accesses() -> None:
    found = written(64 * KIB, 600, 16.0)
    assert "small-io" not in above_info(found)
    assert found.unexplained is not None
    assert "the ranks that call the storage take nearly all" in (found.unexplained.experiment or "")


@pytest.mark.parametrize(("piece", "calls"), [(2 * KIB, 19_200), (16 * KIB, 2400)])
def test_calls_that_bring_a_stripe_or_less_for_each_aggregator_are_small(piece: int, calls: int) -> None:
    assert written(piece, calls, 16.0).headline.rule == "small-io"


def test_where_the_library_takes_the_time_it_is_said() -> None:
    assert written(64 * KIB, 600, 2.0).headline.rule == "collective-overhead"


@pytest.mark.parametrize(("site", "asks"), [("mahti", "MPI_Barrier"), ("lumi", "MPICH_MPIIO_TIMERS")])
def test_what_takes_the_time_in_the_library_is_asked_as_that_library_can_tell(site: str, asks: str) -> None:
    found = written(4 * MIB, 600, 2.0, site=site)
    mine = next(f for f in found.findings if f.rule == "collective-overhead" and f.verdict == "triggered")
    first = mine.advice[0]
    assert asks in (first.command or "")
    scripts = [one.script for one in found.next_run.experiments] if found.next_run else []
    assert not any("# collective-overhead" in script for script in scripts)


def test_without_the_calls_below_small_collective_calls_stay_small() -> None:
    """Nobody tells how many ranks move the bytes, or in what pieces."""
    part = Part("/scratch/o/p.nc", range(512), "MPI-IO", writes=600, size=64 * KIB, write_s=17.0, collective=True)
    assert document(Work((part,), 512, 100.0, nodes=4)).headline.rule == "small-io"


@pytest.mark.parametrize(("stripe", "rule"), [(64 * KIB, "ssf-stripe-size"), (MIB, "small-io")])
def test_what_stripes_cut_up_was_gathered(stripe: int, rule: str) -> None:
    """Sixteen ranks write for 1,024, in pieces of 64 KiB: as long as a stripe is, or as the library made them."""
    path, lies_on = "/scratch/o/w.nc", osts(16)
    parts = (
        Part(path, range(1024), "MPI-IO", writes=100, write_s=110.0, collective=True),
        Part(
            path, range(0, 1024, 64), writes=102_400, size=64 * KIB, write_s=100.0, in_order=0.0, osts=lies_on,
            stripe=stripe,
        ),
    )  # fmt: skip
    found = document(Work(parts, 1024, 300.0, nodes=8))
    assert found.headline.rule == rule
    assert next(f.takes_s for f in found.findings if f.rule == rule) == pytest.approx(110.0, abs=2.0)


def test_what_stripes_cut_up_of_collective_reads_is_waited_for_too() -> None:
    parts = (
        Part("/scratch/i/in.nc", range(512), "MPI-IO", reads=100, read_s=95.0, collective=True),
        Part(
            "/scratch/i/in.nc", range(0, 512, 64), reads=102_400, size=64 * KIB, read_s=90.0, in_order=0.0,
            osts=osts(8), stripe=64 * KIB,
        ),
    )  # fmt: skip
    found = document(Work(parts, 512, 200.0, nodes=4))
    assert found.headline.rule == "ssf-stripe-size"
    assert next(f.takes_s for f in found.findings if f.rule == "ssf-stripe-size") == pytest.approx(95.0, abs=2.0)


@pytest.mark.parametrize(("stripe", "tells"), [(64 * KIB, "each as long as a stripe"), (MIB, "many small writes.")])
def test_one_rank_misses_no_buffer_of_collective_calls(stripe: int, tells: str) -> None:
    path, lies_on = "/scratch/o/w.dat", osts(8)
    parts = (
        Part(path, range(1), "MPI-IO", writes=400, size=16 * MIB, write_s=100.0, collective=True),
        Part(path, range(1), writes=102_400, size=64 * KIB, write_s=95.0, osts=lies_on, stripe=stripe),
    )
    found = document(Work(parts, 1, 300.0, nodes=1)).headline
    assert tells in found.sentence
    assert ("-S 1M" in (found.command or "")) == (stripe < MIB)
    assert "buffer" not in f"{found.sentence} {found.action}"


@pytest.mark.parametrize("collective", [True, False])
def test_one_rank_is_not_told_to_make_independent_what_is(*, collective: bool) -> None:
    path = "/scratch/o/w.dat"
    parts = (
        Part(path, range(1), "MPI-IO", writes=400, size=16 * MIB, write_s=100.0, collective=collective),
        Part(path, range(1), writes=1_638_400, size=4 * KIB, write_s=95.0, in_order=0.5, osts=osts(8)),
    )
    found = document(Work(parts, 1, 300.0, nodes=1)).headline
    assert found.rule == "small-io"
    assert ("make them independent" in (found.action or "")) is collective
    assert "MPI_File_write_at)" in (found.action or "")
