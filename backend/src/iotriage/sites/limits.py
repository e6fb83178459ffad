"""Describes the most that a file system can give."""

from __future__ import annotations

from collections.abc import Iterator

from iotriage.sites.site import FileSystem


def limits(fs: FileSystem) -> Iterator[str]:
    """What the profile knows of it: rates in GB/s (10^9 bytes), then what its users are asked not to exceed."""
    if fs.peak_write_bandwidth is not None:
        yield f"{gigabytes(fs.peak_write_bandwidth)} written"
    if fs.peak_read_bandwidth is not None:
        yield f"{gigabytes(fs.peak_read_bandwidth)} read"
    if fs.ost_bandwidth is not None:
        yield f"{gigabytes(fs.ost_bandwidth)} an OST"
    if fs.fully_striped_bandwidth is not None:
        yield f"{gigabytes(fs.fully_striped_bandwidth)} a file on all OSTs"
    if fs.most_stripes is not None:
        yield f"{fs.most_stripes} stripes"
    if fs.file_creates_per_s is not None:
        yield f"{fs.file_creates_per_s:,} file creates/s"


def gigabytes(rate: float) -> str:
    """Four digits, but all of a whole number: never 1e+04."""
    gigabytes = rate / 1e9
    return f"{gigabytes:,.0f} GB/s" if gigabytes >= 1000 else f"{gigabytes:.4g} GB/s"
