"""Counter names come from pydarshan, and reading a log needs neither it nor pandas."""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from importlib.util import find_spec

import pytest
from darshan_corpus import SAMPLES

from iotriage_parsers.reader import Limits
from iotriage_parsers.readers.darshan_log import apmpi, apxc, counters, generate_counters, reader
from iotriage_parsers.readers.darshan_log.records import ALL_NAMES, SHAPES

beside_pydarshan = pytest.mark.skipif(find_spec("darshan") is None, reason="pydarshan is not installed")


@pytest.fixture(scope="module")
def said_by_pydarshan():
    """The files that are generated from it, and the names of AUTOPERF: pydarshan is imported once for all."""
    program = f"""
import json
from pathlib import Path
from darshan.backend.cffi_backend import counter_names
from iotriage_parsers.readers.darshan_log.generate_counters import source
times = [*counter_names("APMPI", fcnts=True, special="mpiop_totaltime_")]
times += [*counter_names("APMPI", fcnts=True, special="mpiop_synctime_")]
times += [*counter_names("APMPI", fcnts=True, special="mpi_global_")]
names = [list(counter_names("APMPI")), times, list(counter_names("APXC"))]
print(json.dumps([{{target: source(Path(target)) for target in {[*map(str, generate_counters.TARGETS)]!r}}}, names]))
"""
    said = subprocess.run([sys.executable, "-c", program], check=True, timeout=60, capture_output=True, text=True)
    return json.loads(said.stdout)


@beside_pydarshan
@pytest.mark.parametrize("target", generate_counters.TARGETS, ids=lambda path: path.name)
def test_the_generated_file_is_that_of_the_installed_pydarshan(target, said_by_pydarshan):
    generated, _ = said_by_pydarshan
    assert target.read_text(encoding="utf-8") == generated[str(target)]


@beside_pydarshan
def test_the_names_of_autoperf_are_those_of_the_installed_pydarshan(said_by_pydarshan):
    _, names = said_by_pydarshan
    assert names == [list(ours) for ours in (apmpi.COUNTERS, apmpi.F_COUNTERS, apxc.COUNTERS)]


def test_current_shapes_have_as_many_counters_as_names():
    for module, versions in SHAPES.items():
        newest = versions[max(versions)]
        assert (newest.ints, newest.floats) == tuple(map(len, ALL_NAMES[module]))
    assert len(counters.LUSTRE_COMP_COUNTERS) == 7


def test_reading_a_log_imports_no_pydarshan_pandas_or_pydantic():
    path = SAMPLES / "40-heat2d-tuned" / "40-heat2d-tuned.darshan"
    program = f"""
import sys
from iotriage_parsers.reader import Limits
from iotriage_parsers.readers.darshan_log import reader
early = set(sys.modules)
with open({str(path)!r}, "rb") as stream:
    assert reader.read(stream, Limits()).status == "complete"
heavy = {{"darshan", "pandas", "pydantic", "cffi", "matplotlib"}} & set(sys.modules)
assert not heavy, heavy
assert not {{"bz2", "isal"}} & early
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_without_isal_zlib_gives_the_same():
    path = SAMPLES / "40-heat2d-tuned" / "40-heat2d-tuned.darshan"
    program = f"""
import sys
import zlib
sys.modules["isal"] = None
from iotriage_parsers.reader import Limits
from iotriage_parsers.readers.darshan_log import reader
with open({str(path)!r}, "rb") as stream:
    log = reader.read(stream, Limits()).parts[0]
print(zlib.crc32(log.posix.ints.tobytes()), len(log.names), len(log.heatmaps))
"""
    without = subprocess.run([sys.executable, "-c", program], check=True, timeout=60, capture_output=True, text=True)
    with path.open("rb") as stream:
        log = reader.read(stream, Limits()).parts[0]
    with_isal = zlib.crc32(log.posix.ints.tobytes()), len(log.names), len(log.heatmaps)
    assert without.stdout.split() == [*map(str, with_isal)]
