"""What administrators choose while the server runs: its default site, and how long each kind is kept."""

from __future__ import annotations

from datetime import datetime, timedelta

from pydantic import Field
from sqlalchemy.orm import Session

from iotriage.api.guard.current_person import CurrentPerson
from iotriage.api.guard.policies import ADMINISTERS
from iotriage.api.problems import ProblemError
from iotriage.api.requests import RequestBody, check_site
from iotriage.api.routers import api_router
from iotriage.api.services import Here, ReadSession
from iotriage.settings import Settings
from iotriage.store.audit import LEAST_KEPT, add_audit_detail
from iotriage.store.choices import (
    KINDS,
    RetainedKind,
    choose_retention,
    choose_site,
    chosen_retention,
    chosen_site,
    forget_retention,
)
from iotriage.store.retention import Retention
from iotriage_parsers.frozen import frozen

router = api_router(tag="administration", dependencies=[ADMINISTERS])

_A_DAY = timedelta(days=1)


class SiteChoice(RequestBody):
    """Null for no default site."""

    site: str | None = Field(max_length=64)


class DaysChoice(RequestBody):
    """Null keeps it for ever."""

    days: float | None = Field(gt=0, le=366 * 100)


@frozen
class RetentionPeriod:
    """`days` is how long data of the kind is kept, null for ever; `otherwise` is the environment's setting, which holds
    where nothing is chosen."""

    kind: RetainedKind
    days: float | None
    otherwise: float | None


@frozen
class ServerChoices:
    """`site` is the default site, whose thresholds hold where neither the evidence nor a person names one; `kept` says
    how long data of each kind is kept."""

    site: str | None
    kept: tuple[RetentionPeriod, ...]
    at: datetime


@router.get("/keeping")
def get_server_choices(services: Here, session: ReadSession) -> ServerChoices:
    """The default site, and how long data of each kind is kept."""
    return _server_choices(services.settings, session, services.folder.clock())


@router.put("/keeping/site")
def put_default_site(choice: SiteChoice, services: Here, person: CurrentPerson) -> ServerChoices:
    """Chooses the default site, whose thresholds hold where neither the evidence nor a person names one. Cases that it
    decides are judged again."""
    check_site(choice.site)
    now = services.folder.clock()
    with services.database.writing() as session, session.begin():
        add_audit_detail(session, f"site {choice.site or 'none'}")
        choose_site(session, person.id, choice.site, now)
        session.flush()
        choices = _server_choices(services.settings, session, now)
    services.worker.judge_again()
    return choices


@router.put("/keeping/{kind}/days")
def put_days(kind: RetainedKind, choice: DaysChoice, services: Here, person: CurrentPerson) -> ServerChoices:
    """Chooses how long data of the kind is kept. Older data is removed within ten minutes, and does not come back."""
    if kind == "audit" and (choice.days is None or timedelta(days=choice.days) < LEAST_KEPT):
        detail = f"The audit log is kept for {LEAST_KEPT.days} days at least, and not for ever."
        raise ProblemError(422, "kept-too-short", "That is not how long it can be kept", detail)
    now = services.folder.clock()
    with services.database.writing() as session, session.begin():
        add_audit_detail(session, "for ever" if choice.days is None else f"{choice.days:g} days")
        choose_retention(session, person.id, kind, choice.days, now)
        session.flush()
        return _server_choices(services.settings, session, now)


@router.delete("/keeping/{kind}/days")
def delete_days(kind: RetainedKind, services: Here) -> ServerChoices:
    """Removes the choice: the environment's setting holds again."""
    with services.database.writing() as session, session.begin():
        forget_retention(session, kind)
        session.flush()
        return _server_choices(services.settings, session, services.folder.clock())


def retention_of(settings: Settings) -> Retention:
    """What the environment says."""
    return Retention(
        cases=_days(settings.keep_cases_days),
        sources=_days(settings.keep_sources_days),
        shares=_days(settings.keep_shares_days),
        audit=_days(settings.keep_audit_days),
    )


def _days(days: float | None) -> timedelta | None:
    return None if days is None else timedelta(days=days)


def _server_choices(settings: Settings, session: Session, now: datetime) -> ServerChoices:
    otherwise = retention_of(settings)
    chosen = chosen_retention(session, otherwise)
    kept = tuple(RetentionPeriod(kind, _in_days(chosen, kind), _in_days(otherwise, kind)) for kind in KINDS)
    return ServerChoices(chosen_site(session, settings.site), kept, now)


def _in_days(retention: Retention, kind: RetainedKind) -> float | None:
    kept: timedelta | None = getattr(retention, kind)
    return None if kept is None else kept / _A_DAY
