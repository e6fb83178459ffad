"""The striping of files as `lfs getstripe` and CrayPAT's Lustre table state it, matched to files by path or name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from iotriage.metrics.core.metric import Confidence, Where
from iotriage.metrics.core.selection import Selection, base_name
from iotriage.metrics.core.selection_cache import cached_per_job
from iotriage.metrics.core.text_statements import places_of
from iotriage.metrics.tables.osts.placement import Extent, extents_of, extents_stated
from iotriage_parsers.evidence import CrayPatReport, Lines, LustreLayout, PatLustreFile, StripeComponent, StripeLayout
from iotriage_parsers.frozen import frozen

ALL_OSTS = -1
"""The stripe count that means as many stripes as there are OSTs, as `lfs setstripe -c` takes it."""


@frozen
class StatedStriping:
    """What a source says about one file. `stripe_count` and `stripe_size_bytes` are None where it does not say, and for
    data on the MDT; `pool` where it is in none. `progressive` is whether the stripes differ along the file."""

    path: str
    stripe_count: int | None
    stripe_size_bytes: int | None
    osts: tuple[int, ...]
    confidence: Confidence
    count_at: tuple[Where, ...]
    size_at: tuple[Where, ...]
    pool: str | None = None
    progressive: bool = False


@frozen
class _Candidate:
    source: int
    path: str
    said: StripeLayout | PatLustreFile


class StatedLayouts:
    """The layouts of a case's files. Defaults of directories are left out, since they apply to new files only."""

    def __init__(self, s: Selection) -> None:
        self._by_name: dict[str, list[_Candidate]] = {}
        for candidate in _candidates(s):
            self._by_name.setdefault(base_name(candidate.path), []).append(candidate)

    def __bool__(self) -> bool:
        return bool(self._by_name)

    def only_path(self) -> str | None:
        """The one file that the sources speak of; None where there are several or none."""
        paths = {c.path for mine in self._by_name.values() for c in mine if isinstance(c.said, StripeLayout)}
        return paths.pop() if len(paths) == 1 else None

    def of_file(self, path: str, size_bytes: int | None) -> StatedStriping | None:
        """The striping of the file; `lfs getstripe` is preferred to CrayPAT. Of a composite layout, that of the
        component with the file's end; where the file's size is not known, of the last component that has objects."""
        found = self._stated_layout(path)
        return None if found is None else _striping(found, size_bytes)

    def extents(self, path: str) -> tuple[Extent, ...]:
        """Where the bytes of the file lie; none where no source lists the OSTs of its stripes."""
        found = self._stated_layout(path)
        if found is None:
            return ()
        if isinstance(found.said, StripeLayout):
            return extents_stated(found.said)
        return extents_of(LustreLayout(0, found.said.stripe_size_bytes, found.said.stripe_count, found.said.osts))

    def osts(self, paths: Iterable[str] | None) -> tuple[set[int], tuple[Where, ...], bool]:
        """Distinct OSTs of the files (of all, with None), where they stand, and whether a file's are not listed."""
        if paths is None:
            every = [c for mine in self._by_name.values() for c in mine]
            asked = [c for c in every if isinstance(c.said, StripeLayout)] or every
        else:
            asked = [c for path in paths if (c := self._stated_layout(path)) is not None]
        listed = [(c, osts) for c in asked if (osts := _osts(c.said))]
        where = tuple(Where(c.source, _lines(c.said)) for c, _ in listed)
        return {ost for _, osts in listed for ost in osts}, where, len(listed) < len(asked)

    def stripes_listed(self, path: str) -> int:
        """The number of the file's stripes for which a source lists the OST; several stripes may have the same OST. 0
        where no source lists any."""
        found = self._stated_layout(path)
        said = None if found is None else found.said
        if isinstance(said, StripeLayout):
            return sum(len(c.osts) for c in said.instantiated)
        return 0 if said is None else len(said.osts)

    def _stated_layout(self, path: str) -> _Candidate | None:
        mine = self._by_name.get(base_name(path), [])
        of_lfs = _best([c for c in mine if isinstance(c.said, StripeLayout)], path)
        return of_lfs or _best([c for c in mine if isinstance(c.said, PatLustreFile)], path)


@cached_per_job
def stated_layouts(s: Selection) -> StatedLayouts:
    return StatedLayouts(s)


def _candidates(s: Selection) -> Iterator[_Candidate]:
    for source, layout in s.whole.of(StripeLayout):
        if layout.form != "directory-default" and layout.path is not None:
            yield _Candidate(source, layout.path, layout)
    for source, report in s.whole.of(CrayPatReport):
        yield from (_Candidate(source, file.path, file) for file in report.lustre)


def _best(candidates: list[_Candidate], path: str) -> _Candidate | None:
    """The same path, else one that ends like the other, else the only file of that base name; the last that was said,
    since a file may have been made anew."""
    for fits in (lambda p: p == path, lambda p: _tail(p, path) or _tail(path, p)):
        found = [c for c in candidates if fits(c.path)]
        if found:
            return found[-1]
    return candidates[-1] if len({c.path for c in candidates}) == 1 else None


def _tail(whole: str, part: str) -> bool:
    return not part.startswith("/") and whole.endswith("/" + part.removeprefix("./"))


def _striping(found: _Candidate, size_bytes: int | None) -> StatedStriping | None:
    source, layout = found.source, found.said
    if isinstance(layout, PatLustreFile):
        where = (Where(source, Lines(layout.line, layout.line)),)
        return StatedStriping(
            found.path, layout.stripe_count, layout.stripe_size_bytes, layout.osts, "measured", where, where
        )
    component = component_of(layout, size_bytes)
    if component is None:
        return None
    known = not component.on_mdt
    everywhere = len(component.osts) or None if component.over_all_osts else None
    return StatedStriping(
        path=found.path,
        stripe_count=(component.stripe_count or everywhere) if known else None,
        stripe_size_bytes=component.stripe_size_bytes if known else None,
        osts=component.osts,
        confidence="measured" if layout.form == "plain" or size_bytes is not None else "inferred",
        count_at=places_of(source, component.line_of("stripe_count"), Lines(component.line, component.line)),
        size_at=places_of(source, component.line_of("stripe_size"), Lines(component.line, component.line)),
        pool=component.pool,
        # Mirrors are composite too, and each begins at the same byte.
        progressive=len({c.start_bytes for c in layout.components}) > 1,
    )


def component_of(layout: StripeLayout, size_bytes: int | None) -> StripeComponent | None:
    """The component that holds the last byte of a file of that size, else the last that has objects; of mirrors the
    first that is not stale. None where the text shows none that has objects."""
    valid = [c for c in layout.instantiated if "stale" not in c.flags]
    if not valid:
        return None
    mine = sorted((c for c in valid if c.mirror_id == valid[0].mirror_id), key=lambda c: c.start_bytes)
    if size_bytes is not None and size_bytes > 0:
        holding = [c for c in mine if c.start_bytes < size_bytes and (c.end_bytes is None or size_bytes <= c.end_bytes)]
        if holding:
            return holding[0]
    return mine[-1]


def _osts(layout: StripeLayout | PatLustreFile) -> tuple[int, ...]:
    if isinstance(layout, PatLustreFile):
        return layout.osts
    return tuple(dict.fromkeys(ost for c in layout.instantiated for ost in c.osts))


def _lines(layout: StripeLayout | PatLustreFile) -> Lines:
    return Lines(layout.line, layout.line) if isinstance(layout, PatLustreFile) else layout.lines
