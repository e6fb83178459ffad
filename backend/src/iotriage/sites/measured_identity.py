"""How jobs of a measured system are recognised: by the paths to which its benchmarks wrote, and the nodes on which they
ran."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Final

from iotriage.sites.phase_measurements import paths_of
from iotriage.sites.site import FileSystem, FileSystemKind
from iotriage_parsers.evidence import BenchmarkRates, BenchmarkRun, Evidence, StripeLayout

_ABOVE_MOUNTS: Final = frozenset(("tmp", "mnt", "media", "net", "lus", "export"))
"""Folders that contain the mount points of file systems."""

_COMMON: Final = re.compile(
    r"/(?:(?:tmp|mnt|media|net|export)/)?"
    r"(?:p?scratch|work|home|users?|data|lustre|gpfs|beegfs|daos|dfuse|projects?|nobackup|fs|storage|tmp|shared)\d*"
)
"""Mount points that many centres have, so that one alone does not identify a centre."""


def file_systems(results: Sequence[Evidence], mount: str | None, kind: FileSystemKind | None) -> tuple[FileSystem, ...]:
    """Those at `mount`, or else where the results' paths lead."""
    parts = [part for evidence in results for part in evidence.parts]
    lustre = any(isinstance(p, StripeLayout) or (isinstance(p, BenchmarkRun) and p.stripe_count) for p in parts)
    kind = kind or ("lustre" if lustre else "unknown")
    points = [mount] if mount is not None else [_mount_of(path) for path in _paths(parts)]
    return tuple({(fs := _file_system(point, kind)).id: fs for point in points}.values())


def is_common(mount: str) -> bool:
    return _COMMON.fullmatch(mount) is not None


def host_patterns(results: Sequence[Evidence], host: str | None) -> tuple[str, ...]:
    """Expressions for the nodes' names, whatever their numbers: of the one named, or of those that IOR ran on."""
    runs = [part for evidence in results for part in evidence.parts if isinstance(part, BenchmarkRun)]
    machines = [s.text.split()[-1] for run in runs for s in run.settings if s.key == "machine" and s.text.strip()]
    return tuple(dict.fromkeys(_host_pattern(name) for name in ([host] if host is not None else machines)))


def _host_pattern(name: str) -> str:
    node, dot, domain = name.partition(".")
    numbered = "".join(r"\d+" if part.isdigit() else re.escape(part) for part in re.split(r"(\d+)", node))
    return f"^{numbered}{re.escape(dot + domain)}$" if domain else rf"^{numbered}(\..*)?$"


def _paths(parts: Iterable[object]) -> Iterable[str]:
    """Where the benchmarks wrote, as far as the paths are absolute."""
    named: list[str | None] = []
    for part in parts:
        if isinstance(part, BenchmarkRun):
            named += [part.file, *(r.file for r in part.results)]
        elif isinstance(part, BenchmarkRates):
            named += paths_of(part)
    return (path for path in named if path is not None and path.startswith("/") and len(PurePosixPath(path).parts) > 1)


def _mount_of(path: str) -> str:
    """By its first folder, or the second of one in which file systems are mounted."""
    first, *others = PurePosixPath(path).parts[1:]
    return f"/{first}/{others[0]}" if others and first in _ABOVE_MOUNTS else f"/{first}"


def _file_system(mount: str, kind: FileSystemKind) -> FileSystem:
    name = re.sub(r"[^a-z0-9]+", "-", mount.lower()).strip("-") or "files"
    return FileSystem(name, mount, kind, (f"^{re.escape(mount)}(/|$)",))
