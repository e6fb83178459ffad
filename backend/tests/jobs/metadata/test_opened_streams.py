"""Files that are opened as streams: what `fopen` does below is seen in no other record. Each job was written down with
its answer before it was diagnosed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from described import KIB, MIB, Part, Work, above_info, document, seconds_of

from iotriage.analysis.document import CaseDocument


def inputs(layer: str, ranks: range, files: int, *, open_s: float = 1.2, seeks: int = 0) -> tuple[Part, ...]:
    """Of 2.5 MiB each, which are read in 0.05 s."""
    return tuple(
        Part(f"/scratch/in/{k:04}_{{}}.dat", ranks, layer, reads=40, size=64 * KIB, read_s=0.05, meta_s=open_s,
             seeks=seeks)
        for k in range(files)
    )  # fmt: skip


def of_16_ranks(layer: str, *, seeks: int = 0) -> Work:
    return Work(inputs(layer, range(16), 200, seeks=seeks), nprocs=16, runtime_s=600.0, nodes=2)


def test_opens_of_streams_are_told_as_those_of_other_files() -> None:
    streams, others = document(of_16_ranks("STDIO")), document(of_16_ranks("POSIX"))
    assert streams.headline.rule == others.headline.rule == "metadata-bound"
    assert streams.headline.sentence == others.headline.sentence
    assert seconds_of(of_16_ranks("STDIO")) == {"metadata-bound": pytest.approx(240.0, abs=1.0)}
    saved = [next(f for f in d.findings if f.rule == "metadata-bound").could_save_s for d in (streams, others)]
    assert saved[0] == pytest.approx(saved[1], abs=1.0)


def test_one_rank_that_opens_a_file_at_each_step_waits_for_the_opens_more_than_for_the_data() -> None:
    work = Work(inputs("STDIO", range(1), 2000, open_s=0.12), nprocs=256, runtime_s=1000.0, nodes=2)
    assert seconds_of(work) == {
        "metadata-bound": pytest.approx(239.0, abs=2.0),
        "serial-io": pytest.approx(101.0, abs=2.0),
    }
    assert document(work).headline.rule == "metadata-bound"


def test_streams_that_are_sought_in_are_not_slow_to_open() -> None:
    """Seeks are in the same timer."""
    assert "metadata-bound" not in above_info(document(of_16_ranks("STDIO", seeks=40)))


def test_a_few_slow_opens_are_asked_about_and_no_buffer_is_tried() -> None:
    found = document(Work(inputs("STDIO", range(64), 10, open_s=6.0), nprocs=64, runtime_s=300.0, nodes=2))
    assert "metadata-bound" not in above_info(found)
    assert "640 opens of streams took 6.00 s each" in experiment(found)
    assert "setvbuf" not in experiment(found)


def test_large_files_that_are_opened_soon_are_clear() -> None:
    parts = (Part("/scratch/in/{}.dat", range(64), "STDIO", reads=2000, size=4 * MIB, read_s=50.0, meta_s=0.01),)
    assert "metadata-bound" not in above_info(document(Work(parts, nprocs=64, runtime_s=100.0, nodes=2)))


def test_streams_and_other_files_are_added_up() -> None:
    both = (*inputs("STDIO", range(32), 66), *inputs("POSIX", range(32), 66))
    other = tuple(replace(p, path=p.path.replace("/in/", "/nc/"), meta_s=0.9) for p in both[66:])
    found = document(Work((*both[:66], *other), nprocs=32, runtime_s=300.0, nodes=1))
    assert found.headline.sentence.startswith("Opening and closing 4,224 files takes longer than moving the data")
    (finding,) = (f for f in found.findings if f.rule == "metadata-bound")
    assert "4,224 opens of 4,224 files" in (finding.summary or "")
    assert finding.takes_s == pytest.approx(66 * (1.2 + 0.9), abs=2.0)


@pytest.mark.parametrize("layer", ["STDIO", "POSIX"])
def test_modules_that_are_opened_as_streams_are_the_start_of_the_program(layer: str) -> None:
    """Perl and R open them so."""
    modules = tuple(
        Part(f"/sw/lib/perl5/5.36/M{k}.pm", range(64), layer, reads=4, size=4 * KIB, read_s=0.001, meta_s=0.05,
             reach=16 * KIB)
        for k in range(900)
    )  # fmt: skip
    work = Work(modules, nprocs=64, runtime_s=90.0, nodes=1, program="/usr/bin/perl run.pl")
    assert seconds_of(work) == {"import-storm": pytest.approx(46.0, abs=1.0)}


@pytest.mark.parametrize(
    ("folder", "mounts", "on_the_node"),
    [
        ("/sw/perl5", (("/sw", "lustre"),), False),
        ("/nvme/perl5", (("/nvme", "xfs"),), True),
        ("/opt/perl5", (("/", "overlay"),), False),
        ("/env/perl5", (("/env", "squashfs"),), False),
    ],
)
def test_modules_in_no_environment_are_not_brought_to_where_they_lie(folder, mounts, on_the_node) -> None:
    modules = tuple(
        Part(f"{folder}/M{k}.pm", range(64), "STDIO", reads=4, size=4 * KIB, read_s=0.001, meta_s=0.05, reach=16 * KIB)
        for k in range(900)
    )
    found = document(Work(modules, 64, 90.0, nodes=1, program="/usr/bin/perl run.pl", mounts=mounts))
    assert found.headline.rule == "import-storm"
    assert ("load only what the program needs" in (found.headline.action or "")) == on_the_node
    assert ("mksquashfs" in (found.headline.command or "")) == (mounts[0][1] == "lustre")
    assert ("sandbox" in (found.headline.action or "")) == (mounts[0][1] == "overlay")


def test_one_file_that_all_open_as_a_stream_is_not_called_these() -> None:
    part = Part("/scratch/in/config.txt", range(2048), "STDIO", reads=10, size=4000, read_s=0.1, meta_s=40.0)
    found = document(Work((part,), 2048, 300.0, nodes=16))
    assert found.headline.action == "Let one rank read the file and send it to the others: now 2,048 ranks open it."


def test_what_is_opened_otherwise_is_none_of_the_streams() -> None:
    """A deck that all ranks open, and beside it a large file of a library, and much that is printed."""
    deck = Part("/scratch/in/run.nml", range(2048), "STDIO", reads=6, size=4 * KIB, read_s=0.1, meta_s=40.0)
    other = Part("/scratch/out/a.h5", range(4), writes=800, size=MIB, write_s=3.0)
    printed = Part("<STDOUT>", range(1), "STDIO", opens=0, writes=1000, size=MIB, write_s=3.0)
    found = document(Work((deck, other, printed), 2048, 300.0, nodes=16))
    (finding,) = (f for f in found.findings if f.rule == "metadata-bound" and f.verdict == "triggered")
    assert "2,048 opens of 1 file. 48.0 MiB were read per file on average." in finding.summary
    assert "now 2,048 ranks open it" in finding.advice[0].text
    assert "H5Dread" not in str(finding.advice[0])


def experiment(found: CaseDocument) -> str:
    assert found.unexplained is not None
    return found.unexplained.experiment or ""


@pytest.mark.parametrize("layer", ["STDIO", "POSIX"])
@pytest.mark.parametrize(
    ("reads", "writes", "said"),
    [(2000, 0, "were read per file"), (0, 2000, "were read or written per file"), (900, 900, "were read or written")],
)
def test_what_is_written_beside_files_that_are_only_opened_is_not_said_to_be_read(
    layer: str, reads: int, writes: int, said: str
) -> None:
    opened = (Part(f"/scratch/in/{i}.txt", range(1), layer, opens=3, meta_s=0.05) for i in range(2000))
    seconds = {"read_s": reads / 4000, "write_s": writes / 4000}
    data = Part("/scratch/o/x.dat", range(64), layer, reads=reads, writes=writes, **seconds)
    found = document(Work((*opened, data), 64, 300.0, nodes=2))
    (finding,) = (f for f in found.findings if f.rule == "metadata-bound" and f.verdict == "triggered")
    assert said in (finding.summary or "")
