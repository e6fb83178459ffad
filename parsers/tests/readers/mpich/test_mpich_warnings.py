"""Complaints: one part a kind, with exact counts."""

from __future__ import annotations

import io
import re

import pytest
from budget import tries
from stats_text import REPOSITORY, block, codes, message, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import (
    DvsStripeWarning,
    Failure,
    InternalError,
    IoError,
    MpichAbort,
    MpiioStats,
)

SAMPLES = REPOSITORY / "sample-logs" / "mpich_warnings"
DVS = "MPIIO WARNING: DVS stripe width of {} was requested but DVS set it to {}\n"
HELP = "See MPICH_MPIIO_DVS_MAXNODES in the intro_mpi man page.\n"


def sample(case: str):
    (path,) = (SAMPLES / case).glob("*.txt")
    return read(path.read_bytes())


def error(
    rank: int = 3, file: str = "a.dat", errno: int = 122, offset: int = 741458584, operation: str = "WRITE"
) -> str:
    return (
        f"ADIOI_CRAY_{operation}CONTIG(245): filename='{file}'  error='Disk quota exceeded'  errno={errno}  "
        f"PE={rank:05d}  {operation[0]}_rec=00000  off={offset:010d}  len=0000000010  "
        "See MPICH_MPIIO_ABORT_ON_RW_ERROR.\n"
    )


def test_lost_checkpoints() -> None:
    quota, space = sample("quota-while-writing").of(IoError)
    assert (quota.operation, quota.errno, quota.name, quota.message) == ("write", 122, "EDQUOT", "Disk quota exceeded")
    assert (quota.count, quota.rank_count, quota.ranks) == (24, 12, tuple(range(0, 96, 8)))
    assert (quota.file_count, quota.files) == (2, ("ckpt/ridge.000020.bin", "ckpt/ridge.000030.bin"))
    assert quota.length_bytes == 22 * 8_388_608 + 2 * 1_048_577
    assert (quota.line, quota.last_line, len(quota.calls)) == (3, 32, 20)
    assert (space.errno, space.name, space.count, space.ranks, space.line) == (28, "ENOSPC", 1, (95,), 34)
    (call,) = space.calls
    assert (call.offset_bytes, call.length_bytes, call.record, call.source_line) == (474_083_277_000, 77, 16_784, 245)


def test_a_warning_of_each_rank_is_one_part() -> None:
    evidence = sample("dvs-labelled")
    wide, narrow = evidence.of(DvsStripeWarning)
    assert (wide.requested_width, wide.set_width, wide.count, wide.line, wide.last_line) == (24, 14, 64, 2, 144)
    assert (narrow.requested_width, narrow.set_width, narrow.count, narrow.line) == (4, 1, 1, 146)
    (failed,) = evidence.of(IoError)
    assert (failed.operation, failed.name, failed.count, failed.ranks) == ("read", "EIO", 2, (9, 13))
    assert [(c.rank, c.offset_bytes, c.length_bytes, c.line) for c in failed.calls] == [
        (13, 7_235_174_464, 4_194_304, 148),
        (9, 741_458_584, 143_605_832, 149),
    ]


ASSERTION = "Assertion failed in file ../../src/mpi/{} at line 262: at == (int) at\n"


def test_a_failed_assertion_of_romio_is_an_internal_error() -> None:
    text = ASSERTION.format("romio/adio/ad_lustre/ad_lustre_aggregate.c")
    (internal,) = read(f"step 1\n{text}3: {text}internal ABORT - process 3\n").of(InternalError)
    assert (internal.function, internal.source_line, internal.message) == (
        "ad_lustre_aggregate.c",
        262,
        "at == (int) at",
    )
    assert internal.source == "src/mpi/romio/adio/ad_lustre/ad_lustre_aggregate.c"
    assert (internal.count, internal.ranks, internal.line, internal.last_line) == (2, (), 2, 3)


def test_an_error_that_romio_finds_in_itself_is_an_internal_error() -> None:
    """As Open MPI and MPICH print it, once a rank."""
    lines = "".join(
        f"Error in ADIOI_Calc_aggregator(): rank_index({rank}) >= fd->hints->cb_nodes (40) fd_size=213909504 off=86\n"
        for rank in (40, 41)
    )
    (part,) = read(f"step 1\n{lines}application called MPI_Abort(MPI_COMM_WORLD, 1) - process 157\n").of(InternalError)
    assert (part.function, part.count, part.rank_count, part.line, part.last_line) == (
        "ADIOI_Calc_aggregator",
        2,
        0,
        2,
        3,
    )
    assert part.message.startswith("rank_index(40) >= ")
    source = 'FPRINTF(stderr, "Error in ADIOI_Calc_aggregator(): rank_index(%d) >= fd->hints->cb_nodes (%d)");\n'
    assert isinstance(detect.read(io.BytesIO(source.encode())), Failure)


