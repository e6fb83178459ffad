"""Where any of many literal anchors stands in a chunk of text: one pass, however many there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ahocorasick_rs import BytesAhoCorasick, Implementation, MatchKind

Search = Callable[[bytes], Iterator[int]]


def anchor_search(anchors: Iterable[bytes]) -> Search:
    """A function from a chunk to where anchors begin in it, ascending; of anchors that overlap the first alone."""
    automaton = BytesAhoCorasick(
        dict.fromkeys(anchors), matchkind=MatchKind.LeftmostFirst, implementation=Implementation.DFA
    )
    return lambda data: iter([first for _, first, _ in automaton.find_matches_as_indexes(data)])
