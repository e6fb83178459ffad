"""What a proxy says about who asks, believed of the proxies that were named and of nobody else."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection

from starlette.types import ASGIApp, Receive, Scope, Send

from iotriage.api.problems import ProblemDetails, problem_response, problem_type
from iotriage_parsers.frozen import frozen

_KEY = "iotriage.identity"
_BETWEEN_GROUPS = re.compile(r"[,;]")


@frozen
class Identity:
    """`person` is the id that the log-in has for them."""

    person: str
    name: str
    groups: frozenset[str]


@frozen
class HeaderNames:
    user: str
    name: str
    groups: str


def identity_of(scope: Scope) -> Identity | None:
    """Who asks, as a believed proxy said; None where none did."""
    found: Identity | None = scope.get(_KEY)
    return found


class ProxyIdentity:
    """Takes a person from the headers of a request whose other end is a proxy of `believed` networks, or a Unix socket
    where `socket` says that we listen on one. It looks at the connection itself: stands before whatever believes
    X-Forwarded-For. Others' headers are not looked at. One that says twice who somebody is, is refused: a proxy that
    does not strip what the client sent would be obeyed else."""

    def __init__(self, app: ASGIApp, believed: Collection[str], socket: bool, names: HeaderNames) -> None:
        self.app = app
        self._networks = tuple(ipaddress.ip_network(one) for one in believed)
        self._socket = socket
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._is_believed(scope):
            await self.app(scope, receive, send)
            return
        by_header = [_values(scope, name) for name in (self._names.user, self._names.name, self._names.groups)]
        if any(len(values) > 1 for values in by_header):
            await problem_response(_SAID_TWICE)(scope, receive, send)
            return
        user, name, groups = ("".join(values).strip() for values in by_header)
        if user:
            own_groups = frozenset(group for one in _BETWEEN_GROUPS.split(groups) if (group := one.strip()))
            scope = {**scope, _KEY: Identity(user, name or user, own_groups)}
        await self.app(scope, receive, send)

    def _is_believed(self, scope: Scope) -> bool:
        client = scope.get("client")
        if not client:
            return self._socket
        try:
            address = ipaddress.ip_address(client[0])
        except ValueError:
            return False
        mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
        return any((mapped or address) in network for network in self._networks)


def _values(scope: Scope, header: str) -> list[str]:
    wanted = header.lower().encode("latin-1")
    # Names of people are UTF-8 where a proxy passes them on as it has them.
    return [value.decode("utf-8", "replace") for name, value in scope["headers"] if name == wanted]


_SAID_TWICE = ProblemDetails(
    problem_type("ambiguous-identity"),
    "Bad Request",
    400,
    "The request says twice who asks. The proxy has to remove what its clients send under these names.",
)
