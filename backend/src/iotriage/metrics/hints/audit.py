"""Hints that do not do what was asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from iotriage.metrics.core.metric import Absent, Outcome, Value, Where
from iotriage.metrics.core.missing_evidence import HINTS
from iotriage.metrics.core.registry import metric, outcome
from iotriage.metrics.core.selection import Selection, StatsBlock, base_name
from iotriage.metrics.core.selection_cache import cached_per_selection
from iotriage.metrics.hints.laid_otherwise import LAID_BY, laid_otherwise, laid_otherwise_words
from iotriage.metrics.hints.values import NEEDS
from iotriage.metrics.tables.settings import (
    CURLY,
    HINT_VARIABLE,
    KnownSetting,
    displayed,
    displayed_for,
    is_meant,
    mended_string,
    patterns_of,
    read_by_library,
    requested_beside_displayed,
    requested_for,
    requested_settings,
    settings,
)
from iotriage.metrics.tables.texts.stats_fields import leading, place
from iotriage_parsers.evidence import MpichEnvironment, MpiioHints
from iotriage_parsers.frozen import frozen


@frozen
class Fault:
    """What is wrong with a hint, in words, and where it shows; `laid` is the file that lies otherwise than it asks."""

    words: str
    where: tuple[Where, ...]
    laid: str | None = None


AUDIT = (
    "hint strings with quotes of their own, with blanks or without a file pattern, or with patterns that fit none of "
    "the files whose hints are displayed; cb_buffer_size where the library ignores it; cb_nodes displayed but fewer "
    "aggregators at work; hints displayed otherwise than asked for; of those not displayed, cb_nodes asked for but "
    "another number of aggregators at work, no more than there are ranks, and striping_factor asked for but another "
    "number of stripes, by the statistics or of the file that MPI-IO writes most, and striping_unit asked for but "
    "stripes of another size there"
)


@metric(
    "hints.audit_count",
    "Hints that do not do what was asked",
    "1",
    formula=f"how many of: {AUDIT}",
    needs=NEEDS,
    scopes=["job"],
)
def audit_count(s: Selection) -> Outcome:
    found = _faults(s)
    if isinstance(found, Absent):
        return found
    return Value(len(found), "inferred", tuple(w for fault in found for w in fault.where))


@metric(
    "hints.audit",
    "What is wrong with the hints",
    "word",
    formula=f"in words: {AUDIT}",
    needs=NEEDS,
    scopes=["job"],
)
def audit(s: Selection) -> Outcome:
    found = _faults(s)
    if isinstance(found, Absent):
        return found
    if not found:
        return Absent("nothing is wrong with the hints that the sources show")
    return Value(
        "; ".join(fault.words for fault in found), "inferred", tuple(w for fault in found for w in fault.where)
    )


@metric(
    "hints.mended",
    "Hint string as it was meant",
    "word",
    formula="MPICH_MPIIO_HINTS as it is set last, without typographic quotes and blanks, and with * before hints that "
    "stand without a file pattern; where that is another string",
    needs=NEEDS,
    scopes=["job"],
)
def mended(s: Selection) -> Outcome:
    for known in reversed(settings(s, HINT_VARIABLE)):
        if not any(True for _ in _malformed_in(known)):
            continue
        meant = mended_string(known.meant)
        return Value(meant, "inferred", (known.where,)) if meant else Absent("the hint string has no hints")
    return Absent("no hint string is written wrongly")


@metric(
    "hints.fit_no_file",
    "File patterns of the hints, where they fit no file",
    "word",
    formula="the patterns of MPICH_MPIIO_HINTS as it is set last, where no pattern that is set fits one of the files "
    "whose hints are displayed",
    needs=NEEDS,
    scopes=["job"],
)
def fit_no_file(s: Selection) -> Outcome:
    asked = [(known, h.pattern) for known in settings(s, HINT_VARIABLE) for h in patterns_of(known.meant)]
    if not asked or not _opened(s):
        return Absent("no source shows both hints that were asked for and the files that were opened with them")
    if any(pattern is None or is_meant(pattern, file) for _, pattern in asked for file in _opened(s)):
        return Absent("a pattern of the hints fits a file that was opened")
    last, _ = asked[-1]
    patterns = dict.fromkeys(pattern for known, pattern in asked if known is last and pattern is not None)
    return Value(" and ".join(patterns), "inferred", (last.where,))


@metric(
    "hints.laid_otherwise",
    "File that lies otherwise than its hints ask",
    "word",
    formula="the first file that has another number of stripes than striping_factor asks for, or stripes of another "
    "size than striping_unit",
    needs=NEEDS,
    scopes=["job"],
)
def hints_laid_otherwise(s: Selection) -> Outcome:
    found = _faults(s)
    if isinstance(found, Absent):
        return found
    one = next((fault for fault in found if fault.laid is not None), None)
    if one is None or one.laid is None:
        return Absent("no file is known to lie otherwise than its hints ask")
    return Value(one.laid, "inferred", one.where)


@cached_per_selection
def _faults(s: Selection) -> tuple[Fault, ...] | Absent:
    if not s.of(MpiioHints) and not settings(s, HINT_VARIABLE):
        return Absent("no source shows the hints", (HINTS,))
    if not settings(s, HINT_VARIABLE) and not s.stats:
        return Absent("the hints are displayed, and nothing shows what was asked for or what the library did")
    return (*_malformed(s), *_for_other_files(s), *_ignored(s), *_not_followed(s))


def _malformed(s: Selection) -> Iterator[Fault]:
    for known in settings(s, HINT_VARIABLE):
        yield from _malformed_in(known)


def _malformed_in(known: KnownSetting) -> Iterator[Fault]:
    text, here = known.value, (known.where,)
    if known.cut_off is not None:
        yield Fault(f"the shell ends the hint string at a blank, so “{known.cut_off}” is no part of it", here)
    if text.startswith('"') and any(c in CURLY for c in text):
        yield Fault(
            "the hint string opens with a plain quote and has a curly one at its end: the shell reads on past it", here
        )
    elif any(c in CURLY for c in text):
        yield Fault("the hint string has curly quotes, which are part of its text", here)
    elif _IN_QUOTES.fullmatch(text):
        yield Fault("the hint string has quotes inside those of the shell, which are part of its text", here)
    read = set(read_by_library(text))
    unread = [h for h in patterns_of(text) if h not in read and h.pattern is not None and "$" not in h.value]
    blanks = [h.key for h in unread] if " " in text else []
    if blanks:
        yield Fault(f"{', '.join(blanks)} {_has(blanks)} a blank in the text, which makes it another hint's name", here)
    lost = [h.key for h in patterns_of(text) if h.pattern is None]
    if lost:
        yield Fault(f"{', '.join(lost)} {_stands(lost)} without a file pattern (“*:” was lost?)", here)


def _for_other_files(s: Selection) -> Iterator[Fault]:
    """Where no pattern fits a file that was opened: scripts for several programs have some that do not."""
    patterns = outcome(s, "hints.fit_no_file")
    if isinstance(patterns, Value):
        words = f"the hints are for {patterns.value} and apply to none of the files: {_opened(s)[0]} was opened"
        yield Fault(words, patterns.where)


@cached_per_selection
def _opened(s: Selection) -> tuple[str, ...]:
    """Names of the files whose hints Cray MPICH displays, sorted."""
    return tuple(sorted({base_name(p.file) for _, p in s.of(MpiioHints) if p.printed_by == "cray-mpich" and p.file}))


_IN_QUOTES = re.compile(r"""\\?(["'])[^"']*\1""")
"""What is left in quotes where the shell has taken those around it: of others, the shell takes them away too."""


def _has(names: Sequence[str]) -> str:
    return "has" if len(names) == 1 else "have"


def _stands(names: Sequence[str]) -> str:
    return "stands" if len(names) == 1 else "stand"


def _ignored(s: Selection) -> Iterator[Fault]:
    if any(known.value == "3" for known in (*requested_settings(s, "cb_align"), *displayed(s, "cb_align"))):
        return  # With ROMIO's own way of sharing out, its hints apply (theta-io, Cray MPI-IO Collectives).
    for known in requested_settings(s, "cb_buffer_size"):
        if s.of(MpichEnvironment) or any(p.printed_by == "cray-mpich" for _, p in s.of(MpiioHints)) or s.stats:
            yield Fault("cb_buffer_size is set, but Cray MPICH takes the stripe size as the buffer's", (known.where,))


def _too_few_aggregators(s: Selection) -> Iterator[Fault]:
    block = leading(s.writes)
    used = None if block is None else block.block.aggregators
    # Where there are none, buffering was off: that is what is wrong, and not their number.
    if block is None or not used:
        return
    # The number of another file's aggregators contradicts nothing.
    of_file = displayed_for(s, "cb_nodes", block.block.file)
    known = next((known for known in of_file if known.value.isdigit()), None)
    if known is not None and used < int(known.value):
        wrote = "1 aggregator" if used == 1 else f"{used} aggregators"
        where = (known.where, *place(block, "aggregators"))
        yield Fault(f"cb_nodes={known.value} is displayed, but {wrote} wrote", where)


def _other_than_requested(s: Selection) -> Iterator[Fault]:
    """By the statistics of the file with most bytes written, for hints that no list of it displays. Where several
    values were in force, none of these."""
    block = leading(s.writes)
    if block is None:
        return
    b, ranks = block.block, block.block.ranks_in_communicator or s.nprocs
    asked = _numbers_requested(s, "cb_nodes", block)
    if b.aggregators and asked and all(b.aggregators != min(n, ranks or n) for n in asked.values()):
        known, n = next(iter(asked.items()))
        wrote = "1 aggregator" if b.aggregators == 1 else f"{b.aggregators} aggregators"
        words = f"cb_nodes={n} was asked for, but {wrote} wrote"
        yield Fault(words, (known.where, *place(block, "aggregators")))
    asked = _numbers_requested(s, "striping_factor", block)
    if b.stripe_count and not b.pfl and asked and b.stripe_count not in asked.values():
        known, n = next(iter(asked.items()))
        more = n >= b.stripe_count
        words = laid_otherwise_words("striping_factor", n, "the file", b.stripe_count, may_lack_osts=more)
        yield Fault(words, (known.where, *place(block, "stripe count")), base_name(b.file))


def _numbers_requested(s: Selection, key: str, block: StatsBlock) -> Mapping[KnownSetting, int]:
    asked = () if displayed_for(s, key, block.block.file) else requested_for(s, key, block)
    return {known: int(known.value) for known in asked if known.value.isdecimal() and int(known.value)}


def _not_followed(s: Selection) -> Iterator[Fault]:
    yield from _too_few_aggregators(s)
    yield from _other_than_requested(s)
    for found in (laid_otherwise(s, key) for key in LAID_BY):
        if found is not None:
            yield Fault(found.words, found.where, found.file)
    for key in sorted({h.key for k in settings(s, HINT_VARIABLE) for h in patterns_of(k.meant)}):
        of_files = requested_beside_displayed(s, key)
        if of_files and not any(one.followed for one in of_files):
            asked, shown = of_files[0].requested[-1], of_files[0].displayed
            words = f"{key}={asked.value} was asked for, and {shown.value} is displayed"
            yield Fault(words, (asked.where, shown.where))
