"""Independent and collective calls, what becomes of them below, and how many ranks do the work."""

import pytest
from evidence_by_hand import block, job, log, metric, table, value

from iotriage_parsers.evidence import AggregatorsActive

MIB = 2**20
CALLS = table(
    "MPI-IO",
    (
        1,
        -1,
        {
            "MPIIO_INDEP_WRITES": 10,
            "MPIIO_COLL_WRITES": 25,
            "MPIIO_SPLIT_WRITES": 5,
            "MPIIO_NB_WRITES": 60,
            "MPIIO_INDEP_READS": 4,
        },
    ),
)


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        ("mpiio.independent_writes", 10),
        ("mpiio.collective_writes", 30),  # split-collective counts as collective
        ("mpiio.nonblocking_writes", 60),
        ("mpiio.independent_write_fraction", 10 / 40),  # nonblocking calls are of unknown kind
        ("mpiio.independent_to_collective_writes", 10 / 30),
        ("mpiio.independent_read_fraction", 1.0),
        ("mpiio.independent_to_collective_reads", None),  # no collectives: no denominator
        ("mpiio.collective_fraction", 30 / 44),
    ],
)
def test_calls_by_class(id: str, expected: float | None) -> None:
    assert value(job(log(CALLS)), id) == expected


def test_calls_of_a_program_without_mpiio_are_absent_and_not_zero() -> None:
    found = metric(job(log(table("POSIX", (1, 0, {"POSIX_WRITES": 1})))), "mpiio.collective_writes")
    assert found.value is None
    assert "no MPI-IO" in (found.reason or "")


def test_stats_count_the_calls_where_there_is_no_log() -> None:
    stats = [block(independent_accesses=106, collective_accesses=192)]
    assert value(job(stats=stats), "mpiio.independent_write_fraction") == 106 / 298


def test_stats_stand_in_for_a_partial_module() -> None:
    stats = [block(independent_accesses=50, collective_accesses=0)]
    assert value(job(log(CALLS, partial=["MPI-IO"]), stats=stats), "mpiio.independent_writes") == 50
    assert value(job(log(CALLS), stats=stats), "mpiio.independent_writes") == 10


def header_and_blocks() -> object:
    """16 independent writes of some bytes beside 64 collective ones of 2 MiB: 128 MiB and a header."""
    return table(
        "MPI-IO",
        (
            1,
            -1,
            {
                "MPIIO_INDEP_WRITES": 16,
                "MPIIO_COLL_WRITES": 64,
                "MPIIO_BYTES_WRITTEN": 128 * MIB + 1600,
                "MPIIO_SIZE_WRITE_AGG_0_100": 16,
                "MPIIO_SIZE_WRITE_AGG_1M_4M": 64,
            },
        ),
    )


def test_bytes_of_independent_calls_are_bounded_by_the_histogram() -> None:
    selection = job(log(header_and_blocks()))
    # At least: 64 collective calls can have moved 64 × 4 MiB, more than everything.
    assert value(selection, "mpiio.independent_bytes_lower_fraction") == 0
    # At most: the other 64 calls moved 16 × 0 B and 48 × (1 MiB + 1 B) at the least.
    rest = 48 * (MIB + 1)
    assert value(selection, "mpiio.independent_bytes_upper_fraction") == pytest.approx(
        (128 * MIB + 1600 - rest) / (128 * MIB + 1600)
    )


def test_without_collectives_all_bytes_are_independent() -> None:
    alone = table("MPI-IO", (1, -1, {"MPIIO_INDEP_READS": 3, "MPIIO_BYTES_READ": 90, "MPIIO_SIZE_READ_AGG_0_100": 3}))
    assert value(job(log(alone)), "mpiio.independent_bytes_lower_fraction") == 1.0


def below(**counters: int) -> object:
    return table("POSIX", (1, -1, {f"POSIX_{k.upper()}": v for k, v in counters.items()}))


def above(**counters: int) -> object:
    return table("MPI-IO", (1, -1, {f"MPIIO_{k.upper()}": v for k, v in counters.items()}))


