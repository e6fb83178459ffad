"""The application: the routers put together, and what is started and stopped with it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import cache, partial
from http import HTTPStatus
from urllib.parse import urlsplit

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import BaseRoute
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from iotriage.api.administration.server_choices import retention_of
from iotriage.api.guard.bodies import BodySizeLimit
from iotriage.api.guard.clients import ClientRateLimit
from iotriage.api.guard.gate import Gate
from iotriage.api.guard.head_requests import HeadAsGet
from iotriage.api.guard.headers import SecurityHeaders
from iotriage.api.guard.hosts import LOOPBACK_NAMES, KnownHosts
from iotriage.api.guard.identity import HeaderNames, ProxyIdentity
from iotriage.api.guard.methods import wrong_method
from iotriage.api.guard.policies import check_policies
from iotriage.api.guard.rate_limiter import RateLimiter
from iotriage.api.guard.request_log import RequestLog
from iotriage.api.helpdesk.conflicts import TwoTextsError, two_texts
from iotriage.api.meters import new_meters
from iotriage.api.openapi import Json, describe
from iotriage.api.page.frontend import frontend_router
from iotriage.api.prefix import PathPrefix
from iotriage.api.problems import install_problem_handlers
from iotriage.api.routers import found_routers
from iotriage.api.services import Services
from iotriage.helpdesk.outcomes import assess_case
from iotriage.helpdesk.splitting import split_by_job
from iotriage.intake.case_process import case_children
from iotriage.intake.case_processes import CaseProcesses, WarmLimits
from iotriage.intake.case_queries import CaseLimits
from iotriage.intake.case_views import CaseViews, WaitLimits
from iotriage.intake.children import Children
from iotriage.intake.disposable import DisposableReading
from iotriage.intake.queue import FEWEST_THREADS, MOST_ASKED, WorkQueue
from iotriage.intake.reading import ReadingLimits, SourceReading
from iotriage.intake.worker import Worker
from iotriage.release import __version__
from iotriage.settings import Settings
from iotriage.sites import all_sites
from iotriage.store.choices import chosen_retention, chosen_site
from iotriage.store.database import Database
from iotriage.store.folder_lock import FolderLock
from iotriage.store.retention import Retention
from iotriage.store.sources import Clock, SourceFolder, utc_now, warn_of_lost_sources
from iotriage.verification.second_opinions import SecondOpinions

_DESCRIPTION = """Says what is wrong with a parallel job's I/O, which document says so, and what to type to fix it.

