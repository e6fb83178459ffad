"""A diagnosis on the command line that costs too much ends with a sentence, and takes nothing else with it."""

from __future__ import annotations

import mmap
import os
import resource
import subprocess
import sys

import pytest

from iotriage.cli.bounds import MEMORY, SECONDS, TooCostlyError, bounded


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MEMORY, str(2**20))
    before = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.raises(TooCostlyError, match=MEMORY), bounded():
        bytearray(2**28)
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_memory_that_the_process_had_before_is_not_counted() -> None:
    """DuckDB reserves more than the bound, and a call from Python may follow it."""
    reserved = mmap.mmap(-1, 3 * 2**30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)
    with reserved, bounded():
        bytearray(2**28)


FOR_EVER = """
import resource
from iotriage.cli.bounds import TooCostlyError, bounded

before = resource.getrlimit(resource.RLIMIT_CPU)
try:
    with bounded():
        while True:
            pass
except TooCostlyError as error:
    print(error)
print(resource.getrlimit(resource.RLIMIT_CPU) == before)
"""


def test_processor_time_is_bounded() -> None:
    """In a process of its own: the kernel holds a bound against ticks, of which the process of the tests, when it has
    worked for minutes, has some seconds fewer than it is said to have used."""
    ended = subprocess.run(
        [sys.executable, "-c", FOR_EVER], env={**os.environ, SECONDS: "0"}, capture_output=True, text=True, check=True
    )
    said, as_before = ended.stdout.splitlines()
    assert SECONDS in said
    assert as_before == "True"
