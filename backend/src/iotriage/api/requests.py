"""What requests to the API carry."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field

from iotriage.api.problems import ProblemError
from iotriage.sites import all_sites

SHA256 = r"^[0-9a-f]{64}$"
LARGEST_CASE_SOURCES = 256

CaseId = Annotated[str, Path(description="The case's id, as `POST /cases` answered it.", max_length=64)]
Sha256 = Annotated[str, Path(description="SHA-256 of the source's bytes, hexadecimal.", pattern=SHA256)]
SourceIndex = Annotated[int, Path(description="The source's index in the case, from 0.", ge=0, le=LARGEST_CASE_SOURCES)]
SiteQuery = Annotated[
    str | None, Query(description="Decide for this site instead of the case's own; nothing is stored.", max_length=64)
]

Limit = Annotated[int, Query(description="At most this many.", ge=1, le=500)]
Offset = Annotated[int, Query(description="Leave out this many of the first.", ge=0, le=2**31)]

OwnThresholds = Annotated[
    str | None,
    Query(
        alias="set",
        description="Numbers of one's own, as the page's address has them: `small-io.fraction:0.2,…`.",
        max_length=4096,
    ),
]


def own_thresholds(own: str | None) -> dict[str, float]:
    """What `set` says: threshold id → number. A problem where it is not said so."""
    return dict(_own_number(pair) for pair in own.split(",")) if own else {}


def _own_number(pair: str) -> tuple[str, float]:
    name, _, number = pair.rpartition(":")
    try:
        return name, float(number)
    except ValueError:
        raise unknown_threshold(f"{pair!r} is not a threshold's id, a colon and a number.") from None


def unknown_threshold(detail: str) -> ProblemError:
    return ProblemError(422, "unknown-threshold", "There is no such threshold", detail)


def check_site(site: str | None) -> None:
    """A problem for a site without a profile."""
    if site is not None and site not in all_sites():
        known = ", ".join(sorted(all_sites()))
        raise ProblemError(422, "unknown-site", "There is no such site", f"Site {site!r} is not one of: {known}.")


class RequestBody(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CaseSourceRequest(RequestBody):
    """An uploaded source, and the name under which the case shows it. With `of_job`, one of the `jobs` of a document,
    the case has what the source says about that job, and not what it says about others."""

    sha256: str = Field(pattern=SHA256)
    name: str = Field(min_length=1, max_length=1024)
    of_job: str | None = Field(default=None, min_length=1, max_length=256)


class CaseRequest(RequestBody):
    """The sources of one job. Without a site, the evidence decides which site's thresholds hold. What is not to stay
    `alone` becomes part of the case of the same job that is here already, once it is read. Where the sources came
    together with those of other jobs `from_case`, the case is of the same ticket, if that is of one."""

    sources: tuple[CaseSourceRequest, ...] = Field(min_length=1, max_length=LARGEST_CASE_SOURCES)
    site: str | None = Field(default=None, max_length=64)
    alone: bool = False
    from_case: str | None = Field(default=None, min_length=1, max_length=64)


class JoinRequest(RequestBody):
    """The case with which this one is to be one case."""

    case: str = Field(min_length=1, max_length=64)


class SourcesRequest(RequestBody):
    """Further sources of the same job."""

    sources: tuple[CaseSourceRequest, ...] = Field(min_length=1, max_length=LARGEST_CASE_SOURCES)


class CaseChange(RequestBody):
    """The site a person chose; null gives the choice back to the evidence."""

    site: str | None = Field(max_length=64)
