"""What a period was like, in a sentence, and in a few more."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from iotriage.centre.report.contacts import NOT_CALLED, ROWS_SHOWN, WORTH_A_CALL, users_to_call
from iotriage.centre.report.people import is_number
from iotriage.centre.report.questions import THE_MACHINE
from iotriage.centre.report.section import (
    WEEKS_BEFORE,
    Cell,
    Period,
    ReportFilter,
    Section,
    Series,
    Trend,
    day_in_words,
)
from iotriage.metrics.core.listing import listed
from iotriage.rules.core.fixed_numbers import AS_USUAL, TIMES_IN_WORDS
from iotriage.rules.core.words import number, paragraph, plural, share, size

UNSEEN: Final = (
    "Only what left a log is here: jobs that crash before MPI_Finalize leave a partial log or none, and programs that "
    "run without Darshan, or that it is told to leave out, leave none."
)
MOVED: Final = ("written", "read")
FAR_FROM_USUAL: Final = 1.2
"""Times as much, or as little, as usual: this is ours."""

_NUMBERS: Final = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def headline(period: Period, filter: ReportFilter, trend: Trend, sections: Mapping[str, Section], logs: int) -> str:
    chosen = " and ".join(f"of the {name} {value}" for name, value in filter.chosen())
    if not logs:
        return f"There are no logs of {period.said} {f'{chosen} ' if chosen else ''}that could be read."
    users = len(users_to_call(sections["help"], period))
    called = f"{_word(users)} {'user' if users == 1 else 'users'} {'deserves' if users == 1 else 'deserve'} a call"
    calls = called if users else "nobody needs a call"
    moved = _times_usual(trend, period)
    slow = _slow(sections)
    to_do = calls if slow is None else f"{slow}; {calls}"
    if moved is None:
        return f"{to_do[0].upper()}{to_do[1:]}."
    how = (
        "heavier than usual"
        if moved > FAR_FROM_USUAL
        else "lighter than usual"
        if moved < 1 / FAR_FROM_USUAL
        else "as usual"
    )
    return f"The {period.kind} was {how}; {to_do}."


def summary(
    period: Period, trend: Trend, sections: Mapping[str, Section], lacking: str | None, apart: str | None = None
) -> str:
    """`lacking` says what may not have been taken in, before all that is counted without it; `apart` that days are
    compared which were not judged alike."""
    series = {s.id: s for s in trend.series}
    slow = _slow(sections)
    return paragraph(
        lacking,
        _to_be_called(users_to_call(sections["help"], period)) or _why_nobody(sections["help"]),
        _loses_most(sections, series["lost"], trend, period),
        _moved(series, trend, period),
        _covered(sections),
        _high(series["high"], series["jobs"], trend, period),
        None if slow is None else f"{slow}.",
        apart,
    )


MOST_NAMED: Final = 5


def _to_be_called(users: Sequence[Cell]) -> str | None:
    # A log knows a user's number, and the accounting the name: a bare number in a sentence is a figure.
    named = [f"user {user}" if is_number(f"{user}") else f"{user}" for user in users if user is not None]
    if not named:
        return None
    shown = named[:MOST_NAMED] if len(named) > MOST_NAMED + 1 else named
    who = listed([*shown, *([f"{len(named) - len(shown)} more"] if len(shown) < len(named) else [])])
    return f"Call, those who lose most first: {who}."


MUCH_OF_ALL: Final = 0.25
"""The share of all that findings take from which it is said that one user alone has it: this is ours."""


def _loses_most(sections: Mapping[str, Section], lost: Series, trend: Trend, period: Period) -> str | None:
    """Who alone has much of it, whatever the severity: a thousand jobs, each with a little, have no high finding."""
    losing = sections.get("losing-users")
    first = None if losing is None else next((row for row in losing.rows if row[0] is not None), None)
    all_hours = sum(value for value in _values_of_period(lost, trend, period) if value is not None)
    if first is None or not isinstance(first[1], int | float) or first[1] < max(WORTH_A_CALL, MUCH_OF_ALL * all_hours):
        return None
    user, taken, rule = f"{first[0]}", first[1], first[-1]
    who = f"User {user}" if is_number(user) else user
    in_need = sections["help"].rows
    # Of more rows some are left out: those may be this user's.
    is_whole = len(in_need) < ROWS_SHOWN
    is_high = any(row[2] == first[0] for row in in_need)
    none_high = "; no finding of it is of high severity" if is_whole and not is_high else ""
    return (
        f"{who} alone has {share(taken / all_hours)} of the process-hours that findings take ({number(taken)} of "
        f"{number(all_hours)}), most by {rule}{none_high}."
    )


def _why_nobody(in_need: Section) -> str | None:
    """That users lost something all the same, although nobody is to be called."""
    users = len({row[2] for row in in_need.rows})
    if not users:
        return None
    have = "1 user has" if users == 1 else f"{plural(users, 'user')} have"
    return f"{have} findings of high severity. {NOT_CALLED}"


def _word(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def _moved(series: Mapping[str, Series], trend: Trend, period: Period) -> str | None:
    """Both, since the headline weighs both: a day may be heavier than usual by what was read alone."""
    known = [[v for v in _values_of_period(series[id], trend, period) if v is not None] for id in MOVED]
    if not all(known):
        return None
    moved = _how_much(*(sum(values) for values in known))
    times = _times_usual(trend, period)
    if times is None:
        return f"{moved}."
    if abs(times - 1) < AS_USUAL:
        return f"{moved}, {'on the median day ' if period.kind != 'day' else ''}as usual."
    usual = _usual_days(trend, period)
    beside = (
        f"{number(times)} times {usual}"
        if times >= TIMES_IN_WORDS
        else f"{share(abs(times - 1))} {'above' if times >= 1 else 'below'} {usual}"
    )
    return f"{moved}, {'on the median day' if period.kind != 'day' else 'together'} {beside}."


def _usual_days(trend: Trend, period: Period) -> str:
    """Of one user's logs there may be few. The page says the same (`KeyFigures.tsx`)."""
    logged = zip(trend.days, *(series.values for series in trend.series), strict=True)
    days = sum(day < period.first and any(value is not None for value in values) for day, *values in logged)
    if days == 1:
        return "the one day with logs of the 28 before"
    return f"the median of the {'28 days' if days >= WEEKS_BEFORE.days else f'{days} days with logs of the 28'} before"