Upload each source by `PUT /api/v1/sources/{sha256}`, make a case of them with `POST /api/v1/cases`, and ask for the
case, with `wait`, until its `status` is not "reading". Errors are problem+json (RFC 9457)."""

_OTHER_THREADS = 40

_TAGS = [
    {"name": "service", "description": "The service itself."},
    {"name": "samples", "description": "Cases that come with the program."},
    {"name": "cases", "description": "What a person works on: the sources of one job, and its document."},
    {"name": "comparisons", "description": "Several cases compared."},
    {"name": "helpdesk", "description": "Tickets, and the answers to them."},
    {"name": "centre", "description": "The logs of a whole centre, day by day."},
    {"name": "sources", "description": "Files given to us, kept whole by the SHA-256 of their bytes."},
    {"name": "evidence", "description": "The lines and counters that the numbers come from."},
    {"name": "exports", "description": "A case to take away, for a mail, a ticket or a program."},
    {"name": "rules", "description": "The diagnoses, as data."},
    {"name": "sites", "description": "The profiles of centres."},
    {
        "name": "administration",
        "description": "What administrators set up: sites, and how long things stay.",
    },
    {"name": "access", "description": "Who one is, tokens for programs, and links that show one case."},
]


def create_app(
    settings: Settings,
    reading: SourceReading | None = None,
    clock: Clock = utc_now,
    children: Children | None = None,
    patience: WaitLimits | None = None,
) -> FastAPI:
    """The application for these settings. Nothing is opened or started before its lifespan begins; `reading` is the
    way in which sources are read, by default in disposable processes; processes of cases are forked off `children`.
    ValueError for a default site that is none, and where it is not said who may see what."""
    _check_site(settings.site)
    lacking = settings.access_lacks()
    if lacking is not None:
        raise ValueError(lacking)
    services = _services(settings, reading or DisposableReading(), clock, children or case_children(), patience)
    app = FastAPI(
        title="IOtriage",
        version=__version__,
        description=_DESCRIPTION,
        openapi_tags=_TAGS,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        routes=[*_api_routes()],
    )
    app.state.services = services
    app.openapi = lambda: _description(app)  # type: ignore[method-assign]
    install_problem_handlers(app)
    app.add_exception_handler(TwoTextsError, two_texts)
    app.add_exception_handler(HTTPStatus.METHOD_NOT_ALLOWED, wrong_method)
    page = frontend_router(settings.web)
    app.include_router(page)
    check_policies(page.routes)
    app.add_middleware(HeadAsGet)
    app.add_middleware(BodySizeLimit, attachments_bytes=settings.upload_limit_bytes)
    app.add_middleware(GZipMiddleware, minimum_size=1024, compresslevel=4)
    app.add_middleware(ClientRateLimit, allowance=lambda: RateLimiter(settings.client_requests_per_minute, 60))
    public = (urlsplit(settings.public_url or "").hostname,)
    named = frozenset(h.lower() for h in (*settings.allowed_hosts, *public) if h)
    app.add_middleware(KnownHosts, hosts=LOOPBACK_NAMES | named)
    app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=list(settings.trusted_proxies))
    if settings.access == "proxy":
        names = HeaderNames(settings.proxy_user_header, settings.proxy_name_header, settings.proxy_groups_header)
        by_socket = settings.unix_socket is not None
        app.add_middleware(ProxyIdentity, believed=settings.identity_proxies, socket=by_socket, names=names)
    app.add_middleware(PathPrefix, prefix=settings.root_path)
    app.add_middleware(RequestLog, answered=services.meters.request)
    app.add_middleware(SecurityHeaders)
    return app


def _check_site(site: str | None) -> None:
    if site is not None and site not in all_sites():
        raise ValueError(f"IOTRIAGE_SITE names {site!r}; the sites are: {', '.join(all_sites())}")


def _services(
    settings: Settings, reading: SourceReading, clock: Clock, children: Children, patience: WaitLimits | None
) -> Services:
    database = Database(settings.database)
    unused_retention = timedelta(hours=settings.keep_unused_hours)
    folder = SourceFolder(settings.data_dir / "sources", settings.upload_limit_bytes, unused_retention, clock)
    limits = ReadingLimits(settings.parse_seconds, settings.parse_wall_seconds, settings.parse_memory_bytes)
    warm = WarmLimits(settings.warm_cases, settings.warm_memory_bytes, settings.warm_seconds)
    processes = CaseProcesses(folder, reading, children, limits, _case_limits(settings), warm)
    meters = new_meters()
    queue = WorkQueue(max(settings.workers, FEWEST_THREADS), meters.task)

    def close() -> None:
        reading.close()
        children.close()

    return Services(
        settings=settings,
        database=database,
        folder=folder,
        lock=FolderLock(settings.data_dir),
        gate=Gate(settings, database, clock),
        given=RateLimiter(settings.client_upload_bytes_per_hour, 3600),
        processes=processes,
        worker=_worker(settings, database, folder, processes, queue, close),
        queue=queue,
        views=CaseViews(queue, processes, reading, folder, limits, patience),
        opinions=SecondOpinions(limits.cpu_seconds, limits.memory_bytes, limits.reader.inflated_bytes),
        meters=meters,
    )


def _case_limits(settings: Settings) -> CaseLimits:
    return CaseLimits(
        settings.diagnose_seconds,
        settings.diagnose_wall_seconds,
        settings.diagnose_memory_bytes,
        settings.document_bytes,
    )


def _worker(
    settings: Settings,
    database: Database,
    folder: SourceFolder,
    processes: CaseProcesses,
    queue: WorkQueue,
    close: Callable[[], None],
) -> Worker:
    """`close` ends what the worker's tasks run in."""

    def after_reading(case_id: str) -> None:
        parts = split_by_job(database, case_id)
        for part in parts:
            worker.submit(part)
        if not parts:
            assess_case(database, case_id)

    def retention() -> Retention:
        with database.reading() as session:
            return chosen_retention(session, retention_of(settings))

    worker = Worker(
        database=database,
        folder=folder,
        close=close,
        processes=processes,
        queue=queue,
        default_site=partial(chosen_site, otherwise=settings.site),
        retention=retention,
        renews=settings.renew,
        after_reading=after_reading,
    )
    return worker


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    services: Services = app.state.services
    # A request that waits for its turn holds a thread; those that need not wait have threads of their own beside.
    current_default_thread_limiter().total_tokens = MOST_ASKED + _OTHER_THREADS
    await run_in_threadpool(services.open)
    await run_in_threadpool(warn_of_lost_sources, services.database, services.folder)
    services.worker.start(services.settings.samples)
    yield
    await run_in_threadpool(services.worker.stop)
    services.close()


@cache
def _api_routes() -> tuple[BaseRoute, ...]:
    """The same for every application: to make them of the types of all answers takes a third of a second."""
    routes = tuple(route for router in found_routers() for route in router.routes)
    check_policies(routes)
    return routes


def _description(app: FastAPI) -> dict[str, Json]:
    if app.openapi_schema is None:
        app.openapi_schema = describe(app)
    return app.openapi_schema
