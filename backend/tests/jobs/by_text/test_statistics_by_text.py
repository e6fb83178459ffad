"""Jobs that MPICH_MPIIO_STATS alone tells of: what leads, and how long it takes. Each was written down before it was
asked."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from described import MIB, above_info
from printed_by_mpich import GIB, STORAGE, case, hinted, phases, printed, statistics

SIEVED = {"system_writes": 262164, "independent_writes": 20, "stripe_sized_writes": 0, "number_of_write_gaps": 260000}


@pytest.mark.parametrize("active", ["5120,0,0,0", "0,0,0,0", "0,0,0,5120"])
def test_a_hint_that_switches_buffering_off_leads_by_texts_alone(active: str) -> None:
    moved = 24 * GIB
    counted = SIEVED | {"aggregators_active": f"{active} (1, <= 6, > 6, 12)"}
    stats = statistics("o.dat", moved, **counted) + phases("o.dat", moved, 160, STORAGE)
    document = case(printed(hinted("o.dat", romio_cb_write="disable"), stats))
    assert document.headline.rule == "collective-disabled"
    assert set(above_info(document)) == {"collective-disabled"}
    # Without the hint nobody knows that it is off.
    shown = case(printed(hinted("o.dat", romio_cb_write="automatic"), stats))
    assert "collective-disabled" not in above_info(shown)


def test_small_system_writes_are_those_of_small_independent_calls() -> None:
    """Lines of a log, 80 bytes each: nothing that an alignment of datasets would cure."""
    alone = {"collective_writes": 0, "independent_writes": 2097152, "independent_writers": 512}
    pieces = {"system_writes": 2097152, "stripe_sized_writes": 0, "ave_system_write_size": 80}
    block = statistics("run.log", 160 * MIB, **alone, **pieces)
    document = case(printed(block, phases("run.log", 160 * MIB, 600, {"file write": 0.97})))
    assert document.headline.rule == "small-io"
    assert document.headline.sentence.startswith("The data moves in at least 2,")
    explained = {f.rule: f.explained_by for f in document.findings if f.verdict == "triggered"}
    assert explained["system-writes-not-stripe-sized"] == "small-io"


@pytest.mark.parametrize(("opened_by", "together"), [(1, False), (8, True)])
def test_who_opens_a_file_alone_is_asked_for_no_collective_calls(opened_by: int, *, together: bool) -> None:
    alone = {"collective_writes": 0, "independent_writes": 200_000, "independent_writers": opened_by}
    pieces = {"system_writes": 200_000, "stripe_sized_writes": 0, "ranks_in_communicator": opened_by}
    moved = 200_000 * 800
    block = statistics("part.h5", moved, **alone, **pieces) + phases("part.h5", moved, 600, {"file write": 0.97})
    (small,) = [f for f in case(printed(block)).findings if f.rule == "small-io" and f.verdict == "triggered"]
    assert any("collective" in one.text for one in small.says.advice) is together


@pytest.mark.parametrize(("calls", "rule"), [(524288, "collective-disabled"), (20480, None)])
def test_files_that_nothing_times_weigh_by_their_calls_beside_one_that_is_timed(calls: int, rule: str | None) -> None:
    """6 % of the bytes, and most of the calls; or a few of each rank."""
    pieces = {"collective_writes": calls, "system_writes": calls, "stripe_sized_writes": 0}
    shown = hinted("b.nc", romio_cb_write="disable")
    timed = statistics("a.nc", 64 * GIB) + phases("a.nc", 64 * GIB, 6, STORAGE)
    document = case(printed(shown, timed, statistics("b.nc", calls * 8192, **pieces)))
    assert document.headline.rule == rule
    assert set(above_info(document)) == ({rule} if rule else set())


@pytest.mark.parametrize(("size", "rule", "line"), [(2048, "small-io", "H5Dread("), (2, None, None)])
def test_what_small_reads_alone_move_of_a_file_is_data_where_it_is_much(
    size: int, rule: str | None, line: str | None
) -> None:
    """Beside collective writes of as many bytes; a little of them may all be of HDF5 itself."""
    calls, took = 32 * MIB, {"file write": 0.9, "other": 0.1}
    alone = {"independent_writes": calls, "collective_writes": 0, "independent_writers": 512}
    pieces = {"system_writes": calls, "stripe_sized_writes": 0, "ave_system_write_size": size}
    small = statistics("a.h5", calls * size, **alone, **pieces) + phases("a.h5", calls * size, 300, took)
    both = (line for line in small.splitlines(keepends=True) if "active" not in line and "modify" not in line)
    read = "".join(both).replace("write", "read").replace("writing", "reading")
    wrote = statistics("a.h5", 64 * GIB) + phases("a.h5", 64 * GIB, 20, STORAGE)
    document = case(printed(wrote, read))
    triggered = {f.rule: f for f in document.findings if f.verdict == "triggered"}
    assert ("hdf5-independent-metadata" in triggered) is (rule is None)
    if rule is not None:
        assert document.headline.rule == rule
        assert line in (document.headline.command or "")


NONE_GATHERS = {
    "aggregators": 0,
    "aggregators_active": "0,0,0,0 (1, <= 6, > 6, 12)",
    "collective_writes": 4194304,
    "system_writes": 4194304,
    "stripe_sized_writes": 0,
    "ave_system_write_size": 2048,
}


@pytest.mark.parametrize("printed_ranks", [True, False])
@pytest.mark.parametrize("beside", [0, 64])
def test_no_aggregator_is_no_single_one(*, printed_ranks: bool, beside: int) -> None:
    """Buffering is off by a hint, of a file that nothing times, alone or beside a larger one that is timed."""
    other = statistics("a.h5", 64 * GIB) + phases("a.h5", 64 * GIB, 30, STORAGE) if beside else ""
    text = hinted("b.h5", romio_cb_write="disable", cb_nodes="12") + other + statistics("b.h5", 8 * GIB, **NONE_GATHERS)
    document = case(printed(text) if printed_ranks else text.encode())
    assert document.headline.rule == "collective-disabled"
    assert above_info(document) == {"collective-disabled": "medium"}
    # Of a thousandth of the bytes nobody needs to know.
    small = NONE_GATHERS | {"collective_writes": 32768, "system_writes": 32768}
    little = hinted("b.h5", romio_cb_write="disable") + other + statistics("b.h5", 64 * MIB, **small)
    if beside:
        assert "collective-disabled" not in above_info(case(printed(little)))


@pytest.mark.parametrize(
    "counted",
    [
        {},
        {"system_writes": 300000, "independent_writes": 280000, "stripe_sized_writes": 0},
    ],
    ids=["whole stripes", "a library's own small writes beside large ones"],
)
def test_what_a_buffer_would_not_gather_needs_no_buffer(counted: Mapping[str, object]) -> None:
    moved = 24 * GIB
    stats = statistics("o.dat", moved, **counted) + phases("o.dat", moved, 160, STORAGE)
    document = case(printed(hinted("o.dat", romio_cb_write="disable"), stats))
    assert "collective-disabled" not in above_info(document)


def test_one_rank_that_writes_all_of_it_by_itself() -> None:
    alone = {"independent_writes": 102400, "collective_writes": 0, "independent_writers": 1}
    moved = 100 * GIB
    document = case(printed(statistics("o.dat", moved, **alone), phases("o.dat", moved, 120, {"file write": 0.95})))
    assert document.headline.rule == "serial-io"
    # A file each of many ranks is another thing.
    each = [statistics(f"part.{i}", GIB, **alone) for i in range(8)]
    assert "serial-io" not in above_info(case(printed(*each)))


def read_by(file: str, alone: int, system: int, stripes: int, moved: int, ranks: int = 2048) -> str:
    """What MPICH_MPIIO_STATS prints of reads on 16 stripes of 1 MiB, ten collective ones of a rank among them."""
    fields: dict[str, object] = {
        "ranks in communicator": ranks,
        "independent reads": alone,
        "collective reads": 10 * ranks,
        "independent readers": ranks if alone else 0,
        "aggregators": 16,
        "stripe count": 16,
        "stripe size": MIB,
        "system reads": system,
        "stripe sized reads": stripes,
        "total bytes for reads": f"{moved} = {moved // MIB} MiB",
        "ave system read size": moved // system,
        "number of read gaps": 0,
        "ave read gap size": "NA",
    }
    rule = f"+{'-' * 56}+"
    lines = [f"|   {name:<23} = {value}" for name, value in fields.items()]
    return "\n".join((rule, f"| MPIIO read access patterns for {file}", *lines, rule)) + "\n"


def test_many_small_reads_of_each_rank_are_seen_by_what_they_can_have_moved_at_most() -> None:
    """350 reads of a rank beside 20 GiB in stripes: they have 2.4 % of the bytes."""
    text = printed(read_by("restart.0120.h5", 716800, 737280, 20400, 21904916480))
    document = case(text)
    assert document.headline.rule == "hdf5-independent-metadata"
    assert document.metrics["io.pattern"].value == "shared-collective"
    # No HDF5, as far as its name tells.
    other = case(printed(read_by("restart.0120.dat", 716800, 737280, 20400, 21904916480)))
    assert other.headline.rule == "small-io"


@pytest.mark.parametrize(
    ("alone", "system", "stripes", "moved"),
    [
        (0, 20480, 20480, 20480 * MIB),
        (24, 20504, 20480, 20480 * MIB + 24 * 512),
        (20480, 40960, 40960, 40960 * MIB),
    ],
    ids=["collective alone", "a library's headers", "large independent reads"],
)
def test_reads_that_are_not_many_and_small_are_well(alone: int, system: int, stripes: int, moved: int) -> None:
    document = case(printed(read_by("restart.0120.h5", alone, system, stripes, moved)))
    assert not {"hdf5-independent-metadata", "small-io"} & set(above_info(document))


def of_one_rank(file: str, took_s: float, *, says: bool) -> str:
    """What MPICH prints of a file that one rank opened by itself; of how many ranks it is, newer versions say."""
    alone = {"independent_writes": 512, "collective_writes": 0, "independent_writers": 1, "aggregators": 1}
    fields = {"stripe_count": 1, "aggregators_active": "0,0,0,0 (1, <= 1, > 1, 1)"}
    block = statistics(file, 512 * MIB, **alone, **fields)
    if says:
        block = block.replace("|   independent writes ", "|   ranks in communicator   = 1\n|   independent writes ", 1)
    times = phases(file, 512 * MIB, took_s, {"file write": 0.95})
    return block + times.replace("writing        =    12", "writing        =     1").replace("=   500", "=     0")


@pytest.mark.parametrize("says", [True, False])
def test_files_that_each_rank_opens_by_itself_are_written_side_by_side(*, says: bool) -> None:
    launch = b"+ srun --nodes=1 --ntasks=16 ./app\n"
    each = "".join(of_one_rank(f"out.{rank:05d}.dat", 20, says=says) for rank in range(16))
    document = case(launch + each.encode())
    assert document.metrics["job.nprocs"].value == 16
    assert document.metrics["io.pattern"].value == "file-per-process"
    assert document.metrics["job.io_time"].value == pytest.approx(20.0, abs=0.1)
    # Steps of one rank follow one another.
    steps = "".join(of_one_rank(f"step.{step:05d}.dat", 20, says=says) for step in range(10))
    assert case(launch + steps.encode()).metrics["job.io_time"].value == pytest.approx(200.0, abs=0.1)


@pytest.mark.parametrize(("order", "sure"), [((0, 1, 2, 3), False), ((2, 0, 3, 1), True)])
def test_where_one_rank_may_have_closed_the_files_one_after_the_other_the_time_is_a_bound(
    order: tuple[int, ...], *, sure: bool
) -> None:
    """Four files of a rank each, or four steps of one rank: by their names and their number nobody can tell."""
    printed_ = "".join(of_one_rank(f"out.{k}.dat", 20, says=True) for k in order)
    document = case(b"+ srun --nodes=1 --ntasks=4 ./app\n" + printed_.encode())
    bound = None if sure else "lower"
    for metric in ("job.io_time", "timers.total_time", "timers.file_write_time", "io.bandwidth"):
        assert document.metrics[metric].bound == bound, metric
    assert document.metrics["job.io_time"].value == pytest.approx(20.0, abs=0.1)
    together = 4 * 512 * MIB / (20.0 if sure else 80.0)
    assert document.metrics["io.bandwidth"].value == pytest.approx(together, rel=0.01)


def of_a_quarter(file: str, took_s: float) -> str:
    """Of 512 ranks 128 open it together."""
    block = statistics(file, 6 * GIB).replace(
        "|   independent writes ", "|   ranks in communicator   = 128\n|   independent writes ", 1
    )
    times = phases(file, 6 * GIB, took_s, {"wait for coll": 0.06, "file write": 0.85})
    return block + times.replace("=   500", "=   116")


@pytest.mark.parametrize(("files", "run_s", "took_s"), [(4, 300, 100.0), (8, 300, 200.0), (4, 500, 400.0)])
def test_files_of_parts_of_the_ranks_that_together_take_longer_than_the_run_were_in_use_at_the_same_time(
    files: int, run_s: int, took_s: float
) -> None:
    """Otherwise one part may have written them one after the other."""
    listed = (
        f"JobID|JobName|Elapsed|NNodes|NTasks|State\n77.0|app|00:{run_s // 60:02}:{run_s % 60:02}|4|512|COMPLETED\n"
    )
    printed_ = "".join(of_a_quarter(f"n{k}.nc", 100.0) for k in range(files))
    time = case(printed(printed_), listed.encode()).metrics["job.io_time"]
    assert time.value == pytest.approx(took_s, rel=0.01)
    assert time.bound == ("lower" if took_s < run_s and files * 100 > run_s else None)


@pytest.mark.parametrize("took_s", [70, 90])
def test_the_bounds_are_said(took_s: int) -> None:
    printed_ = "".join(of_one_rank(f"out.{k}.dat", took_s, says=True) for k in range(8))
    sentence = case(b"+ srun --nodes=1 --ntasks=8 ./app\n" + printed_.encode()).headline.sentence
    assert sentence.startswith("I/O takes at least ")
    assert "/s or more," in sentence


def test_ranks_that_nobody_counts_are_not_one() -> None:
    """Each block says one rank, for each rank opened its own file."""
    several = [of_one_rank(f"out.{rank:05d}.dat", 20, says=True) for rank in range(3)]
    assert case("".join(several).encode()).metrics["job.nprocs"].value is None
    assert case(several[0].encode()).metrics["job.nprocs"].value == 1


def opened_by(ranks: int, file: str) -> str:
    calls = 10 * ranks
    block = statistics(file, 4 * GIB, collective_writes=calls, aggregators_active=f"0,0,0,{calls} (1, <= 6, > 6, 12)")
    first = "|   independent writes "
    return block.replace(first, f"|   ranks in communicator   = {ranks}\n{first}", 1)


def test_a_file_of_some_ranks_is_no_contradiction_to_how_many_there_are() -> None:
    document = case("".join(opened_by(64, f"node.{i}.dat") for i in range(8)).encode(), printed(""))
    assert (document.metrics["job.nprocs"].value, document.metrics["job.nprocs"].confidence) == (512, "measured")
    assert [a for a in document.agreement if not a.agrees] == []
    # More than there are is another job's.
    document = case(opened_by(1024, "o.dat").encode(), printed(""))
    assert [a.quantity for a in document.agreement if not a.agrees] == ["ranks"]


@pytest.mark.parametrize(
    ("name", "hdf5"),
    [("run_hdf5_chk_0001", True), ("hdf5_plt_cnt_0004", True), ("hdf5_run.log", False), ("nohdf5_x", False)],
)
def test_a_name_without_an_ending_tells_that_hdf5_writes_it(name: str, *, hdf5: bool) -> None:
    alone = {"independent_writes": 3_000_000, "collective_writes": 0, "independent_writers": 512}
    pieces = {"system_writes": 3_000_000, "stripe_sized_writes": 0, "number_of_write_gaps": 2_999_000}
    found = case(printed(statistics(f"/scratch/{name}", 3_000_000 * 8192, **alone, **pieces))).headline
    assert found.rule == "independent-shared"
    assert ("H5Pset_dxpl_mpio" in (found.command or "")) == hdf5


@pytest.mark.parametrize(("writers", "together"), [(1, 0), (512, 0), (1, 5120)])
def test_a_file_that_one_rank_writes_is_not_short_of_stripes(writers: int, together: int) -> None:
    """More OSTs are no faster for it; what many write, beside the header of one, may be."""
    fields = {"independent_writes": 20480, "independent_writers": writers, "collective_writes": together}
    block = statistics("/scratch/o.dat", 20 * GIB, stripe_count=1, aggregators=1, **fields)
    document = case(printed(block, phases("/scratch/o.dat", 20 * GIB, 60, STORAGE)))
    triggered = {f.rule for f in document.findings if f.verdict == "triggered"}
    alone = writers == 1 and not together
    assert ("ssf-understriped" in triggered, "serial-io" in triggered) == (not alone, alone)


@pytest.mark.parametrize(
    ("closes", "pattern"),
    [
        (((4, 1),), "serial"),
        (((4, 1), (4, 1), (4, 1)), "serial"),
        (((4, 64), (4, 1)), "shared-independent"),
        (((4, 1), (3, 64)), "shared-independent"),
        (((4, 1), (1, 64), (2, 64), (3, 64)), "shared-independent"),
        (((400, 1), (1, 64)), "serial"),
    ],
)
def test_who_writes_a_file_is_seen_of_all_its_closes(closes: tuple[tuple[int, int], ...], pattern: str) -> None:
    """Of GiB and writers of each: that with most bytes says nothing of the others."""
    alone = {"independent_writes": 5120, "collective_writes": 0, "aggregators": 0}
    blocks = (statistics("/scratch/o.dat", moved * GIB, independent_writers=n, **alone) for moved, n in closes)
    assert case(printed(*blocks)).metrics["io.pattern"].value == pattern


def test_a_file_that_is_written_again_and_again_is_no_larger_for_that() -> None:
    """600 MiB, ten times over: whether it grew to 6 GiB nobody says."""
    one_stripe = {"aggregators": 2, "stripe_count": 1, "aggregators_active": "0,0,0,5120 (1, <= 1, > 1, 2)"}
    small, large = (
        "".join(f"ranks: 256\n{statistics('o.dat', moved, **one_stripe)}step\n" for _ in range(10))
        for moved in (600 * MIB, 8 * GIB)
    )
    undecided = {f.rule: f.verdict for f in case(printed(small)).findings}["ssf-understriped"]
    assert undecided == "unknown"
    document = case(printed(large))
    assert document.headline.rule == "ssf-understriped"
    assert "a file of at least 8.00 GiB that lies on 1 OST" in document.headline.sentence
