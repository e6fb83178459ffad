"""Settings of who may see what, from the environment as all of `iotriage.settings`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from iotriage.listed_settings import Names, Networks

_SHORTEST_KEY = 16

AccessMode = Literal["local", "proxy", "oidc"]


class AccessSettings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="IOTRIAGE_", frozen=True)

    access: AccessMode = "local"
    """Who says who somebody is: `local`, nobody, on the loopback alone; `proxy`, one that sets headers; `oidc`, a
    provider of OpenID Connect."""

    open_loopback: bool = False
    """Where `access` is local: ask for no address that opens it. For a machine of one's own, whose loopback nobody else
    reaches."""

    administrators: Names = ()
    """Ids of people who are administrators, whatever groups they are in: the first one."""
    admin_groups: Names = ()
    helpdesk_groups: Names = ()
    user_groups: Names = ()
    """Who is in none of the groups is not let in; empty, everybody is who could log in."""

    session_hours: float = Field(default=8.0, gt=0, le=24 * 30)
    """How long a log-in by OpenID Connect lasts."""
    session_keys: Names = Field(default=(), repr=False)
    """Keys that sign cookies, the newest last; unset, they are made and kept in the data folder."""

    public_url: str | None = None
    """The address under which people reach the server, such as "https://io.example.org/iotriage"."""

    identity_proxies: Networks = ()
    """Addresses and networks of proxies that say who somebody is."""
    unix_socket: Path | None = None
    """Listen on this socket instead of a port. Whoever may open it is believed who somebody is."""
    proxy_user_header: str = "X-Remote-User"
    proxy_name_header: str = "X-Remote-Name"
    proxy_groups_header: str = "X-Remote-Groups"

    oidc_issuer: str | None = None
    """The provider's address, below which `.well-known/openid-configuration` lies."""
    oidc_client_id: str | None = None
    oidc_client_secret: str | None = Field(default=None, repr=False)
    oidc_scopes: str = "openid profile"
    oidc_user_claim: str = "sub"
    """The claim that is a person's id: never given to another one."""
    oidc_name_claim: str = "name"
    oidc_groups_claim: str = "groups"

    @field_validator("session_keys")
    @classmethod
    def _long_enough(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if any(len(key) < _SHORTEST_KEY for key in value):
            raise ValueError(f"each key has {_SHORTEST_KEY} characters or more: openssl rand -hex 32 prints one")
        return value

    @field_validator("public_url")
    @classmethod
    def _without_slash(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("https://", "http://")):
            raise ValueError("it is an address that begins with https:// or http://")
        return value.rstrip("/") if value else None

    def access_lacks(self) -> str | None:
        """What has to be said before the server may start; None where all is said."""
        if self.access == "proxy" and not self.identity_proxies and self.unix_socket is None:
            return (
                "IOTRIAGE_ACCESS=proxy believes nobody yet: name the proxy's address in IOTRIAGE_IDENTITY_PROXIES, or "
                "listen on a socket that it alone may open, IOTRIAGE_UNIX_SOCKET"
            )
        if self.access == "oidc":
            needed = ("oidc_issuer", "oidc_client_id", "public_url")
            missing = [f"IOTRIAGE_{name.upper()}" for name in needed if not getattr(self, name)]
            return f"IOTRIAGE_ACCESS=oidc needs {', '.join(missing)}" if missing else None
        return None
