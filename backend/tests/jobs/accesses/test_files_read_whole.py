"""Files that several ranks read: who reads what of them, and so what there is to spare."""

from __future__ import annotations

import pytest
from described import GIB, KIB, MIB, Part, Work, document, own, uneven

RANKS = 64


def restart(reads: int, reach: int) -> Work:
    """16 restart files, each of them used by 4 ranks."""
    parts = tuple(
        Part(f"/scratch/rst/r.{k:03}", range(4 * k, 4 * k + 4), reads=reads, size=4 * MIB, read_s=60.0, reach=reach)
        for k in range(16)
    )
    return Work(parts, RANKS, 200.0, nodes=4)


def test_each_rank_of_a_file_reads_all_of_it_and_nothing_twice() -> None:
    found = document(restart(reads=256, reach=GIB)).headline
    assert (found.rule, found.sentence) == ("redundant-reads", "The ranks that share a file each read all of it.")
    assert "only the part of it that it needs" in (found.action or "")
    assert "keep it in memory" not in (found.action or "")


def test_what_the_ranks_of_a_file_read_again_they_can_keep() -> None:
    """A quarter of the file four times is as many bytes as the file has: here each rank reads its file four times."""
    found = document(restart(reads=1024, reach=GIB)).headline
    assert (found.rule, found.sentence) == ("redundant-reads", "The same bytes are read 16 times.")
    assert "keep it in memory" in (found.action or "")


