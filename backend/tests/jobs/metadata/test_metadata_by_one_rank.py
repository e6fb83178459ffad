"""HDF5's metadata where one rank makes all of it, and jobs that look like that and are not."""

from __future__ import annotations

import pytest
from described import KIB, MIB, Part, Work, above_info, document, osts

RANKS, FILES, PIECES = 256, 10, 20_000


def checkpoints(
    path: str = "/scratch/amr/chk_{k:04}.h5", *, pieces: int = PIECES, by_rank_0_s: float = 9.0, each: int = 0
) -> Work:
    """Even collective data in each file; rank 0 writes `pieces` of 600 B beside it, or every rank `each` of them, and
    rank 0 takes `by_rank_0_s` longer."""
    parts: list[Part] = []
    for k in range(FILES):
        name, ranks = path.format(k=k), range(RANKS)
        late = tuple(0.01 + (by_rank_0_s if r == 0 else 0.0) for r in ranks)
        parts += (
            Part(name, ranks, "MPI-IO", writes=600, size=20 * KIB, write_s=1.5, collective=True),
            Part(name, range(0, RANKS, 16), writes=47, size=4 * MIB, write_s=1.2, in_order=0.1, osts=osts(16, k)),
            Part(name, ranks, "MPI-IO", writes=each, size=600, write_s=late),
            Part(name, ranks, writes=each, size=600, write_s=tuple(0.9 * s for s in late)),
        )
        if pieces:
            parts += (
                Part(name, range(1), "MPI-IO", writes=pieces, size=600),
                Part(name, range(1), writes=pieces, size=600, aligned=False),
            )
    return Work(tuple(parts), nprocs=RANKS, runtime_s=400.0)


def test_metadata_that_one_rank_writes_is_named_and_not_its_data() -> None:
    found = document(checkpoints())
    assert found.headline.rule == "hdf5-independent-metadata"
    assert found.headline.sentence.startswith("One rank writes the HDF5 metadata")
    mine = next(f for f in found.findings if f.rule == "hdf5-independent-metadata")
    assert "H5Pset_meta_block_size" in mine.advice[0].text
    straggler = next(f for f in found.findings if f.rule == "straggler-rank")
    assert straggler.explained_by is not None or straggler.verdict != "triggered"
    assert 80 < (mine.takes_s or 0.0) < 100


def beside_independent_data(path: str, *, pieces: int, late_s: float, of: int = 1, more: int = 0) -> Work:
    """Each of 1,024 ranks writes 160 MiB in large pieces; the first `of` them write `pieces` of 400 B besides, rank 0
    `more` large ones, and it takes longer."""
    ranks = range(1024)
    took = tuple(12.0 + (late_s if r == 0 else 0.0) for r in ranks)
    parts = (
        Part(path, ranks, "MPI-IO", writes=40, size=4 * MIB, write_s=took),
        Part(path, ranks, writes=40, size=4 * MIB, write_s=took, in_order=0.0, forward=1.0, osts=osts(16)),
        Part(path, range(of), "MPI-IO", writes=pieces, size=400),
        Part(path, range(of), writes=pieces, size=400, aligned=False),
        Part(path, range(1), "MPI-IO", writes=more, size=4 * MIB),
        Part(path, range(1), writes=more, size=4 * MIB),
    )
    return Work(parts, nprocs=1024, runtime_s=240.0, nodes=64)


def test_metadata_that_one_rank_writes_beside_independent_data_is_no_slow_server() -> None:
    found = document(beside_independent_data("/scratch/stars/dump.h5", pieces=80_000, late_s=70.0))
    assert found.headline.sentence == "One rank writes the HDF5 metadata, and the others wait for it."
    mine = next(f for f in found.findings if f.rule == "hdf5-independent-metadata")
    assert mine.takes_s == pytest.approx(70, abs=2)
    assert "straggler-rank" not in above_info(found)


def test_small_pieces_of_one_rank_beside_independent_data_are_its_calls() -> None:
    found = document(beside_independent_data("/scratch/stars/dump.dat", pieces=80_000, late_s=70.0))
    assert found.headline.sentence == "One rank makes far more calls than the others, which wait for it."


