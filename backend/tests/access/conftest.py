"""Applications that read nothing: who may ask is decided before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from iotriage.api.app import create_app
from iotriage.intake.case_process import ANSWERING
from iotriage.intake.children import Child, Children
from iotriage.intake.queue import BusyError
from iotriage.intake.reading import LinesQuery, ReadingLimits
from iotriage.settings import Settings
from iotriage.store.sources import Clock, utc_now
from iotriage_parsers.evidence import Failure

from ..whole_answers import WholeAnswers
from .people import BASE, House

Open = Callable[..., AbstractContextManager[House]]


class NoChildren(Children):
    """Whoever comes as far as to a case's process is told that there is none now."""

    def start(self) -> None:
        """There is nothing to start."""

    def fork(self, *args: object, **named: object) -> Child:
        raise BusyError


_NOTHING = Failure("unrecognised", "Nothing is read here.", "Nothing.")


class NoReading:
    """Says of every source that it cannot be read."""

    def read(self, source: Path, limits: ReadingLimits, *more: object) -> Failure:
        return _NOTHING

    def lines(self, source: Path, query: LinesQuery, limits: ReadingLimits, *more: object) -> Failure:
        return _NOTHING

    def close(self) -> None:
        """Nothing to give up."""


@pytest.fixture
def open_house(tmp_path: Path, database_url: str) -> Open:
    """Starts an application: behind a proxy, unless `settings` say otherwise."""

    @contextmanager
    def running(clock: Clock = utc_now, **settings: object) -> Iterator[House]:
        here = {"data_dir": tmp_path / "data", "database_url": database_url, "samples_dir": tmp_path / "no samples"}
        proxy = {
            "access": "proxy",
            "identity_proxies": "127.0.0.1",
            "helpdesk_groups": "support",
            "admin_groups": "operators",
            "administrators": "root@example.org",
        }
        chosen = Settings.model_validate({**here, **proxy, **settings})
        app = create_app(chosen, NoReading(), clock, children=NoChildren(ANSWERING))
        with WholeAnswers(app, base_url=BASE) as opened:
            yield House(app, app.state.services, opened)

    return running


@pytest.fixture
def house(open_house: Open) -> Iterator[House]:
    with open_house() as house:
        yield house
