"""The keys with which cookies are signed. A cookie that was not made here costs no look into the database."""

from __future__ import annotations

import base64
import os
import secrets
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

from itsdangerous import BadSignature, TimestampSigner

from iotriage.store.sources import Clock

RENEWED_AFTER = timedelta(days=30)
LONGEST_COOKIE = timedelta(days=31)
"""So long a key is kept after another took its place: no cookie that it signed is older."""


class SigningKeys:
    """Several keys, oldest first: all of them are known, the newest signs. They are `given` by whoever runs the server,
    or kept in `file`, for its owner alone, where a new one is added every `RENEWED_AFTER`."""

    def __init__(self, file: Path, given: tuple[str, ...], clock: Clock) -> None:
        self._file = file
        self._given = given
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: tuple[tuple[datetime, str], ...] = ()
        self._read_at: float | None = None

    def signed(self, value: str) -> str:
        return self._signer().sign(value).decode()

    def unsigned(self, cookie: str, lasts: timedelta = LONGEST_COOKIE) -> str | None:
        """What was signed; None for what was not, or too long ago."""
        try:
            return self._signer().unsign(cookie, max_age=int(lasts.total_seconds())).decode()
        except BadSignature:
            return None

    def signed_text(self, text: str) -> str:
        """Signs a text of any characters, encoded so that a cookie can hold it."""
        return self.signed(base64.urlsafe_b64encode(text.encode()).decode())

    def unsigned_text(self, cookie: str, lasts: timedelta) -> str | None:
        found = self.unsigned(cookie, lasts)
        return None if found is None else base64.urlsafe_b64decode(found).decode()

    def renew(self) -> None:
        """Makes a key that signs from now on, and forgets those with which nothing can be signed that still holds."""
        with self._lock:
            self._read()
            self._write()

    def _signer(self) -> TimestampSigner:
        return TimestampSigner(list(self._given or self._current()), salt="iotriage cookie")

    def _current(self) -> tuple[str, ...]:
        with self._lock:
            self._read()
            if not self._kept or self._kept[-1][0] < self._clock() - RENEWED_AFTER:
                self._write()
            return tuple(key for _, key in self._kept)

    def _read(self) -> None:
        """Another process may have made a key: `iotriage access renew-keys`."""
        try:
            changed = self._file.stat().st_mtime
        except FileNotFoundError:
            self._kept = ()
            return
        if changed != self._read_at:
            pairs = (line.split() for line in self._file.read_text("ascii").splitlines())
            self._kept = tuple((datetime.fromisoformat(made), key) for made, key in pairs)
            self._read_at = changed

    def _write(self) -> None:
        now = self._clock()
        # What a key was followed by says until when it signed.
        followed = zip(self._kept, (*(made for made, _ in self._kept[1:]), now), strict=False)
        current = [pair for pair, until in followed if until > now - LONGEST_COOKIE]
        self._kept = (*current, (now.astimezone(UTC), secrets.token_urlsafe(32)))
        unfinished = self._file.with_name(f"{self._file.name}.unfinished")
        unfinished.unlink(missing_ok=True)
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.writelines(f"{made.isoformat()} {key}\n" for made, key in self._kept)
        unfinished.replace(self._file)
        self._read_at = self._file.stat().st_mtime
