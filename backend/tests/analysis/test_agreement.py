"""Figures that two sources state: equal, apart for a known reason, or of different jobs."""

from evidence_by_hand import block, job, log, table

from iotriage.analysis.agreement import Agreement, agreements


def of(found: tuple[Agreement, ...], quantity: str) -> Agreement:
    return next(a for a in found if a.quantity == quantity)


def case(
    *, posix_bytes: int = 800, collective: int = 16, partial: tuple[str, ...] = (), ranks: int = 8
) -> tuple[Agreement, ...]:
    records = (
        table("MPI-IO", (1, -1, {"MPIIO_COLL_WRITES": 12, "MPIIO_SPLIT_WRITES": 4, "MPIIO_INDEP_WRITES": 2})),
        table("POSIX", (1, -1, {"POSIX_BYTES_WRITTEN": posix_bytes})),
    )
    one = log(*records, names={1: "/lus/run/out.dat"}, partial=partial, nprocs=8)
    stats = block(
        file="out.dat",
        independent_accesses=2,
        collective_accesses=16,
        total_bytes=800,
        ranks_in_communicator=ranks,
    )
    return agreements(job(one, stats=[stats]))


def test_sources_of_one_job_agree() -> None:
    found = case()
    assert {a.quantity for a in found} == {"ranks", "collective writes", "independent writes", "bytes write"}
    assert all(a.agrees for a in found)
    assert [s.value for s in of(found, "collective writes").statements] == [16, 16]  # split-collective included


def test_a_difference_is_shown_with_its_size() -> None:
    found = of(case(posix_bytes=600), "bytes write")
    assert not found.agrees
    assert found.difference == 0.25
    assert [s.source for s in found.statements] == [0, 1]


def test_a_partial_module_is_the_known_reason() -> None:
    found = of(case(posix_bytes=600, partial=("POSIX",)), "bytes write")
    assert "partial" in (found.reason or "")


def test_another_number_of_ranks_means_perhaps_another_job_and_stands_first() -> None:
    found = case(ranks=16)
    assert found[0].quantity == "ranks"
    assert not found[0].agrees
    assert "different jobs" in (found[0].reason or "")


def test_one_source_agrees_with_nobody() -> None:
    assert agreements(job(log(table("POSIX", (1, 0, {"POSIX_BYTES_WRITTEN": 5}))))) == ()


def test_repeated_blocks_of_one_source_are_summed_and_not_set_against_each_other() -> None:
    twice = [block(total_bytes=300), block(total_bytes=500, occurrence=2)]
    assert not [a for a in agreements(job(stats=twice)) if not a.agrees]
