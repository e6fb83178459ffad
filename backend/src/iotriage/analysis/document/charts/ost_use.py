"""What lies on each OST, and which is slow."""

from __future__ import annotations

from iotriage_parsers.frozen import frozen


@frozen
class OstShare:
    """`seconds` are of all ranks together; None where no source has the times of its files. `alone_calls` of a trace
    lie here whole, with `alone_bytes` and `alone_s` seconds. `named` are the paths of the files with most bytes here,
    of `files`."""

    ost: int
    files: int
    bytes_read: int
    bytes_written: int
    seconds: float | None
    alone_calls: int
    alone_bytes: int
    alone_s: float
    named: tuple[str, ...]


@frozen
class SlowOst:
    """The OST that took longest for a byte, and how many times as long as the median of the others; `compared` are all
    of them. By `calls` of a trace that lie on one OST each; where these are None, by files of one stripe and one rank.
    The rates are those of one call, or file, in B/s."""

    ost: int
    times_the_others: float
    files: int
    calls: int | None
    compared: int
    rate: float
    others_rate: float


@frozen
class OstUse:
    """One file system. `osts` by index, those only that hold something, of `striped_over` on which the files have
    stripes; `total` is how many it has, None where no source says. Of its `files`, the bytes of `files_traced` are
    counted from a trace, `traced_share` of all bytes; those of the others are inferred. `files_without` files on it, or
    anywhere where no mount is known, have no list of OSTs."""

    mount: str | None
    total: int | None
    striped_over: int
    osts: tuple[OstShare, ...]
    files: int
    files_traced: int
    traced_share: float
    files_without: int
    slowest: SlowOst | None
