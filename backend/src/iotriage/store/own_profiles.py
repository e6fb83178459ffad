"""The installation's own site profiles, written by the server: files in the folder that `IOTRIAGE_SITES` names. Each is
checked before it replaces the one before."""

from __future__ import annotations

import os
import tempfile
import threading
from pathlib import Path

from iotriage.rules.core.own_sites import check_profile
from iotriage.sites import OWN_SITES, BadSiteError, all_sites, load, own_files, reload_profiles
from iotriage.sites.site import Site
from iotriage.store.profile_file import OwnThreshold, profile_with, profile_without

_WRITING = threading.Lock()
"""Held from reading a profile until its new content is written."""


class ProfilesNotWritableError(Exception):
    """The profile cannot be written here; the message says why, for whoever runs the server."""


def set_threshold(site: str, own: OwnThreshold) -> Site:
    """Writes a threshold with its reason into the profile of the site, the rest of which stays as it is; a shipped
    profile becomes one of the installation's own by that. The profile as it is now; who judges by profiles in other
    processes has to be told. KeyError for an unknown site, `BadSiteError` where there is no such threshold or the
    number is none for it, `ProfilesNotWritableError`."""
    with _WRITING:
        return _write(site, profile_with(site, [own]))


def unset_threshold(site: str, threshold: str) -> Site:
    """Removes what the profile sets for the threshold: that of the rule holds again. Raises as `set_threshold`."""
    with _WRITING:
        return _write(site, profile_without(site, threshold))


def save_profile(text: str, site: str) -> Site:
    """Keeps a whole profile, of a site that is new here or in the place of the one before. Raises as
    `set_threshold`."""
    with _WRITING:
        return _write(site, text)


def drop_profile(site: str) -> None:
    """Removes the installation's own profile; the shipped one, if there is one, holds again. KeyError where the
    installation has none, `ProfilesNotWritableError`."""
    with _WRITING:
        own = next((file for file in own_files() if file.stem == site), None)
        if own is None:
            raise KeyError(site)
        try:
            own.unlink(missing_ok=True)
        except OSError as error:
            raise _not_writable(own.parent, error) from error
        reload_profiles()


def is_own(site: str) -> bool:
    """Whether the profile is the installation's own."""
    return any(file.stem == site for file in own_files())


def why_not_writable() -> str | None:
    """The reason why no profile can be written; None where one probably can."""
    try:
        folder = _folder()
    except ProfilesNotWritableError as reason:
        return str(reason)
    return None if os.access(folder, os.W_OK) else f"The folder {folder} cannot be written to."


def _folder() -> Path:
    named = os.environ.get(OWN_SITES)
    if not named:
        raise ProfilesNotWritableError(f"No folder is named for profiles of your own: set {OWN_SITES} to one.")
    path = Path(named)
    if not path.is_dir():
        raise ProfilesNotWritableError(f"{OWN_SITES} names a file: set it to a folder that the server may write to.")
    return path


def _write(site: str, text: str) -> Site:
    folder = _folder()
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".") as beside:
            file = Path(beside) / f"{site}.toml"
            with file.open("w", encoding="utf-8") as writing:
                writing.write(text)
                writing.flush()
                os.fsync(writing.fileno())
            _check(file, site)
            file.replace(folder / file.name)
    except OSError as error:
        raise _not_writable(folder, error) from error
    reload_profiles()
    return all_sites()[site]


def _check(file: Path, site: str) -> None:
    try:
        written = load(file)
        if written.id != site:
            raise BadSiteError(f"{file}:1: id: {written.id!r} is not {site!r}")
        check_profile(file, written)
    except BadSiteError as wrong:
        # Where it lay for a moment says nothing to whoever wrote it.
        raise BadSiteError(str(wrong).replace(str(file), file.name, 1)) from wrong


def _not_writable(folder: Path, error: OSError) -> ProfilesNotWritableError:
    return ProfilesNotWritableError(f"The folder {folder} cannot be written to: {error.strerror}.")
