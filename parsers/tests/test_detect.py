"""The one door: what each kind of file is taken for, and what is said of what we do not read."""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import lzma
import pkgutil
import random
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from functools import partial

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from odd_stream import OddStream
from packed_files import zipped
from stats_text import REPOSITORY, block, message, read

from iotriage_parsers import detect, readers
from iotriage_parsers.evidence import DarshanLog, Evidence, Failure, MpiioStats
from iotriage_parsers.reader import HEAD_BYTES, Limits

DARSHAN = REPOSITORY / "sample-logs" / "darshan_log" / "14-balanced" / "14-balanced.darshan"
MIB = 2**20
PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": partial(lzma.compress, preset=0),
    "zstd": zstandard.compress,
}


def failure(data: bytes, limits: Limits | None = None) -> Failure:
    answer = detect.read(io.BytesIO(data), limits)
    assert isinstance(answer, Failure), answer
    assert answer.next_step
    return answer


def test_readers_are_found_without_a_list() -> None:
    assert "darshan_log" in {r.id for r in detect.whole_file_readers()}
    assert "mpich_stats" in {r.id for r in detect.block_readers()}


def test_a_reader_is_called_as_its_module() -> None:
    for module in pkgutil.iter_modules(readers.__path__, f"{readers.__name__}."):
        reader = getattr(importlib.import_module(module.name), "reader", None)
        assert reader is None or module.name.endswith(f".{reader.id}")


def test_a_darshan_log_goes_to_its_reader() -> None:
    evidence = detect.read(io.BytesIO(DARSHAN.read_bytes()))
    assert isinstance(evidence, Evidence)
    assert evidence.reader == "darshan_log"
    assert evidence.of(DarshanLog)


@pytest.mark.parametrize("pack", PACKINGS.values(), ids=PACKINGS)
@pytest.mark.parametrize("inside", [DARSHAN.read_bytes(), block().encode()], ids=["darshan", "text"])
def test_what_is_packed_is_read_as_what_is_inside(pack, inside: bytes) -> None:
    packed = detect.read(io.BytesIO(pack(inside)))
    plain = detect.read(io.BytesIO(inside))
    assert isinstance(packed, Evidence)
    assert isinstance(plain, Evidence)
    assert packed.reader == plain.reader
    assert detect.describe(packed) == detect.describe(plain)
    assert packed.problems == plain.problems


def test_packed_in_several_members() -> None:
    text = block("a").encode() + block("b").encode()
    for pack in PACKINGS.values():
        evidence = read(pack(text[:400]) + pack(text[400:]))
        assert [b.file for b in evidence.of(MpiioStats)] == ["a", "b"]


@pytest.mark.parametrize("pack", PACKINGS.values(), ids=PACKINGS)
def test_packed_data_that_ends_early_is_read_up_to_there(pack) -> None:
    noise = random.Random(1).randbytes(1_000_000).hex().encode()
    packed = pack(block().encode() + noise)
    evidence = read(packed[: len(packed) * 2 // 3])
    assert evidence.of(MpiioStats)[0].complete
    assert evidence.status == "partial"
    assert "ends early" in message(evidence, "truncated")


def test_packed_data_that_is_damaged_at_once() -> None:
    assert failure(gzip.compress(b"x" * 99)[:10] + b"\xff" * 50).code == "damaged"
    assert failure(bz2.compress(b"x" * 99)[:30] + b"\xff" * 50).code == "damaged"
    assert failure(lzma.compress(b"x" * 99)[:10] + b"\xff" * 50).code == "damaged"
    assert failure(zstandard.compress(b"x" * 99)[:6] + b"\xff" * 50).code == "damaged"


def test_nothing_that_needs_much_memory_is_unpacked() -> None:
    """xz with a dictionary of 1 GiB, zstd with a window of 1 GiB: small files that would cost as much memory."""
    text = block().encode()
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 2**30}]
    assert failure(lzma.compress(text, filters=filters)).code == "damaged"
    parameters = zstandard.ZstdCompressionParameters(window_log=30)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    assert failure(packer.compress(text) + packer.flush()).code == "damaged"


def test_nuls_after_xz_and_a_frame_to_skip_after_zstd() -> None:
    text = block().encode()
    for packed in (lzma.compress(text) + b"\0" * 8, zstandard.compress(text) + b"\x50\x2a\x4d\x18\x03\0\0\0abc"):
        evidence = read(packed)
        assert evidence.status == "complete"
        assert len(evidence.of(MpiioStats)) == 1


