"""Who may call a route. Each states exactly one of these, beside its address: `dependencies=[READS_CASE]`.

A case that the person may not look at is answered as one that is not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from fastapi import Depends, Request
from fastapi.routing import APIRoute, iter_route_contexts
from sqlalchemy import func, or_, select
from starlette.concurrency import run_in_threadpool
from starlette.routing import BaseRoute

from iotriage.access.person import Person
from iotriage.access.tokens import may
from iotriage.access.visibility import owned_by, seen_by
from iotriage.api.guard.visitor import Visiting, Visitor, not_signed_in
from iotriage.api.problems import ProblemError, not_found
from iotriage.api.services import Here, Services
from iotriage.store.access_tables import TokenScope
from iotriage.store.audit import LONGEST_ABOUT, AuditContext, set_audit_context
from iotriage.store.tables import CaseRow
from iotriage_parsers.frozen import frozen

Who = Literal["anyone", "guest", "user", "helpdesk", "admin"]
"""Who at least: a guest has opened a share link that works."""

OfCase = Literal["reads", "changes"]


@frozen
class Policy:
    """`scope` is what a token must carry, None where none does. `of_case` is what is done to the case that the address
    names as `case_id`, or to the cases that the query has as `cases`."""

    name: str
    who: Who
    scope: TokenScope | None
    of_case: OfCase | None = None


@frozen
class Open(Policy):
    """For anyone: nobody asks who it is."""

    async def __call__(self) -> None:
        """Returns."""


@frozen
class Guarded(Policy):
    async def __call__(self, request: Request, visitor: Visiting, services: Here) -> None:
        """Returns for who may; raises a problem for all others."""
        if visitor.person is None and not (self.who == "guest" and visitor.shared):
            raise not_signed_in(services)
        if visitor.by == "token" and (self.scope is None or not may(visitor.scope, self.scope)):
            raise _not_by_this_token(self.scope)
        if visitor.person is not None and not _has_role(visitor.person, self.who):
            raise ProblemError(403, "not-allowed", "That is not for you to do", f"Your role is {visitor.person.role}.")
        if self.of_case is not None:
            await self._check_cases(_named_cases(request), visitor, services)
        if request.method not in ("GET", "HEAD"):
            set_audit_context(_act(request, visitor))

    async def _check_cases(self, case_ids: list[str], visitor: Visitor, services: Services) -> None:
        if visitor.person is not None and visitor.person.sees_every_case:
            return
        unseen = [case_id for case_id in case_ids if case_id not in visitor.shared]
        if self.of_case == "changes" or unseen:
            await run_in_threadpool(_check, services, visitor, case_ids, self.of_case == "changes")


ANYONE = Depends(Open("anyone", "anyone", None))
READS = Depends(Guarded("reads", "guest", "read"))
"""What is no case's: rules, sites."""
READS_OWN = Depends(Guarded("reads-own", "user", "read"))
"""Lists of what the person may see, narrowed by `seen_by`."""
SUBMITS = Depends(Guarded("submits", "user", "submit"))
"""Gives sources, makes cases of them."""
READS_CASE = Depends(Guarded("reads-case", "guest", "read", "reads"))
"""A case and what is in it, by a share link too: nothing that staff write to one another."""
READS_CASE_AS_PERSON = Depends(Guarded("reads-case-as-person", "user", "read", "reads"))
"""A case and what is in it, for who is logged in alone."""
ADDS_TO_CASE = Depends(Guarded("adds-to-case", "user", "submit", "changes"))
CHANGES_CASE = Depends(Guarded("changes-case", "user", "full", "changes"))
"""By its owner, whom the helpdesk gave it to, and the helpdesk."""
HELPDESK_READS = Depends(Guarded("helpdesk-reads", "helpdesk", "read"))
HELPDESK_SUBMITS = Depends(Guarded("helpdesk-submits", "helpdesk", "submit"))
"""Gives the helpdesk something: a mail or ticket system does."""
HELPS = Depends(Guarded("helps", "helpdesk", "full"))
ADMINISTERS = Depends(Guarded("administers", "admin", "full"))
MANAGES_OWN_ACCESS = Depends(Guarded("manages-own-access", "user", None))
"""Log-ins and tokens: a token makes no other."""
MANAGES_ACCESS = Depends(Guarded("manages-access", "admin", None))


API = "/api/v1"
"""What the address of every route of the API begins with."""


class NoPolicyError(Exception):
    """A route states no policy, or more than one."""


def policies(routes: Iterable[BaseRoute]) -> Iterator[tuple[str, str, Policy]]:
    """Method, path and policy of every route of FastAPI's among these. Raises `NoPolicyError`."""
    for route in iter_route_contexts(list(routes)):
        if not isinstance(route.original_route, APIRoute):
            continue
        stated = [d.dependency for d in route.dependencies if isinstance(d.dependency, Policy)]
        if len(stated) != 1:
            raise NoPolicyError(f"{route.path} states {len(stated)} policies: iotriage.api.guard.policies")
        for method in sorted(route.methods or ()):
            yield method, route.path or "", stated[0]


def check_policies(routes: Iterable[BaseRoute]) -> None:
    """No route is open because somebody forgot. Raises `NoPolicyError`."""
    for _, _, _ in policies(routes):
        pass


def _has_role(person: Person, who: Who) -> bool:
    if who == "admin":
        return person.role == "admin"
    return who != "helpdesk" or person.role in ("helpdesk", "admin")


def _act(request: Request, visitor: Visitor) -> AuditContext:
    """What is recorded of it, where something is changed (`iotriage.store.audit`)."""
    named = dict(request.path_params)
    case_id = named.pop("case_id", None)
    about = ", ".join(f"{name.removesuffix('_id')} {value}" for name, value in named.items())
    route = request.scope.get("route")
    address = route.path.removeprefix(API) if isinstance(route, APIRoute) else request.url.path
    person = visitor.person.id if visitor.person else "nobody"
    return AuditContext(person, visitor.by, f"{request.method} {address}", case_id, about[:LONGEST_ABOUT] or None)


def _named_cases(request: Request) -> list[str]:
    named = request.path_params.get("case_id")
    return [named] if isinstance(named, str) else request.query_params.get("cases", "").split(",")


def _check(services: Services, visitor: Visitor, case_ids: list[str], changes: bool) -> None:
    """A problem for the first of the cases with which that may not be done."""
    shared = CaseRow.id.in_(visitor.shared)
    seen = or_(shared, seen_by(visitor.person)) if visitor.person else shared
    with services.database.reading() as session:
        for case_id in case_ids:
            # Who asks for what was joined into another case is answered that one.
            answered = select(func.coalesce(CaseRow.joined_into, CaseRow.id)).where(CaseRow.id == case_id)
            here = select(CaseRow.id).where(CaseRow.id.in_(answered))
            if not case_id.isprintable() or session.scalar(here.where(seen)) is None:
                raise not_found("case", case_id)
            if changes and (visitor.person is None or session.scalar(here.where(owned_by(visitor.person))) is None):
                raise ProblemError(403, "read-only", "You may look at this case and not change it", "It is not yours.")


def _not_by_this_token(needed: TokenScope | None) -> ProblemError:
    detail = f'It takes one of scope "{needed}".' if needed else "It takes a log-in: no token may do it."
    return ProblemError(403, "scope", "This token may not do that", detail)