def test_a_quarter_read_four_times_is_not_the_whole_file() -> None:
    parts = tuple(
        Part(f"/scratch/rst/r.{r // 4:03}", range(r, r + 1), reads=256, read_s=60.0, size=4 * MIB, reach=end)
        for r in range(RANKS)
        for end in [(r % 4 + 1) * GIB // 4]
    )
    found = document(Work(parts, RANKS, 200.0, nodes=4)).headline
    assert (found.rule, found.sentence) == ("redundant-reads", "The same bytes are read 4 times.")


def test_parts_of_a_file_read_by_its_ranks_are_not_spoken_of() -> None:
    assert document(restart(reads=64, reach=GIB)).headline.rule != "redundant-reads"


def namelists(ranks: range, read_s: float = 0.01, meta_s: float = 1.6, reads: int = 5, files: int = 30) -> Work:
    parts = tuple(
        Part(
            f"/scratch/nml/n_{k:02}",
            ranks,
            "STDIO",
            reads=reads,
            size=4096,
            read_s=read_s,
            meta_s=meta_s,
            reach=20 * KIB,
        )
        for k in range(files)
    )
    logs = Part("/scratch/out/o.{}", range(256), writes=64, write_s=1.0, osts=own(256))
    return Work((*parts, logs), 256, 120.0, nodes=4)


def test_streams_that_every_rank_opens_are_not_read_again() -> None:
    found = document(namelists(range(256)))
    assert found.headline.rule == "stdio-reread"
    assert found.headline.sentence == "All 256 ranks open and read the same 30 small files."
    assert (found.headline.action or "").startswith("Let one rank open and read each file, and send it to all.")
    reread = next(f for f in found.findings if f.rule == "stdio-reread")
    assert "Of their time, over 99 % passes in opening and closing them." in (reread.summary or "")


@pytest.mark.parametrize(("files", "of_a_library"), [(90, False), (300, True)])
def test_as_many_small_files_as_a_library_has_are_brought_to_the_nodes(files: int, *, of_a_library: bool) -> None:
    found = document(namelists(range(256), meta_s=0.2, files=files)).findings[0]
    assert found.rule == "stdio-reread"
    assert any("as one archive before the program starts" in one.text for one in found.advice) is of_a_library


def test_where_reading_them_takes_the_time_it_is_reading() -> None:
    found = document(namelists(range(256), read_s=1.6, meta_s=0.01)).headline
    assert found.sentence == "All 256 ranks read the same 30 small files."


def test_a_stream_that_is_gone_back_in_is_read_repeatedly() -> None:
    found = document(namelists(range(256), read_s=1.6, meta_s=0.01, reads=50)).headline
    assert found.sentence == "The same streams are read 2,560 times."
    assert (found.action or "").startswith("Read each file once into memory, by one rank,")


def test_one_rank_that_reads_for_ever_is_not_every_rank() -> None:
    """As many bytes as if every rank read them, by a quarter of the ranks."""
    parts = tuple(
        Part(
            "/scratch/nml/n_00",
            range(r, r + 1),
            "STDIO",
            reads=400 if r < 64 else 1,
            size=4096,
            read_s=40.0 if r < 64 else 0.1,
            reach=400 * KIB,
        )
        for r in range(256)
    )
    found = document(Work(parts, 256, 120.0, nodes=4)).headline
    assert (found.rule, found.sentence) == ("stdio-reread", "A stream is read 258 times.")


@pytest.mark.parametrize(
    ("readers", "files", "said"),
    [
        (64, 1, "Each rank opens and reads the same stream 12 times."),
        (4, 1, "Each rank that reads the stream opens it 12 times."),
        (2, 32, "Each rank that reads one of these streams opens it 12 times."),
    ],
)
def test_who_opens_a_stream_again_is_each_rank_that_reads_it(readers: int, files: int, said: str) -> None:
    parts = tuple(
        Part(f"/scratch/in/t{k}.txt", range(2 * k, 2 * k + readers), "STDIO", reads=48, read_s=60.0, opens=12,
             reach=4 * MIB)
        for k in range(files)
    )  # fmt: skip
    found = document(Work(parts, 64, 120.0, nodes=2)).headline
    assert (found.rule, found.sentence) == ("stdio-reread", said)


def test_of_a_large_stream_each_rank_keeps_its_part() -> None:
    """96 GiB, of which each rank goes through its own 1.5 GiB eight times: no rank has a use for all of it."""
    parts = tuple(
        Part(
            "/scratch/tables/cross.tbl",
            range(r, r + 1),
            "STDIO",
            reads=8 * 384,
            size=4 * MIB,
            read_s=80.0,
            reach=(r + 1) * 384 * 4 * MIB,
        )
        for r in range(RANKS)
    )
    found = document(Work(parts, RANKS, 200.0, nodes=4)).headline
    assert (found.rule, found.sentence) == ("stdio-reread", "A stream is read 8 times.")
    assert (found.action or "").startswith("Let each rank read the part that it needs into an array, once")


def test_what_no_node_holds_is_read_piece_by_piece() -> None:
    ranks = range(RANKS)
    whole = Part("/scratch/t/all.tbl", ranks, "STDIO", reads=24_576, size=4 * MIB, read_s=80.0, reach=96 * GIB)
    found = document(Work((whole,), RANKS, 200.0, nodes=4)).headline
    assert found.rule == "stdio-reread"
    assert "piece by piece" in (found.action or "")


@pytest.mark.parametrize(("nodes", "said"), [(4, "lie on the node already"), (1, "send it to all")])
def test_what_lies_on_each_node_is_not_sent_to_all(nodes: int, said: str) -> None:
    """A table that was copied to each node's disk, as is advised, and that its memory has after the first reading."""
    table = Part("/tmp/tbl.bin", range(64), reads=1000, size=MIB, read_s=uneven(64, 3), reach=1000 * MIB)
    found = document(Work((table,), 64, 20, nodes=nodes, mounts=(("/tmp", "xfs"), ("/scratch", "lustre"))))
    told = next(f for f in found.findings if f.rule == "redundant-reads" and f.verdict == "triggered")
    assert any(said in one.text for one in told.advice)
    assert (told.could_save_s is None) is (nodes > 1)


@pytest.mark.parametrize(("seconds", "from_memory"), [(60.0, True), (600.0, False)])
def test_what_memory_answers_is_not_to_be_copied_to_memory(seconds: float, from_memory: bool) -> None:
    part = Part("/scratch/bl/nt.{}.nsq", range(16), reads=200_000, size=MIB, read_s=seconds, reach=4 * GIB)
    found = document(Work((part,), nprocs=16, runtime_s=4 * seconds, nodes=1, program="/sw/bin/blastn"))
    assert found.headline.rule == "redundant-reads"
    assert ("memory of the node has these files already" in (found.headline.action or "")) == from_memory
    assert ("copy its databases" in (found.headline.action or "")) != from_memory


def told(work: Work) -> str:
    found = document(work)
    leading = next(f for f in found.findings if f.rule == found.headline.rule)
    return " ".join(f"{one.text} {one.command or ''} {one.fortran or ''}" for one in leading.advice)


def table(gib: float, layer: str, name: str, program: str) -> Work:
    reads = int(gib * 1024)
    by_layers = {layer, "POSIX"} if layer == "MPI-IO" else {layer}
    parts = (
        Part(name, range(256), one, reads=reads, read_s=uneven(256, 150.0), reach=reads * MIB) for one in by_layers
    )
    return Work(tuple(parts), 256, 600.0, nodes=8, program=program)


@pytest.mark.parametrize("layer", ["POSIX", "STDIO", "MPI-IO"])
@pytest.mark.parametrize(
    ("name", "program"),
    [("/scratch/in/eos.bin", "/sw/app"), ("/scratch/in/eos.h5", "/sw/app"), ("/scratch/in/t.npy", "/usr/bin/python3")],
)
def test_no_more_is_sent_to_all_than_mpi_counts(layer: str, name: str, program: str) -> None:
    """2 GiB in one call is more than an int holds: one rank of each node reads what all of the node share."""
    small, large = (told(table(gib, layer, name, program)) for gib in (1.5, 2))
    assert "send it to all" in small
    assert "share" not in small
    assert ("io.BytesIO(" in small) is ("python" in program), "which any format is read from"
    assert "send it to all" not in large
    assert ("MPI.Win.Allocate_shared" if "python" in program else "MPI_Win_allocate_shared") in large


@pytest.mark.parametrize("files", [1, 3])
def test_one_table_and_several_are_read_once(files: int) -> None:
    ranks, of_nodes = range(64), range(0, 64, 8)
    parts = (
        part
        for k in range(files)
        for part in (
            Part(
                f"/scratch/t{k}.dat",
                ranks,
                "MPI-IO",
                reads=4096,
                read_s=uneven(64, 90.0),
                collective=True,
                reach=4 * GIB,
            ),
            Part(f"/scratch/t{k}.dat", of_nodes, reads=512, read_s=8.0),
        )
    )
    said = told(Work(tuple(parts), 64, 900.0, nodes=8))
    assert "each node reads once then, and holds one copy" in said


@pytest.mark.parametrize(
    ("name", "whose"),
    [
        ("model-{:05}-of-00030.safetensors", "model"),
        ("pytorch_model-{:05}-of-00030.bin", "model"),
        ("consolidated.{:02}.pth", "model"),
        ("shard-{:05}.npy", "samples"),
        ("part-{:05}.bin", "samples"),
    ],
)
def test_the_weights_of_a_model_are_no_samples(name: str, whose: str) -> None:
    """Each of 8 processes reads all of 30 files, to keep an eighth of the weights."""
    parts = (
        Part(f"/scratch/m/{name.format(k)}", range(8), reads=4600, read_s=uneven(8, 6.6), reach=4600 * MIB)
        for k in range(30)
    )
    said = told(Work(tuple(parts), 8, 500.0, nodes=1, program="/sw/bin/python3"))
    assert ("--load-format sharded_state" in said) is (whose == "model")
    assert ("/dev/shm" in said) is (whose == "model")
    assert ("DistributedSampler" in said) is (whose == "samples")


@pytest.mark.parametrize(
    ("name", "program", "weights"),
    [
        ("model.bin", "/sw/bin/python3", True),
        ("model.bin", "/sw/bin/specfem", False),
        ("m.gguf", "/sw/llama", True),
        ("ckpt/llama13b.pt", "/sw/bin/python3", True),
        ("graphs/data_0.pt", "/sw/bin/python3", False),
        ("elevation_model.bin", "/sw/bin/python3", True),
    ],
)
def test_a_model_of_the_ground_has_no_weights(name: str, program: str, *, weights: bool) -> None:
    read = Part(f"/scratch/m/{name}", range(96), reads=3072, read_s=uneven(96, 120.0), reach=3 * GIB)
    said = told(Work((read,), 96, 400.0, program=program, nodes=4))
    assert ("sharded_state" in said) is weights
    assert ("Each process reads the whole model" in said) is name.endswith(("gguf", "safetensors"))


@pytest.mark.parametrize(("copied", "where"), [(3072, "/tmp"), (300, "/tmp"), (3072, "/scratch")])
def test_of_copies_on_a_node_one_is_enough(copied: int, where: str) -> None:
    """Each of 96 ranks reads 3 GiB, and writes them again."""
    ranks = range(96)
    read = Part("/scratch/c/in.dat", ranks, reads=3072, read_s=uneven(96, 120.0), reach=3 * GIB)
    copies = Part(f"{where}/in.{{}}.dat", ranks, writes=copied, write_s=3.0)
    said = told(Work((read, copies), 96, 400.0, nodes=4))
    assert ("let one rank of each node do so" in said) is (copied == 3072 and where == "/tmp")
    assert ("Let each rank read only the part" in said) is (copied != 3072 or where != "/tmp")


def test_of_a_rank_on_each_node_one_reads_what_all_copy() -> None:
    ranks = range(4)
    read = Part("/scratch/c/in.dat", ranks, reads=3072, read_s=uneven(4, 120.0), reach=3 * GIB)
    copies = Part("/tmp/in.{}.dat", ranks, writes=3072, write_s=3.0)
    said = told(Work((read, copies), 4, 400.0, nodes=4))
    assert "let one rank read it and send it to the others" in said
    assert "one rank of each node" not in said


@pytest.mark.parametrize("program", ["/sw/bin/python3", "/sw/app"])
def test_samples_that_all_read_in_each_epoch_may_be_shared_out(program: str) -> None:
    """Each of 8 processes reads all of 30 files five times, or in 40 epochs an eighth of them in each."""
    samples = (
        Part(f"/scratch/d/s{k}.npz", range(8), reads=700, opens=5, read_s=2.0, reach=140 * MIB) for k in range(30)
    )
    said = told(Work(tuple(samples), 8, 200.0, program=program, nodes=1))
    assert "Read the data once and keep it in memory" in said
    assert ("If each process goes over all of them" in said) is program.endswith("python3")


@pytest.mark.parametrize("name", ["s{}.tar", "s{}.tfrecord", "train.tfrecord-{:05}-of-00020"])
def test_of_shards_no_rank_reads_a_part_in_one_call(name: str) -> None:
    shards = tuple(
        Part("/scratch/d/" + name.format(k), range(64), reads=400, read_s=uneven(64, 4.0), reach=400 * MIB)
        for k in range(20)
    )
    said = told(Work(shards, 64, 200.0, program="/sw/bin/python3", nodes=4))
    assert "DistributedSampler" in said
    assert "all together in one call" not in said
    assert "Let one rank read each of these files and send it to all." in told(Work(shards, 64, 200.0, nodes=4))
