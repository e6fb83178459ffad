"""Rates that documents state of storage, in bytes a second, what they have of small files, and whose they are."""

from __future__ import annotations

from iotriage.metrics.core.documented import ON_ONE_OST_S, SMALL_FILES, STRIPED_S
from iotriage.rules.core.rule import Context
from iotriage.sites.limits import gigabytes

SERIAL_WRITER = 500.0 * 2**20
"""ARCHER's guide (archer-bpg, "Summary of performance advice"): one writer with the default striping should reach the
rate of one OST, around 500 MiB/s."""

BUSY_OST = 0.75 * SERIAL_WRITER
"""What many get of an OST that has no more to give: the three quarters, for the noise of a shared file system, are
ours."""

SERVER_AT_ITS_PEAK = 6e9
"""What a server of disks gives at its peak, by Theta's guide (theta-io, "LUSTRE Specifications on Theta"): where each
OST seems to move more, memory does, or flash."""

A_SMALL_FILE_S, A_STRIPED_FILE_S = ON_ONE_OST_S / SMALL_FILES, STRIPED_S / SMALL_FILES
"""Seconds. EPCC's slides on parallel I/O, slide 9: 36,000 small files took a user 6 minutes with one stripe each, and
2 hours with 48."""


def rates_of_stripes(context: Context) -> str | None:
    """What the site's documents expect of a large file on its file system, unstriped and over all OSTs, where it has
    one stripe."""
    on = None if context.file is None else context.site.file_system_of(context.file)
    if on is None or on.ost_bandwidth is None or on.fully_striped_bandwidth is None:
        return None
    if context.number("file.stripe_count") != 1:
        return None
    one, every = gigabytes(on.ost_bandwidth), gigabytes(on.fully_striped_bandwidth)
    best = f"expect about {one} at best of an unstriped file, up to {every} over all OSTs."
    return f"The documents of {context.site.title} {best}"
