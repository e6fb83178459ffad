"""Whether the service is well, and what it is."""

from __future__ import annotations

from sqlalchemy import text

from iotriage.api.guard.policies import ANYONE, READS
from iotriage.api.problems import ProblemError
from iotriage.api.routers import api_router, service_router
from iotriage.api.services import Here, ReadSession
from iotriage.api.views import Health, Info, SiteName
from iotriage.confinement.report import available
from iotriage.release import __version__
from iotriage.rules import all_rules
from iotriage.sites import all_sites
from iotriage.store.choices import chosen_site

health_router = service_router(dependencies=[ANYONE])
info_router = api_router(tag="service", dependencies=[READS])


@health_router.get("/healthz")
def health(services: Here, session: ReadSession) -> Health:
    """Answers while the process and its database work and sources can be stored; says how the processes that read
    sources are confined."""
    session.execute(text("SELECT 1"))
    unwritable = services.folder.unwritable()
    if unwritable is not None:
        raise ProblemError(503, "not-writable", "Nothing can be stored now", f"The data folder: {unwritable}.")
    confinement = available()
    return Health("ok", confinement.holds_strangers, confinement.layers)


@info_router.get("/info")
def info(services: Here, session: ReadSession) -> Info:
    """The version, the number of rules, the sites, and the largest source that is accepted."""
    sites = tuple(SiteName(s.id, s.title, s.status) for s in all_sites().values())
    settings = services.settings
    return Info(__version__, len(all_rules()), sites, chosen_site(session, settings.site), settings.upload_limit_bytes)
