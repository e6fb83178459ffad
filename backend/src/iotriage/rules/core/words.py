"""Quantities in words, and names from a log made safe to print.

The words of a quantity are said once here and once in `frontend/src/format.ts`, which say the same: both are held to
`backend/tests/vectors/words.json`. Why they are as they are:

* Three digits tell apart what a run's own noise leaves apart; a fourth would be read as if it meant something. A size
  therefore changes its unit before its fourth digit: 1,000 B are 0.98 KiB.
* Sizes, rates and durations keep a zero behind the point, since it was measured: "1.00 MiB", "12.0 s", "0.50 s" beside
  "0.48 s". Numbers, ratios, counts and shares drop it: eight ranks are "8 ranks".
* From two minutes on a duration is read in the units of a batch system: "3 min 5 s", "11 h 35 min"; its limits are in
  hours up to a week, beyond which nobody counts them: "12 d 4 h". Below a second it is read in the clock's: µs to a
  millisecond, ms to a tenth of a second, and then hundredths.
* Shares are whole from 10 % on, for nobody acts on a tenth of a per cent there. Below they have two digits, so that
  9.6 % does not read as the tenth that it is below, and what is less than 0.01 % says so; the page, which knows the
  counts, says "1 of 524,288". What is not all is never rounded to all.
* Nothing that is there is rounded to nothing, and no figure is a power of ten: large ones are in millions and billions.

Both round halves away from zero, from the exact value of the double, as `toFixed` of a browser does.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final

from iotriage.metrics.core.metric import MetricValue, Unit
from iotriage.metrics.core.printable import UNPRINTABLE as UNPRINTABLE
from iotriage.metrics.core.printable import printable as printable

_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_LARGE = ((1e6, "million"), (1e9, "billion"), (1e12, "trillion"), (1e15, "quadrillion"), (1e18, "quintillion"))
_ONE: dict[Unit, str] = {
    "calls": "call",
    "calls/s": "call/s",
    "ranks": "rank",
    "nodes": "node",
    "files": "file",
    "stripes": "stripe",
    "OSTs": "OST",
}
_TWELVE = Context(prec=12, rounding=ROUND_HALF_UP)
"""The digits of a number that somebody gave: a double holds 15, and arithmetic on it a few less."""


def quantity(value: MetricValue, unit: Unit) -> str:
    """A measured figure with its unit: "4.20 GiB", "12.0 s", "12 %", "3.6 ×", "192 ranks"; a word as it is."""
    if isinstance(value, str):
        return value
    match unit:
        case "B":
            return size(value)
        case "B/s":
            return f"{size(value)}/s"
        case "s":
            return seconds(value)
        case "share":
            return share(value)
        case "ratio":
            return f"{number(value)} ×"
        case "1" | "word":
            return number(value)
        case _:
            return plural(value, _ONE[unit], unit)


@lru_cache(maxsize=1024)
def exact_quantity(value: float, unit: Unit) -> str:
    """A number that was given, not measured, such as a threshold: not rounded, and without zeros behind the point:
    "4 MiB", "12.3 %", "1 h". A size that no unit has in two decimals is in bytes, or from a million rounded."""
    match unit:
        case "B":
            return _exact_size(value)
        case "B/s":
            return f"{_exact_size(value)}/s"
        case "s":
            return _exact_seconds(value)
        case "share":
            return f"{_twelve_digits(100 * value)} %"
        case "ratio":
            return f"{_twelve_digits(value)} ×"
        case "1" | "word":
            return _twelve_digits(value)
        case _:
            return f"{_twelve_digits(value)} {_ONE[unit] if value == 1 else unit}"


def chosen_size(count: float) -> str:
    """A size that somebody chose, such as a stripe's, in the form that commands use: "1 MiB", not "1.00 MiB"."""
    return _exact_size(count)


def size(count: float) -> str:
    """Bytes in binary prefixes, three digits: "4.20 GiB"."""
    if count < 0:
        return _negative(size(-count))
    if count < 999.5:
        return f"{number(count)} B"
    value, unit = count / 1024, 1
    while value >= 999.5 and unit < len(_BINARY) - 1:
        value, unit = value / 1024, unit + 1
    return f"{_three(value)} {_BINARY[unit]}"


HOURS_OF_A_WEEK: Final = 168
"""From so many hours on a duration is in days."""


LEAST_SECONDS: Final = 1e-7
"""Seconds below which a duration is written as less than so much, and "at least less than" would say nothing."""