@pytest.mark.parametrize(
    ("text", "function", "at"),
    [
        ("Assertion failed in file\n../src/mpi/romio/adio/common/lock.c at line 71: err == 0\n", "lock.c", 71),
        ("1: Assertion failed in file ../romio/adio/com\n1: mon/lock.c at li\n1: ne 71: err == 0\n", "lock.c", 71),
        ("Assertion failed in file ../src/mpi/romio/adio/common/lock.c at line 7\n", "lock.c", None),
        ("Assertion failed in file ../src/mpi/romio/adio/common/lock.c at\nstep 2 of 9\ndone\n", "lock.c", None),
        ("Assertion failed in file ../src/mpi/romio/adio/comm\n\nstep 2 of 9\n", "ROMIO", None),
    ],
)
def test_a_failed_assertion_is_one_though_its_place_stays_broken(text: str, function: str, at: int | None) -> None:
    (internal,) = read(text).of(InternalError)
    assert (internal.function, internal.source_line, internal.count) == (function, at, 1)


@pytest.mark.parametrize("place", ["coll/helper.c at line 262: a", "coll/helper.c at\ndone\n", "coll/hel"])
def test_a_failed_assertion_of_another_part_of_the_library_is_none_of_its_io(place: str) -> None:
    text = f"Assertion failed in file ../../src/mpi/{place}"
    assert isinstance(detect.read(io.BytesIO(text.encode())), Failure)


def test_an_internal_error_and_its_aborts() -> None:
    evidence = sample("pfl-internal-error")
    (internal,) = evidence.of(InternalError)
    assert (internal.function, internal.source_line) == ("ADIOI_CRAY_Calc_aggregator_pfl", 77)
    assert internal.source == "src/mpi/romio/adio/ad_cray/ad_cray_aggregate.c"
    assert (internal.count, internal.ranks, internal.line, internal.last_line, len(internal.text)) == (
        2,
        (0, 4),
        3,
        6,
        4,
    )
    assert internal.message.startswith("should not get here : num_comp=1")
    (abort,) = evidence.of(MpichAbort)
    assert (abort.code, abort.count, abort.ranks, abort.job) == (77, 2, (0, 4), "40112.3")
    assert abort.nodes == ("nid002001", "nid002005")
    assert abort.message == "application called MPI_Abort(MPI_COMM_WORLD, 77) - process 0"


@pytest.mark.parametrize("width", range(42, 96, 6))
def test_an_internal_error_is_counted_once_however_its_line_is_broken(width: int) -> None:
    place = "./src/mpi/romio/adio/ad_cray/ad_cray_aggregate.c +77 should not get here : num_comp=1"
    asserted = ASSERTION.format("romio/adio/ad_lustre/ad_lustre_aggregate.c")
    lines = [f"{rank} ADIOI_CRAY_Calc_aggregator_pfl() {place}\n" for rank in (0, 4)] + [asserted] * 2
    broken = "".join(f"{piece}\n" for line in lines for piece in re.findall(f".{{1,{width}}}", line))
    in_pfl, in_aggregation = read(broken).of(InternalError)
    assert (in_pfl.source_line, in_pfl.count, in_pfl.ranks) == (77, 2, (0, 4))
    assert (in_aggregation.source_line, in_aggregation.count) == (262, 2)


@pytest.mark.parametrize("rest", ["", "d_cray/ad_cray_aggregate.c +77 should not get here : num_comp=1\n"])
def test_an_error_whose_place_is_broken_is_explained_as_others_are(rest: str) -> None:
    """Its rest stands there without the quotation's sign, is torn, or is not there."""
    called = "> 4 ADIOI_CRAY_Calc_aggregator_pfl()"
    text = f"{called} ./src/mpi/romio/adio/a\n{rest[:30]}\n{called} comps[0]= 1*-518 0--1\n"
    (found,) = read(text).of(InternalError)
    assert (found.count, found.ranks, found.line, found.last_line) == (1, (4,), 1, 3)


