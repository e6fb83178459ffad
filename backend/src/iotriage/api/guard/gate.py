"""State for recognising visitors: the keys that sign cookies, and who was noted lately."""

from __future__ import annotations

import threading
from datetime import timedelta

from cachetools import TTLCache

from iotriage.access.people import remember
from iotriage.access.person import Person
from iotriage.access.signing import SigningKeys
from iotriage.api.guard.provider import Provider
from iotriage.settings import Settings
from iotriage.store.database import Database
from iotriage.store.sources import Clock

LOCAL_SESSION = timedelta(days=30)
_NOTED_AGAIN_SECONDS = 600
_MOST_NOTED = 4096


class Gate:
    def __init__(self, settings: Settings, database: Database, clock: Clock) -> None:
        self.keys = SigningKeys(settings.data_dir / "cookie-keys", settings.session_keys, clock)
        self.clock = clock
        self.session_lasts = LOCAL_SESSION if settings.access == "local" else timedelta(hours=settings.session_hours)
        self.provider = _provider(settings, self.keys) if settings.access == "oidc" else None
        self._database = database
        self._noted: TTLCache[Person, None] = TTLCache(_MOST_NOTED, _NOTED_AGAIN_SECONDS)
        self._lock = threading.Lock()

    def has_noted(self, person: Person) -> bool:
        """Whether this person, with this name and role, was noted lately."""
        with self._lock:
            return person in self._noted

    def note(self, person: Person) -> None:
        """Notes in the database who came, for their tokens and for others to find them by."""
        with self._database.writing() as session, session.begin():
            remember(session, person, self.clock(), "proxy")
        with self._lock:
            self._noted[person] = None


def _provider(settings: Settings, keys: SigningKeys) -> Provider:
    # Authlib takes a third of a second to import: only who logs in by it waits for it.
    from iotriage.api.access.provider import OpenIdProvider

    return OpenIdProvider(settings, keys)
