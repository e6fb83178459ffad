"""A profile of a site that cannot be used, and where in it."""

from __future__ import annotations

Place = tuple[str | int, ...]
"""Keys of tables and indices of lists, from the top of a file."""


class BadSiteError(ValueError):
    """A profile that cannot be used. The message is "file:line: key: reason"."""
