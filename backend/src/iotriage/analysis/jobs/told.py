"""What is said of two cases: they are of one job, or may be."""

from __future__ import annotations

from iotriage_parsers.frozen import frozen


@frozen
class Together:
    """They are of one job, and why."""

    because: str


@frozen
class Apart:
    """They are of one job, or may be, and are not joined, and why; `differ` is whether they cannot be one case of it,
    even with what another would add."""

    because: str
    differ: bool = False
