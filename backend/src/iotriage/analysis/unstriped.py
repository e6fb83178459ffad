"""Statistics of files on file systems without stripes: Cray MPICH prints a stripe count and size for these too, but
they describe its buffers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from iotriage.sites.site import MAYBE_LUSTRE, FileSystemKind
from iotriage_parsers.evidence import MpiioStats, Part


def without_stripes(
    parts: Sequence[tuple[int, Part]], kind_of: Callable[[str], FileSystemKind]
) -> Sequence[tuple[int, Part]]:
    """The parts with these figures removed; unchanged where there are none. A file with zero stripes has no striping
    either."""
    found = [(source, _without_stripes_of_part(part, kind_of)) for source, part in parts]
    return found if any(a is not b for (_, a), (_, b) in zip(found, parts, strict=True)) else parts


def _without_stripes_of_part(part: Part, kind_of: Callable[[str], FileSystemKind]) -> Part:
    if not isinstance(part, MpiioStats) or part.stripe_count is None:
        return part
    if part.stripe_count > 0 and kind_of(part.file) in MAYBE_LUSTRE:
        return part
    return replace(part, stripe_count=None, stripe_size_bytes=None, stripe_sized_accesses=None, pfl=())