def test_another_ranks_error_before_one_whose_place_is_broken_is_read() -> None:
    place = "./src/mpi/romio/adio/a\nd_cray/ad_cray_aggregate.c +77 should not get here\n"
    evidence = read(f"{error(rank=10).rstrip()}  4 ADIOI_CRAY_Calc_aggregator_pfl() {place}")
    assert [(found.count, found.ranks) for found in evidence.of(IoError)] == [(1, (10,))]
    assert [found.source_line for found in evidence.of(InternalError)] == [77]


def test_padded_numbers_are_decimal() -> None:
    (found,) = read(error(rank=10, offset=1_234_567)).of(IoError)
    assert (found.ranks, found.calls[0].offset_bytes, found.length_bytes) == ((10,), 1_234_567, 10)


def test_an_errno_without_a_name_and_both_directions() -> None:
    found = read(error(errno=4321) + error(operation="READ", errno=5)).of(IoError)
    assert [(f.operation, f.errno, f.name) for f in found] == [("write", 4321, None), ("read", 5, "EIO")]


@pytest.mark.parametrize("at", [60, 95, 110, 125, 140, 160])
def test_a_line_that_a_terminal_wrapped(at: int) -> None:
    text = error(file="a-file-with-a-long-name.dat")
    evidence = read(f"{text[:at]}\n{text[at:]}")
    (found,) = evidence.of(IoError)
    assert (found.errno, found.ranks, found.files, found.length_bytes) == (
        122,
        (3,),
        ("a-file-with-a-long-name.dat",),
        10,
    )
    assert (found.calls[0].offset_bytes, found.count, evidence.status) == (741_458_584, 1, "complete")


def test_the_rest_of_a_labelled_line_without_its_label() -> None:
    text = error()
    evidence = read(f"0013: {text[:70]}\n{text[70:]}0001: other\n")
    (found,) = evidence.of(IoError)
    assert (found.count, found.errno, found.calls[0].line, evidence.status) == (1, 122, 1, "complete")


@pytest.mark.parametrize("at", range(30, 185, 6))
def test_a_torn_line_is_counted_and_no_number_is_made_up(at: int) -> None:
    evidence = read(error()[:at])
    (found,) = evidence.of(IoError)
    (call,) = found.calls
    assert found.count == 1
    assert (found.errno, call.rank, call.offset_bytes, call.length_bytes) in {
        (None, None, None, None),
        (122, None, None, None),
        (122, 3, None, None),
        (122, 3, 741_458_584, None),
        (122, 3, 741_458_584, 10),
    }
    if not call.complete:
        assert (codes(evidence), evidence.status) == (["torn"], "partial")


def test_two_errors_on_one_line() -> None:
    torn, whole = error(rank=1)[:60], error(rank=2)
    evidence = read(torn + whole)
    parts = evidence.of(IoError)
    assert {(p.errno, p.count, p.ranks) for p in parts} == {(None, 1, ()), (122, 1, (2,))}
    assert "1 line of MPI-IO errors torn" in message(evidence, "torn")


def test_a_name_with_quotes_in_it() -> None:
    (found,) = read(error(file="it's  a 'file'.dat")).of(IoError)
    assert found.files == ("it's  a 'file'.dat",)


def test_a_number_too_large_is_absent() -> None:
    (found,) = read(error().replace("0741458584", "9" * 30)).of(IoError)
    assert (found.calls[0].offset_bytes, found.calls[0].complete) == (None, False)


@pytest.mark.parametrize("noise", [0, 3, 500])
def test_warnings_far_apart_are_still_one_part(noise: int) -> None:
    text = (DVS.format(32, 28) + HELP + "step\n" * noise) * 40
    (found,) = read(text).of(DvsStripeWarning)
    assert (found.count, found.line, found.last_line) == (40, 1, 39 * (2 + noise) + 1)


def test_complaints_among_statistics() -> None:
    lines = block("a").splitlines(keepends=True)
    mixed = "".join([*lines[:5], DVS.format(2, 1), HELP, *lines[5:9], error(), *lines[9:]])
    evidence = read(mixed)
    (stats,) = evidence.of(MpiioStats)
    assert (stats.complete, stats.trusted, stats.system_accesses) == (True, True, 1605)
    assert (evidence.of(DvsStripeWarning)[0].count, evidence.of(IoError)[0].count) == (1, 1)
    assert evidence.problems == ()


