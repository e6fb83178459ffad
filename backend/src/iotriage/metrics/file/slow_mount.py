"""Whether one of the job's file systems has most of the time while it moves data far more slowly than another one."""

from __future__ import annotations

from typing import Literal

from iotriage.metrics.core.about import About
from iotriage.metrics.core.families import MetricsOf
from iotriage.metrics.core.metric import NO_TIME, Absent, Outcome, Value
from iotriage.metrics.core.missing_evidence import DARSHAN
from iotriage.metrics.core.outcomes import quotient
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.tables.calls.size_bins import DIRECTIONS
from iotriage.metrics.tables.files.by_mount import OnMount, by_mount
from iotriage.metrics.tables.mounts import HOME, NFS, PARALLEL
from iotriage_parsers.frozen import frozen

MOSTLY, SOME = 0.5, 0.1
"""Of the seconds, from which they are one file system's; of the bytes, from which the others tell what they give."""
SHARED = NFS | PARALLEL
NEEDS = "a Darshan log with file names and its mount table"


@frozen
class SlowMount:
    """`slow` is the mount with most seconds in reads and writes. `other` is the fastest of the other mounts that all
    nodes share, are no home, and have enough of the bytes to judge by. `every` has all mounts."""

    slow: OnMount
    other: OnMount
    every: tuple[OnMount, ...]


@cached_per_selection
def slow_mount(s: Selection) -> SlowMount | Absent:
    every = by_mount(s)
    if not s.logs:
        return Absent("no source says where the bytes went", (DARSHAN,))
    seconds, moved = sum(m.moving_s for m in every), sum(m.bytes for m in every)
    others = [
        m
        for m in every[1:]
        if m.bytes >= SOME * moved and m.moving_s >= NO_TIME and m.type in SHARED and not HOME.match(m.path)
    ]
    if not others or every[0].moving_s < MOSTLY * seconds:
        return Absent("the files lie on one file system, or no one of several has most of the time")
    return SlowMount(every[0], max(others, key=_rate), every)


def _rate(mount: OnMount) -> float:
    return mount.bytes / mount.moving_s


_metrics_of_slow_mount = MetricsOf(slow_mount, needs=NEEDS, scopes=["job"])
_metrics_of_slow_mount.value(
    "file.slow_mount",
    "File system with most of the time in reads and writes",
    "word",
    lambda found: Value(found.slow.path),
    formula="of the mount points above the files, that with most seconds of its slowest rank in reads and writes, "
    f"where these are at least {MOSTLY:.0%} of the seconds of all and another that all nodes share, no home, has "
    f"{SOME:.0%} of the bytes",
)


def _declare(way: Literal["read", "write"]) -> None:
    @metric(
        f"file.slow_mount_{way}_fraction",
        f"Share of the time in {way}s on the file system with most of the time in reads and writes",
        "share",
        about=About(time=True, direction=way),
        formula=f"seconds of the slowest rank in {way}s on file.slow_mount / the same of all mounts, added up",
        needs=NEEDS,
        scopes=["job"],
        of=slow_mount,
    )
    def fraction(found: SlowMount) -> Outcome:
        every = sum(_seconds_on(way, mount) for mount in found.every)
        return quotient(
            Value(_seconds_on(way, found.slow), "inferred"), Value(every), zero=f"the timers show no time in {way}s"
        )


def _seconds_on(way: Literal["read", "write"], mount: OnMount) -> float:
    return mount.reads_s if way == "read" else mount.writes_s


for _way in DIRECTIONS:
    _declare(_way)


_metrics_of_slow_mount.value(
    "file.slow_mount_fraction",
    "Share of the time in reads and writes on the file system with most of it",
    "share",
    lambda found: Value(found.slow.moving_s / sum(mount.moving_s for mount in found.every), "inferred"),
    about=About(time=True),
    formula="seconds of the slowest rank in reads and writes on file.slow_mount / the same of all mounts, added up",
)
_metrics_of_slow_mount.value(
    "file.slow_mount_rate",
    "Rate on the file system with most of the time in reads and writes",
    "B/s",
    lambda found: Value(_rate(found.slow), "inferred"),
    formula="bytes moved on file.slow_mount / the seconds of its slowest rank in reads and writes there",
)
_metrics_of_slow_mount.value(
    "file.other_mount",
    "Fastest other file system of the job",
    "word",
    lambda found: Value(found.other.path),
    formula=f"of the mount points that all nodes share, with {SOME:.0%} of the bytes or more, but file.slow_mount, "
    "that with most bytes for each second of its slowest rank in reads and writes",
)
_metrics_of_slow_mount.value(
    "file.other_mount_rate",
    "Rate on the fastest other file system of the job",
    "B/s",
    lambda found: Value(_rate(found.other), "inferred"),
    formula="bytes moved on file.other_mount / the seconds of its slowest rank in reads and writes there",
)
