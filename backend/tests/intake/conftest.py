"""Readers in disposable processes: the one that ships, and one that does what the source says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from iotriage.intake.disposable import DisposableReading

HOSTILE = str(Path(__file__).parent / "hostile")


@pytest.fixture(scope="session")
def reading() -> Iterator[DisposableReading]:
    reading = DisposableReading()
    yield reading
    reading.close()


@pytest.fixture(scope="session")
def hostile() -> Iterator[DisposableReading]:
    reading = DisposableReading("hostile_reader:read", (HOSTILE,))
    yield reading
    reading.close()


@pytest.fixture(scope="session")
def sample_logs() -> Path:
    return Path(__file__).parents[3] / "sample-logs"