def test_small_pieces_of_all_are_not_put_to_a_rank_that_writes_a_little_more_data() -> None:
    for path in ("/scratch/stars/dump.h5", "/scratch/stars/dump.dat"):
        found = document(beside_independent_data(path, pieces=78, late_s=70.0, of=1024, more=8))
        assert found.headline.rule == "straggler-rank"
        assert "calls" not in found.headline.sentence


def test_few_pieces_that_would_each_have_to_take_a_second_are_not_why_a_rank_is_slow() -> None:
    for path in ("/scratch/stars/dump.h5", "/scratch/stars/dump.dat"):
        found = document(beside_independent_data(path, pieces=60, late_s=70.0))
        assert found.headline.rule == "straggler-rank"
        assert "calls" not in found.headline.sentence


def test_one_slow_rank_beside_metadata_of_all_ranks_is_not_taken_for_its_writer() -> None:
    found = document(checkpoints(pieces=0, each=60))
    assert "hdf5-independent-metadata" not in above_info(found)
    assert "straggler-rank" in above_info(found)


def test_a_few_pieces_of_one_rank_that_cost_nothing_are_no_finding() -> None:
    assert "hdf5-independent-metadata" not in above_info(document(checkpoints(by_rank_0_s=0.2)))


def test_a_rank_whose_bytes_cannot_take_its_time_is_not_said_to_move_far_more_data() -> None:
    found = document(checkpoints("/scratch/amr/chk_{k:04}.dat", pieces=2 * PIECES))
    assert found.headline.rule == "straggler-rank"
    assert "far more data" not in found.headline.sentence
    assert "gather" in (found.headline.action or "")
    assert "same amount" not in (found.headline.action or "")


def test_tiny_records_of_one_rank_in_a_netcdf_file_are_neither_a_slow_server_nor_a_slow_core() -> None:
    found = document(checkpoints("/scratch/ocean/hist_{k:03}.nc"))
    assert found.headline.rule == "straggler-rank"
    assert found.headline.sentence == "One rank makes far more calls than the others, which wait for it."
    mine = next(f for f in found.findings if f.rule == "straggler-rank")
    assert "a library's own" in mine.advice[0].text
    assert "ncmpi_enddef" in mine.advice[0].text


def test_a_slow_rank_beside_small_calls_of_all_ranks_is_not_said_to_make_more_calls() -> None:
    found = document(checkpoints("/scratch/ocean/hist_{k:03}.nc", pieces=0, each=60))
    assert "more calls" not in found.headline.sentence


def opened_by_rank_0(opens: int, meta_s: float, read_s: float) -> Work:
    """Rank 0 opens its inputs and reads 64 GiB of them before all write."""
    inputs = tuple(
        Part(
            f"/scratch/in/part{k:04}.dat", range(1), reads=64 * KIB // opens, size=MIB, read_s=read_s / opens,
            meta_s=meta_s / opens, begins_s=100.0, osts=osts(1, k),
        )
        for k in range(opens)
    )  # fmt: skip
    own_files = Part("/scratch/out.{}", range(256), writes=100, size=4 * MIB, write_s=5.0, begins_s=250.0)
    return Work((*inputs, own_files), nprocs=256, runtime_s=400.0, nodes=4)


def test_an_open_that_takes_long_is_no_io_of_one_rank_that_all_could_share() -> None:
    said = above_info(document(opened_by_rank_0(1, meta_s=95.0, read_s=2.0)))
    assert "serial-io" not in said
    assert "straggler-rank" in said


def alone(meta_s: float, files: int = 1) -> Work:
    """Rank 0 alone reads 2 GiB in 4 s, after opens that take long."""
    read = (
        Part(
            f"/scratch/in/{k}.nc", range(1), reads=512 // files, size=4 * MIB, read_s=4.0 / files, meta_s=meta_s / files
        )
        for k in range(files)
    )
    return Work(tuple(read), nprocs=64, runtime_s=600.0)


def test_nobody_shares_out_an_open_that_takes_long_though_one_rank_moves_all_bytes() -> None:
    found = document(alone(400.0))
    assert found.headline.sentence.startswith("One rank waits long for a file to open, and does the I/O of the job.")
    assert found.headline.command == 'lfs hsm_state "${FILE:?the file of the slow rank}"'
    assert next(f for f in found.findings if f.rule == "serial-io").could_save_s is None


