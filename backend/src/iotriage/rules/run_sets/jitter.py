"""Equal runs differ by more than they usually do.

## What it does
Looks at runs between which the sources show no difference in settings. It holds where the best rate is above the worst,
or the longest I/O time above the shortest, by more than equal runs usually differ: by the site's own quartiles where
its documents have them. Runs that lie further from all others than these from one another are named, where they are
fewer.

## Why it matters
Network and file system are shared with everybody. A single run before and a single run after a change may differ
because of others' I/O, and then the change is praised or blamed for nothing.

## What to do
Repeat each variant three times or more, in turn, and compare the best of each.

## Limits
That no setting differs in the sources does not mean that none differed: a log does not hold the job script. Where the
runs are days apart, the file system may have been filled or changed.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import at_least
from iotriage.rules.core import Advice, Citation, Context, Rule, Threshold, Words, advice, ours
from iotriage.rules.core.condition import Compare, IsOneOf, all_of, any_of, when_present
from iotriage.rules.core.slider import linear
from iotriage.rules.core.words import formatted, number, paragraph, sentence
from iotriage.rules.run_sets.usual import VARIATION, factor_text, shortest_time_threshold, usual_factor_threshold

JITTER = Citation("theta-io", "Dragonfly Network and Lustre Jitter")
USUAL = usual_factor_threshold("jitter")
SECONDS = shortest_time_threshold("jitter")
TWO = Threshold(
    id="jitter.runs",
    title="Fewest runs",
    default=2.0,
    unit="1",
    stated_by=ours("run sets", "Two runs are the least that can differ."),
    slider=linear(2.0, 16.0),
)


def says(context: Context) -> Words:
    odd = _odd_ones(context)
    return Words(
        odd or _far_apart(context),
        paragraph(
            _of_rates(context),
            sentence(
                "Without {} it is {} times.",
                None if odd is None else context.word("runs.odd"),
                formatted(context.number("runs.spread_of_others"), factor_text),
            ),
            sentence(
                f"The longest I/O time is {at_least(context, 'runs.time_spread')}{{}} times the shortest.",
                formatted(_further_by_time(context), factor_text),
            ),
            sentence("Factors up to {} are usual.", formatted(context.usual_factor, factor_text)),
        ),
    )


def _far_apart(context: Context) -> str:
    if _beyond_jitter(context):
        return (
            "Runs in which the sources show no change are far apart: something outside the program, or unseen, slowed "
            "one."
        )
    return "Equal runs differ by more than usual: compare the best of several."


def _odd_ones(context: Context) -> str | None:
    """What is said where some runs lie further from the others than twice as far as these from one another."""
    label, times = context.word("runs.odd"), context.number("runs.odd_over_others")
    gap, others = context.number("runs.odd_gap"), context.number("runs.spread_of_others")
    odd = context.number("runs.odd_runs") or 0.0
    if label is None or times is None or gap is None or others is None or gap < others**2:
        return None
    if gap <= (context.usual_factor or 1.0):
        return None
    count = number((context.number("runs.with_rate") or 0.0) - odd)
    how = f"{number(times)} times faster" if times > 1 else f"{number(1 / times)} times slower"
    be = "are" if odd > 1 else "is"
    return f"{label} {be} {how} than the other {count} runs, and the sources show no change between them."


BEYOND = 3.0
"""How many times as fast one run is from which other users of the file system alone seldom explain it."""


def _beyond_jitter(context: Context) -> bool:
    return (_spread(context) or 0.0) >= BEYOND


_SPREADS = ("runs.spread", "runs.time_spread")


def _spread(context: Context) -> float | None:
    """How far apart the runs are, by rate or by time, whichever is more."""
    known = [n for by in _SPREADS if (n := context.number(by)) is not None]
    return max(known, default=None)


def _of_rates(context: Context) -> str | None:
    """Nothing where the logs leave open whether the rates differ at all."""
    spread, least = context.number("runs.spread"), at_least(context, "runs.spread")
    if spread is None or (least and spread <= 1.0):
        return None
    runs = formatted(context.number("runs.with_rate"), number)
    return sentence(f"The best of {{}} runs is {least}{{}} times as fast as the worst.", runs, factor_text(spread))


def _further_by_time(context: Context) -> float | None:
    """Where that sets them further apart: it has what opening, asking and closing take, which no rate has."""
    by_rate, by_time = (context.number(by) for by in _SPREADS)
    return by_time if by_time is not None and by_time > (by_rate or 1.0) else None


def advise(context: Context) -> tuple[Advice, ...]:
    if _beyond_jitter(context):
        text = (
            "Compare the nodes, the memory in use on them, and what the job scripts do before the run; then run a "
            "slow one again on the nodes of a fast one."
        )
        return (advice(text, citation=JITTER),)
    text = "Run each variant three times or more, in turn, and compare the best of each."
    return (advice(text, citation=JITTER),)


rule = Rule(
    id="jitter",
    title="Equal runs differ by more than usual",
    clear_title="Equal runs differ no more than usual",
    scope="run-set",
    severity="info",
    priority=60,
    requires=all_of(
        IsOneOf("runs.kind", ("repeats",)),
        Compare("runs.with_rate", ">=", TWO.id),
        Compare("runs.io_time", ">=", SECONDS.id),
    ),
    condition=any_of(
        Compare("runs.spread", ">", USUAL.id),
        when_present("runs.time_spread", Compare("runs.time_spread", ">", USUAL.id)),
    ),
    thresholds=(USUAL, SECONDS, TWO),
    citations=(JITTER, VARIATION),
    says=says,
    advise=advise,
    weighed=False,
)
