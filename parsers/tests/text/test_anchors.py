"""Every anchor of every reader is found where it stands."""

from __future__ import annotations

import re

from iotriage_parsers import detect
from iotriage_parsers.text.anchors import anchor_search


def test_where_anchors_stand() -> None:
    anchors = [anchor for reader in detect.block_readers() for anchor in reader.anchors]
    data = b"noise ".join(anchors) + b"#SBATCH#SBATCH" + b"x" * 99 + b"#SBATC"
    expected = [m.start() for m in re.finditer(b"|".join(map(re.escape, anchors)), data)]
    assert list(anchor_search(anchors)(data)) == expected
    assert list(anchor_search(anchors)(b"nothing of it")) == []
