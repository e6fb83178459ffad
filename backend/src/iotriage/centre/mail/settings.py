"""How a report is mailed, from the environment: `IOTRIAGE_MAIL_HOST`, `IOTRIAGE_MAIL_TO`, …"""

from __future__ import annotations

import re
from email.errors import HeaderParseError
from email.message import EmailMessage
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from iotriage.listed_settings import Names


def _is_address(text: str) -> bool:
    """Whether the mail itself takes it as the address of one, with a name before it or without."""
    message = EmailMessage()
    try:
        message["To"] = text
        (address,) = message["To"].addresses
    except (ValueError, IndexError, HeaderParseError):
        return False
    return bool(address.username and address.domain and not message["To"].defects)


def _address_of_a_user(value: str) -> str:
    if re.fullmatch(r"[^\s@]*\{user\}[^\s@]*@[^\s@{}]+", value) is None:
        raise ValueError("it is an address with {user} for the name, such as {user}@example.org")
    return value


def _server_address(value: str) -> str:
    if not value.startswith(("http://", "https://")):
        raise ValueError("it begins with http:// or https://")
    return value


class MailSettings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="IOTRIAGE_MAIL_", frozen=True, env_ignore_empty=True)

    host: str = "localhost"
    port: int = Field(default=25, ge=1, le=65535)
    security: Literal["none", "starttls", "tls"] = "none"
    """How the way to the host is kept private; a password is sent over `starttls` and `tls` alone."""

    user: str | None = None
    password_file: Path | None = None
    """A file with the password; one that others may read is refused."""

    sender: str = "iotriage@localhost"
    to: Names = ()
    """Who gets the reports, separated by commas."""

    users: Annotated[str, AfterValidator(_address_of_a_user)] | None = None
    """The address of a user, `{user}` for the name that the accounting has: `{user}@example.org`."""

    rules_url: Annotated[str, AfterValidator(_server_address)] | None = None
    """The server's address, for the pages of rules, and of the logs of a report."""

    @field_validator("to", "sender")
    @classmethod
    def _addresses(cls, value: tuple[str, ...] | str) -> tuple[str, ...] | str:
        for text in (value,) if isinstance(value, str) else value:
            if not _is_address(text):
                raise ValueError(f"{text!r} is no address of a mail")
        return value