@pytest.mark.parametrize(("meta_s", "files"), [(2.0, 1), (400.0, 64)], ids=["quick", "others could open some"])
def test_other_opens_are_io_of_one_rank(meta_s: float, files: int) -> None:
    assert "waits long" not in document(alone(meta_s, files)).headline.sentence


@pytest.mark.parametrize(("writes", "reads"), [(0, 0), (20_000, 0), (0, 4_000)])
def test_a_file_that_one_rank_only_asks_about_is_written_by_nobody_else(writes: int, reads: int) -> None:
    """Nor does another rank read a part of a few bytes that say whether to go on."""
    asked = Part("/scratch/stop", range(1), writes=writes, size=20 if reads else 10 * KIB, stats=200_000, reads=reads,
                 write_s=60.0 * bool(writes), read_s=60.0 * bool(reads), meta_s=0.0 if writes or reads else 60.0,
                 opens=reads or min(1, writes), reach=20 if reads else None)  # fmt: skip
    others = Part("/scratch/o.{}", range(64), writes=900, size=4 * MIB, write_s=60.0)
    found = document(Work((asked, others), nprocs=64, runtime_s=9000.0, nodes=4)).findings
    (serial,) = (f for f in found if f.rule == "serial-io" and f.verdict == "triggered")
    assert any("pause some seconds" in advice.text for advice in serial.advice) is not bool(writes)
    assert any("its part of" in advice.text for advice in serial.advice) is bool(writes)
    assert (serial.impact is not None) is bool(writes)


TO_LOOK = "Let that rank pause some seconds between two looks"
TO_OPEN = "Open stop once and keep it open, and ask about it less often: no call reads or writes it."


@pytest.mark.parametrize(
    ("opens", "stats", "mmaps", "meta_s", "advised"),
    [(0, 900, 0, 200.0, TO_LOOK), (900, 0, 0, 200.0, TO_LOOK), (900, 0, 900, 200.0, TO_OPEN), (8, 0, 0, 3.6, TO_OPEN)],
    ids=["asked about", "opened", "mapped", "a few opens that take long"],
)
def test_who_looks_a_few_hundred_times_at_a_file_is_not_told_to_write_less(
    opens: int, stats: int, mmaps: int, meta_s: float, advised: str
) -> None:
    """Fewer opens and stats than another rule would be about."""
    asked = Part("/scratch/run/stop", range(1), opens=opens, stats=stats, mmaps=mmaps, meta_s=meta_s)
    others = Part("/scratch/o/x.dat", range(64), writes=10, write_s=1.0)
    found = document(Work((asked, others), nprocs=64, runtime_s=2 * meta_s, nodes=2)).findings
    (serial,) = (f for f in found if f.rule == "serial-io" and f.verdict == "triggered")
    again = "One rank of 64 opens stop or asks about it again and again, and moves nothing there."
    assert (serial.headline == again) is (advised == TO_LOOK)
    assert [advice.text.split(" at ")[0] for advice in serial.advice] == [advised]


def test_files_that_open_slowly_could_be_opened_by_several() -> None:
    """One after the other: what passes between their reads is the open of the next."""
    opens = tuple(
        Part(f"/scratch/in/part{k:04}.dat", range(1), reads=4, size=MIB, read_s=0.01, meta_s=0.7, begins_s=5 + 0.75 * k)
        for k in range(128)
    )
    own_files = Part("/scratch/out.{}", range(256), writes=100, size=4 * MIB, write_s=5.0, begins_s=250.0)
    found = document(Work((*opens, own_files), nprocs=256, runtime_s=400.0, nodes=4))
    assert found.headline.rule == "serial-io"
    assert "Share 128 files" in (found.headline.action or "")


def test_what_one_rank_reads_or_opens_in_great_number_is() -> None:
    assert "serial-io" in above_info(document(opened_by_rank_0(1, meta_s=30.0, read_s=65.0)))
    assert {"serial-io", "metadata-bound"} & set(above_info(document(opened_by_rank_0(1024, meta_s=95.0, read_s=2.0))))