def test_mentions_are_no_complaints() -> None:
    text = "export MPICH_MPIIO_DVS_MAXNODES=1 # See MPICH_MPIIO_ABORT_ON_RW_ERROR.\nADIOI_CRAY_WriteStrided took 3 s\n"
    assert isinstance(detect.read(io.BytesIO(text.encode())), Failure)


def test_an_abort_alone_is_no_evidence_of_io() -> None:
    line = "MPICH ERROR [Rank 3] [job id 1.0] [Fri Oct 18 10:42:04 2024] [nid001001] - Abort(1) (rank 3 in comm 0): x\n"
    assert isinstance(detect.read(io.BytesIO(line.encode())), Failure)
    (abort,) = read(error() + line).of(MpichAbort)
    assert (abort.code, abort.ranks) == (1, (3,))


@pytest.mark.fuzz
def test_a_storm_is_one_part_of_bounded_size() -> None:
    ranks = 20_736
    count = tries(ranks + 1, 100_000)
    text = "".join(error(rank=n % ranks, file=f"f{n % 50}.dat") for n in range(count)).encode()
    (found,) = read(text).of(IoError)
    assert (found.count, found.rank_count, found.file_count) == (count, ranks, 50)
    assert (len(found.ranks), len(found.files), len(found.calls)) == (64, 20, 20)


def test_a_storm_with_labels_is_counted_whole() -> None:
    text = "".join(f"{n % 1000:4d}: " + error(rank=n % 1000, offset=n) + "   0: step\n" for n in range(3_000)).encode()
    (found,) = read(text).of(IoError)
    assert (found.count, found.rank_count) == (3_000, 1_000)


@pytest.mark.parametrize("end", ["\n", "\t\n", "\r\n"])
def test_what_is_read_at_once_comes_to_the_same(end: str) -> None:
    """A tab or a carriage return has each line read by itself."""
    lines = [
        error(rank=n % 40, file=f"f{n % 7}.dat", errno=(122, 28)[n % 5 == 0], offset=n).rstrip() for n in range(300)
    ]
    lines[100] = lines[100].replace("len=0000000010  See", "len=00000")
    lines[200] += lines[200]
    quota, full = sorted(read("".join(line + end for line in lines)).of(IoError), key=lambda e: -e.count)
    assert (quota.count, quota.length_bytes, quota.rank_count, quota.file_count) == (240, 2400, 32, 7)
    assert (full.count, full.length_bytes, full.rank_count, full.line, full.last_line) == (61, 600, 8, 1, 296)


def test_an_abort_outside_mpi_io_is_none_of_its_complaints() -> None:
    start = "MPICH ERROR [Rank 3] [job id 1.0] [Fri Oct 18 10:42:04 2024] [nid001001] - Abort(1) (rank 3 in comm 0): "
    of_init = start + "Fatal error in PMPI_Init_thread: Other MPI error, error stack:\n"
    of_file = start + "Fatal error in PMPI_File_open: Other I/O error\n"
    assert read(block() + of_init).of(MpichAbort) == ()
    assert len(read(block() + of_file).of(MpichAbort)) == 1


def test_a_width_that_ends_with_the_text_may_be_cut_and_does_not_count() -> None:
    evidence = read(DVS.format(24, 14) + DVS.format(24, 1).rstrip("\n"))
    (warning,) = evidence.of(DvsStripeWarning)
    assert (warning.set_width, warning.count) == (14, 1)
    assert [(p.code, p.line) for p in evidence.problems] == [("truncated", 2)]


def test_what_a_mail_quotes_of_itself_is_counted_once() -> None:
    lines = [error(rank=n % 3, offset=n).rstrip() for n in range(6)]
    quoted = "".join(f"> {line}\n" for line in lines)
    evidence = read("\n".join(lines) + "\n\nOn Monday somebody wrote:\n" + quoted)
    assert [(e.count, e.rank_count) for e in evidence.of(IoError)] == [(6, 3)]
    assert "duplicate-block" in [p.code for p in evidence.problems]
    steps = read("".join(f"step {n}\n" * 20 + "\n".join(lines) + "\n" for n in range(3)))
    assert [(e.count, e.rank_count) for e in steps.of(IoError)] == [(18, 3)]
    assert "duplicate-block" not in [p.code for p in steps.problems]
    # A rank that fails to write the same header again fails again.
    assert [e.count for e in read(error() + "step\n" * 20 + error()).of(IoError)] == [2]
