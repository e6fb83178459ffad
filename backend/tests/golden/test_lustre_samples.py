"""The samples that the project's own writer made are what it makes today."""

from __future__ import annotations

import subprocess
import sys
import zlib

from darshan_writer import Layout, region
from samples import SAMPLE_LOGS

MAKER = SAMPLE_LOGS / "src" / "make_lustre_samples.py"
MADE = (".darshan", ".txt", ".slurm")


def inflated(data: bytes) -> list[bytes]:
    """The regions of a log as they were before compression: zlib's own output differs between its implementations."""
    layout = Layout.of("3.41")
    names = region(data, "names")
    regions = [(layout.header_bytes, names[0] - layout.header_bytes), names]
    regions += [region(data, module) for module in layout.modules]
    return [zlib.decompress(data[at : at + length]) for at, length in regions if length]


def test_making_the_samples_again_gives_the_committed_ones(tmp_path) -> None:
    subprocess.run([sys.executable, str(MAKER), str(tmp_path)], check=True)
    committed = {p.name: p for p in SAMPLE_LOGS.glob("darshan_log/lustre-*/*") if p.suffix in MADE}
    made = {p.name: p for p in tmp_path.glob("*/*")}
    assert made.keys() == committed.keys()
    for name, path in made.items():
        again, before = path.read_bytes(), committed[name].read_bytes()
        if path.suffix != ".darshan":
            assert again == before
        else:
            assert again[:32] == before[:32]
            assert inflated(again) == inflated(before)