def test_amplification() -> None:
    """The library reads before it writes more than it was given, though a new file has nothing to read."""
    selection = job(log(above(bytes_written=100), below(bytes_written=393, writes=4, reads=4)))
    assert value(selection, "mpiio.write_amplification") == 3.93
    assert (
        value(job(log(above(bytes_written=100), below(bytes_written=393, writes=4))), "mpiio.write_amplification")
        is None
    )


def test_no_ratio_between_layers_of_which_one_is_partial() -> None:
    found = metric(
        job(log(above(bytes_written=100), below(bytes_written=393), partial=["POSIX"])), "mpiio.write_amplification"
    )
    assert found.value is None
    assert "partial" in (found.reason or "")


def test_no_amplification_where_posix_shows_far_fewer_bytes() -> None:
    assert value(job(log(above(bytes_written=100), below(bytes_written=20))), "mpiio.write_amplification") is None


def test_posix_reads_on_a_file_that_mpiio_only_writes_are_read_modify_writes() -> None:
    found = metric(
        job(log(above(bytes_written=100), below(bytes_written=150, bytes_read=40, reads=7))), "mpiio.rmw_count"
    )
    assert (found.value, found.confidence) == (7, "inferred")
    selection = job(log(above(bytes_written=100), below(bytes_written=150, bytes_read=40, reads=7)))
    assert value(selection, "mpiio.rmw_bytes") == 40
    assert value(selection, "mpiio.rmw_bytes_per_byte") == 0.4
    # 40 bytes read and 150 written below, for 100 of the program
    assert value(selection, "mpiio.rmw_moved_fraction") == pytest.approx(1 - 100 / 190)


def test_what_is_read_to_be_written_back_takes_its_share_of_the_seconds() -> None:
    def spent(asked: int, **seconds: float) -> object:
        counters = {"POSIX_BYTES_WRITTEN": 150, "POSIX_BYTES_READ": 40, "POSIX_READS": 7, "POSIX_WRITES": 9}
        timers = {f"POSIX_F_{way.upper()}_TIME": took for way, took in seconds.items()}
        return job(log(above(bytes_written=100, bytes_read=asked), table("POSIX", (1, -1, counters | timers))))

    assert value(spent(0, read=30.0, write=10.0), "mpiio.rmw_time_fraction") == 0.75
    # Half of the bytes read are the program's own.
    assert value(spent(20, read=30.0, write=10.0), "mpiio.rmw_time_fraction") == pytest.approx(0.375)
    assert value(spent(0), "mpiio.rmw_time_fraction") is None
    assert value(job(log(above(bytes_written=100))), "mpiio.rmw_time_fraction") is None


def test_reads_that_mpiio_asked_for_are_no_read_modify_writes() -> None:
    asked = job(log(above(bytes_written=100, bytes_read=40), below(bytes_written=100, bytes_read=60, reads=6)))
    assert value(asked, "mpiio.rmw_count") == 0  # sieved reads: nothing was written beyond what was asked
    more = job(log(above(bytes_written=100, bytes_read=40), below(bytes_written=150, bytes_read=60, reads=6, writes=4)))
    assert value(more, "mpiio.rmw_bytes") == 20
    # The other 40 bytes are what the program reads.
    assert value(more, "mpiio.rmw_reads_fraction") == pytest.approx(20 / 60)
    assert value(more, "mpiio.rmw_count") == 2
    # 2 writes cannot write back what 20 reads fetched
    holes = job(
        log(above(bytes_written=100, bytes_read=40), below(bytes_written=150, bytes_read=440, reads=22, writes=2))
    )
    assert value(holes, "mpiio.rmw_count") == 2
    assert value(holes, "mpiio.rmw_bytes") == 40


