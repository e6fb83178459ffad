"""Why the others wait for the slowest rank: what its bytes, its calls, its node and its time say of it."""

from __future__ import annotations

from math import inf
from typing import Literal

from iotriage.rules.advice.calls import library_named, mostly_reads
from iotriage.rules.collective.slow_rank import (
    BYTES,
    IN_COMMON_FILES,
    MOVER_TAKES_LONGER,
    MOVES_MORE,
    ONE_NODE,
    SLOW_MOVERS,
    STANDS_APART,
    TAKES_LONGER,
)
from iotriage.rules.core import Context
from iotriage.rules.core.action import Library
from iotriage.rules.core.condition import Compare, any_of

SlowCause = Literal[
    "calls",
    "calls below",
    "fill values",
    "neither bytes nor calls",
    "bytes",
    "one node",
    "time",
    "bytes below",
    "some below",
    "below",
    "by times",
]
"""Why the others wait for it: its own calls or those below MPI-IO, what it writes before all do, something that its
bytes do not explain, its bytes; else its node, itself or the storage, of which one run tells no more; and of the ranks
that move the bytes of collective calls, that it has more of them, that several with as much to do are slow, or that it
is; or no more than that it is, as MPICH_MPIIO_TIMERS has it."""


def slow_cause(context: Context) -> SlowCause:
    if writes_fill_values(context) is not None:
        return "fill values"
    if _calls_below(context):
        return "calls below"
    if _own_calls(context):
        return "calls"
    if slow_ranks_of_one_node(context):
        return "one node"
    if slow_in_common_files(context):
        return "time"
    if _too_few_bytes(context):
        return "neither bytes nor calls"
    if moves_far_more(context) and not _as_much_is_quick(context):
        return "bytes"
    if takes_far_longer(context):
        return "time"
    if _slow_mover_has_more(context):
        return "bytes below"
    if some_movers_slow(context):
        return "some below"
    if mover_takes_far_longer(context):
        return "below"
    return "time" if context.number("timers.slowest_mover") is None else "by times"


def slow_in_common_files(context: Context) -> bool:
    """Whether a rank is slow in files of which many have some, and moves no more there, whatever others write beside
    them for all."""
    return context.holds(IN_COMMON_FILES)


def moves_far_more(context: Context) -> bool:
    """Whether the busiest rank moves far more than the mean, and is longer at it; CrayPAT does not say how long."""
    return context.holds(MOVES_MORE)


def _moves_more(context: Context) -> bool:
    return context.holds(Compare("balance.bytes", ">=", BYTES.id))


OTHERS_AS_BUSY = 2.0
"""Ranks that move about as much as the busiest, for each slow one, from which most of them are not slow."""


PACE = 1.5
"""Times what a byte takes in ranks with about as much, below which the slowest has no more than its bytes take: as
`slow-ost` has it of servers."""


def _as_much_is_quick(context: Context) -> bool:
    """Whether most of the ranks that move far more than the mean take far less time than the slowest: as where one of
    each node writes for the others. Not where the slowest of them is so by its bytes alone."""
    if (context.number("balance.slowest_pace") or inf) < PACE:
        return False
    busy, slow = context.number("balance.busy_ranks"), context.number("balance.slow_ranks")
    return takes_far_longer(context) and busy is not None and slow is not None and busy >= OTHERS_AS_BUSY * slow


NEVER_AS_SLOW = 10.0 * 2**20
"""Bytes a second: below this it is not their amount that takes the time, but calls of a few bytes each, or waiting."""


def surplus_of(context: Context) -> float | None:
    """Bytes that the busiest rank moves beyond the mean."""
    over_mean, part = context.number("balance.bytes"), context.number("balance.busiest_share")
    moved = context.number("io.bytes")
    return None if not over_mean or part is None or moved is None else moved * part * (1 - 1 / over_mean)


def _too_few_bytes(context: Context) -> bool:
    """Whether the busiest rank moves more than the others, but nowhere near what its time is for: nor are its bytes as
    slow as theirs."""
    beyond, surplus = context.number("balance.time_beyond_mean"), surplus_of(context)
    slow = takes_far_longer(context) and (context.number("balance.busy_ranks") or 1.0) <= 1
    slow = slow and (context.number("balance.time") or 0.0) > TWICE * (context.number("balance.bytes") or 0.0)
    return (
        slow
        and moves_far_more(context)
        and bool(beyond)
        and surplus is not None
        and surplus < NEVER_AS_SLOW * (beyond or 0)
    )


