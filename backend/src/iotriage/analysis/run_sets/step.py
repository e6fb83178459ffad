"""A run held against another: what was set otherwise, and what came of it."""

from __future__ import annotations

from typing import Literal

from iotriage.analysis.run_sets.setting import SettingKind
from iotriage.analysis.run_sets.speed import Basis, Outcome
from iotriage.metrics.core.metric import Confidence
from iotriage_parsers.frozen import frozen


@frozen
class SettingValue:
    """`value` is null where no source of the run states it."""

    value: str | None
    confidence: Confidence | None


@frozen
class SettingRow:
    """One setting over all runs, in their order. `changed` where two runs that both have it differ in it; `counted`
    where it is not chosen but read off the counters."""

    kind: SettingKind
    name: str
    meaning: str | None
    values: tuple[SettingValue, ...]
    changed: bool
    counted: bool


CauseAnswer = Literal["confirmed", "refuted", "undecided"]


@frozen
class CauseVerdict:
    """Whether the two runs bear a finding of the first out: it is gone, and the I/O faster beyond the usual."""

    rule: str
    title: str
    answer: CauseAnswer
    because: str


@frozen
class VerdictText:
    """A verdict and what belongs to it, in one sentence and in several."""

    at_once: str
    one_by_one: tuple[str, ...]


def one_sentence(sentence: str) -> VerdictText:
    return VerdictText(sentence, (sentence,))


@frozen
class Step:
    """A run held against another, `against`. `sentences` say one by one what `sentence` does, the verdict first.
    `factor` is how many times faster its I/O is (below 1: slower), by time or by rate as `measured` says; where times
    are bounds, so many times at least, and `factor_most` at most."""

    run: int
    against: int
    outcome: Outcome
    basis: Basis
    measured: Basis
    factor: float | None
    factor_most: float | None
    sentence: str
    sentences: tuple[str, ...]
    note: str | None
    changed: tuple[str, ...]
    gone: tuple[str, ...]
    came: tuple[str, ...]
    stayed: tuple[str, ...]
    undecided: tuple[str, ...]
    causes: tuple[CauseVerdict, ...]
