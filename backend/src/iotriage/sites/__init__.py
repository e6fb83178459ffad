"""The profiles of centres: one TOML file for each site in this folder, and the installation's own, which
`IOTRIAGE_SITES` names. `detect` finds the site that the evidence points to."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from iotriage.sites.bad_site import BadSiteError, Place
from iotriage.sites.detection import (
    Candidate,
    SiteClues,
    SitePatterns,
    candidates,
    common_paths,
    file_system_patterns,
    heaviest,
    matching_clues,
    site_patterns,
)
from iotriage.sites.mounts import kind_of, kind_on
from iotriage.sites.profile import load, load_valid
from iotriage.sites.site import FILE_SYSTEM_NAMES, Site
from iotriage_parsers.evidence import Mount

__all__ = [
    "FILE_SYSTEM_NAMES",
    "OWN_SITES",
    "BadSiteError",
    "Place",
    "all_sites",
    "detect",
    "file_of",
    "kind_on",
    "load",
    "load_all",
    "own_digest",
    "own_files",
    "reload_profiles",
]

GENERIC = "generic"
OF_KIND: Mapping[str, str] = {"lustre": "generic-lustre", "gpfs": "generic-gpfs"}
"""The generic profile for a kind of file system, where the centre is not known."""

OWN_SITES = "IOTRIAGE_SITES"
"""The environment variable that names a profile of the installation's own, or a folder of them. It is read here, and
not with the server's settings, since the command line and the processes that read sources need it too."""


def all_sites() -> Mapping[str, Site]:
    """Every profile by id, in the order of the ids; one of the installation's own takes the place of a shipped one with
    its id. BadSiteError where one of them cannot be used."""
    return _all(os.environ.get(OWN_SITES) or None)


def own_files() -> tuple[Path, ...]:
    """The files that `IOTRIAGE_SITES` names. BadSiteError where it names something that does not exist."""
    named = os.environ.get(OWN_SITES)
    return _own_files(named) if named else ()


@cache
def _own_files(named: str) -> tuple[Path, ...]:
    # Looked for once: a process that diagnoses cannot see the folder any more.
    path = Path(named)
    try:
        if path.is_dir():
            # One without a byte is a profile that was not written to its end, as `sites measure` leaves one.
            return tuple(sorted(file for file in path.iterdir() if file.suffix == ".toml" and not _is_empty(file)))
        there = path.is_file()
    except OSError as closed:
        raise BadSiteError(f"{path}: {OWN_SITES}: {closed.strerror}") from None
    if not there:
        raise BadSiteError(f"{path}: {OWN_SITES} names no file and no folder")
    return (path,)


def reload_profiles() -> None:
    """Makes this process read the profiles again when they are next needed, since one of the installation's own was
    written."""
    _own_files.cache_clear()
    _all.cache_clear()
    _telling.cache_clear()
    _mounts.cache_clear()
    _digest.cache_clear()


def own_digest() -> str:
    """A digest of the installation's own profiles as they were when they were read."""
    named = os.environ.get(OWN_SITES)
    return _digest(named) if named else ""


@cache
def _digest(named: str) -> str:
    content = hashlib.sha256()
    for file in _own_files(named):
        content.update(f"{file}\0".encode() + file.read_bytes() + b"\0")
    return content.hexdigest()


def _is_empty(file: Path) -> bool:
    return file.is_file() and not file.stat().st_size


def file_of(site: str) -> Path:
    """The file of a site's profile. KeyError for an unknown site."""
    if site not in all_sites():
        raise KeyError(site)
    own = next((file for file in own_files() if file.stem == site), None)
    return own or Path(__file__).parent / f"{site}.toml"


@cache
def _all(own: str | None) -> Mapping[str, Site]:
    shipped = load_all(sorted(Path(__file__).parent.glob("*.toml")), load_valid)
    return dict(sorted({**shipped, **(load_all(own_files()) if own else {})}.items()))


@cache
def _telling(own: str | None) -> SitePatterns:
    return site_patterns(_all(own).values())


