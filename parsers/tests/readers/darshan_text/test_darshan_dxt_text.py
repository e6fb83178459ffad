"""darshan-dxt-parser's text: the calls that the log's own trace has, in every layout that the tool has printed."""

from __future__ import annotations

import io
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from budget import dice, some, tries
from darshan_parser_export import dxt_text
from darshan_text_rows import header
from odd_stream import OddStream
from stats_text import REPOSITORY, codes, extra, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import DarshanLog, DxtTrace, Evidence, Failure
from iotriage_parsers.reader import Limits
from iotriage_parsers.text.scan import scan

FOUND = extra("samples", "found")
LOGS = sorted((REPOSITORY / "sample-logs" / "darshan_log").glob("*/*.darshan"))
PRINTED = 5.1e-5


@cache
def evidence_of(path: Path) -> Evidence:
    with path.open("rb") as stream:
        found = detect.read(stream)
    assert isinstance(found, Evidence)
    return found


def corpus(number: int) -> bytes:
    folder = extra("samples", "text")
    if folder is None:
        pytest.skip("the extra corpora are not here")
    (path,) = folder.glob(f"{number}-*")
    return path.read_bytes()


def traces(data: str | bytes) -> dict[str, DxtTrace]:
    evidence = read(data)
    assert evidence.reader == "darshan_dxt_text"
    return {trace.layer: trace for trace in evidence.of(DxtTrace)}


@pytest.mark.fuzz
@pytest.mark.parametrize("path", some([p for p in LOGS if not p.stem.startswith("51")]), ids=lambda p: p.stem)
def test_a_text_made_from_a_log_gives_the_calls_of_the_log(path: Path) -> None:
    original = evidence_of(path)
    (log,) = original.of(DarshanLog)
    wanted = {trace.layer: trace for trace in original.of(DxtTrace)}
    if not wanted or log.job.nprocs is None:
        pytest.skip("no trace in this log")
    found = traces(dxt_text(log, tuple(wanted.values())))
    assert found.keys() == wanted.keys()
    for layer, trace in wanted.items():
        text = found[layer]
        assert text.segments.dtype == trace.segments.dtype
        for name in ("record", "rank", "write", "offset", "length", "thread"):
            np.testing.assert_array_equal(text.segments[name], trace.segments[name], name)
        for name in ("start", "end"):
            np.testing.assert_allclose(text.segments[name], trace.segments[name], rtol=0, atol=PRINTED)
        ranks = set(trace.segments["rank"].tolist())
        assert text.hostnames == {r: h for r, h in trace.hostnames.items() if r in ranks}
        assert text.names == {r: n for r, n in trace.names.items() if r in set(trace.segments["record"].tolist())}
        assert text.job is not None
        assert text.job.nprocs == log.job.nprocs


@pytest.mark.parametrize("number", range(55, 61))
def test_real_texts_are_known_whatever_they_are_called_and_however_they_arrive(number: int) -> None:
    data = corpus(number)
    for stream in (io.BytesIO(data), io.BytesIO(data.replace(b"\n", b"\r\n")), io.BufferedReader(OddStream(data), 509)):
        evidence = detect.read(stream)
        assert isinstance(evidence, Evidence)
        assert evidence.reader == "darshan_dxt_text"
        assert evidence.status == ("partial" if number < 58 else "complete")
    guess = detect.detect(data[: 64 * 1024])
    assert guess is not None
    assert guess.reader == "darshan_dxt_text"


@pytest.mark.parametrize(("number", "calls"), [(55, 323), (56, 320)])
def test_the_beginning_of_a_real_text_on_lustre(number: int, calls: int) -> None:
    evidence = read(corpus(number))
    (trace,) = evidence.of(DxtTrace)
    assert (trace.layer, len(trace), trace.partial) == ("POSIX", calls, True)
    assert set(trace.names.values()) == {
        "/global/cscratch1/sd/jeanbez/paper/openPMD-api-build/../benchmarks/benchmark.h5"
    }
    first = trace.segments[0]
    assert (first["record"], first["rank"], first["write"]) == (4718013374827475928, 0, True)
    assert (first["offset"], first["length"], first["start"], first["end"]) == (7384, 33547048, 0.8998, 0.9340)
    assert trace.hostnames[0] == "nid00613"
    assert trace.segments["thread"].tolist() == [0] * calls
    of_rank_0 = trace.segments[trace.segments["rank"] == 0]
    assert (of_rank_0["write"].sum(), (~of_rank_0["write"]).sum()) == (4, 137)
    (layout,) = trace.lustre
    assert (layout.stripe_size, layout.stripe_count, layout.osts[:4]) == (33554432, 64, (213, 144, 90, 209))
    assert trace.job is not None
    assert (trace.job.nprocs, trace.job.runtime_s) == (1024, 6.0)
    assert codes(evidence) == ["truncated", "truncated"]


