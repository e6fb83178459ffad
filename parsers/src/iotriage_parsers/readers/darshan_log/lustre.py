"""LUSTRE records: how each file is striped. Version 1 is one layout a file, version 2 a list of components."""

from __future__ import annotations

import struct
from typing import Final

from iotriage_parsers.evidence import LustreComponent, LustreLayout, Problem
from iotriage_parsers.frozen import frozen
from iotriage_parsers.readers.darshan_log.container import ByteOrder
from iotriage_parsers.readers.darshan_log.damaged import damaged

VERSIONS: Final = (1, 2)
_COMPONENT_BYTES: Final = 72
_WHERE: Final = "LUSTRE"


@frozen
class Component:
    """One component of a layout: those of LUSTRE_COMP_COUNTERS that matter here, and the OSTs of its stripes. An `end`
    below 0 is the end of the file."""

    stripe_size: int
    stripe_count: int
    start: int
    end: int
    pool: str
    osts: tuple[int, ...]


def read_lustre(
    data: bytes, version: int, byte_order: ByteOrder
) -> tuple[tuple[LustreLayout, ...], tuple[Problem, ...]]:
    """Records have no length of their own: where a count cannot be true, the rest of the region is given up."""
    return (_read_1 if version == 1 else _read_2)(data, "<" if byte_order == "little" else ">")


def _read_1(data: bytes, mark: str) -> tuple[tuple[LustreLayout, ...], tuple[Problem, ...]]:
    head = struct.Struct(f"{mark}Q6q")
    layouts: list[LustreLayout] = []
    position = 0
    while position + head.size <= len(data):
        record, _, osts_in_fs, mdts_in_fs, _, size, width = head.unpack_from(data, position)
        end = position + head.size + 8 * width
        if width < 0 or end > len(data):
            return tuple(layouts), (_beyond(position, len(data), f"{width} stripes"),)
        osts = struct.unpack_from(f"{mark}{width}q", data, position + head.size)
        layouts.append(
            LustreLayout(
                record=record,
                stripe_size=_positive(size),
                stripe_count=_positive(width),
                osts=osts,
                osts_in_fs=_positive(osts_in_fs),
                mdts_in_fs=_positive(mdts_in_fs),
            )
        )
        position = end
    return tuple(layouts), _rest(position, len(data))


def _read_2(data: bytes, mark: str) -> tuple[tuple[LustreLayout, ...], tuple[Problem, ...]]:
    head, part = struct.Struct(f"{mark}Q3q"), struct.Struct(f"{mark}7q16s")
    layouts: list[LustreLayout] = []
    refused = position = 0
    while position + head.size <= len(data):
        record, _, count, stripes = head.unpack_from(data, position)
        first_ost = position + head.size + _COMPONENT_BYTES * count
        end = first_ost + 8 * stripes
        if count < 0 or stripes < 0 or end > len(data):
            claim = f"{count} components with {stripes} stripes"
            return tuple(layouts), (*_refused(refused), _beyond(position, len(data), claim))
        osts = struct.unpack_from(f"{mark}{stripes}q", data, first_ost)
        parts = list(part.iter_unpack(data[position + head.size : first_ost]))
        components = _components(parts, osts)
        if components is None:
            refused += 1
        else:
            layouts.append(layout_of(record, components))
        position = end
    return tuple(layouts), (*_refused(refused), *_rest(position, len(data)))


def _components(parts: list[tuple[int, ...]], osts: tuple[int, ...]) -> tuple[Component, ...] | None:
    """None where the components' stripe counts do not add up to the stored OSTs."""
    components, taken = [], 0
    for size, count, _, _, start, end, _, pool in parts:
        if count < 0:
            return None
        name = bytes(pool).split(b"\0", 1)[0].decode("utf-8", "backslashreplace")
        components.append(Component(size, count, start, end, name, osts[taken : taken + count]))
        taken += count
    return tuple(components) if taken == len(osts) else None


def layout_of(record: int, components: tuple[Component, ...]) -> LustreLayout:
    """A composite layout is described by its widest component that has OSTs, one without has no data yet; and all its
    components beside that."""
    if not components:
        return LustreLayout(record=record, stripe_size=None, stripe_count=None, osts=())
    chosen = max(components, key=lambda c: (bool(c.osts), c.end < 0, c.end - c.start))
    return LustreLayout(
        record=record,
        stripe_size=_positive(chosen.stripe_size),
        stripe_count=_positive(chosen.stripe_count),
        osts=chosen.osts,
        composite=len(components) > 1,
        pool=chosen.pool or None,
        extent_start=max(0, chosen.start) if len(components) > 1 else None,
        components=tuple(map(_of_component, components)) if len(components) > 1 else (),
    )


def _of_component(c: Component) -> LustreComponent:
    return LustreComponent(max(0, c.start), c.end if c.end >= 0 else None, _positive(c.stripe_size), c.osts)


def _positive(value: int) -> int | None:
    return value if value > 0 else None


def _beyond(position: int, length: int, claim: str) -> Problem:
    return damaged(
        _WHERE,
        f"the record at byte {position} claims {claim}, which do not fit its region of {length} bytes; "
        "it and what follows are left out.",
    )


def _refused(records: int) -> tuple[Problem, ...]:
    if not records:
        return ()
    what = f"the components of {records} records claim other numbers of stripes than are stored"
    return (damaged(_WHERE, f"{what}; these records are left out."),)


def _rest(position: int, length: int) -> tuple[Problem, ...]:
    if position == length:
        return ()
    return (damaged(_WHERE, f"the last {length - position} bytes of the region are not a whole record."),)