def test_stats_measure_read_modify_writes() -> None:
    stats = [block(rmw_count=12, rmw_bytes=300, total_bytes=1000), block(rmw_count=3, rmw_bytes=200, total_bytes=1000)]
    assert metric(job(stats=stats), "mpiio.rmw_count").confidence == "measured"
    assert value(job(stats=stats), "mpiio.rmw_count") == 15
    assert value(job(stats=stats), "mpiio.rmw_bytes_per_byte") == 0.25
    assert value(job(stats=stats), "mpiio.rmw_moved_fraction") == pytest.approx(0.2)
    assert value(job(stats=stats), "mpiio.rmw_reads_fraction") == 1.0


def timed(nonblocking: int = 0) -> object:
    return table("MPI-IO", (1, -1, {"MPIIO_F_SLOWEST_RANK_TIME": 6.0, "MPIIO_NB_WRITES": nonblocking}))


def test_time_above_and_below() -> None:
    stored = table("POSIX", (1, -1, {"POSIX_F_SLOWEST_RANK_TIME": 1.5, "POSIX_F_WRITE_TIME": 50.0}))
    assert value(job(log(timed(), stored)), "mpiio.to_posix_time") == 4.0
    assert value(job(log(timed(), stored)), "mpiio.time_excess") == 4.5
    assert value(job(log(timed(nonblocking=1), stored)), "mpiio.to_posix_time") is None


def shared(bytes_written: int, variance: float) -> object:
    return table(
        "POSIX",
        (
            1,
            -1,
            {
                "POSIX_BYTES_WRITTEN": bytes_written,
                "POSIX_F_VARIANCE_RANK_BYTES": variance,
                "POSIX_MAX_BYTE_WRITTEN": bytes_written - 1,
            },
        ),
    )


@pytest.mark.parametrize("movers", [1, 2, 4, 8])
def test_effective_aggregators_of_equal_shares_are_exact(movers: int) -> None:
    total, ranks = 64 * MIB, 8
    share = total / movers
    mean = total / ranks
    variance = (movers * (share - mean) ** 2 + (ranks - movers) * mean**2) / ranks
    selection = job(log(shared(total, variance), nprocs=ranks))
    assert value(selection, "mpiio.effective_aggregators") == pytest.approx(movers)
    assert value(selection, "mpiio.expected_aggregators") == 8


def test_effective_aggregators_of_own_records_leave_out_who_read_a_header() -> None:
    amounts = (512, 512, 2**30, 512, 0, 2**30)
    own = table("POSIX", *((1, rank, {"POSIX_BYTES_WRITTEN": amount}) for rank, amount in enumerate(amounts)))
    found = metric(job(log(own)), "mpiio.effective_aggregators")
    assert (found.value, found.confidence) == (pytest.approx(2, rel=1e-5), "measured")
    alike = table("POSIX", *((1, rank, {"POSIX_BYTES_WRITTEN": 7}) for rank in range(3)))
    assert value(job(log(alike)), "mpiio.effective_aggregators") == 3


def test_a_small_file_has_room_for_few_aggregators() -> None:
    assert value(job(log(shared(2 * MIB, 0.0), nprocs=512)), "mpiio.expected_aggregators") == 2


def bins(one: int, low: int, high: int, all: int, n: int) -> list[object]:
    return [block(aggregators_active=AggregatorsActive(one, low, high, all, n))]


@pytest.mark.parametrize(
    ("active", "least", "most"),
    [
        ((0, 0, 0, 4096, 48), 1.0, 1.0),
        ((10, 0, 0, 0, 48), 1 / 48, 1 / 48),
        ((0, 10, 0, 0, 48), 2 / 48, 24 / 48),
        ((0, 0, 10, 0, 48), 25 / 48, 47 / 48),
        ((0, 0, 0, 10, 2), 1.0, 1.0),
        ((10, 0, 0, 10, 2), 0.75, 0.75),  # for two aggregators one is half
        ((0, 0, 10, 0, 3), 2 / 3, 2 / 3),
    ],
)
def test_utilisation_bounds(active: tuple[int, int, int, int, int], least: float, most: float) -> None:
    selection = job(stats=bins(*active))
    assert value(selection, "mpiio.aggregator_utilisation_low") == pytest.approx(least)
    assert value(selection, "mpiio.aggregator_utilisation_high") == pytest.approx(most)