def test_a_part_without_its_header() -> None:
    evidence = read(corpus(57))
    (trace,) = evidence.of(DxtTrace)
    assert (trace.layer, len(trace), trace.partial) == ("MPIIO", 49, True)
    assert int(trace.segments["write"].sum()) == 22
    assert (trace.segments[22]["length"], trace.segments[22]["start"]) == (8, 3.5954)
    assert trace.job is not None
    assert trace.job.nprocs is None


@pytest.mark.parametrize("number", [58, 59])
def test_the_same_log_read_by_3_1_4_and_by_3_5(number: int) -> None:
    """3.1.4 prints no offset for MPI-IO, 3.5 prints −1; 3.5 has a column for threads."""
    found = traces(corpus(number))
    posix, mpiio = found["POSIX"], found["MPIIO"]
    assert (len(posix), len(mpiio)) == (8, 8)
    assert posix.segments["rank"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert posix.segments["offset"].tolist() == [0, 0, 2**24, 2**24, 2**25, 2**25, 3 * 2**24, 3 * 2**24]
    assert mpiio.segments["offset"].tolist() == [-1] * 8
    assert mpiio.segments["length"].tolist() == [16777216] * 8
    assert mpiio.segments["end"].tolist() == [0.0123, 0.0523, 0.0204, 0.0522, 0.0403, 0.0563, 0.0313, 0.0562]
    assert set(posix.hostnames.values()) == {"shane-thinkpad"}
    assert not posix.partial


def test_several_files() -> None:
    found = traces(corpus(60))
    assert [(s["record"], s["length"]) for s in found["POSIX"].segments] == [
        (14388265063268455899, 40),
        (9457796068806373448, 4000),
    ]
    assert found["MPIIO"].names == {
        9457796068806373448: "/yellow/usr/projects/eap/users/treddy/simple_dxt_mpi_io_darshan/test.out"
    }


BLOCK = """
# ***************************************************
# DXT_POSIX module data
# ***************************************************

# DXT, file_id: 77, file_name: /lustre/a, b: c.dat
# DXT, rank: 1, hostname: nid000001
# DXT, write_count: 2, read_count: 1
# DXT, mnt_pt: /lustre, fs_type: lustre
# DXT, Lustre stripe components:
#\t[Component 1] stripe_ext: 0 - 1048576, stripe_size: 1048576, stripe_count: 1, OSTs: 7
#\t[Component 2] stripe_ext: 1048576 - EOF, stripe_size: 4194304, stripe_count: 2, pool: flash, OSTs: 8 9
# Module    Rank  Wt/Rd  Segment          Offset          Length    Start(s)      End(s)   [OST]   Pthread-ID
 X_POSIX       1  write        0               0         1048577      0.1000      0.2000   [7] [8]   139912
 X_POSIX       1  write        1         1048577             100      0.2500      0.2501   [  8]   139913
 X_POSIX       1   read        0               0              10      0.5000      0.5001   [7]   139912
"""


def test_a_list_of_osts_that_is_broken_is_not_counted() -> None:
    stated = "# DXT, Lustre stripe_size: 1048576, Lustre stripe_count: 3\n# DXT, Lustre OST obdidx: 7 8"
    text = BLOCK[: BLOCK.index("# DXT, Lustre")] + stated + "{}\n" + BLOCK[BLOCK.index("# Module") :]
    for rest, osts in ((" 12", (7, 8, 12)), (" 1\n2", (7, 8, 1)), ("\n12", ())):
        (trace,) = read(header("DXT_POSIX:2") + text.replace("{}", rest)).of(DxtTrace)
        assert (trace.lustre[0].stripe_count, trace.lustre[0].osts) == (3, osts)


def small() -> str:
    return header("DXT_POSIX:2") + BLOCK


def test_names_with_commas_pools_threads_and_calls_over_several_stripes() -> None:
    evidence = read(small())
    (trace,) = evidence.of(DxtTrace)
    assert evidence.status == "complete"
    assert trace.names == {77: "/lustre/a, b: c.dat"}
    assert trace.segments["thread"].tolist() == [139912, 139913, 139912]
    (layout,) = trace.lustre
    assert (layout.stripe_size, layout.osts, layout.composite, layout.pool) == (4194304, (8, 9), True, "flash")


@pytest.mark.parametrize(
    "change",
    [
        lambda line: f"> {line}",
        lambda line: f"3: {line}",
        lambda line: f"{line}\r",
        lambda line: f"\x1b[1m{line}\x1b[0m",
        lambda line: line.strip(" "),
    ],
    ids=["quoted", "labelled", "crlf", "coloured", "stripped"],
)
def test_in_other_clothes(change) -> None:
    noise = "".join(f"step {i} residual {i / 7:.5f}\n" for i in range(9000))
    (trace,) = read(noise + "\n".join(change(line) for line in small().split("\n")) + "\nbye\n").of(DxtTrace)
    assert trace.segments["length"].tolist() == [1048577, 100, 10]
    assert trace.job is not None
    assert trace.job.nprocs == 4


@pytest.mark.parametrize("size", [1, 64, 1000])
def test_chunks_change_nothing(size: int) -> None:
    (blocks,), _ = scan(io.BytesIO(small().encode()), detect.block_readers(), Limits(), size)
    (trace,) = blocks.found.parts
    assert isinstance(trace, DxtTrace)
    assert trace.segments["length"].tolist() == [1048577, 100, 10]
    assert blocks.reader.id == "darshan_dxt_text"


def test_cells_that_tabs_part() -> None:
    parted = "".join(
        " " + "\t".join(line.split()) + "\n" if line.lstrip().startswith("X_") else line
        for line in small().splitlines(keepends=True)
    )
    assert "\twrite\t" in parted
    assert {k: v.segments.tolist() for k, v in traces(parted).items()} == {
        k: v.segments.tolist() for k, v in traces(small()).items()
    }


def test_rows_and_names_that_a_mail_broke() -> None:
    whole = traces(small())
    rows = [line for line in small().splitlines() if line.lstrip().startswith("X_")]
    broken = small()
    for row in rows:
        for at in (row.rindex(".", 0, row.rindex(".")), row.rindex(".")):
            cut = row.rindex(" ", 0, at)
            piece = broken.replace(row, f"{row[:cut].rstrip()}\n{row[cut:].strip()}")
            assert {k: v.segments.tolist() for k, v in traces(piece).items()} == {
                k: v.segments.tolist() for k, v in whole.items()
            }
    # Within a figure it makes none, and that is told.
    (length,) = re.findall(r" 1048577 ", rows[0]) or [" "]
    cut = broken.replace(length, " 10485\n77 ", 1)
    assert codes(read(cut)) != []
    nameless = small().replace("file_name: ", "file_name:\n")
    assert {k: len(v) for k, v in traces(nameless).items()} == {k: len(v) for k, v in whole.items()}


def test_calls_that_are_missing_are_missed() -> None:
    lines = small().split("\n")
    del lines[-3]
    evidence = read("\n".join(lines))
    (trace,) = evidence.of(DxtTrace)
    assert trace.partial
    assert any("2 calls are there and 3 were promised" in p.message for p in evidence.problems)


def test_calls_that_cannot_be_are_left_out() -> None:
    text = small().replace("X_POSIX       1   read", "X_POSIX       9   read").replace("0.2000   [7]", "0.0500   [7]")
    evidence = read(text)
    (trace,) = evidence.of(DxtTrace)
    assert trace.segments["length"].tolist() == [100]
    assert evidence.status == "partial"
    assert trace.partial


def test_darshans_own_warning_makes_the_trace_partial() -> None:
    warning = "\n# *WARNING*: The DXT_POSIX module contains incomplete data!\n"
    evidence = read(small().replace("\n# DXT, file_id", warning + "\n# DXT, file_id", 1))
    assert evidence.of(DxtTrace)[0].partial
    assert codes(evidence) == ["partial-module"]


def test_a_log_without_a_trace() -> None:
    evidence = read(header("POSIX:4") + "\n# no DXT module data available for this Darshan log.\n")
    assert evidence.reader == "darshan_dxt_text"
    (trace,) = evidence.of(DxtTrace)
    assert len(trace) == 0
    assert evidence.status == "complete"
    assert any("DXT_ENABLE_IO_TRACE" in p.message for p in evidence.problems)


@pytest.mark.fuzz
def test_a_cut_text_gives_calls_that_are_there_and_says_so() -> None:
    text = small()
    (whole,) = read(text).of(DxtTrace)
    for at in dice("cuts").sample(range(len(text)), tries(20, 300)):
        answer = detect.read(io.BytesIO(text[:at].encode()))
        if isinstance(answer, Failure):
            assert at < len("# darshan log version: 3")
            continue
        for trace in answer.of(DxtTrace):
            assert (trace.segments == whole.segments[: len(trace)]).all()
        assert answer.status == "partial" or at > text.rindex("0.5001"), at


@pytest.mark.fuzz
def test_damaged_bytes_are_survived() -> None:
    data, chance = bytearray(small().encode()), dice("damage")
    for _ in range(tries(8, 200)):
        at, bit = chance.randrange(len(data)), 1 << chance.randrange(8)
        data[at] ^= bit
        detect.read(io.BytesIO(bytes(data)))
        data[at] ^= bit


def test_numbers_beyond_64_bits() -> None:
    evidence = read(small().replace("         1048577      0.1000", f"{2**63 + 5}      0.1000"))
    assert evidence.of(DxtTrace)[0].segments["length"].tolist() == [100, 10]
    assert evidence.status == "partial"
    assert read(small().replace("file_id: 77", f"file_id: {2**65}")).status == "partial"


def test_what_is_said_of_the_source() -> None:
    assert detect.describe(read(small())) == ("DXT trace: 3 POSIX calls",)


@pytest.mark.skipif(FOUND is None, reason="no extra corpora")
def test_a_text_with_tabs_that_others_have() -> None:
    assert FOUND is not None
    text = (FOUND / "darshan-text-lammps.dxt.log").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if line.startswith(" X_POSIX\t")]
    (trace,) = traces(text).values()
    assert trace.segments["length"].tolist() == [int(row[5]) for row in rows]
    assert trace.segments["start"].tolist() == [float(row[6]) for row in rows]
