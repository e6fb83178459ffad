"""Numbers that nobody can set, all our own: findings are graded and ordered by them, and a centre's report is worded by
them. `make docs` writes them for the page (`frontend/src/analysis/fixedNumbers.ts`) and into docs/thresholds.md."""

from __future__ import annotations

from collections.abc import Mapping

from iotriage.metrics.core.metric import Unit
from iotriage_parsers.frozen import frozen


@frozen
class FixedNumber:
    """`says` is a sentence for the reader of the docs: what the number is of, and why."""

    value: float
    unit: Unit
    says: str


_declared: dict[str, FixedNumber] = {}


def _fixed(name: str, value: float, unit: Unit, says: str) -> float:
    _declared[name] = FixedNumber(value, unit, says)
    return value


def fixed_numbers() -> Mapping[str, FixedNumber]:
    """All of them by name, in the order in which they decide."""
    return _declared


MOST_OF_THE_SECONDS = _fixed(
    "most_of_the_seconds",
    0.5,
    "share",
    "Share of the seconds from which what is found about files and what is found about the job can be one matter: "
    "below it most of the one lies where the other says nothing.",
)
OWN = _fixed(
    "own",
    0.1,
    "share",
    "Of the seconds that a cure reaches, the part that no other finding was given first, from which a saving is its.",
)
RUNS_DIFFER = _fixed(
    "runs_differ",
    0.9,
    "share",
    "Of the least that is reckoned, what is stated, and of the most that is stated, what is reckoned: equal runs on a "
    "shared file system differ by a tenth and more.",
)
NOTHING_LEFT = _fixed(
    "nothing_left",
    0.01,
    "share",
    "Share of the I/O time below which a finding has nothing of it: others took it, its cure would save nothing.",
)
LITTLE_OF_IO = _fixed(
    "little_of_io",
    0.05,
    "share",
    "Share of the I/O time below which, where it is little of the run too, a fault is a note: its cure would save what "
    "equal runs differ by.",
)
LITTLE_OF_RUN = _fixed("little_of_run", 0.02, "share", "The share of the run that goes with it.")
LOW_OF_RUN = _fixed(
    "low_of_run",
    0.05,
    "share",
    "Share of the run below which a fault is a low one: without it the run would be hardly shorter. Where the run time "
    "is unknown, the I/O's stands for it, and what takes less than `significance.seconds` is low too.",
)
MOST_OF_IT = _fixed(
    "most_of_it",
    0.5,
    "share",
    "Share of the I/O time from which what nobody explains is said beside what a cause takes, and before what is "
    "small.",
)
FOLLOWS = _fixed(
    "follows",
    0.1,
    "share",
    "Of the seconds that a cause takes, those of what it explains from which they are said beside them: equal runs "
    "differ by as much.",
)
TIMES_A_NOTE = _fixed(
    "times_a_note",
    10.0,
    "ratio",
    "Unexplained seconds for each of those of a note, from which the sentence on top is about what is unexplained.",
)
SHORT_IO = _fixed(
    "short_io",
    60.0,
    "s",
    "I/O time below which a run that lost little is told how long it took, and else how much it moved.",
)
AS_USUAL = _fixed(
    "as_usual",
    0.005,
    "share",
    "Share of the usual below which a centre's report does not say a difference: rounded, it is nothing.",
)
TIMES_IN_WORDS = _fixed(
    "times_in_words",
    3.0,
    "ratio",
    'So many times the usual, from which a centre\'s report says it as that: "875 % above" has to be worked out.',
)
