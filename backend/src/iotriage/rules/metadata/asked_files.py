"""Files that ranks ask about, by stat, again and again: what is said of it, and what helps."""

from __future__ import annotations

from math import inf

from iotriage.metrics.core.pattern import OF_ONE_RANK
from iotriage.rules.advice.one_process import is_one_process
from iotriage.rules.advice.open_files import A_FEW, MDS
from iotriage.rules.advice.snippets import SLEEP
from iotriage.rules.core import Advice, Context, advice, in_program
from iotriage.rules.core.condition import Compare
from iotriage.rules.core.words import formatted, number, plural, printable, seconds, sentence
from iotriage.rules.metadata.metadata_calls import AGAIN, CALLS, data_files, ranks_per_file


def mostly_stats(context: Context) -> bool:
    """Whether there are so many stats that opens can hardly be what takes the time."""
    stats, opens = context.number("posix.data_stats") or 0.0, context.number("posix.data_opens") or 0.0
    return stats >= 4 * opens and context.holds(Compare("posix.data_stats", ">=", CALLS.id))


def polled_file(context: Context) -> str | None:
    """The file of which one rank asks all the time whether it is there or has changed; None where nothing is."""
    stats, opens = context.number("posix.data_stats") or 0.0, context.number("posix.data_opens") or 0.0
    name = context.word("balance.alone_file")
    alone = (context.number("posix.metadata_busiest_share") or 0.0) >= ALMOST_ALL
    of_one_file = (context.number("balance.alone_files") or inf) < 2
    asks = (context.number("balance.alone_metadata_fraction") or 0.0) >= ALMOST_ALL
    return printable(name) if name and alone and of_one_file and asks and stats >= POLLED * (opens + 1) else None


def awaited_file(context: Context) -> str | None:
    """The file that many ranks ask about all the time; perhaps they wait for it."""
    name, opens = context.word("posix.metadata_read_file"), context.number("posix.data_opens") or 0.0
    asks = (context.number("posix.data_stats") or 0.0) >= POLLED * (opens + 1)
    return printable(name) if name is not None and asks else None


def asking_phrase(context: Context) -> str:
    """Of the files that are asked about, however many others there are."""
    files, stats = context.number("posix.asked_files"), context.number("posix.data_stats") or 0.0
    each, ranks = stats / files if files else 0.0, _ranks_asking(context)
    again = "again and again " if each >= AGAIN * ranks else ""
    every = max(2.0, context.number("job.nprocs") or 1.0)
    by_all = " on every rank" if not again and ranks >= ALMOST_ALL * every and each >= ALMOST_ALL * ranks else ""
    return f"Asking {again}about {formatted(files, lambda n: plural(n, 'file')) or 'files'}{by_all}"


def _ranks_asking(context: Context) -> float:
    alone = (context.number("posix.metadata_busiest_share") or 0.0) >= ALMOST_ALL
    return 1.0 if alone else ranks_per_file(context, "posix") or 1.0


def awaited_rank_sentence(context: Context) -> str | None:
    """The rank that moves data meanwhile, in files that no other uses."""
    took, asked = context.number("balance.alone_moving_time"), context.number("posix.data_metadata_time_busiest")
    if took is None or asked is None or took < AS_LONG * asked:
        return None
    text = "One rank takes {} in {}, which no other uses: the others may be waiting for that."
    return sentence(text, seconds(took), printable(context.word("balance.alone_file")))


AS_LONG = 0.8
"""Of the seconds in which ranks ask, from which one that is busy alone may be whom they wait for."""


def ask_less(context: Context) -> Advice:
    """For stats: of one process, or of one rank that alone asks, once for each file."""
    each = (context.number("posix.data_stats") or 0.0) / (data_files(context) or inf)
    if is_one_process(context) or (context.number("posix.metadata_busiest_share") or 0.0) >= ALMOST_ALL:
        if each >= WAITED_FOR and (data_files(context) or inf) <= A_FEW:
            return advice(
                f"Ask less often: now about each of these files {number(round(each))} times. Whoever waits for a file "
                "sleeps a few seconds between two questions; where another job makes it, let the scheduler start this "
                "one when that is done.",
                SLEEP,
                citation=MDS,
            )
        return in_program(
            "Ask about each file once and keep the answer: a list of the directory (os.scandir in Python, readdir in "
            "C) tells which files are there and what kind each is. What has to be asked of many files is asked sooner "
            "by several processes.",
            citation=MDS,
        )
    awaited = awaited_file(context)
    if awaited is not None:
        return advice(
            f"Let one rank ask about {awaited} and tell the others. Where they wait for what makes it, that rank "
            "sleeps a few seconds each time before it asks again: these seconds are won only where it is made sooner.",
            SLEEP,
            citation=MDS,
        )
    own = _are_of_one_rank(context)
    if own and each < AGAIN:
        return in_program(
            "Let each rank ask once about a file of its own, and keep the answer: a list of the directory (os.scandir "
            "in Python, readdir in C) tells which files are there.",
            citation=MDS,
        )
    if own:
        once = (
            f"Let each rank ask once about a file of its own, and keep the answer: now it asks {number(round(each))} "
            "times about each."
        )
        if not may_wait_for_its_own(context):
            return in_program(once, citation=MDS)
        sleep = "If it waits for what makes that file, let it sleep a few seconds between two questions: then these"
        return advice(f"{once} {sleep} seconds are won only where that is done sooner.", SLEEP, citation=MDS)
    asking = "Let one rank ask whether files are there and how large they are, and tell the others."
    return in_program(asking, citation=MDS)


def may_wait_for_its_own(context: Context) -> bool:
    """Whether each rank asks about a few files of its own as often as one asks about what it waits for, and does hardly
    anything else with them."""
    stats, opens = context.number("posix.data_stats") or 0.0, context.number("posix.data_opens") or 0.0
    few = (context.number("posix.files_of_a_rank") or inf) <= A_FEW
    files = data_files(context) or inf
    return few and _are_of_one_rank(context) and stats >= WAITED_FOR * files and stats >= POLLED * (opens + 1)


def _are_of_one_rank(context: Context) -> bool:
    """Whether each file is one rank's, so that what it asks tells the others nothing."""
    if context.word("posix.metadata_read_file") is not None:
        return False
    ranks = ranks_per_file(context, "posix")
    return context.word("io.pattern") in OF_ONE_RANK if ranks is None else ranks < SEVERAL


SEVERAL = 1.5
"""Ranks for each file, on average, from which what one asks tells others something."""
WAITED_FOR = 1000
"""Stats for each of a few files, from which it is waited for one of them."""


ALMOST_ALL, POLLED = 0.9, 50
"""Share of the metadata time, and of that of a file, and stats for each open of any file, from which one rank does
little but ask about one."""
