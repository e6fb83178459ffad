"""A provider of OpenID Connect, as its client: the authorization code flow with PKCE, by Authlib."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Final
from urllib.parse import parse_qs, urlsplit

import msgspec
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.starlette_client import OAuth, StarletteOAuth2App
from httpx2 import HTTPError
from joserfc.errors import JoseError
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iotriage.access.signing import SigningKeys
from iotriage.api.guard.cookies import clear_login, login_cookie, set_login
from iotriage.api.guard.identity import Identity
from iotriage.api.guard.provider import LogInError
from iotriage.settings import Settings
from iotriage_parsers.frozen import frozen

LOGIN_LASTS = timedelta(minutes=10)
"""So long somebody may take to log in at the provider."""

_TIMEOUT_S = 10.0

_LONGEST_COOKIE: Final = 3_800
"""Browsers keep 4096 bytes of one, with its name and where it holds."""

Claims = Mapping[str, object]


@frozen
class _UnderWay:
    """A log-in of one tab: by its `state` the provider names it, `flow` is what Authlib keeps of it."""

    state: str
    onwards: str
    flow: dict[str, object]


_COOKIE: Final = msgspec.json.Decoder(tuple[_UnderWay, ...])

_NOT_UNDERSTOOD: Final = (AuthlibBaseError, JoseError, HTTPError, RuntimeError, ValueError, LookupError, TypeError)
"""With which Authlib ends, also over answers that are no JSON, or JSON of another shape than a provider's."""


class OpenIdProvider:
    """What is under way of log-ins (state, nonce, code verifier) lies in a signed cookie of the browser that began
    them: of several tabs each, the newest as far as a cookie has room."""

    def __init__(self, settings: Settings, keys: SigningKeys) -> None:
        self._settings = settings
        self._keys = keys
        issuer = (settings.oidc_issuer or "").rstrip("/")
        self._client: StarletteOAuth2App = OAuth().register(
            "provider",
            server_metadata_url=f"{issuer}/.well-known/openid-configuration",
            client_id=settings.oidc_client_id,
            client_secret=settings.oidc_client_secret,
            client_kwargs={"scope": settings.oidc_scopes, "code_challenge_method": "S256", "timeout": _TIMEOUT_S},
        )

    async def begin(self, request: Request, onwards: str) -> Response:
        """Leads to the provider; `onwards` is the page, below the server's address, to open afterwards. Raises
        `LogInError`."""
        under_way: dict[str, object] = {}
        request.scope["session"] = under_way
        try:
            leading: RedirectResponse = await self._client.authorize_redirect(
                request, f"{self._settings.public_url}/sign-in/return"
            )
        except _NOT_UNDERSTOOD as error:
            raise LogInError(_refusal_reason(error)) from error
        (state,) = parse_qs(urlsplit(leading.headers["location"]).query)["state"]
        self._keep(request, leading, (_UnderWay(state, onwards, under_way), *self._under_way(request)))
        return leading

    async def finish(self, request: Request) -> tuple[Identity, str]:
        """Who logged in, and the page to open. Raises `LogInError`."""
        state = request.query_params.get("state")
        begun = next((one for one in self._under_way(request) if one.state == state), None)
        if begun is None:
            raise LogInError("this browser did not begin to log in, or too long ago")
        request.scope["session"] = begun.flow
        try:
            return await self._identity(request), begun.onwards
        except _NOT_UNDERSTOOD as error:
            raise LogInError(_refusal_reason(error)) from error

    def forget(self, request: Request, answer: Response) -> None:
        """The log-in that this request finished."""
        state = request.query_params.get("state")
        self._keep(request, answer, tuple(one for one in self._under_way(request) if one.state != state))

    def _under_way(self, request: Request) -> tuple[_UnderWay, ...]:
        """Newest first."""
        cookie = login_cookie(request)
        text = self._keys.unsigned_text(cookie, LOGIN_LASTS) if cookie else None
        if text is None:
            return ()
        try:
            return _COOKIE.decode(text)
        except msgspec.MsgspecError:
            # One that an earlier version signed.
            return ()

    def _keep(self, request: Request, answer: Response, begun: tuple[_UnderWay, ...]) -> None:
        signed = self._keys.signed_text(msgspec.json.encode(begun).decode())
        while len(begun) > 1 and len(signed) > _LONGEST_COOKIE:
            begun = begun[:-1]
            signed = self._keys.signed_text(msgspec.json.encode(begun).decode())
        if begun:
            set_login(request, answer, self._settings, signed, LOGIN_LASTS)
        else:
            clear_login(request, answer)

    async def _identity(self, request: Request) -> Identity:
        settings = self._settings
        metadata = await self._client.load_server_metadata()
        if str(metadata["issuer"]).rstrip("/") != (settings.oidc_issuer or "").rstrip("/"):
            raise LogInError("the provider says that it is another")
        wanted = {
            "iss": {"essential": True, "values": [metadata["issuer"]]},
            "aud": {"essential": True, "values": [settings.oidc_client_id]},
            "sub": {"essential": True},
        }
        token = await self._client.authorize_access_token(request, claims_options=wanted)
        claims: Claims | None = token.get("userinfo")
        if claims is None:
            raise LogInError("the provider gave no ID token")
        if settings.oidc_groups_claim not in claims and "userinfo_endpoint" in metadata:
            more: Claims = await self._client.userinfo(token=token)
            if more.get("sub") != claims["sub"]:
                raise LogInError("the provider speaks of two people")
            claims = {**more, **claims}
        return identity_in(claims, settings)


def identity_in(claims: Claims, settings: Settings) -> Identity:
    """Who the claims are of. Raises `LogInError` where they do not say."""
    person = claims.get(settings.oidc_user_claim)
    if not isinstance(person, str) or not person:
        raise LogInError(f"the claim {settings.oidc_user_claim!r} is not there (IOTRIAGE_OIDC_USER_CLAIM)")
    name = claims.get(settings.oidc_name_claim)
    claim = claims.get(settings.oidc_groups_claim)
    groups = [claim] if isinstance(claim, str) else claim if isinstance(claim, list) else []
    return Identity(
        person, name if isinstance(name, str) and name else person, frozenset(g for g in groups if isinstance(g, str))
    )


def _refusal_reason(error: Exception) -> str:
    said = f"{type(error).__name__}: {error}"
    odd = isinstance(error, TypeError | LookupError)
    return f"the provider's answer is of another shape than OpenID Connect's ({said})" if odd else said
