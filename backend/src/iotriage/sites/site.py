"""A centre's profile: file systems, thresholds that differ from the rules' defaults, and advice that holds there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FileSystemKind = Literal["lustre", "gpfs", "vast", "weka", "beegfs", "daos", "nfs", "local", "unknown"]
ManualStriping = Literal["yes", "discouraged", "impossible"]


@dataclass(frozen=True, slots=True)
class SiteSource:
    """Where a figure of the profile stands: a document key of `iotriage.rules.documents` and the section."""

    document: str
    section: str
    says: str


@dataclass(frozen=True, slots=True)
class FileSystem:
    """`mounts` are regular expressions on the mount point or path. A figure without a source is None."""

    id: str
    title: str
    kind: FileSystemKind
    mounts: tuple[str, ...]
    osts: int | None = None
    default_stripe_count: int | None = None
    default_stripe_size_bytes: int | None = None
    manual_striping: ManualStriping = "yes"
    source: SiteSource | None = None


@dataclass(frozen=True, slots=True)
class ThresholdOverride:
    """A threshold of a rule that this site sets otherwise, and why."""

    threshold: str
    value: float
    source: SiteSource
    why: str


@dataclass(frozen=True, slots=True)
class EnvironmentAdvice:
    """Lines for the job script that the site's documents recommend for a pattern ("shared-collective", …)."""

    pattern: str
    text: str
    lines: tuple[str, ...]
    source: SiteSource


@dataclass(frozen=True, slots=True)
class Site:
    """`detect_paths` are regular expressions on mount points and file paths that only this site has.
    `shared_file_stripe_count` is the -c value its documents give for a large shared file (−1: all OSTs)."""

    id: str
    title: str
    status: Literal["current", "retired", "generic"]
    checked: str
    detect_paths: tuple[str, ...] = ()
    file_systems: tuple[FileSystem, ...] = ()
    thresholds: tuple[ThresholdOverride, ...] = ()
    environment: tuple[EnvironmentAdvice, ...] = ()
    shared_file_stripe_count: int | None = None
    version: str = "1"
    notes: tuple[str, ...] = ()

    def file_system_of(self, path: str) -> FileSystem | None:
        """The first file system one of whose mount patterns matches the start of `path`."""
        import re

        return next((fs for fs in self.file_systems if any(re.match(m, path) for m in fs.mounts)), None)
