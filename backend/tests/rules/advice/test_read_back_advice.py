"""The benchmark that read its own writing is run again as it was, and not as another one."""

from __future__ import annotations

import hashlib
from io import BytesIO
from pathlib import Path

import pytest

from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.detect import read

IOR = (Path(__file__).parents[4] / "sample-logs/ior/read-back/ior-read-back.txt").read_text()


@pytest.mark.parametrize(
    ("access", "options"),
    [("file-per-process", "-a POSIX -F -b 512m -t 4m"), ("single-shared-file", "-a POSIX -b 512m -t 4m")],
)
def test_it_is_run_again_with_its_own_files_and_sizes(access: str, options: str) -> None:
    text = IOR.replace("file-per-process", access).encode()
    source = ReadSource("ior.txt", hashlib.sha256(text).hexdigest(), len(text), read(BytesIO(text)))
    found = diagnose([source]).headline
    assert found.rule == "benchmark-read-back"
    assert found.command == f'ior -w -e -k {options} -o "$FILE" && ior -r -C -k {options} -o "$FILE"'