def seconds(count: float) -> str:
    """A duration: "34.1 µs", "1.50 ms", "0.84 s", "12.0 s", "5 min 3 s", "2 h", "12 d 4 h"."""
    if count < 0:
        return _negative(seconds(-count))
    if count == 0:
        return "0 s"
    if count < LEAST_SECONDS:
        return "< 0.1 µs"
    if count < 0.0009995:
        return f"{_three(count * 1e6)} µs"
    if count < 0.09995:
        return f"{_three(count * 1e3)} ms"
    if count < 0.995:
        return f"{_fixed(count, 2)} s"
    if count < 119.5:
        return f"{_three(count)} s"
    if count < 3599.5:
        minutes, rest = divmod(math.floor(count + 0.5), 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(math.floor(count / 60 + 0.5), 60)
    if hours < HOURS_OF_A_WEEK:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(math.floor(count / 3600 + 0.5), 24)
    if days >= 1000:
        return f"{number(count / 86_400)} d"
    return f"{days} d {hours} h" if hours else f"{days} d"


def between(least: float, most: float) -> str:
    """Two durations: "50.0 s to 6 min 10 s"; one where both read alike."""
    low, high = seconds(least), seconds(most)
    return low if low == high else f"{low} to {high}"


FEWEST_HOURS: Final = 0.01
FEW_HOURS: Final = f"< {FEWEST_HOURS}"
"""So few hours are not told apart."""


def hours(count: float, of: str) -> str:
    """What a machine gave for so long: "530 node-hours", "0.25 process-hours", "< 0.01 node-hours"."""
    return f"{FEW_HOURS} {of}-hours" if 0 < count < FEWEST_HOURS else plural(count, f"{of}-hour")


def job_hours(count: float, nprocs: int | None, nnodes: int | None) -> str | None:
    """What so many seconds of a whole job are, in process-hours, and node-hours where its nodes are known: "614
    process-hours (4.8 node-hours)". Less than a tenth of an hour of either is not said."""
    by = [(n, of) for n, of in ((nprocs, "process"), (nnodes, "node")) if n is not None and count * n >= 360]
    parts = [hours(count * n / 3600, of) for n, of in by]
    return " ".join([*parts[:1], *(f"({more})" for more in parts[1:])]) or None


def share(fraction: float) -> str:
    """A fraction in per cent: "0.34 %", "9.6 %", "12 %", "over 99 %"."""
    # 0.07 × 100 is 7.000000000000001 in binary.
    percent = float(_TWELVE.create_decimal(100 * fraction))
    if percent < 0:
        return _negative(share(-fraction))
    if 0 < percent < 0.01:
        return "< 0.01 %"
    if 99 < percent < 100 or 100 < percent < 100.5:
        return f"{OVER}{math.floor(percent)} %"
    return f"{_trimmed(_fixed(percent, 2 if percent < 0.995 else 1 if percent < 9.95 else 0))} %"


OVER: Final = "over "
"""How a share begins that would be rounded to all."""


def bounded(before: str, figure: str) -> str:
    """A figure with the bound that stands before it, of which it has one alone: what is "over 99 %" need not be that at
    least, and is at most 100 %."""
    if not figure.startswith(OVER) or not before:
        return f"{before}{figure}"
    return figure if before == "at least " else f"{before}{int(figure.removeprefix(OVER).removesuffix(' %')) + 1} %"


def number(count: float) -> str:
    """A number that stands alone or before what it counts: "192", "1,966,080", "12.3 million", "1.4", "0.004"."""
    if count < 0:
        return _negative(number(-count))
    if count < 9_999_999.5 and count == int(count):
        return f"{int(count):,}"
    if 0 < count < 1e-4:
        return "< 0.0001"
    if count >= 9_999_999.5:
        step, word = next((large for large in _LARGE if count < 999.5 * large[0]), _LARGE[-1])
        return f"{_trimmed(_three(count / step))} {word}"
    return _trimmed(_three_digits(count))


def ratio_in_column(ratio: float) -> str:
    """A ratio in a column of them: with its zeros, so that all have as many digits, "22.0 ×" below "22.4 ×"."""
    if not 1e-4 <= ratio < 9_999_999.5:
        return f"{number(ratio)} ×"
    return f"{_three_digits(ratio)} ×"


def rank_name(rank: float) -> str:
    """A rank by its number, which is a name and no quantity: without groups of three."""
    return f"rank {rank:.0f}"


def ost_name(index: float) -> str:
    """An OST by its index, the same."""
    return f"OST {index:.0f}"


def uncapitalised(text: str) -> str:
    """A sentence, not empty, as it goes on behind other words."""
    return f"{text[0].lower()}{text[1:]}"


def plural(count: float, one: str, many: str | None = None) -> str:
    amount = number(count)
    return f"{amount} {one if amount == '1' else many or one + 's'}"


def stripes_phrase(count: float) -> str:
    """ "8 stripes", "all OSTs" for Lustre's −1."""
    return "all OSTs" if count < 0 else plural(count, "stripe")


def osts_phrase(count: float) -> str:
    """ "8 OSTs", "all OSTs" for Lustre's −1."""
    return "all OSTs" if count < 0 else plural(count, "OST")


def how_often(count: float) -> str:
    """A number of times: "once", "2.4 times"."""
    amount = number(count)
    return "once" if amount == "1" else f"{amount} times"


def times_as_long(count: float) -> str:
    """ "as long", "2.4 times as long": what is compared with follows with "as"."""
    amount = number(count)
    return "as long" if amount == "1" else f"{amount} times as long"


def aggregators(count: float) -> str:
    """A count of aggregators that may be inferred: whole where it is within a twentieth of it."""
    whole = round(count)
    return plural(whole if abs(count - whole) < 0.05 else count, "aggregator")


def formatted(value: float | None, form: Callable[[float], str]) -> str | None:
    """`value` in the words of `form`; None where there is no value."""
    return None if value is None else form(value)


def sentence(template: str, *values: str | None) -> str | None:
    """`template` with the values put in; None, and so not said, where one of them is missing. A share may begin it with
    a word ("over 99 %")."""
    if any(v is None for v in values):
        return None
    text = template.format(*values)
    return f"O{text[1:]}" if text.startswith("over ") else text


def paragraph(*sentences: str | None) -> str:
    return " ".join(s for s in sentences if s)


@lru_cache(maxsize=256)
def directory_of(path: str | None) -> str | None:
    """The directory of a file of the job, where it has one that a person could mean: not a bare mount point, and
    not that of a name that was made anonymous (a number in place of the path)."""
    if path is None or "/" not in path:
        return None
    where = PurePosixPath(path)
    if re.fullmatch(r"\d{6,}", where.name) or len(where.parent.parts) < 3:
        return None
    return str(where.parent)


def _exact_size(count: float) -> str:
    for unit in range(len(_BINARY) - 1, 0, -1):
        hundredths = count / 1024**unit * 100
        if 100 <= hundredths < 1e6 and hundredths.is_integer():
            return f"{_twelve_digits(hundredths / 100)} {_BINARY[unit]}"
    return f"{_twelve_digits(count)} B" if count < 1e6 else size(count)


def _exact_seconds(count: float) -> str:
    if 0 < count < 0.001:
        return f"{_twelve_digits(count * 1e6)} µs"
    if 0 < count < 0.1:
        return f"{_twelve_digits(count * 1e3)} ms"
    if count < 120:
        return f"{_twelve_digits(count)} s"
    hours, minutes, rest = math.floor(count / 3600), math.floor(count / 60) % 60, count % 60
    days, hours = divmod(hours, 24) if hours >= HOURS_OF_A_WEEK else (0, hours)
    parts = ((days, "d"), (hours, "h"), (minutes, "min"), (rest, "s"))
    return " ".join(f"{_twelve_digits(value)} {unit}" for value, unit in parts if value)


_STEPS = tuple(Decimal(1).scaleb(-decimals) for decimals in range(7))
"""What a number to so many decimals is rounded to."""


def _three(value: float) -> str:
    """Three digits, two of them behind the point at the most."""
    return _fixed(value, 2 if value < 9.995 else 1 if value < 99.95 else 0)


def _three_digits(value: float) -> str:
    """Three digits of a number of any size."""
    return _three(value) if value >= 0.9995 else _fixed(value, _decimals(value))


def _decimals(value: float) -> int:
    """Those that show three digits of a number below 1."""
    return 3 if value >= 0.09995 else 4 if value >= 0.009995 else 5 if value >= 0.0009995 else 6


@lru_cache(maxsize=4096)
def _fixed(value: float, decimals: int) -> str:
    """`value` to so many decimals, groups of three before the point apart."""
    if value >= 1e15:
        return f"{int(value):,}"
    return f"{Decimal(float(value)).quantize(_STEPS[decimals], ROUND_HALF_UP):,f}"


def _twelve_digits(value: float) -> str:
    """Twelve digits, without zeros behind the point."""
    if abs(value) < 1e12 and value == int(value):
        return f"{int(value):,}"
    return _trimmed(f"{_TWELVE.create_decimal(float(value)):,f}")


def _trimmed(figure: str) -> str:
    return figure.rstrip("0").rstrip(".") if "." in figure else figure


def _negative(text: str) -> str:
    return f"> -{text[2:]}" if text.startswith("< ") else f"-{text}"
