"""The settings of an installation, from its environment: `IOTRIAGE_DATA_DIR`, `IOTRIAGE_DATABASE_URL`, …"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import platformdirs
from pydantic import AfterValidator, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import SettingsConfigDict

from iotriage.access_settings import AccessSettings
from iotriage.listed_settings import Names, Networks

_PACKAGE = Path(__file__).parent
_CHECKOUT = _PACKAGE.parents[2]

_SECRETS = Path("/run/secrets") if Path("/run/secrets").is_dir() else None
"""Where a container has its secrets: files with the names of settings, in small letters."""

MIB = 2**20
GIB = 2**30


def _ticket_url(value: str) -> str:
    if re.match(r"https?://.*\{reference\}", value) is None:
        raise ValueError("it is an address such as https://tickets.example.org/{reference}")
    return value


class Settings(AccessSettings):
    """Every field is the environment variable of its name with the prefix `IOTRIAGE_`, or a file of `/run/secrets` with
    that name in small letters; one that is set to nothing is as one that is not set."""

    model_config = SettingsConfigDict(env_prefix="IOTRIAGE_", frozen=True, secrets_dir=_SECRETS, env_ignore_empty=True)

    data_dir: Path = Field(default_factory=lambda: platformdirs.user_data_path("iotriage"))
    """Where sources are kept, and the database where no other is named."""

    database_url: str | None = Field(default=None, repr=False)
    """An SQLAlchemy URL. It may hold a password, so it is never printed."""

    upload_limit_bytes: int = Field(default=256 * MIB, gt=0)
    storage_bytes: int | None = Field(default=None, gt=0)
    """What all sources together may have; unset, what the disk has."""

    client_storage_bytes: int | None = Field(default=None, gt=0)
    """What the sources that one client gave may have together; unset, as much as all."""

    client_upload_bytes_per_hour: int = Field(default=16 * GIB, gt=0)
    client_requests_per_minute: int = Field(default=3000, gt=0)
    client_waiting_cases: int = Field(default=200, gt=0)
    """How many cases of one client may wait or be read at a time."""

    keep_unused_hours: float = Field(default=24.0, gt=0, le=24 * 366)
    """How long an upload is kept that no case uses."""

    keep_cases_days: float | None = Field(default=None, gt=0, le=366 * 100)
    """How long a case is kept after it was made, with its sources, document and share links; unset, for ever. One of a
    ticket that is not closed stays."""

    keep_sources_days: float | None = Field(default=None, gt=0, le=366 * 100)
    """How long a source is kept after the last case of it was made; unset, as long as its case, which has its document
    without it too."""

    keep_shares_days: float = Field(default=30.0, gt=0, le=366 * 100)
    """How long it is known that there was a share link, after it ended or was revoked."""

    keep_audit_days: float = Field(default=365.0, ge=30, le=366 * 100)
    """How long it is known who did what."""

    parse_seconds: float = Field(default=60.0, gt=0)
    """Processor time for reading one source."""
    parse_wall_seconds: float = Field(default=180.0, gt=0)
    parse_memory_bytes: int = Field(default=2 * GIB, gt=0)
    """Address space of the process that reads one source; 2 GiB read every real log that we know of."""

    diagnose_seconds: float = Field(default=60.0, gt=0)
    """Processor time for diagnosing a case, or for another query about it."""
    diagnose_wall_seconds: float = Field(default=180.0, gt=0)
    diagnose_memory_bytes: int = Field(default=2 * GIB, gt=0)
    """Address space of the process that holds what was read of one case."""
    document_bytes: int = Field(default=16 * MIB, ge=MIB)
    """The largest document of a case; what does not fit is left out, which the document says."""

    workers: int = Field(default=4, ge=1, le=64)
    """How many processes work on what somebody gave, at a time, whatever for: readers, and processes of cases. Twice
    the processors use them best: some wait for the database meanwhile. 1 counts as 2: one is always left to what is
    quick."""
    warm_cases: int = Field(default=8, ge=0, le=1024)
    """How many processes of cases are kept for another query: that of a small log has some 12 MiB to itself."""
    warm_memory_bytes: int = Field(default=GIB, ge=0)
    """What they may use together."""
    warm_seconds: float = Field(default=300.0, gt=0)
    """How long one is kept after the last query."""

    anonymise_key: SecretStr | None = Field(default=None, min_length=16)
    """Under it a name gets the same pseudonym in every anonymised export; unset, another in each."""

    renew: bool = True
    """Whether cases whose documents an earlier program made are read again in the background, or only when opened."""

    site: str | None = None
    """The site whose thresholds hold where neither the evidence nor a person says which."""

    ticket_url: Annotated[str, AfterValidator(_ticket_url)] | None = None
    """Where the centre's own ticket system shows a ticket, with `{reference}` where its name goes; for tickets of sites
    whose profile has none (`ticket_url`)."""

    root_path: str = ""
    """The path under which a proxy shows the application, such as "/iotriage"."""

    allow_unconfined: bool = False
    """Let other people in, too, where the kernel has not what keeps in a reader that a log took over."""

    allowed_hosts: Names = ()
    """Further names, separated by commas, that the Host header may carry; `*` accepts any."""

    trusted_proxies: Networks = ()
    """Addresses and networks, separated by commas, of proxies whose X-Forwarded-For names the client."""

    replies: Path | None = None
    """A folder of templates for replies to tickets (`iotriage.helpdesk.templates`), beside the program's own."""

    warehouse: Path | None = None
    """The folder that `iotriage ingest` fills: the helpdesk sees reports of it."""

    samples_dir: Path | None = None
    """A folder with a `showcase.toml`; unset, the samples that come with the program."""

    @field_validator("root_path")
    @classmethod
    def _rooted(cls, value: str) -> str:
        bare = value.strip("/")
        return f"/{bare}" if bare else ""

    @property
    def database(self) -> str:
        """The URL of the database in use."""
        return self.database_url or f"sqlite:///{self.database_file}"

    @property
    def database_file(self) -> Path | None:
        """The SQLite file in the data folder; None where another database is named."""
        return None if self.database_url else self.data_dir / "iotriage.sqlite3"

    @property
    def samples(self) -> Path | None:
        """The folder of sample logs, or None where the installation has none."""
        places = [self.samples_dir] if self.samples_dir else [_PACKAGE / "sample-logs", _CHECKOUT / "sample-logs"]
        return next((p for p in places if (p / "showcase.toml").is_file()), None)

    @property
    def web(self) -> Path | None:
        return built_page()


def built_page() -> Path | None:
    """The folder with the built front end, or None where it has not been built."""
    places = (_PACKAGE / "web", _CHECKOUT / "frontend" / "dist")
    return next((p for p in places if (p / "index.html").is_file()), None)


def settings_error(settings: ValidationError, prefix: str = "IOTRIAGE_") -> str:
    """Which variables, and why, without their values unless a setting's own check says one: some are secrets."""
    return "; ".join(
        f"{prefix}{str(error['loc'][0]).upper()}: {_why(error['msg'])}" if error["loc"] else _why(error["msg"])
        for error in settings.errors(include_url=False, include_input=False)
    )


def _why(message: str) -> str:
    """Without what pydantic puts before the words of a check of ours."""
    return message.removeprefix("Value error, ")
