"""The benchmark that read its own writing is run again as it was, and not as another one."""

from __future__ import annotations

import hashlib
from io import BytesIO
from pathlib import Path

import pytest

from iotriage.analysis.document import Headline
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.detect import read

NEW_FILE, SAME_FILE = '"${NEW_FILE:?a new file where it is to be measured}"', '"$NEW_FILE"'
IOR = (Path(__file__).parents[4] / "sample-logs/ior/read-back/ior-read-back.txt").read_text()


def headline(access: str, site: str | None = None) -> Headline:
    text = IOR.replace("file-per-process", access).encode()
    source = ReadSource("ior.txt", hashlib.sha256(text).hexdigest(), len(text), read(BytesIO(text)))
    return diagnose([source], site).headline


@pytest.mark.parametrize(
    ("access", "options"),
    [("file-per-process", "-a POSIX -F -b 512m -t 4m"), ("single-shared-file", "-a POSIX -b 512m -t 4m")],
)
def test_it_is_run_again_with_its_own_files_and_sizes(access: str, options: str) -> None:
    found = headline(access)
    assert found.rule == "benchmark-read-back"
    run = "mpiexec -n 96 ior"
    assert found.command == f"{run} -w -e -k {options} -o {NEW_FILE} && {run} -r -C {options} -o {SAME_FILE}"


@pytest.mark.parametrize(
    ("site", "started"),
    [
        ("archer2", "srun --ntasks=96 --nodes=3"),
        ("theta", "aprun -n 96 -N 32"),
        ("frontera", "ibrun"),
        ("aurora", "mpiexec -n 96 -ppn 32"),
    ],
)
def test_as_many_ranks_are_started_as_the_site_starts_them(site: str, started: str) -> None:
    sizes = " -b 512m -t 4m -o "
    command = headline("file-per-process", site).command or ""
    assert [part.partition(" ior ")[0] for part in command.split(" && ")] == [started, started]
    assert [part.partition(sizes)[2] for part in command.split(" && ")] == [NEW_FILE, SAME_FILE]
