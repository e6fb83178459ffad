"""The striping of a file, as Darshan's LUSTRE module records it."""

from __future__ import annotations

from iotriage_parsers.frozen import frozen


@frozen
class LustreComponent:
    """The bytes of a file from `start_bytes` up to `end_bytes`, where None is the file's end. `osts` lists the OST of
    each stripe, in order; empty where the component has no objects yet."""

    start_bytes: int
    end_bytes: int | None
    stripe_size: int | None
    osts: tuple[int, ...]


@frozen
class LustreLayout:
    """The striping of one file. `stripe_count` is that of the component with the largest extent in a composite
    layout (`composite` true), else the file's, and `extent_start` the first byte of that component: a file that ends
    before it does not use it. Sizes in bytes. `osts` lists the OST of each stripe, in order. `components` are all of a
    composite layout, as the source lists them; empty for any other."""

    record: int
    stripe_size: int | None
    stripe_count: int | None
    osts: tuple[int, ...]
    osts_in_fs: int | None = None
    mdts_in_fs: int | None = None
    composite: bool = False
    pool: str | None = None
    extent_start: int | None = None
    components: tuple[LustreComponent, ...] = ()
