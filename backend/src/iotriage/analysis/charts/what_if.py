"""What the time of a group's accesses could be with other stripes, transfer sizes or process counts, where the site's
documents, or its own measurements, have a curve for that.

Pure. The other settings stay the job's. Each choice has three times: the least, if it reached the most that was
measured with it; that of a job that stays as far from the documented rate as this one is now; and the most, which is
never less than now, since nothing says that this setting is what takes the time. Between two measured values the rate
is taken on logarithmic scales, and its bounds are those of both; beyond the first and the last nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from iotriage.analysis.document.next_run import LaunchLine
from iotriage.analysis.document.what_if import Quantity, WhatIf, WhatIfChoice
from iotriage.analysis.expected.expectation import (
    DIRECTIONS,
    ONE_FILE,
    FileUsePattern,
    NoFigure,
    own_tables,
    tables_of,
    use_of,
)
from iotriage.analysis.expected.interpolation import mean_at, row_at, share_between
from iotriage.analysis.run_sets.next_run import striping_script
from iotriage.metrics.core.metric import Metric
from iotriage.metrics.tables.grouping import Group
from iotriage.metrics.tables.layouts import ALL_OSTS
from iotriage.rules.core.action import Named, SetStripe
from iotriage.rules.core.commands import line as line_of
from iotriage.rules.core.commands import shell_word
from iotriage.rules.core.words import directory_of, plural, size
from iotriage.sites.site import DocumentedRates, FileSystem, Site
from iotriage_parsers.frozen import frozen

MOST_QUANTITIES = 6
"""Quantities that can be chosen in one document."""
MOST_BETWEEN = 6
"""Values between two measured ones."""
LARGE = 2**30
"""Bytes of a file from which what is documented of large files is held against it; ours."""
_HERE = Named(".")


@frozen
class _Measured:
    """What was measured with one value: the lowest rate, the figure, and the most; `each_ost` is what one OST gives at
    most, where the document says that too."""

    low: float
    rate: float
    most: float
    source: DocumentedRates | None
    each_ost: float | None = None


@frozen
class _Now:
    """The accesses as they are; `fraction` over what is documented for them."""

    bytes_moved: int
    rate: float
    fraction: float | None

    @property
    def seconds(self) -> float:
        return self.bytes_moved / self.rate


def what_if(
    site: Site, groups: Sequence[Group], metrics: Mapping[str, Mapping[str, Metric]], launch: LaunchLine
) -> tuple[WhatIf, ...]:
    """For the groups with most bytes; `metrics` are those of the groups by id."""
    found = (one for group in groups for one in _of_group(site, group, metrics[group.id], launch))
    return tuple(one for _, one in zip(range(MOST_QUANTITIES), found, strict=False))


def _of_group(site: Site, group: Group, metrics: Mapping[str, Metric], launch: LaunchLine) -> Iterator[WhatIf]:
    system = site.file_system_of(group.largest.path)
    for way in DIRECTIONS if system is not None else ():
        rate = metrics[f"io.{way}_bandwidth"].value
        moved = metrics["io.bytes_written" if way == "write" else "io.bytes_read"].value
        if system is None or not isinstance(rate, int | float) or not isinstance(moved, int) or min(rate, moved) <= 0:
            continue
        use = use_of(group, way, system)
        for quantity, measured in _curves(site, system, use, group):
            now = _value_of(quantity, use)
            if now is None:
                continue
            own = measured.get(now)
            as_it_is = _Now(moved, float(rate), None if own is None else float(rate) / own.rate)
            choices = tuple(_choices(quantity, measured, now, as_it_is, _Scripts(group, system, use, launch)))
            if not choices:
                continue
            source = next((m.source for m in measured.values() if m.source is not None), None)
            where = system.source if source is None else source.source
            yield WhatIf(
                quantity=quantity,
                group=group.id,
                name=group.name,
                direction=way,
                bytes_moved=moved,
                now=now,
                now_s=as_it_is.seconds,
                documented_now=None if own is None else own.rate,
                fraction=as_it_is.fraction,
                choices=choices,
                site_title=site.title,
                file_system_title=system.title,
                retired=site.status == "retired",
                document="" if where is None else where.document,
                section="" if where is None else where.place,
                measured="" if source is None else source.measured,
                cost=launch.cost,
            )


def _value_of(quantity: Quantity, use: FileUsePattern) -> int | None:
    match quantity:
        case "stripe_count":
            return use.stripe_count
        case "stripe_size":
            return use.stripe_size_bytes
        case "transfer_size":
            return None if use.transfer_size_bytes is None else round(use.transfer_size_bytes)
        case "processes":
            return use.processes


def _curves(
    site: Site, system: FileSystem, use: FileUsePattern, group: Group
) -> Iterator[tuple[Quantity, dict[int, _Measured]]]:
    tables = tables_of(site, system, use.pattern, use.direction)
    stripes = {_counted(t, use): replace(use, stripe_count=_counted(t, use)) for t in tables if _counted(t, use)}
    of_stripes = _measured(tables, stripes)
    yield "stripe_count", of_stripes if len(of_stripes) > 1 else _of_one_file(system, use, group)
    sizes = {t.stripe_size_bytes for t in tables} - {None}
    yield "stripe_size", _measured(tables, {v: replace(use, stripe_size_bytes=v) for v in sizes})
    accesses = {t.transfer_size_bytes for t in tables} - {None}
    yield "transfer_size", _measured(tables, {v: replace(use, transfer_size_bytes=v) for v in accesses})
    counts = {row.processes for t in tables for row in t.rows}
    yield "processes", _measured(tables, {v: replace(use, processes=v) for v in counts})


def _counted(table: DocumentedRates, use: FileUsePattern) -> int | None:
    return use.osts if table.stripe_count == ALL_OSTS else table.stripe_count


def _measured(tables: Sequence[DocumentedRates], uses: Mapping[int | None, FileUsePattern]) -> dict[int, _Measured]:
    """What the tables have for each of the values, all else being as the use has it."""
    found: dict[int, _Measured] = {}
    for value, use in uses.items():
        own = () if not tables or use.processes is None else own_tables(tables, use)
        if value is None or use.processes is None or isinstance(own, NoFigure):
            continue
        rows = [row for t in own if (row := row_at(t, use.processes)) is not None]
        if rows:
            found[value] = _Measured(
                low=min(row.minimum or row.lower_quartile or row.rate for row in rows),
                rate=min(row.rate for row in rows),
                most=max(row.maximum or row.rate for row in rows),
                source=own[0],
            )
    return found


def _of_one_file(system: FileSystem, use: FileUsePattern, group: Group) -> dict[int, _Measured]:
    """Where documents say about any large file what it reaches at most on one OST, and on all."""
    one, every = system.ost_bandwidth, system.fully_striped_bandwidth
    shared = use.pattern in ONE_FILE and use.pattern != "serial"
    large = (group.largest.bytes_written or 0) >= LARGE
    if not (shared and large) or use.direction != "write" or one is None or every is None or use.osts is None:
        return {}
    return {1: _Measured(one, one, one, None, one), use.osts: _Measured(every, every, every, None, one)}


def _choices(
    quantity: Quantity, measured: Mapping[int, _Measured], now: int, job: _Now, scripts: _Scripts
) -> Iterator[WhatIfChoice]:
    """All values but the job's own."""
    if len(measured) < 2:
        return
    for value, documented, found in sorted((*_known(measured), *_between(measured, quantity)), key=lambda one: one[0]):
        if value == now:
            continue
        alike = None if job.fraction is None else job.bytes_moved / (job.fraction * found.rate)
        slowest = 0.0 if job.fraction is None else job.bytes_moved / (min(job.fraction, 1.0) * found.low)
        most_s = max(job.seconds, slowest)
        yield WhatIfChoice(
            value=value,
            documented=documented,
            rate=found.rate,
            most_rate=found.most,
            least_s=min(most_s, job.bytes_moved / (found.most * max(1.0, job.fraction or 1.0))),
            alike_s=alike,
            most_s=most_s,
            script=scripts.of(quantity, value),
        )


