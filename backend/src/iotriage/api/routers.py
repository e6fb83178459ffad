"""The routers that the API is made of. Each states its routes whole: what FastAPI includes in another router it makes
again, with the types of all answers, and that is a fifth of the time in which the server starts."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from fastapi import APIRouter
from fastapi.params import Depends
from fastapi.routing import APIRoute

from iotriage.api.guard.policies import API
from iotriage.api.problems import ProblemDetails

_PROBLEM = {"model": ProblemDetails, "description": "What went wrong."}


def api_router(prefix: str = "", *, tag: str, dependencies: Sequence[Depends] = ()) -> APIRouter:
    """Of routes below /api/v1, which answer problems where they fail."""
    return APIRouter(
        prefix=API + prefix,
        tags=[tag],
        dependencies=list(dependencies),
        responses={"4XX": _PROBLEM, "5XX": _PROBLEM, 422: _PROBLEM},
        generate_unique_id_function=_operation_id,
    )


def service_router(*, dependencies: Sequence[Depends] = ()) -> APIRouter:
    """Of routes beside the API, for who keeps the service running."""
    tags: list[str | Enum] = ["service"]
    return APIRouter(tags=tags, dependencies=list(dependencies), generate_unique_id_function=_operation_id)


def _operation_id(route: APIRoute) -> str:
    return route.name
