"""The MPI library's version and settings as a job's text shows them."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from iotriage_parsers.evidence.locator import Lines
from iotriage_parsers.frozen import frozen


@frozen
class MpichVersion:
    """`version` as written ("8.1.25.17" in a banner, "8.1.25" as a module). A banner is the library that ran; a
    module is what was loaded. `base` is the MPICH that it is built on ("ANL base 3.4a2"), `build` the build line."""

    version: str
    source: Literal["banner", "module"]
    line: int
    base: str | None = None
    build: str | None = None


@frozen
class Setting:
    """One `NAME = VALUE` line of MPICH_ENV_DISPLAY. An empty value and `NULL` stay as they are: "" and "NULL"."""

    name: str
    value: str
    line: int
    section: str | None


@frozen
class SettingsSection:
    """A heading such as "MPICH MPIIO environment settings", and its line."""

    title: str
    line: int


@frozen
class MpichEnvironment:
    """What one run says about its MPI library. `settings` is empty where only a version is known, and then `lines` are
    those of the versions; otherwise those of the settings. `displays` counts identical displays of one text (several
    steps of a job); `notes` are lines of the display that are no settings (`rank 0 required = single, …`)."""

    versions: tuple[MpichVersion, ...]
    sections: tuple[SettingsSection, ...]
    settings: tuple[Setting, ...]
    lines: Lines
    complete: bool = True
    processor: str | None = None
    processor_line: int | None = None
    notes: tuple[str, ...] = ()
    rank: int | None = None
    displays: int = 0
    kind: Literal["mpich_environment"] = field(default="mpich_environment")

    @property
    def version(self) -> MpichVersion | None:
        """The library's version: of the banner where there is one, else of the module."""
        return min(self.versions, key=lambda v: (v.source != "banner", v.line), default=None)

    @property
    def banner(self) -> MpichVersion | None:
        """The version that the library printed itself."""
        return next((v for v in self.versions if v.source == "banner"), None)

    def setting(self, name: str) -> Setting | None:
        """The setting of this name, the last one where it is shown twice; None where it is not shown."""
        return next((s for s in reversed(self.settings) if s.name == name), None)
