"""What `lfs getstripe` says about a file's or a directory's layout on Lustre, and `lfs df` about the OSTs."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from iotriage_parsers.evidence.locator import Lines
from iotriage_parsers.frozen import frozen

LayoutForm = Literal["plain", "composite", "directory-default"]
"""`directory-default` is what new files of a directory get; it may have several components, too."""


@frozen
class StripeField:
    """One `label: value` as it stands."""

    label: str
    text: str
    line: int


@frozen
class StripeComponent:
    """One extent of the file, or all of a file whose layout is plain: from byte `start_bytes` up to `end_bytes`, where
    None is the end of the file.

    `stripe_count` is None where it is not printed, where the file system's default applies, and where `over_all_osts`
    (printed as -1). It is 0 for data on the MDT (`pattern` "mdt"). `first_ost` is None where the MDS chooses or is yet
    to choose. `osts` lists the OST of each stripe; empty before the component is instantiated, and where not printed.
    `mirror_id` is None where the file has no mirrors. `pattern` is given by name also where Lustre prints its number.
    """

    line: int
    start_bytes: int = 0
    end_bytes: int | None = None
    stripe_count: int | None = None
    over_all_osts: bool = False
    stripe_size_bytes: int | None = None
    pattern: str | None = None
    pool: str | None = None
    first_ost: int | None = None
    osts: tuple[int, ...] = ()
    component_id: int | None = None
    mirror_id: int | None = None
    flags: tuple[str, ...] = ()
    fields: tuple[StripeField, ...] = ()

    @property
    def on_mdt(self) -> bool:
        """Data-on-MDT: what lies in this extent touches no OST."""
        return self.pattern is not None and "mdt" in self.pattern.split(",")

    @property
    def is_parity(self) -> bool:
        """Erasure coding: what the data of the mirror that it belongs to can be made again from, and none itself."""
        return self.pattern is not None and "parity" in self.pattern.split(",")

    def line_of(self, label: str) -> int | None:
        """The line with this label ("stripe_count", "stripe_size", "extent.e_end", …; without lmm_, lcme_)."""
        return next((f.line for f in self.fields if f.label == label), None)


@frozen
class StripeLayout:
    """The layout of one file or directory. `path` is the one printed, else that of the command before it, else None.

    `complete` is false where the text ended within it, or shows only some of its components. `mirror_count` and
    `entry_count` (of components) are those of a composite layout's head. How many stripes a composite file really has,
    depends on its size: only `instantiated` components have objects.
    """

    form: LayoutForm
    path: str | None
    path_line: int | None
    lines: Lines
    complete: bool
    components: tuple[StripeComponent, ...]
    layout_generation: int | None = None
    mirror_count: int | None = None
    entry_count: int | None = None
    kind: Literal["stripe_layout"] = field(default="stripe_layout")

    @property
    def instantiated(self) -> tuple[StripeComponent, ...]:
        """The components that have objects: all of a plain layout, those flagged `init` of a composite one, none of a
        directory's default."""
        if self.form == "plain":
            return self.components
        return tuple(c for c in self.components if "init" in c.flags)

    @property
    def only_component(self) -> StripeComponent | None:
        """The one that all bytes of the file are in; None where there are several, also where a text has one of them
        alone."""
        if len(self.components) != 1 or self.entry_count not in (None, 1):
            return None
        (one,) = self.components
        is_part = self.entry_count is None and (one.start_bytes > 0 or one.end_bytes is not None)
        return None if is_part else one


@frozen
class TargetUsage:
    """One row of `lfs df`: an OST or MDT. Sizes are to the precision of the print (`-h` gives one decimal)."""

    name: str
    index: int
    total_bytes: int | None
    used_bytes: int | None
    available_bytes: int | None
    line: int


@frozen
class OstUsage:
    """`lfs df` of one file system, mounted on `mount`. `complete` is false where rows were surely left out, so that
    nobody knows how many OSTs there are."""

    mount: str
    osts: tuple[TargetUsage, ...]
    mdts: tuple[TargetUsage, ...]
    lines: Lines
    complete: bool = True
    kind: Literal["ost_usage"] = field(default="ost_usage")
