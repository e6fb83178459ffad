"""A file that holds several sources: an archive, with what was read of each file in it."""

from __future__ import annotations

from typing import Literal

from iotriage_parsers.evidence.evidence import Evidence, Failure
from iotriage_parsers.frozen import frozen_identity

Packing = Literal["zip", "tar", "mail"]
"""A mail counts as an archive of its attachments."""


@frozen_identity
class Member:
    """One file of an archive. `name` is the archive's word for it, made printable and cut: it is shown, never used as
    a path. `sha256` and `size_bytes` are those of the file unpacked; "" and 0 where it could not be unpacked."""

    name: str
    sha256: str
    size_bytes: int
    outcome: Evidence | Failure


@frozen_identity
class Archive:
    """The files of an archive in its order, without folders, links and what a desktop adds. `left_out` says why some
    were not read at all, where there were too many or too large ones."""

    packing: Packing
    members: tuple[Member, ...]
    left_out: Failure | None = None
