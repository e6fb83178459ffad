"""The samples that the project's own writer made are what it makes today."""

from __future__ import annotations

import subprocess
import sys
import zlib

from darshan_writer import Layout, region
from samples import SAMPLE_LOGS

MAKER = SAMPLE_LOGS / "src" / "make_lustre_samples.py"


def inflated(data: bytes) -> list[bytes]:
    """The regions of a log as they were before compression: zlib's own output differs between its implementations."""
    layout = Layout.of("3.41")
    names = region(data, "names")
    regions = [(layout.header_bytes, names[0] - layout.header_bytes), names]
    regions += [region(data, module) for module in layout.modules]
    return [zlib.decompress(data[at : at + length]) for at, length in regions if length]


def test_making_the_samples_again_gives_the_committed_ones(tmp_path) -> None:
    subprocess.run([sys.executable, str(MAKER), str(tmp_path)], check=True)
    made = sorted(tmp_path.glob("*/*.darshan"))
    assert [path.stem for path in made] == sorted(p.stem for p in SAMPLE_LOGS.glob("darshan_log/lustre-*/*.darshan"))
    for path in made:
        committed = (SAMPLE_LOGS / "darshan_log" / path.stem / path.name).read_bytes()
        again = path.read_bytes()
        assert again[:32] == committed[:32]
        assert inflated(again) == inflated(committed)