def is_on_some_site(path: str) -> bool:
    """Whether some site has a file system with such a path. Most are on none, and the sites need not be asked one by
    one."""
    return any(begins.match(path) for begins in _mounts(os.environ.get(OWN_SITES) or None))


@cache
def _mounts(own: str | None) -> tuple[re.Pattern[str], ...]:
    return file_system_patterns(_all(own).values())


def load_all(files: Iterable[Path], read: Callable[[Path], Site] = load) -> Mapping[str, Site]:
    """The profiles of `files` by id. BadSiteError names the file, the line, the key and the reason, and where an id
    differs from its file's name."""
    found: dict[str, Site] = {}
    for file in files:
        try:
            site = read(file)
        except OSError as problem:
            raise BadSiteError(f"{file}: {problem.strerror or 'cannot be read'}") from problem
        if site.id != file.stem:
            raise BadSiteError(f"{file}:1: id: {site.id!r} is not the name of the file")
        found[site.id] = site
    return dict(sorted(found.items()))


def detect(
    mounts: Sequence[Mount],
    paths: Sequence[str],
    hosts: Sequence[str] = (),
    libraries: Sequence[str] = (),
    clusters: Sequence[str] = (),
    servers: Sequence[str] = (),
    accounts: Sequence[str] = (),
) -> tuple[Site, str]:
    """The site whose mount points, paths or nodes the job used, or that its scheduler names, and in one sentence why it
    was taken.

    A named site is taken on evidence that only it has, or that a file system shared by several machines gives and
    nothing contradicts; where two are equally likely neither is taken. The installation's own profiles come before all
    others. A Lustre or Spectrum Scale mount alone gives the generic profile of its kind, for it says nothing about
    whose it is.
    """
    own = {file.stem for file in own_files()}
    tells = _telling(os.environ.get(OWN_SITES) or None)
    seen = matching_clues(
        tells, SiteClues(paths, [m.path for m in mounts], hosts, libraries, clusters, servers, accounts)
    )
    found = candidates(all_sites().values(), seen)
    found = tuple(c for c in found if c.site.id in own) or found
    if not found:
        generic, because = _generic(mounts)
        return generic, _suspected(seen) or because
    first, *others = heaviest(found)
    if not others:
        return first.site, f"{first.because()}, so this is {first.site.title}"
    return _undecided((first, *others), mounts)


def _suspected(seen: SiteClues) -> str | None:
    """The sites that a name shared by several centres may belong to, and what would decide between them."""
    if not seen.paths:
        return None
    found = [(site.title, paths[0][0]) for site in all_sites().values() if (paths := common_paths(site, seen))]
    if not found:
        return None
    titles = " or ".join(title for title, _ in found)
    return (
        f"{found[0][1]} may mean {titles}, but other centres have a file system of that name: the name of a node or a "
        "second mount point would settle it, or choose the site by hand"
    )


def _undecided(equal: Sequence[Candidate], mounts: Sequence[Mount]) -> tuple[Site, str]:
    """The generic profile of the file system that the candidates share, and who they are."""
    titles = [c.site.title for c in equal]
    named = f"{', '.join(titles[:-1])} and {titles[-1]}"
    because = f"{equal[0].because()}, which {named} have alike: choose yours by hand"
    kinds = {c.kind() for c in equal}
    generic = OF_KIND.get(kinds.pop() or "") if len(kinds) == 1 else None
    return (all_sites()[generic] if generic is not None else _generic(mounts)[0]), because


def _generic(mounts: Sequence[Mount]) -> tuple[Site, str]:
    """The generic profile, by the file systems of the mount table alone, and why it is that."""
    for mount in mounts:
        if (generic := OF_KIND.get(kind_of(mount.fs_type))) is not None:
            site = all_sites()[generic]
            name = "Lustre" if site.kind == "lustre" else "Spectrum Scale"
            return site, f"the mount table has a {name} file system, and nothing names a known site"
    return all_sites()[GENERIC], "neither mount points nor paths name a known site or a Lustre file system"
