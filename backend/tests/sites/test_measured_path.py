"""Over how many stripes a benchmark wrote, by what `lfs getstripe` printed of the directory above."""

from __future__ import annotations

from io import BytesIO

import pytest

from iotriage.sites.measured_path import stripes_of
from iotriage_parsers import detect
from iotriage_parsers.evidence import Evidence, StripeLayout

MIB = 2**20
PART = """/scratch/bench
  lcm_layout_gen:    0
  lcm_entry_count:   {entries}
    lcme_extent.e_start: 0
    lcme_extent.e_end:   {end}
      stripe_count:  1       stripe_size:   1048576       pattern:       raid0       stripe_offset: -1
"""


@pytest.mark.parametrize(
    ("entries", "end", "stripes"),
    [(1, "EOF", (1, MIB)), (3, "67108864", (None, None)), (2, "1048576", (None, None))],
)
def test_the_first_of_several_components_is_not_that_of_the_file(
    entries: int, end: str, stripes: tuple[int | None, int | None]
) -> None:
    """Where the text breaks off behind it, the others are not in it."""
    found = detect.read(BytesIO(PART.format(entries=entries, end=end).encode()))
    assert isinstance(found, Evidence)
    (layout,) = found.of(StripeLayout)
    assert stripes_of("/scratch/bench/out", [layout]) == stripes
