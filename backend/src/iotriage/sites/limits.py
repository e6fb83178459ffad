"""What a file system gives at most, in words."""

from __future__ import annotations

from collections.abc import Iterator

from iotriage.sites.site import FileSystem


def limits(fs: FileSystem) -> Iterator[str]:
    """What the profile knows of it: rates in GB/s (10^9 bytes), then what its users are asked not to exceed."""
    if fs.peak_write_bandwidth is not None:
        yield f"{fs.peak_write_bandwidth / 1e9:,.4g} GB/s written"
    if fs.peak_read_bandwidth is not None:
        yield f"{fs.peak_read_bandwidth / 1e9:,.4g} GB/s read"
    if fs.ost_bandwidth is not None:
        yield f"{fs.ost_bandwidth / 1e9:,.4g} GB/s an OST"
    if fs.most_stripes is not None:
        yield f"{fs.most_stripes} stripes"
    if fs.file_creates_per_s is not None:
        yield f"{fs.file_creates_per_s:,} file creates/s"
