"""Mails sent, each address about each issue once in a week, whichever run sends it."""

from __future__ import annotations

import contextlib
import fcntl
import smtplib
import ssl
import stat
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from iotriage.centre.mail.messages import Mail
from iotriage.centre.mail.settings import MailSettings
from iotriage.centre.report.section import NOT_AGAIN_WITHIN
from iotriage.centre.warehouse.manifest import put_in_place
from iotriage_parsers.frozen import frozen

_SENT: Final = "mails.json"
_WAIT_S: Final = 60


@frozen
class Sent:
    address: str
    issue: str
    at: datetime


_LIST: Final = TypeAdapter(tuple[Sent, ...])


class UnmailableError(Exception):
    """What is wrong with the settings or with the host, in a sentence without a password."""


def due(mails: Iterable[Mail], sent: Iterable[Sent], now: datetime) -> list[Mail]:
    """Those whose address was not written to about the issue within a week."""
    known = {(s.address, s.issue) for s in sent if s.at > now - NOT_AGAIN_WITHIN}
    return [mail for mail in mails if (mail.address, mail.issue) not in known]


def mails_sent(root: Path) -> tuple[Sent, ...]:
    """Raises `UnmailableError` where the list cannot be determined: better no mail than one again and again."""
    try:
        return _LIST.validate_json((root / _SENT).read_bytes())
    except FileNotFoundError:
        return ()
    except (OSError, ValidationError) as problem:
        raise UnmailableError(f"{root / _SENT} cannot be read: {problem}") from None


def send(root: Path, mails: Iterable[Mail], settings: MailSettings, now: datetime | None = None) -> int:
    """How many went; each is noted before it goes, so that a run that is cut off writes to nobody twice, and what the
    host did not take is taken from the list again. Raises `UnmailableError`."""
    at = now or datetime.now(UTC)
    with _alone(root):
        waiting = due(mails, mails_sent(root), at)
        if not waiting:
            return 0
        refused = []
        with _host(settings) as host:
            for mail in waiting:
                # One that nobody takes, as of somebody who has left, keeps no other from going.
                why = _send_one(root, host, mail, at)
                refused += [] if why is None else [f"the mail to {mail.address} was not taken: {why}"]
        if refused:
            raise UnmailableError(f"{len(waiting) - len(refused)} mails sent; {'; '.join(refused)}")
        return len(waiting)


def _send_one(root: Path, host: smtplib.SMTP, mail: Mail, at: datetime) -> str | None:
    """None where it was taken; why not, where the host takes others."""
    before = tuple(s for s in mails_sent(root) if s.at > at - NOT_AGAIN_WITHIN)
    _note(root, (*before, Sent(mail.address, mail.issue, at)))
    try:
        host.send_message(mail.message)
    except (smtplib.SMTPResponseException, smtplib.SMTPRecipientsRefused, smtplib.SMTPNotSupportedError) as refused:
        _note(root, before)
        return f"{refused}"
    except (smtplib.SMTPException, OSError) as refused:
        _note(root, before)
        raise UnmailableError(f"the mail to {mail.address} was not taken: {refused}") from None
    return None


def _note(root: Path, sent: tuple[Sent, ...]) -> None:
    content = _LIST.dump_json(sent, indent=1)

    def write(path: Path) -> None:
        path.touch(mode=0o600)
        path.write_bytes(content)

    put_in_place(root, _SENT, write)


@contextlib.contextmanager
def _alone(root: Path) -> Iterator[None]:
    """While no other process of this host sends; another waits."""
    with (root / f"{_SENT}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def _host(settings: MailSettings) -> Iterator[smtplib.SMTP]:
    secret = _password(settings)
    context = ssl.create_default_context()
    try:
        if settings.security == "tls":
            host: smtplib.SMTP = smtplib.SMTP_SSL(settings.host, settings.port, timeout=_WAIT_S, context=context)
        else:
            host = smtplib.SMTP(settings.host, settings.port, timeout=_WAIT_S)
        with host:
            if settings.security == "starttls":
                host.starttls(context=context)
            if settings.user is not None and secret is not None:
                host.login(settings.user, secret)
            yield host
    except (smtplib.SMTPException, OSError) as problem:
        raise UnmailableError(f"{settings.host}:{settings.port} takes no mail: {problem}") from None


def _password(settings: MailSettings) -> str | None:
    path = settings.password_file
    if path is None:
        return None
    if settings.security == "none":
        raise UnmailableError("a password is not sent in the clear: IOTRIAGE_MAIL_SECURITY is starttls or tls")
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise UnmailableError(f"others may read {path}: chmod 600 it")
        return path.read_text("utf-8").rstrip("\n")
    except OSError as problem:
        raise UnmailableError(f"{path}: {problem.strerror}") from None