def test_with_one_aggregator_the_bins_say_nothing() -> None:
    found = metric(job(stats=bins(192, 0, 0, 0, 1)), "mpiio.aggregators_active_all")
    assert found.value is None
    assert "one aggregator" in (found.reason or "")


STATS = [
    block(
        ranks_in_communicator=64,
        total_bytes=64 * 4 * MIB,
        collective_accesses=128,
        aggregators=4,
        stripe_count=8,
        stripe_size_bytes=MIB,
        system_accesses=512,
        stripe_sized_accesses=128,
        gap_count=8,
        average_gap_bytes=100,
    ),
    block(
        file="log.dat",
        total_bytes=100,
        system_accesses=88,
        stripe_sized_accesses=None,
        gap_count=2,
        average_gap_bytes=600,
    ),
]


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        ("mpiio.system_writes", 600),
        ("mpiio.system_write_average", (256 * MIB + 100) / 600),
        ("mpiio.stripe_sized_write_fraction", 128 / 512),  # only of the block that prints it
        ("mpiio.system_write_stripe_ratio", 0.5),  # 256 MiB / 512 / 1 MiB
        ("mpiio.stripes_written", 256.0),
        ("mpiio.write_gap_count", 10),
        ("mpiio.write_gap_average", (8 * 100 + 2 * 600) / 10),
        ("mpiio.write_gap_fraction", 10 / 600),
        ("mpiio.aggregators", 4),
        ("mpiio.aggregators_per_stripe", 0.5),
        ("mpiio.aggregators_per_node", None),
        # 128 calls of 64 ranks are 2 operations of 128 MiB; one stripe from each of 4 aggregators is 4 MiB
        ("mpiio.bytes_per_collective_call_per_aggregator_stripe", 32.0),
        ("file.stripe_count", 8),
        ("file.stripe_size", MIB),
    ],
)
def test_system_writes(id: str, expected: float | None) -> None:
    assert value(job(stats=STATS), id) == expected


def test_gap_average_is_absent_without_gaps() -> None:
    assert value(job(stats=[block(gap_count=0, average_gap_bytes=None)]), "mpiio.write_gap_average") is None


def test_where_every_rank_aggregates_there_can_be_no_more_for_the_stripes():
    of_32 = block(stripe_count=48, aggregators=32, ranks_in_communicator=32)
    of_64 = block(stripe_count=48, aggregators=32, ranks_in_communicator=64)
    assert value(job(stats=[of_32]), "mpiio.aggregators_per_stripe") == 1
    assert value(job(stats=[of_64]), "mpiio.aggregators_per_stripe") == 32 / 48


def test_the_size_of_the_largest_file_is_not_that_of_all_files_together() -> None:
    """Five hundred files of 8 MiB, and one of which three closes wrote 4 MiB each: 12 MiB where it grew, 4 MiB where it
    was written again."""
    many = [block(file=f"s.{i:04}", total_bytes=8 * MIB, stripe_size_bytes=MIB) for i in range(500)]
    again = [block(file="log", occurrence=i, total_bytes=4 * MIB, stripe_size_bytes=MIB) for i in (1, 2, 3)]
    for stats, size, bound in ((many, 8, None), (many + again, 8, "lower"), (again, 4, "lower"), (again[:1], 4, None)):
        found = metric(job(stats=stats), "file.size")
        assert (found.value, found.bound) == (size * MIB, bound)
    assert value(job(stats=many), "mpiio.stripes_written") == 8.0


@pytest.mark.parametrize(("direction", "who"), [("read", "readers"), ("write", "writers")])
def test_what_a_block_does_not_print_has_its_name(direction: str, who: str) -> None:
    found = metric(job(stats=[block(direction=direction)]), f"mpiio.independent_{who}")
    assert (found.reason or "").endswith(f"does not print `independent {who}`")
