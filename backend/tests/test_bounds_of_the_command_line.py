"""A diagnosis on the command line that costs too much ends with a sentence, and takes nothing else with it."""

from __future__ import annotations

import resource

import pytest

from iotriage.cli.bounds import MEMORY, SECONDS, TooCostlyError, bounded


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MEMORY, str(2**20))
    before = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.raises(TooCostlyError, match=MEMORY), bounded():
        bytearray(2**28)
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_processor_time_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SECONDS, "0")
    before = resource.getrlimit(resource.RLIMIT_CPU)
    with pytest.raises(TooCostlyError, match=SECONDS), bounded():
        _for_ever()
    assert resource.getrlimit(resource.RLIMIT_CPU) == before


def _for_ever() -> None:
    while True:
        pass
