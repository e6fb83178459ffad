"""Secrets that open something: random, and kept as what cannot be turned back."""

from __future__ import annotations

import hashlib
import secrets


def new_secret() -> str:
    """256 random bits, for a session, a token or a one-time address."""
    return secrets.token_urlsafe(32)


def new_share() -> str:
    """128 random bits, for an address that people copy."""
    return secrets.token_urlsafe(16)


def fingerprint(secret: str) -> str:
    """What is stored of a secret. SHA-256 without salt is enough: nobody goes through 128 random bits."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
