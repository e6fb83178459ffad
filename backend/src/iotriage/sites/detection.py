"""Detects the site from the evidence. A name that only one system uses decides; a name that several share needs another
clue."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache, cached_property

from iotriage.sites.site import FileSystemKind, Site
from iotriage_parsers.frozen import frozen, frozen_identity


@frozen_identity
class SiteClues:
    """What a job left behind of where it ran: its files, mount points, nodes, the names of MPI libraries and modules,
    what Slurm calls the cluster, the servers and systems of PBS, and the accounts that it was charged to."""

    files: Sequence[str]
    mounts: Sequence[str]
    hosts: Sequence[str] = ()
    libraries: Sequence[str] = ()
    clusters: Sequence[str] = ()
    servers: Sequence[str] = ()
    accounts: Sequence[str] = ()

    @cached_property
    def paths(self) -> Sequence[str]:
        """Files and mount points."""
        return (*self.files, *self.mounts)

    @cached_property
    def full_hosts(self) -> Sequence[str]:
        """The nodes with their domain."""
        return tuple(host for host in self.hosts if "." in host)


@frozen
class Candidate:
    """A site that may be meant. `path` is what of a path speaks for it, `on` the path; `host` and `library` what else
    does. `by_host` where the node's name has the site's domain, `by_file` and `by_mount` where only this system has
    what a file or a mount point begins with. `cluster` is Slurm's name of the machine, where that is the site's id;
    `server` and `account` are those of the job that only this system has."""

    site: Site
    path: str | None
    on: str | None
    host: str | None
    library: str | None
    by_host: bool
    by_file: bool
    by_mount: bool
    cluster: str | None = None
    server: str | None = None
    account: str | None = None

    def weight(self) -> tuple[bool, bool, bool, bool, int]:
        """A domain before a file, a file before a mount point, that before what a scheduler calls the cluster or the
        account, which somebody else may have given theirs, and all before what only supports."""
        supports = sum(found is not None for found in (self.path, self.host, self.library))
        return self.by_host, self.by_file, self.by_mount, self.named, supports

    @property
    def named(self) -> bool:
        """Whether its scheduler names it."""
        return any(name is not None for name in (self.cluster, self.server, self.account))

    def because(self) -> str:
        reasons = [f"a mount point or file of the job begins with {self.path}"] if self.path is not None else []
        reasons += [f"a node of the job is {self.host}"] if self.host is not None else []
        reasons += [f"its library is {self.library}"] if self.library is not None else []
        reasons += [f"Slurm calls the cluster {self.cluster}"] if self.cluster is not None else []
        reasons += [f"PBS has it on {self.server}"] if self.server is not None else []
        reasons += [f"its account is {self.account}"] if self.account is not None else []
        return " and ".join(reasons)

    def kind(self) -> FileSystemKind | None:
        """The kind of the file system that the path names."""
        known = self.site.file_system_of(self.on) if self.on is not None else None
        return known.kind if known is not None else None


def candidates(sites: Iterable[Site], clues: SiteClues) -> tuple[Candidate, ...]:
    """The sites that a path, a node with its domain or a scheduler's name speaks for. A short name of a node
    ("nid000012") or a library stands on many machines: it supports a candidate and makes none."""
    if not any((clues.paths, clues.hosts, clues.clusters, clues.servers, clues.accounts)):
        return ()
    return tuple(found for site in sites if (found := _candidate(site, clues)) is not None)


@frozen_identity
class SitePatterns:
    """Regular expressions that match everything that is a clue to some site: paths and node names."""

    paths: tuple[re.Pattern[str], ...]
    hosts: tuple[re.Pattern[str], ...]


def site_patterns(sites: Collection[Site]) -> SitePatterns:
    """Of a thousand paths most are no clue; these few expressions tell at once for all sites."""
    paths = tuple(p for s in sites for p in (*s.detect_paths, *s.detect_shared_paths, *s.detect_common_paths))
    return SitePatterns(_together(paths), _together(tuple(p for site in sites for p in site.detect_hosts)))


def file_system_patterns(sites: Collection[Site]) -> tuple[re.Pattern[str], ...]:
    """Expressions that match the paths on any site's file systems."""
    return _together(mount for site in sites for on in site.file_systems for mount in on.mounts)


