"""What is said of a request that no route answers: which methods its address has, or that there is no such address."""

from __future__ import annotations

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.responses import Response
from starlette.routing import Match

from iotriage.api.prefix import path_below_prefix
from iotriage.api.problems import ProblemError, problem_response


def unanswered(request: Request) -> ProblemError:
    """There is no such address where not one method is allowed."""
    path, allowed = request.scope["path"], allowed_methods(request)
    if not allowed:
        return ProblemError(404, "unknown-route", "There is nothing at this address", f"{path} is not in the API.")
    detail = f"{path} has no {request.scope['method']}: it has {', '.join(allowed)}."
    refused = ProblemError(405, "wrong-method", "This address has not that method", detail)
    refused.headers = {"allow": ", ".join(allowed)}
    return refused


def wrong_method(request: Request, _: Exception) -> Response:
    """In the place of what a route says that has the address, and knows no other."""
    refused = unanswered(request)
    return problem_response(refused.details, refused.headers)


def allowed_methods(request: Request) -> list[str]:
    """Of all routes with the address: each route states one method. Whatever is not of the API is the page's."""
    path = path_below_prefix(request.scope)
    in_api = path == "/api" or path.startswith("/api/")
    here = (route for route in request.app.routes if isinstance(route, APIRoute))
    found = {m for route in here if route.matches(request.scope)[0] is not Match.NONE for m in route.methods or ()}
    readable = "GET" in found or not in_api
    return sorted(found | ({"GET", "HEAD"} if readable else set()))
