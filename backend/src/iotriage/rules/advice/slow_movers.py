"""Several of the ranks that move the bytes of collective calls are slow: who they are, and how to find their nodes."""

from __future__ import annotations

from iotriage.rules.advice.slow_node import avoid_nodes
from iotriage.rules.core import Advice, Citation, Context
from iotriage.rules.core.words import formatted, number, plural, printable, seconds, sentence


def slow_movers_headline(context: Context) -> str:
    """The headline, where balance.storage_apart is known."""
    times = number(context.number("balance.storage_apart") or 1.0)
    waits = f"take {times} times as long as the others for the same work, and all wait for them."
    nodes, every = (context.number(f"balance.storage_apart_{of}") for of in ("nodes", "of_nodes"))
    if nodes is None or every is None:
        slow, movers = (context.number(f"balance.storage_apart_{of}") or 1.0 for of in ("ranks", "movers"))
        return f"{number(slow)} of the {plural(movers, 'rank')} that move the bytes {waits}"
    names = context.word("balance.storage_apart_names")
    which = f"{number(nodes)} of {plural(every, 'node')}" + ("" if names is None else f", {printable(names)},")
    return f"The ranks that move the bytes on {which} {waits}"


def slow_movers_sentences(context: Context) -> tuple[str | None, ...]:
    file = context.word("balance.storage_file")
    return (
        sentence(
            "On {}, {} of {} that moved the bytes are slow, with as many bytes and calls as the others.",
            None if file is None else printable(file),
            formatted(context.number("balance.storage_apart_ranks"), number),
            formatted(context.number("balance.storage_apart_movers"), lambda n: plural(n, "rank")),
        ),
        sentence(
            "All waited {} for them.",
            formatted(context.number("balance.storage_apart_time"), seconds),
        ),
    )


def avoid_nodes_of_movers(context: Context, citation: Citation) -> tuple[Advice, ...]:
    """Where the slow ones are told apart by their nodes; the library gives each of them stripes of its own, too."""
    names, if_not = context.word("balance.storage_apart_names"), "it is the servers of the stripes that they write"
    return avoid_nodes(context, names, "those of the slow ranks", if_not, citation)
