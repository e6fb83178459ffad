"""A server as a person starts it, for the tests that leave it as it was but for a case."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ..real_server import RealServer, serving


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    with serving(tmp_path_factory.mktemp("served") / "data") as server:
        yield server
        log = server.ended()
    assert "Traceback" not in log
    assert "exception" not in log
