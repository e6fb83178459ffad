"""One text that states a thing twice, and not the same."""

from __future__ import annotations

from test_jobs_by_text import GIB, case, printed, statistics

from iotriage.reports.terminal import as_text


def test_stripes_that_one_text_states_differently_are_told() -> None:
    def listed(count: int) -> str:
        fields = f"lmm_stripe_count:  {count}\nlmm_stripe_size:   1048576\nlmm_pattern: raid0\n"
        return f"$ lfs getstripe o.dat\no.dat\n{fields}"

    block = statistics("/scratch/o.dat", 24 * GIB)
    (differ,) = (a for a in case(printed(block, listed(48))).agreement if not a.agrees)
    assert (differ.quantity, [s.value for s in differ.statements]) == ("stripe count", [12, 48])
    assert "has 12 stripes (stripe count); " in as_text(case(printed(block, listed(48))))
    assert case(printed(block, listed(12))).agreement == ()
