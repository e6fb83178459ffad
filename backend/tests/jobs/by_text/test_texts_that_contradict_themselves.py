"""Texts that contradict themselves, or the log beside them."""

from __future__ import annotations

import pytest
from described import Work, collective, osts
from printed_by_mpich import GIB, STORAGE, case, phases, printed, statistics, written

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


TEN_MINUTES = (
    "JobID|JobName|Partition|State|ExitCode|Elapsed|NNodes|NCPUS|Start|End\n"
    "742|app|std|COMPLETED|0:0|00:10:00|4|512|2026-01-01T00:00:00|2026-01-01T00:10:00\n"
    "742.0|app||COMPLETED|0:0|00:10:00|4|512|2026-01-01T00:00:00|2026-01-01T00:10:00\n"
)


@pytest.mark.parametrize(("took_s", "fits"), [(590.0, True), (615.0, True), (700.0, False), (1600.0, False)])
@pytest.mark.parametrize("ran", ["sacct", "log"])
def test_a_file_that_took_longer_than_the_run_is_of_another(ran: str, took_s: float, *, fits: bool) -> None:
    """It took neither the whole of that run, nor is nothing wrong with it."""
    work = Work(collective("/scratch/o.dat", range(512), range(0, 512, 43), 160.0, osts(12)), 512, 600.0)
    text = printed(written("/scratch/o.dat", took_s, STORAGE))
    found = case(text, TEN_MINUTES.encode()) if ran == "sacct" else case(text, work=work)
    differ = [a for a in found.agreement if a.quantity == "time for MPI-IO"]
    assert [[s.value for s in a.statements] for a in differ] == (
        [] if fits else [[600.0, pytest.approx(took_s, rel=1e-3)]]
    )
    if ran == "sacct":
        assert (found.metrics["job.runtime"].value == 600.0) is fits
        assert "of the run" in found.headline.sentence or not fits
        assert "Nothing wrong" not in found.headline.sentence


def test_files_that_ranks_write_side_by_side_may_take_longer_than_the_run_together() -> None:
    """Each of them fits in it."""
    text = "".join(statistics(f"o.{i}", GIB) + phases(f"o.{i}", GIB, 500, STORAGE) for i in range(2))
    found = case(printed(text), TEN_MINUTES.encode())
    assert found.metrics["job.runtime"].value == 600.0
    assert not [a for a in found.agreement if a.quantity == "time for MPI-IO"]


@pytest.mark.parametrize(
    ("opened_by", "closes", "took_s", "fits"),
    [(1, 64, 200, True), (128, 4, 200, True), (128, 4, 700, False), (512, 4, 200, False)],
)
def test_a_file_that_parts_of_the_ranks_have_open_at_once_may_take_longer_together(
    opened_by: int, closes: int, took_s: float, *, fits: bool
) -> None:
    text = "".join(written("in.nc", took_s + k, STORAGE, moved=GIB) for k in range(closes))
    for printed_ranks, ranks in ((12, min(12, opened_by)), (500, max(0, opened_by - 12))):
        text = text.replace(f"=   {printed_ranks:3d}\n", f"=   {ranks:3d}\n")
    found = case(printed(text), TEN_MINUTES.encode())
    assert (found.metrics["job.runtime"].value == 600.0) is fits
    assert ([a for a in found.agreement if a.quantity == "time for MPI-IO"] == []) is fits


def placed(ranks: range, per_node: int) -> str:
    """What Cray MPICH prints of the aggregators of o.dat."""
    rows = "".join(f" {i:3d}  {rank:6d}  nid{rank // per_node:06d}\n" for i, rank in enumerate(ranks))
    head = "Aggregator Placement for o.dat\nRankReorderMethod=1  AggPlacementStride=1\n"
    return f"{head} AGG    Rank       nid\n ----  ------  --------\n{rows}"


@pytest.mark.parametrize(
    ("ranks", "per_node", "differ"),
    [
        (range(64), 128, []),
        (range(0, 512, 128), 128, []),
        (range(0, 512, 64), 64, [("nodes", [4, 8])]),
        (range(960, 1024), 128, [("ranks", [512, 1024])]),
    ],
    ids=["one node", "all nodes", "more nodes", "ranks beyond"],
)
def test_aggregators_that_the_job_cannot_have_are_anothers(
    ranks: range, per_node: int, differ: list[tuple[str, list[int]]]
) -> None:
    """It has 512 ranks on 4 nodes, by its launch line in another source."""
    found = case(placed(ranks, per_node).encode(), printed(written("o.dat", 160, STORAGE, moved=128 * GIB)))
    assert [(a.quantity, sorted(s.value for s in a.statements)) for a in found.agreement if not a.agrees] == differ
    assert (found.headline.rule == "few-nodes") is (ranks == range(64))
    assert (found.metrics["mpiio.aggregator_nodes"].value is None) is bool(differ)


ASKS = "+ export 'MPICH_MPIIO_HINTS={}'\n"


