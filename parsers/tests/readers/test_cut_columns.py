"""Texts whose lines were all cut at a column, as a terminal, `cut -c` or a mail leaves them: what ends there is no
figure."""

from __future__ import annotations

from io import BytesIO

import pytest

from iotriage_parsers import detect
from iotriage_parsers.evidence import Evidence, StripeLayout


PLAIN = """/scratch/out.h5
lmm_stripe_count:  16
lmm_stripe_size:   4194304
lmm_pattern:       raid0
lmm_layout_gen:    0
lmm_stripe_offset: 12
"""
COMPOSITE = """/scratch/out.h5
  lcm_layout_gen:    2
  lcm_mirror_count:  1
  lcm_entry_count:   2
    lcme_id:             1
    lcme_extent.e_start: 0
    lcme_extent.e_end:   1073741824
      lmm_stripe_count:  1
      lmm_stripe_size:   1048576
      lmm_pattern:       raid0
      lmm_stripe_offset: 0

    lcme_id:             2
    lcme_extent.e_start: 1073741824
    lcme_extent.e_end:   EOF
      lmm_stripe_count:  4
      lmm_stripe_size:   4194304
      lmm_pattern:       raid0
      lmm_stripe_offset: -1
"""


def read(text: str) -> Evidence:
    answer = detect.read(BytesIO(text.encode()))
    assert isinstance(answer, Evidence)
    return answer


def at_column(text: str, column: int) -> str:
    return "".join(line[:column] + "\n" for line in text.splitlines())


@pytest.mark.parametrize("column", range(21, 27))
def test_of_lines_that_are_cut_at_a_column_no_size_nor_what_ends_there_is_believed(column: int) -> None:
    answer = read(at_column(PLAIN, column))
    (layout,) = answer.of(StripeLayout)
    only = layout.components[0]
    assert (only.stripe_size_bytes, layout.complete) == ((4194304, True) if column == 26 else (None, False))
    assert (only.stripe_count, only.first_ost) == ((None, None) if column == 21 else (16, 12))
    assert answer.status == ("complete" if column == 26 else "partial")


@pytest.mark.parametrize("column", [26, 29, 31, 33])
def test_a_component_whose_extent_is_cut_does_not_reach_the_end_of_the_file(column: int) -> None:
    (layout,) = read(at_column(COMPOSITE, column)).of(StripeLayout)
    assert not layout.complete
    assert [c.start_bytes for c in layout.components] == []
    (whole,) = read(COMPOSITE).of(StripeLayout)
    assert [(c.start_bytes, c.end_bytes) for c in whole.components] == [(0, 1 << 30), (1 << 30, None)]


def test_a_size_whose_unit_is_cut_off_is_none() -> None:
    answer = read("/scratch\nstripe_count:  4 stripe_size:   16 stripe_offset: -1\n")
    assert [c.stripe_size_bytes for layout in answer.of(StripeLayout) for c in layout.components] == [None]
    assert any("64 KiB" in p.message for p in answer.problems)
