"""Questions about OSTs that move as much as they can, where nothing else explains the time."""

from __future__ import annotations

from dataclasses import replace

from iotriage.analysis.decision.condition import Metrics
from iotriage.analysis.investigations.question import Question
from iotriage.analysis.investigations.questions import BUSY_OSTS, BUSY_POOL, EVERY_OST, FEW_AT_A_TIME, MORE_OSTS
from iotriage.analysis.rates import AT_ONCE, known_number, known_word, rate_of_an_ost
from iotriage.metrics.core.pattern import OF_ONE_RANK
from iotriage.rules.advice.striping import NEW_DIRECTORY, stripe_size_or_default
from iotriage.rules.core.action import SetStripe
from iotriage.rules.core.documented_rates import BUSY_OST, SERVER_AT_ITS_PEAK
from iotriage.rules.core.words import number

MORE = 2.0
"""Factor by which another number of stripes is tried for a shared file, or more files are used at a time."""


def busy_osts_question(metrics: Metrics) -> Question | None:
    """Where the OSTs of the files move as much as they can: whether there are others. None where they do not, where
    memory gives more than any server, or where nobody knows how many these are. How many a pool has no source says."""
    each, used, every = (
        rate_of_an_ost(metrics),
        known_number(metrics, "file.osts"),
        known_number(metrics, "file.stripes_possible"),
    )
    if each is None or not BUSY_OST <= each < SERVER_AT_ITS_PEAK:
        return None
    at_once = known_number(metrics, AT_ONCE)
    if used is not None and every is not None and used >= every:
        if at_once is None or MORE * at_once > every:
            return EVERY_OST
        if known_word(metrics, "io.pattern") in OF_ONE_RANK:
            return replace(FEW_AT_A_TIME, words=FEW_AT_A_TIME.words.format(number(every), number(at_once)))
    if known_word(metrics, "file.pool") is not None:
        return BUSY_POOL
    return BUSY_OSTS if used is None or every is None else _over_more(metrics, every)


def _over_more(metrics: Metrics, every: float) -> Question:
    """With the command for a new directory: twice the stripes of a shared file, and of files of single ranks that would
    still not use all OSTs; of more such files as many as now, wherever Lustre puts them."""
    stripes, size = known_number(metrics, "file.stripe_count"), known_number(metrics, "file.stripe_size")
    if stripes is None or not size:
        return MORE_OSTS
    at_once = known_number(metrics, "file.own_at_once")
    few = at_once is not None and 0 < MORE * stripes * at_once <= every
    own = known_word(metrics, "io.pattern") in OF_ONE_RANK and not few
    count, first = (stripes, -1) if own else (min(every, MORE * stripes), None)
    layout = SetStripe(NEW_DIRECTORY, round(count), stripe_size_or_default(size), first_ost=first, new=True)
    return replace(MORE_OSTS, actions=(layout,))