def _how_much(written: float, read: float) -> str:
    if not written and not read:
        return "Nothing was written or read"
    if not written or not read:
        some, none = ("written", "read") if written else ("read", "written")
        return f"{size(written or read)} were {some} and nothing {none}"
    return f"{size(written)} were written and {size(read)} read"


def _covered(sections: Mapping[str, Section]) -> str | None:
    coverage = sections.get("coverage")
    jobs: Cell = coverage.rows[0][3] if coverage is not None and coverage.rows else None
    return None if not isinstance(jobs, float) else f"{share(jobs)} of the jobs have a log."


FEW_JOBS: Final = 20
"""Up to so many are counted: a share of them says more digits than there are jobs."""


def _high(high: Series, jobs: Series, trend: Trend, period: Period) -> str | None:
    values = [v for v in _values_of_period(high, trend, period) if v is not None]
    if not values:
        return None
    if not any(values):
        return "No job has a high finding."
    days = [v for v in _values_of_period(jobs, trend, period) if v]
    if len(values) == len(days) == 1 and days[0] <= FEW_JOBS:
        return _counted(round(values[0] * days[0]), round(days[0]))
    # The day that stands in "Totals" and on the page: a mean of shares is moved by one day of few jobs.
    middle = statistics.median(values)
    found = f"{share(middle)} of the jobs have a high finding" if middle else "no job has a high finding"
    return f"On its median day {found}." if len(values) > 1 else f"{found}."


def _counted(with_high: int, jobs: int) -> str:
    if with_high == jobs:
        return "The one job has a high finding." if jobs == 1 else f"All {jobs} jobs have a high finding."
    return f"{with_high} of the {jobs} jobs {'has' if with_high == 1 else 'have'} a high finding."


def _slow(sections: Mapping[str, Section]) -> str | None:
    """The machine's part, as a clause."""
    osts = [row for row in sections["slow-osts"].rows if row[6] == THE_MACHINE]
    mounts = sections["slow-mounts"].rows
    still = list(dict.fromkeys(str(row[0]) for row in mounts if row[_ENDED] is None))
    slow = ([plural(len(osts), "OST")] if osts else []) + still
    one = len(slow) == 1 and len(osts) < 2
    is_slow = [f"{' and '.join(slow)} {'is' if one else 'are'} slow for several users"] if slow else []
    over: dict[tuple[Cell, Cell], list[Sequence[Cell]]] = {}
    for row in sorted(mounts, key=lambda row: f"{row[_BEGAN]}"):
        if row[_ENDED] is not None:
            over.setdefault((row[_MOUNT], row[_SITE]), []).append(row)
    return "; ".join((*is_slow, *map(_was_slow, over.values()))) or None


_MOUNT, _BEGAN, _ENDED, _SITE = 0, 3, 4, 5
"""Where they stand in a row of the slow file systems."""


def _was_slow(rows: Sequence[Sequence[Cell]]) -> str:
    """Of one file system all times that are over, the earliest first: one that comes and goes is one clause."""
    began, ended = date.fromisoformat(f"{rows[0][_BEGAN]}"), date.fromisoformat(f"{rows[-1][_ENDED]}")
    if began == ended:
        when = f"on {day_in_words(ended)}"
    else:
        of_one_month = (began.year, began.month) == (ended.year, ended.month)
        when = f"from {began.day if of_one_month else day_in_words(began)} to {day_in_words(ended)}"
    often = "" if len(rows) == 1 else f"{len(rows)} times "
    return f"{rows[0][_MOUNT]} was slow {often}for several users {when}"


def _times_usual(trend: Trend, period: Period) -> float | None:
    """The period's median day over the usual day, of these added up; a usual day may have nothing of one. Of few days
    most of the bytes: the mean of any week is far above the median of its own days."""
    chosen = [s for s in trend.series if s.id in MOVED]
    usual = [s.usual for s in chosen if s.usual is not None]
    if len(usual) < len(chosen) or not sum(usual):
        return None
    middle = []
    for series in chosen:
        values = [v for v in _values_of_period(series, trend, period) if v is not None]
        if not values:
            return None
        middle.append(statistics.median(values))
    return sum(middle) / sum(usual)


def _values_of_period(series: Series, trend: Trend, period: Period) -> list[float | None]:
    return [v for day, v in zip(trend.days, series.values, strict=True) if period.first <= day <= period.last]