def _known(measured: Mapping[int, _Measured]) -> Iterator[tuple[int, bool, _Measured]]:
    return ((value, True, found) for value, found in measured.items())


def _between(measured: Mapping[int, _Measured], quantity: Quantity) -> Iterator[tuple[int, bool, _Measured]]:
    """Powers of two; of processes what lies between is no choice of a job script."""
    if quantity == "processes":
        return
    for (low, below), (high, above) in pairwise(sorted(measured.items())):
        powers = [2**n for n in range(low.bit_length(), high.bit_length() + 1) if low < 2**n < high]
        for value in powers[:: -(-len(powers) // MOST_BETWEEN) or 1]:
            rate = mean_at(below.rate, above.rate, share_between(value, low, high))
            most = max(below.most, above.most) if below.each_ost is None else min(above.most, value * below.each_ost)
            bounds = _Measured(min(below.low, above.low), rate, most, None)
            yield value, False, bounds


@frozen
class _Scripts:
    """How a choice is tried: striping in a fresh directory; of the rest nothing could be written for any program."""

    group: Group
    system: FileSystem
    use: FileUsePattern
    launch: LaunchLine

    def of(self, quantity: Quantity, value: int) -> str | None:
        stripable = self.system.kind == "lustre" and self.system.manual_striping != "impossible"
        if quantity not in ("stripe_count", "stripe_size") or not stripable:
            return None
        bytes_each = value if quantity == "stripe_size" else self.use.stripe_size_bytes
        count = value if quantity == "stripe_count" else self.use.stripe_count
        if bytes_each is None or count is None:
            return None
        where = directory_of(self.group.largest.path)
        base = f"{shell_word(where)}/try-striping" if where else '"$PWD"/try-striping'
        before = None
        if self.use.stripe_count is not None and self.use.stripe_size_bytes is not None:
            before = line_of(SetStripe(_HERE, self.use.stripe_count, self.use.stripe_size_bytes))
        on_all = ALL_OSTS if count == self.use.osts else count
        layout = f"{plural(count, 'stripe')} of {size(bytes_each)}"
        return striping_script(layout, base, before, line_of(SetStripe(_HERE, on_all, bytes_each)), self.launch)
