"""What another setting could do, along what was measured: the documents' own figures, and bounds that never promise."""

from __future__ import annotations

import pytest
from sample_documents import document_of
from samples import case

from iotriage.analysis.document.what_if import WhatIf, WhatIfChoice

MIB = 2**20


def of(sample: str) -> dict[str, WhatIf]:
    return {one.quantity: one for one in document_of(case(sample).sources).what_if}


def choice(one: WhatIf, value: int) -> WhatIfChoice:
    return next(c for c in one.choices if c.value == value)


def test_four_stripes_at_the_documented_rate_become_all_osts_at_theirs() -> None:
    """ARCHER, 384 processes, stripes of 1 MiB: 881 MiB/s on four OSTs, 5,396 on all 48."""
    stripes = of("lustre-archer-four-stripes")["stripe_count"]
    every = choice(stripes, 48)
    assert (stripes.now, stripes.fraction, every.documented) == (4, pytest.approx(1.0), True)
    assert (stripes.documented_now, every.rate) == (881 * MIB, 5396 * MIB)
    assert every.least_s == every.alike_s == pytest.approx(stripes.bytes_moved / (5396 * MIB))
    assert every.most_s == stripes.now_s


def test_between_two_measured_counts_the_bounds_are_those_of_both() -> None:
    between = choice(of("lustre-archer-four-stripes")["stripe_count"], 16)
    assert not between.documented
    assert 881 * MIB < between.rate < 5396 * MIB
    assert between.most_rate == 5396 * MIB


def test_a_worse_setting_takes_longer_than_now_at_the_most() -> None:
    """This job is at 22 % of what ARCHER measured on all OSTs: on four, six times as long."""
    stripes = of("lustre-archer-slow")["stripe_count"]
    fewer = choice(stripes, 4)
    assert fewer.alike_s == fewer.most_s == pytest.approx(stripes.now_s * 7663 / 1251, rel=1e-3)
    assert fewer.least_s == pytest.approx(stripes.bytes_moved / (1251 * MIB))


def test_where_only_one_ost_and_all_are_documented_each_more_gives_no_more_than_one() -> None:
    """ARCHER2: about 1 GB/s for an unstriped large file, up to 10 GB/s over all 12 OSTs, whatever the processes."""
    stripes = of("lustre-ssf-one-stripe")["stripe_count"]
    assert [(c.value, c.most_rate, c.documented) for c in stripes.choices] == [
        (2, 2e9, False),
        (4, 4e9, False),
        (8, 8e9, False),
        (12, 1e10, True),
    ]


def test_a_choice_is_tried_beside_the_job_as_it_was() -> None:
    stripes = of("lustre-ssf-one-stripe")["stripe_count"]
    script = choice(stripes, 4).script or ""
    assert "if [ $v = A ]; then lfs setstripe -c 1 -S 1M .; fi" in script
    assert "lfs setstripe -c 4 -S 1M ." in script
    assert "lfs setstripe -c -1 -S 1M ." in (choice(stripes, 12).script or "")
    assert stripes.cost is not None
    assert stripes.cost in script


def test_no_process_count_is_scripted() -> None:
    processes = of("lustre-archer-four-stripes")["processes"]
    assert {c.script for c in processes.choices} == {None}
    assert all(c.documented for c in processes.choices)


@pytest.mark.parametrize("sample", ["06-shared-indep-1000b-unaligned", "lustre-fpp-one-stripe", "44-darshan-3.1.8"])
def test_without_a_curve_nothing_is_said(sample: str) -> None:
    assert of(sample) == {}


@pytest.mark.parametrize("sample", ["lustre-archer-four-stripes", "lustre-archer-slow", "lustre-ssf-few-aggregators"])
def test_bounds_are_in_order_and_never_promise_a_gain(sample: str) -> None:
    for one in of(sample).values():
        for c in one.choices:
            assert 0 < c.least_s <= (c.least_s if c.alike_s is None else c.alike_s) <= c.most_s
            assert c.most_s >= one.now_s
            assert c.value != one.now