MORE_CALLS = 10
"""Times the calls of the others, and of what its bytes alone would make, from which the calls are what takes long."""


def writes_fill_values(context: Context) -> Library | None:
    """The library that seems to have had one rank write what all then wrote again: of a data set that is not chunked
    HDF5 writes the fill values before it is used, by one rank; None where nothing looks like that."""
    file = context.word("balance.file")
    library = library_named(file) or ("HDF5" if context.word("io.layer") == "HDF5" else None)
    again = (context.number("file.written_span_over_bytes") or 1.0) <= TWICE_WRITTEN
    alone = (context.number("balance.busiest_share") or 0.0) >= ONE_COPY
    return library if again and alone and not mostly_reads(context) and _moves_more(context) else None


TWICE_WRITTEN, ONE_COPY = 0.6, 0.35
"""The end of the files over the bytes written to them, at most, and the busiest rank's share of all bytes, at least,
where one rank writes each byte once, and all ranks once more."""


def _calls_below(context: Context) -> bool:
    """Whether a rank that moves the bytes of a file below MPI-IO has its time in calls and not in bytes."""
    return mover_takes_far_longer(context) and _more_calls(
        context, "balance.storage_calls_over_others", "balance.storage_bytes"
    )


def _own_calls(context: Context) -> bool:
    return takes_far_longer(context) and _more_calls(context, "balance.calls_over_others", "balance.bytes")


def _more_calls(context: Context, calls_over_others: str, bytes_over_mean: str) -> bool:
    calls = context.number(calls_over_others)
    return calls is not None and calls >= MORE_CALLS * max(1.0, context.number(bytes_over_mean) or 1.0)


def takes_far_longer(context: Context) -> bool:
    return context.holds(any_of(TAKES_LONGER, STANDS_APART))


def slow_ranks_of_one_node(context: Context) -> bool:
    """Whether the slow ranks are those that one node has, or could have, however large a part of all they are."""
    return context.holds(ONE_NODE)


def mover_takes_far_longer(context: Context) -> bool:
    return context.holds(MOVER_TAKES_LONGER)


def some_movers_slow(context: Context) -> bool:
    """Whether the ranks that move the bytes of a collective file are of two kinds, and more of them are slow than stand
    apart from the mean."""
    few = (context.number("balance.storage_slow_ranks") or 1.0) if mover_takes_far_longer(context) else 0.0
    several = (context.number("balance.storage_apart_ranks") or 0.0) > few
    return several and context.holds(SLOW_MOVERS)


def _slow_mover_has_more(context: Context) -> bool:
    """Whether the slowest of the ranks that move the bytes of a collective file has so many more that these take its
    time."""
    times, amount = context.number("balance.storage_time") or 0.0, context.number("balance.storage_bytes") or 0.0
    more = context.holds(Compare("balance.storage_bytes", ">=", BYTES.id))
    return mover_takes_far_longer(context) and more and times <= TWICE * amount


TWICE = 2.0
"""The time of a rank over what its bytes would take, up to which these are what takes it."""

ONE_CALL = 0.8
"""Of what the slowest rank takes beyond the mean: but for that call it would hardly be slower than the others."""


def slow_by_one_call(context: Context, because: SlowCause) -> bool:
    """Whether the rank is slow because of a single call, or several are, each by an open, which moves no bytes."""
    an_open = context.word("balance.longest_call_kind") == "open"
    alone = an_open or (context.number("balance.slow_ranks") or 1) <= 1
    return because == "time" and alone and _one_call_takes_it(context)


def may_be_fetched(context: Context, because: SlowCause) -> bool:
    """Whether several ranks are slow, and the slowest has all of that in one read: what the others have nobody knows,
    but files that are fetched from tape look like that."""
    several = (context.number("balance.slow_ranks") or 1) > 1 and context.word("balance.longest_call_kind") == "read"
    return because == "time" and several and _one_call_takes_it(context)


def _one_call_takes_it(context: Context) -> bool:
    longest, beyond = context.number("balance.longest_call"), context.number("balance.time_beyond_mean")
    return longest is not None and longest >= ONE_CALL * (beyond or inf)


def slow_ranks(context: Context, because: SlowCause) -> float:
    if because == "time" and slow_in_common_files(context):
        return context.number("balance.common_slow_ranks") or 1.0
    if because == "some below":
        return context.number("balance.storage_apart_ranks") or 1.0
    in_storage = because == "calls below" or not takes_far_longer(context)
    return context.number("balance.storage_slow_ranks" if in_storage else "balance.slow_ranks") or 1.0