@pytest.mark.parametrize(
    ("before", "behind", "wrong"),
    [
        (ASKS.format("*:cb_nodes=8"), "", "cb_nodes=8 was asked for, but 12 aggregators wrote"),
        (ASKS.format("*:striping_factor=64"), "", "striping_factor=64 was asked for, but the file has 12 stripes"),
        (ASKS.format('"*:cb_nodes=8"'), "", "quotes inside those of the shell"),
        (ASKS.format("*:cb_nodes=12"), "", None),
        (ASKS.format("*.h5:cb_nodes=8"), "", None),
        (ASKS.format("*:cb_nodes=8") + ASKS.format("*:cb_nodes=12"), "", None),
        (ASKS.format("*:cb_nodes=8") + "+ unset MPICH_MPIIO_HINTS\n", "", None),
        ("", ASKS.format("*:cb_nodes=8"), None),
        (ASKS.format("*:striping_factor=12:cb_nodes=12"), "", None),
    ],
)
def test_what_was_asked_for_when_the_program_ran_is_held_against_what_was_done(
    before: str, behind: str, wrong: str | None
) -> None:
    """12 aggregators wrote 12 stripes, and nothing displays the hints."""
    text = before.encode() + printed(written("o.nc", 160, STORAGE)) + behind.encode()
    document = case(text)
    found = document.metrics["hints.audit"].value
    assert (wrong in str(found)) if wrong else found is None


LAUNCH = "srun {}-n 512 --nodes=4 ./app\n"
EXPORT = "export MPICH_MPIIO_HINTS='{}'\n"
ON_LAUNCH = LAUNCH.format("--export=ALL,MPICH_MPIIO_HINTS={} ")
AFTER_ANOTHER = (
    ASKS.format("*:cb_nodes=12") + "+ " + LAUNCH.format("") + ASKS.format("*:cb_nodes=8") + "+ " + LAUNCH.format("")
)


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        ("+ " + ON_LAUNCH.format("*:cb_nodes=8"), "cb_nodes=8 was asked for, but 12 aggregators wrote"),
        (AFTER_ANOTHER, None),
        (AFTER_ANOTHER.replace("=12", "=10"), "cb_nodes=10 was asked for, but 12 aggregators wrote"),
        (EXPORT.format("*:cb_nodes=12") + LAUNCH.format("") + EXPORT.format("*:cb_nodes=8") + LAUNCH.format(""), None),
        (ON_LAUNCH.format("*:cb_nodes=12") + ON_LAUNCH.format("*:cb_nodes=8"), None),
        ("export MPICH_MPIIO_HINTS='*:cb_nodes='\"12\"\n" + LAUNCH.format(""), None),
        ('export MPICH_MPIIO_HINTS=*.nc:cb_nodes="12"\n' + LAUNCH.format(""), None),
        ("export MPICH_MPIIO_HINTS='\"*:cb_nodes=12\"'\n" + LAUNCH.format(""), "quotes inside those of the shell"),
    ],
)
def test_of_several_programs_any_may_have_printed_what_stands_in_another_source(lines: str, wrong: str | None) -> None:
    """12 aggregators wrote."""
    head = "" if lines.startswith("+") else "#!/bin/bash\n#SBATCH --nodes=4\n"
    found = case(f"{head}{lines}".encode(), written("o.nc", 160, STORAGE).encode()).metrics["hints.audit"].value
    assert (wrong in str(found)) if wrong else found is None


@pytest.mark.parametrize(("first", "wrong"), [(12, None), (8, "cb_nodes=8 was asked for, but 12 aggregators wrote")])
def test_what_was_asked_for_last_before_a_close_is_held_against_it(first: int, wrong: str | None) -> None:
    launch = "+ " + LAUNCH.format("")
    runs = (
        *(ASKS.format(f"*:cb_nodes={first}"), launch, written("o.nc", 160, STORAGE)),
        *(ASKS.format("*:cb_nodes=20"), launch, statistics("p.nc", GIB, aggregators=20)),
    )
    assert case("".join(runs).encode()).metrics["hints.audit"].value == wrong


@pytest.mark.parametrize(("then", "out"), [("unset MPICH_MPIIO_HINTS\n", True), ("", False)])
def test_a_script_that_unsets_a_variable_before_it_starts_anything_does_not_set_it(then: str, *, out: bool) -> None:
    script = f"#!/bin/bash\n#SBATCH --nodes=4\nexport MPICH_MPIIO_HINTS='*:cb_nodes=8'\n{then}srun -n 512 ./app\n"
    document = case(script.encode(), printed(written("o.nc", 160, STORAGE)))
    assert (document.metrics["hints.cb_nodes"].value is None) is out


def test_parts_of_the_ranks_contradict_nobody_where_no_source_states_them_all() -> None:
    """The aggregators of two files, and the communicators that two of them were opened with."""
    of_all, of_some = (statistics(f"{n}.dat", GIB, ranks_in_communicator=n).encode() for n in (512, 64))
    placements = [placed(ranks, 128).encode() for ranks in (range(0, 512, 64), range(0, 512, 43))]
    for texts in ((placements[0], of_all), placements, (of_some, of_all), (placements[0], of_some, of_all)):
        assert all(a.agrees for a in case(*texts).agreement if a.quantity == "ranks")
    beyond = case(placements[0], of_all, b"+ srun --nodes=2 --ntasks=256 ./app\n")
    assert [a.agrees for a in beyond.agreement if a.quantity == "ranks"] == [False]


@pytest.mark.parametrize(("aggregators", "nodes"), [(range(12), 1), (range(0, 512, 64), None)])
def test_where_as_many_aggregators_of_another_file_are_is_where_those_of_the_file_are(
    aggregators: range, nodes: int | None
) -> None:
    """The statistics count twelve."""
    found = case(placed(aggregators, 128).encode(), printed(written("p.dat", 100.0, STORAGE)))
    assert found.metrics["mpiio.aggregator_nodes"].value == nodes
