"""Rates that documents measured for files of the same pattern and striping, taken from the site's profile. The metrics
are given them so that a rule can compare the job with them."""

from __future__ import annotations

from typing import Literal

from iotriage_parsers.frozen import frozen

SMALL_FILES, ON_ONE_OST_S, STRIPES, STRIPED_S = 36_000, 360.0, 48, 7200.0
"""EPCC's slides on parallel I/O, slide 9: seconds in which so many small files were read with one stripe each, and with
so many stripes."""

UNSTRIPED_FILE = 1e9
"""Bytes a second. ARCHER2's guide (archer2-io, "I/O profiling"): no more than around 1 GB/s is expected of a file that
is not striped."""


@frozen
class DocumentedRate:
    """Bytes per second. `rate` is the document's figure at this process count for this pattern and striping: a
    maximum, a median or what it calls typical (`statistic`); `best` the highest of any striping at this count. A figure
    that is None has its `reason`; `unsettled` is true where it is the evidence that lacks what the tables ask for.
    `interpolated` is true between two documented counts; `several` where the striping leaves several tables open, and
    `rate` is that of the lowest."""

    rate: float | None = None
    statistic: Literal["maximum", "quartiles", "typical", "range"] | None = None
    lower_quartile: float | None = None
    best: float | None = None
    interpolated: bool = False
    several: bool = False
    reason: str | None = None
    unsettled: bool = False


@frozen
class DocumentedOpens:
    """Seconds that creating a file, or opening and reading one, takes a process while as many as use these files do the
    same, each with files of its own: `seconds` at the document's figure, `seconds_at_lower_quartile` at its lower
    quartile. What is None has its `reason`; `statistic` and `interpolated` as for a bandwidth."""

    operation: Literal["create", "read"] | None = None
    processes: int | None = None
    seconds: float | None = None
    statistic: Literal["maximum", "quartiles", "typical", "range"] | None = None
    seconds_at_lower_quartile: float | None = None
    interpolated: bool = False
    reason: str | None = None


@frozen
class Documented:
    """What the site's documents measured for one group of files: writing, reading and opening; and the most that the
    storage can give by the site's profile, which for a single file is no more than its stripes can give."""

    write: DocumentedRate
    read: DocumentedRate
    opens: DocumentedOpens
    write_ceiling: float | None = None
    read_ceiling: float | None = None
