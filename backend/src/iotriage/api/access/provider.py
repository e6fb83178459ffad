"""A provider of OpenID Connect, as its client: the authorization code flow with PKCE, by Authlib."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.starlette_client import OAuth, StarletteOAuth2App
from httpx2 import HTTPError
from joserfc.errors import JoseError
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from iotriage.access.signing import SigningKeys
from iotriage.api.guard.cookies import login_cookie, set_login
from iotriage.api.guard.identity import Identity
from iotriage.api.guard.provider import LogInError
from iotriage.settings import Settings

LOGIN_LASTS = timedelta(minutes=10)
"""So long somebody may take to log in at the provider."""

_TIMEOUT_S = 10.0

Claims = Mapping[str, object]


class OpenIdProvider:
    """What is under way of a log-in (state, nonce, code verifier) lies in a signed cookie of the browser that began
    it."""

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
        except (AuthlibBaseError, HTTPError, RuntimeError, ValueError) as error:
            raise LogInError(_why(error)) from error
        handshake = json.dumps({"onwards": onwards, "flow": under_way})
        set_login(request, leading, self._settings, self._keys.signed_text(handshake), LOGIN_LASTS)
        return leading

    async def finish(self, request: Request) -> tuple[Identity, str]:
        """Who logged in, and the page to open. Raises `LogInError`."""
        cookie = login_cookie(request)
        text = self._keys.unsigned_text(cookie, LOGIN_LASTS) if cookie else None
        if text is None:
            raise LogInError("this browser did not begin to log in, or too long ago")
        handshake = json.loads(text)
        request.scope["session"] = handshake["flow"]
        try:
            return await self._identity(request), str(handshake["onwards"])
        except (AuthlibBaseError, JoseError, HTTPError, RuntimeError, ValueError, KeyError) as error:
            raise LogInError(_why(error)) from error

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


def _why(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
