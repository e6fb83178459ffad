"""What the API is given."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field

SHA256 = r"^[0-9a-f]{64}$"
LARGEST_CASE_SOURCES = 256

CaseId = Annotated[str, Path(description="The case's id, as `POST /cases` answered it.", max_length=64)]
Sha256 = Annotated[str, Path(description="SHA-256 of the source's bytes, hexadecimal.", pattern=SHA256)]
SourceIndex = Annotated[int, Path(description="The source's index in the case, from 0.", ge=0, le=LARGEST_CASE_SOURCES)]
SiteQuery = Annotated[
    str | None, Query(description="Decide for this site instead of the case's own; nothing is stored.", max_length=64)
]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceGiven(_Request):
    """An uploaded source, and the name under which the case shows it."""

    sha256: str = Field(pattern=SHA256)
    name: str = Field(min_length=1, max_length=1024)


class CaseGiven(_Request):
    """The sources of one job. Without a site, the evidence decides which site's thresholds hold."""

    sources: tuple[SourceGiven, ...] = Field(min_length=1, max_length=LARGEST_CASE_SOURCES)
    site: str | None = Field(default=None, max_length=64)


class SourcesGiven(_Request):
    """Further sources of the same job."""

    sources: tuple[SourceGiven, ...] = Field(min_length=1, max_length=LARGEST_CASE_SOURCES)


class CaseChange(_Request):
    """The site a person chose; null gives the choice back to the evidence."""

    site: str | None = Field(max_length=64)
