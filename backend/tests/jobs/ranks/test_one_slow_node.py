"""On few nodes the ranks of a slow one are a quarter or a half of all: they are known by standing together."""

from __future__ import annotations

from dataclasses import replace

import pytest
from described import KIB, MIB, Part, Seconds, Work, above_info, document, own, seconds_of

from iotriage.analysis.document import CaseDocument, Finding

RULE = "straggler-rank"


def part(
    ranks: range,
    seconds: float,
    path: str = "/scratch/run/d.{}",
    *,
    writes: int = 512,
    size: int = 4 * MIB,
    opens: int = 1,
    syncs: int = 0,
    lies_on: tuple[int, ...] = tuple(range(48)),
) -> Part:
    took = tuple(seconds + r % 7 for r in ranks)
    over = tuple(lies_on[r % len(lies_on)] for r in ranks)
    return Part(path, ranks, writes=writes, size=size, opens=opens, syncs=syncs, write_s=took, osts=over)


def job(*parts: Part, ranks: int = 256, nodes: int | None = None, named: bool = False) -> Work:
    return Work(parts, nprocs=ranks, runtime_s=700, nodes=nodes, named=named)


FIRST, SECOND = range(128), range(128, 256)
ONE_OF_TWO = job(part(FIRST, 100), part(SECOND, 300))
ONE_OF_FOUR = job(part(range(192), 100), part(range(192, 256), 300))
IN_TURN = job(
    *(
        part(range(r, r + 1), 300 if r % 2 else 100, f"/scratch/run/d.{r}", lies_on=(r // 2 * 5 % 48,))
        for r in range(64)
    ),
    ranks=64,
    nodes=2,
)


def said(found: CaseDocument) -> Finding | None:
    return next((f for f in found.findings if f.rule == RULE and f.verdict == "triggered"), None)


@pytest.mark.parametrize(
    ("work", "who"),
    [
        (ONE_OF_TWO, "Ranks 128-255, one node, it seems,"),
        (ONE_OF_FOUR, "Ranks 192-255, one node, it seems,"),
        (job(part(FIRST, 100), part(SECOND, 300), nodes=2), "Ranks 128-255, as many as a node has,"),
        (job(part(FIRST, 100), part(SECOND, 300), nodes=2, named=True), "The ranks of one node, nid000001,"),
        (IN_TURN, "Ranks 1, 3, … 63, as many as a node has,"),
    ],
)
def test_the_ranks_that_one_node_has_are_slow_together(work: Work, who: str) -> None:
    found = said(document(work))

    assert found is not None
    assert found.says is not None
    assert found.says.headline.startswith(who)
    assert any("node" in advice.text for advice in found.advice)


BY_SLURM = 'sacct -X -n -o NodeList -j "${JOB_ID:?the number of the job}"'
WITHOUT_IT = 'sbatch --exclude "${NODE:?the name of the node}" "${JOB_SCRIPT:?the script of the job}"'


@pytest.mark.parametrize(
    ("site", "commands", "leads"),
    [
        (
            "lumi",
            [
                BY_SLURM,
                WITHOUT_IT,
            ],
            [None, "The run without it:"],
        ),
        ("polaris", ['qstat -x -f "${JOB_ID:?the number of the job}"', None], [None, None]),
        ("theta", [None, None], [None, None]),
        (
            None,
            [
                BY_SLURM,
                WITHOUT_IT,
            ],
            ["With Slurm its list is:", "The run without it, with Slurm:"],
        ),
    ],
)
def test_the_node_is_asked_for_as_the_scheduler_of_the_machine_takes_it(
    site: str | None, commands: list[str | None], leads: list[str | None]
) -> None:
    found = said(document(replace(ONE_OF_TWO, site=site)))

    assert found is not None
    assert [one.command for one in found.advice] == commands
    assert [one.lead for one in found.advice] == leads


def test_what_the_slow_node_costs_the_mean_rank_is_explained_with_what_the_slowest_takes_beyond_it() -> None:
    found = said(document(ONE_OF_TWO))

    assert found is not None
    assert found.takes_s == pytest.approx(200, rel=0.05)


def ramp(ranks: int) -> Part:
    took = tuple(100 + 200 * r / ranks for r in range(ranks))
    return Part("/scratch/run/d.{}", range(ranks), writes=512, size=4 * MIB, write_s=took, osts=own(ranks))


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(job(part(FIRST, 100), part(SECOND, 300, writes=32768, size=64 * KIB)), id="more calls"),
        pytest.param(
            job(
                part(FIRST, 100), Part("/scratch/run/d.{}", SECOND, reads=512, size=4 * MIB, read_s=300, osts=own(128))
            ),
            id="reads where the others write",
        ),
        pytest.param(job(part(FIRST, 100), part(SECOND, 300, writes=384)), id="fewer bytes"),
        pytest.param(job(part(FIRST, 100), part(SECOND, 300, syncs=512)), id="syncs"),
        pytest.param(job(part(FIRST, 100), part(SECOND, 300, opens=200)), id="opens"),
        pytest.param(job(part(FIRST, 100, lies_on=(1, 2, 3)), part(SECOND, 300, lies_on=(7, 8, 9))), id="other OSTs"),
        pytest.param(job(part(FIRST, 100), part(SECOND, 300, "/home/u/d.{}")), id="another file system"),
        pytest.param(job(part(FIRST, 100, "/scratch/a"), part(SECOND, 300, "/scratch/b")), id="one file of theirs"),
        pytest.param(
            job(part(range(1024), 100), part(range(1024, 2048), 300), ranks=2048), id="more ranks than a node has"
        ),
        pytest.param(job(part(FIRST, 100), part(SECOND, 300), nodes=4), id="two nodes of four"),
        pytest.param(job(part(range(100), 100), part(range(100, 256), 300)), id="no part of the ranks"),
        pytest.param(job(part(FIRST, 100), part(SECOND, 120)), id="hardly slower"),
        pytest.param(job(ramp(256)), id="slower and slower"),
        pytest.param(job(part(range(240, 256), 300), ranks=256), id="writing for the others"),
    ],
)
def test_other_ranks_that_are_slow_together_are_not_taken_for_a_node(work: Work) -> None:
    assert said(document(work)) is None