def matching_clues(tells: SitePatterns, clues: SiteClues) -> SiteClues:
    """Those of `clues` that some site's patterns match."""
    files, mounts = _among(clues.files, tells.paths), _among(clues.mounts, tells.paths)
    hosts = _among(clues.hosts, tells.hosts)
    return SiteClues(files, mounts, hosts, clues.libraries, clues.clusters, clues.servers, clues.accounts)


def _among(names: Sequence[str], patterns: Sequence[re.Pattern[str]]) -> Sequence[str]:
    found = {name for pattern in patterns for name in filter(pattern.match, names)}
    return [name for name in names if name in found] if found else ()


def common_paths(site: Site, clues: SiteClues) -> tuple[tuple[str, str], ...]:
    """What each pattern of names that other centres use too matches, and the path: one alone decides nothing."""
    found = (_first((pattern,), clues.paths) for pattern in site.detect_common_paths)
    return tuple(match for match in found if match is not None)


def heaviest(found: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The candidates with the greatest weight; several where the evidence does not decide between them."""
    most = max(c.weight() for c in found)
    return tuple(c for c in found if c.weight() == most)


def _candidate(site: Site, clues: SiteClues) -> Candidate | None:
    full = _first(site.detect_hosts, clues.full_hosts)
    file, mount = _first(site.detect_paths, clues.files), _first(site.detect_paths, clues.mounts)
    path = file or mount or _first(site.detect_shared_paths, clues.paths)
    common = common_paths(site, clues) if path is None else ()
    # Where another scheduler is at home, a cluster of Slurm with that name is somebody else's.
    cluster = site.id if site.scheduler == "slurm" and site.id in clues.clusters else None
    server, account = _first(site.detect_servers, clues.servers), _first(site.detect_accounts, clues.accounts)
    named = any(name is not None for name in (cluster, server, account))
    if full is None and path is None and not common and not named:
        return None
    host = full or _first(site.detect_hosts, clues.hosts)
    if len(common) > 1 or (common and (host is not None or named)):
        path = common[0]
    if full is None and path is None and not named:
        return None
    library = _first(site.detect_libraries, clues.libraries)
    return Candidate(
        site,
        path[0] if path is not None else None,
        path[1] if path is not None else None,
        host[0] if host is not None else None,
        library[0] if library is not None else None,
        by_host=full is not None,
        by_file=file is not None,
        by_mount=mount is not None,
        cluster=cluster,
        server=server[1] if server is not None else None,
        account=account[1] if account is not None else None,
    )


def _first(patterns: tuple[str, ...], names: Sequence[str]) -> tuple[str, str] | None:
    """What the first pattern that matches the start of a name matches there, and the name."""
    if not names:
        return None
    for pattern in _compiled(patterns):
        match = next(filter(None, map(pattern.match, names)), None)
        if match is not None:
            return match[0].rstrip("/"), match.string
    return None


def _together(patterns: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    """Expressions that match what one of `patterns` matches: one for all those that mean the same among others, which
    those with flags, and with names or numbers of groups, do not."""
    alone = {pattern: _ALONE.search(pattern) is not None for pattern in patterns}
    plain = "|".join(f"(?:{pattern})" for pattern, is_alone in alone.items() if not is_alone)
    others = (re.compile(pattern) for pattern, is_alone in alone.items() if is_alone)
    return (*((re.compile(plain),) if plain else ()), *others)


_ALONE = re.compile(r"\\[1-9]|\(\?[a-zA-Z(]")
"""Groups that have names, what is said about a group by its number or name, and flags."""


@cache
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    # A job has a thousand paths, each tried with every profile's patterns: `re.match` would look each up again.
    return tuple(re.compile(pattern) for pattern in patterns)