@pytest.mark.parametrize("pack", PACKINGS.values(), ids=PACKINGS)
def test_a_bomb_is_refused_in_bounded_memory(pack) -> None:
    # Each form may have several streams one after the other.
    bomb = 20 * pack(b" " * (10 * MIB))
    tracemalloc.start()
    refused = failure(bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert refused.code == "too-large"
    assert peak < 16 * MIB


def test_the_limit_is_named() -> None:
    data = gzip.compress(random.Random(1).randbytes(3 * MIB))
    assert failure(data, Limits(inflated_bytes=2 * MIB)).message == "the gzip file inflates past 2 MiB"


def test_packed_twice_is_not_followed() -> None:
    assert failure(gzip.compress(gzip.compress(block().encode()))).code == "unsupported"


@pytest.mark.parametrize("version", [b"1.21", b"1.22", b"1.23", b"1.24"])
@pytest.mark.parametrize("pack", [*PACKINGS.values(), bytes], ids=[*PACKINGS, "bare"])
def test_a_log_of_darshan_1_is_no_text_that_a_crash_cut(version: bytes, pack) -> None:
    log = version + b"\0" * 4 + (20417).to_bytes(8, "big") + b"\0" * 4096
    refused = failure(pack(log))
    assert (refused.code, refused.message[:18]) == ("unsupported", f"a Darshan {version.decode()} log")
    assert "darshan-parser of the time" in refused.next_step


@pytest.mark.parametrize("version", [b"2.06", b"2.00", b"1.24"])
@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("pack", [*PACKINGS.values(), bytes], ids=[*PACKINGS, "bare"])
def test_a_log_of_darshan_2_is_named(version: bytes, order, pack) -> None:
    log = version + b"\0" * 4 + (6567223).to_bytes(8, order) + bytes(range(256)) * 8
    refused = failure(pack(log))
    assert refused.code == "unsupported"
    assert f"Darshan {version.decode()} log" in refused.message
    assert "Darshan 2.x" in refused.next_step


@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        (b"", "empty", "the file is empty"),
        (b"\n \t\n", "unrecognised", "nothing that is read here"),
        (zipped([("job.err", block().encode())], zipfile.ZIP_STORED), "unsupported", "zip"),
        (b"\x7fELF\x02\x01\x01" + bytes(500) + block().encode(), "unrecognised", "ELF"),
        (b"\x89HDF\r\n\x1a\n" + bytes(500), "unrecognised", "HDF5"),
        (b"x" * 257 + b"ustar\x0000" + bytes(500), "unsupported", "tar"),
        (random.Random(3).randbytes(5000), "unrecognised", "not a log that we know"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(5000), "unrecognised", "a mail of Outlook"),
        (b"step 1\nstep 2\n", "unrecognised", 'nothing that is read here; it begins with "step 1"'),
        (b"MPIIO hints for a:\n" + b"          cb_nodes = 4\n", "unrecognised", "not switched on"),
        (b"+ export MPICH_MPIIO_STATS=1\nstep 1\n", "unrecognised", "though MPICH_MPIIO_STATS is set"),
        (b"y" * 100_000, "unrecognised", "longer than 64 KiB"),
    ],
)
def test_what_we_do_not_read_is_named(data: bytes, code: str, words: str) -> None:
    refused = failure(data)
    assert refused.code == code
    assert words in refused.message


def test_what_is_read_is_said_of_a_file_that_nobody_knows() -> None:
    """Not that somebody forgot a setting: that is not known."""
    next_step = failure(b"step 1\n").next_step
    assert all(reader.title in next_step for reader in detect.block_readers())
    assert "Darshan log (*.darshan)" in next_step
    assert "Set " not in next_step


def test_the_head_is_enough_for_a_guess() -> None:
    darshan = detect.detect(DARSHAN.read_bytes()[:HEAD_BYTES])
    assert darshan is not None
    assert (darshan.reader, darshan.certainty) == ("darshan_log", 1.0)
    stats = detect.detect(b"noise\n" + block().encode())
    assert stats is not None
    assert stats.reader == "mpich_stats"
    text = detect.detect(b"any job's output\n")
    assert text is not None
    assert text.reader == "text"
    assert detect.detect(random.Random(5).randbytes(4096)) is None
    assert detect.detect(b"") is None


def test_what_a_source_holds_in_words() -> None:
    text = block("a") + block("b") + block("a", system_writes="9")
    assert detect.describe(read(text)) == ("MPICH_MPIIO_STATS: 3 blocks of 2 files",)
    (words,) = detect.describe(read(DARSHAN.read_bytes()))
    assert words.startswith("Darshan 3.41 log: POSIX ")


@given(st.binary(max_size=300))
def test_any_bytes_get_an_answer(data: bytes) -> None:
    assert isinstance(detect.read(io.BytesIO(data)), Evidence | Failure)
    detect.detect(data)


@given(
    st.sampled_from([b"\x1f\x8b\x08", b"BZh9", b"BZh91AY&SY", b"PK\x03\x04", b"\xff\xfe", b"2.06\0"]),
    st.binary(max_size=200),
)
def test_any_bytes_after_a_magic_number_get_an_answer(magic: bytes, rest: bytes) -> None:
    assert isinstance(detect.read(io.BytesIO(magic + rest)), Evidence | Failure)


def test_a_stream_that_gives_little_at_a_time() -> None:
    data = (b"noise\n" * 30_000) + block().encode()
    whole, little = read(data), detect.read(OddStream(data))
    assert isinstance(little, Evidence)
    assert (little.parts, little.problems) == (whole.parts, whole.problems)


def test_reading_a_darshan_log_loads_neither_the_text_pass_nor_heavy_libraries() -> None:
    script = (
        "import sys; from iotriage_parsers import detect; "
        f"detect.read(open({str(DARSHAN)!r}, 'rb')); "
        "print([m for m in ('iotriage_parsers.text.scan', 'iotriage_parsers.containers', 'pandas', 'darshan', "
        "'pydantic', 'sqlalchemy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_mere_mention_is_no_guess() -> None:
    output = detect.detect(b"+ export MPICH_MPIIO_STATS=1\nWriting to output/fields.nc\n" + block().encode())
    assert output is not None
    assert output.reader == "mpich_stats"
    mentions = detect.detect(b"please export A=1, see #SBATCH and JobID 5\n")
    assert mentions is not None
    assert mentions.reader == "text"
