"""Which questions a case has under the thresholds in force, and which others it would have under moved thresholds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from iotriage.analysis.decision.condition import Metrics, Thresholds, answer, can_be
from iotriage.analysis.investigations.question import Question
from iotriage.rules.core.condition import ALWAYS, thresholds_of
from iotriage_parsers.frozen import frozen_identity


@frozen_identity
class ThresholdsOfCase:
    """All that are `in_force`, by id, and those that can be moved: the case document has these."""

    in_force: Thresholds
    movable: Collection[str]


def until_sure(questions: Iterable[Question], metrics: Metrics, thresholds: ThresholdsOfCase) -> Iterator[Question]:
    """The questions that some thresholds lead to, in order, up to the first that all thresholds lead to."""
    for question in questions:
        compared = thresholds_of(question.when)
        if all(id in thresholds.movable for id in compared):
            answers = can_be(question.when, metrics, thresholds.in_force)
        else:
            answers = frozenset((answer(question.when, metrics, thresholds.in_force),))
        if answers == {True}:
            yield replace(question, when=ALWAYS)
            return
        if True in answers:
            yield question
