"""The routers that the API is made of: whatever module of `iotriage.api` has one is served. Each states its routes
whole: what FastAPI includes in another router it makes again, with the types of all answers, and that is a fifth of the
time in which the server starts."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from importlib import import_module
from pkgutil import walk_packages

from fastapi import APIRouter
from fastapi.params import Depends
from fastapi.routing import APIRoute

import iotriage.api
from iotriage.api.guard.policies import API
from iotriage.api.problems import ProblemDetails

_PROBLEM = {"model": ProblemDetails, "description": "What went wrong."}


def api_router(prefix: str = "", *, tag: str, dependencies: Sequence[Depends] = ()) -> APIRouter:
    """A router of routes below /api/v1, which answer problems where they fail."""
    return APIRouter(
        prefix=API + prefix,
        tags=[tag],
        dependencies=list(dependencies),
        responses={"4XX": _PROBLEM, "5XX": _PROBLEM, 422: _PROBLEM},
        generate_unique_id_function=_operation_id,
    )


def service_router(*, dependencies: Sequence[Depends] = ()) -> APIRouter:
    """A router of routes beside the API, for whoever keeps the service running."""
    tags: list[str | Enum] = ["service"]
    return APIRouter(tags=tags, dependencies=list(dependencies), generate_unique_id_function=_operation_id)


ASKED_MOST = ("cases", "sources", "exports", "service", "samples", "evidence", "helpdesk", "centre")
"""Tags. Routes are looked through one after the other for every request: these stand first."""


def found_routers() -> tuple[APIRouter, ...]:
    """The routers of all modules of the API."""
    names = [m.name for m in walk_packages(iotriage.api.__path__, f"{iotriage.api.__name__}.")]
    modules = [import_module(name) for name in names if not name.endswith(".__main__")]
    found = {id(router): router for m in modules for router in vars(m).values() if isinstance(router, APIRouter)}
    return tuple(sorted(found.values(), key=_place))


def _place(router: APIRouter) -> int:
    return min((ASKED_MOST.index(tag) for tag in router.tags if tag in ASKED_MOST), default=len(ASKED_MOST))


def _operation_id(route: APIRoute) -> str:
    return route.name