def on_nodes(
    slow: set[int], *, nodes: int = 8, named: bool = True, lies_on: tuple[int, ...] = tuple(range(48)), each: int = 32
) -> Work:
    """The ranks of the `slow` nodes take eight times as long."""
    ranks = range(each * nodes)
    took = tuple(80.0 + r % 5 if r // each in slow else 10.0 + r % 3 * 0.3 for r in ranks)
    over = tuple(lies_on[r % len(lies_on)] for r in ranks)
    parts = (Part("/scratch/run/d.{}", ranks, writes=512, size=4 * MIB, write_s=took, osts=over),)
    return Work(parts, nprocs=len(ranks), runtime_s=200, nodes=nodes, named=named)


@pytest.mark.parametrize(
    ("work", "who"),
    [
        (on_nodes({1, 4, 5}), "The ranks of 3 of 8 nodes, nid000001, nid000004 and nid000005, take 7.55 times"),
        (on_nodes({1, 2, 4, 6}), "The ranks of 4 of 8 nodes, nid000001, nid000002, nid000004 and 1 other, take"),
        (on_nodes({1, 2}, nodes=4), "The ranks of 2 of 4 nodes, nid000001 and nid000002, take"),
        (on_nodes({1, 4}, named=False), "The ranks of 2 of 8 nodes, ranks 32-63 and 128-159, take"),
    ],
    ids=["three of eight", "half of them", "two of four, whose files hold other OSTs alone", "only counted"],
)
def test_the_ranks_of_several_slow_nodes_are_told_by_their_nodes(work: Work, who: str) -> None:
    found = document(work)
    finding = said(found)

    assert set(above_info(found)) == {RULE}
    assert finding is not None
    assert finding.takes_s == pytest.approx(74, rel=0.05)
    assert finding.says is not None
    assert finding.says.headline.startswith(who)
    assert "share a switch" in finding.advice[0].text


@pytest.mark.parametrize(
    ("work", "ranks"),
    [
        pytest.param(on_nodes({6, 7}), 64, id="the last ranks"),
        pytest.param(on_nodes({0, 1, 2, 3}), None, id="the first half"),
        pytest.param(on_nodes({1, 2, 3, 5, 6}), None, id="more than half"),
        pytest.param(on_nodes({r for r in range(64) if r % 7 == 3}, nodes=64, each=1), 9, id="a rank a node"),
    ],
)
def test_other_nodes_are_not_said_to_be_slow_together(work: Work, ranks: int | None) -> None:
    finding = said(document(work))

    assert (finding is None) is (ranks is None)
    if finding is not None:
        assert finding.says is not None
        assert finding.says.headline.startswith(f"{ranks} ranks spend up to ")


def test_files_on_osts_that_follow_the_nodes_leave_open_which_of_the_two_it_is() -> None:
    """Four ranks an OST, and a node's eight OSTs hold no other node's files."""
    ranks = range(128)
    took = tuple(80.0 + r % 5 if 32 <= r < 96 else 10.0 + r % 3 * 0.3 for r in ranks)
    files = Part("/scratch/run/d.{}", ranks, writes=512, size=4 * MIB, write_s=took, osts=tuple(r // 4 for r in ranks))
    assert set(above_info(document(Work((files,), nprocs=128, runtime_s=200, nodes=4)))) == {"slow-ost"}


def beside_a_rank(alone_s: float) -> Work:
    """The fourth of eight nodes takes four times as long, and one rank of the seventh so long."""
    took = tuple(alone_s if r == 200 else 80.0 + r % 5 if 96 <= r < 128 else 20.0 + r % 3 * 0.3 for r in range(256))
    over = tuple(r * 7 % 48 for r in range(256))
    files = Part("/scratch/run/d.{}", range(256), writes=512, size=4 * MIB, write_s=took, osts=over)
    return Work((files,), nprocs=256, runtime_s=400, nodes=8)


def test_a_slow_node_is_named_though_one_rank_elsewhere_is_slower_which_is_said_too() -> None:
    finding = said(document(beside_a_rank(160.0)))
    assert finding is not None
    assert (finding.headline or "").startswith("The ranks of one node, nid000003, take")
    assert "Rank 200, which is not one of them, takes 2 min 40 s: longer than they" in " ".join(finding.summary.split())
    assert finding.advice[0].text.startswith("These ranks are on nid000003")


def test_of_a_node_alone_all_slow_ranks_are() -> None:
    finding = said(document(beside_a_rank(20.0)))
    assert finding is not None
    assert "not one of them" not in finding.summary
    assert finding.advice[0].text.startswith("All slow ranks are on nid000003")


def doing(slow_s: float, kind: str, of: range = range(96, 128)) -> Work:
    """All ranks do the same; those `of` one node of eight, or all, take so long, and the others 3 s."""
    took = tuple(slow_s + r % 3 if r in of else 3.0 + 0.01 * (r % 5) for r in range(256))
    each = tuple(t / 20 for t in took)
    name, ranks, over = "/scratch/run/d.{}", range(256), own(256)
    parts = {
        "reopened-files": (Part(name, ranks, writes=20, opens=20, write_s=0.1, meta_s=took, osts=over),),
        "many-small-files": tuple(
            Part(f"/scratch/run/{k}/d.{{}}", ranks, writes=2, size=10 * KIB, write_s=0.01, meta_s=each)
            for k in range(20)
        ),
        "redundant-reads": (Part(name, ranks, reads=2000, size=MIB, reach=100 * MIB, read_s=took, osts=over),),
        "sync-heavy": (Part(name, ranks, "STDIO", writes=2000, size=200, syncs=2000, write_s=took, osts=over),),
    }
    return Work(parts[kind], nprocs=256, runtime_s=300, nodes=8)


OF_ALL = ("reopened-files", "many-small-files", "redundant-reads", "sync-heavy")


@pytest.mark.parametrize("rule", OF_ALL)
def test_what_one_node_takes_longer_for_the_same_work_is_its_own_whatever_the_work_is(rule: str) -> None:
    found = document(doing(100.0, rule))

    assert found.headline.rule == RULE
    takes = {f.rule: f.takes_s for f in found.findings if f.verdict == "triggered"}
    assert (takes[RULE] or 0.0) > 4 * (takes[rule] or 0.0)


@pytest.mark.parametrize("rule", OF_ALL)
def test_what_all_nodes_take_alike_is_the_work(rule: str) -> None:
    found = document(doing(100.0, rule, of=range(256)))

    assert found.headline.rule == rule
    assert RULE not in above_info(found)


def beside_shared(slow_s: float, shared_s: Seconds, of: range = range(96, 128)) -> Work:
    """Files of each rank, which those `of` one node of eight write in so long and the others in 3 s, and one that all
    read."""
    took = tuple(slow_s + r % 3 if r in of else 3.0 + 0.01 * (r % 5) for r in range(256))
    own_files = Part("/scratch/run/d.{}", range(256), writes=64, size=4 * MIB, write_s=took, osts=own(256))
    table = Part("/scratch/run/tab", range(256), reads=1000, reach=1000 * MIB, read_s=shared_s, osts=(1, 2, 3, 4))
    return Work((own_files, table), nprocs=256, runtime_s=600, nodes=8)


def test_a_node_that_is_slow_in_the_ranks_own_files_is_named_beside_a_file_of_all() -> None:
    found = document(beside_shared(150.0, 50.0))
    finding = said(found)

    assert found.headline.rule == RULE
    assert finding is not None
    assert (finding.headline or "").startswith("The ranks of one node, nid000003, take")
    assert "in I/O, but for files that all ranks share, as nearly all" in " ".join(finding.summary.split())
    assert seconds_of(beside_shared(150.0, 50.0))["redundant-reads"] == pytest.approx(50, abs=1)


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(beside_shared(3.0, 50.0), id="no node is slow"),
        pytest.param(
            beside_shared(20.0, tuple(50.0 + (150.0 if r == 7 else 0.0) for r in range(256))), id="another is"
        ),
        pytest.param(beside_shared(150.0, 50.0, of=range(80, 97)), id="no node's ranks"),
    ],
)
def test_no_node_is_named_for_what_passes_in_the_file_of_all(work: Work) -> None:
    finding = said(document(work))

    assert finding is None or "node" not in (finding.headline or "")


def test_it_takes_nothing_of_calls_in_which_it_is_as_fast_as_the_others() -> None:
    """It is slow in writes: what all ranks take in streams alike is theirs."""
    lines = Part("/scratch/r/l.{}", range(64), "STDIO", writes=5_000_000, size=80, write_s=60.0, osts=own(64))
    work = job(lines, part(range(32), 10), part(range(32, 64), 200), ranks=64, nodes=2)
    assert seconds_of(work) == {RULE: pytest.approx(194, abs=3), "stdio-heavy": pytest.approx(60, abs=1)}


@pytest.mark.parametrize(
    ("slow_s", "alone_s", "takes"),
    [
        (150.0, 80.0, {RULE: 133.0}),
        (80.0, 200.0, {"serial-io": 136.0, RULE: 61.0}),
        (21.0, 200.0, {"serial-io": 197.0}),
    ],
    ids=["the node is longer", "the rank is longer", "no slow node"],
)
def test_a_rank_that_writes_alone_beside_hides_no_slow_node(
    slow_s: float, alone_s: float, takes: dict[str, float]
) -> None:
    """Who waits for whom no log says: what the longest of both takes is given out, to the node its own."""
    times = tuple(slow_s + r % 5 if 32 <= r < 64 else 20.0 + 0.1 * (r % 9) for r in range(128))
    own_files = Part("/scratch/r/o.{}", range(128), writes=200, size=4 * MIB, write_s=times)
    work = job(own_files, Part("/scratch/r/one.dat", range(1), writes=20_000, write_s=alone_s), ranks=128, nodes=4)
    assert seconds_of(work) == {rule: pytest.approx(seconds, abs=3) for rule, seconds in takes.items()}
    if RULE in takes:
        finding = said(document(work))
        assert finding is not None
        assert finding.headline.startswith("Ranks 32-63, as many as a node has")
