"""Where any of many literal anchors stands in a chunk of text: one pass, however many there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from ahocorasick_rs import BytesAhoCorasick, Implementation, MatchKind

Search = Callable[[bytes], Iterator[int]]
Owners = Callable[[bytes], list[int]]


def anchor_search(anchors: Iterable[bytes]) -> Search:
    """A function from a chunk to where anchors begin in it, ascending; of anchors that overlap the first alone."""
    automaton = BytesAhoCorasick(
        dict.fromkeys(anchors), matchkind=MatchKind.LeftmostFirst, implementation=Implementation.DFA
    )
    return lambda data: iter([first for _, first, _ in automaton.find_matches_as_indexes(data)])


def anchor_owners(owners: Iterable[Iterable[bytes]]) -> Owners:
    """A function from a line to the owners, by index and ascending, of which an anchor stands in it."""
    of_anchor: dict[bytes, list[int]] = {}
    for index, anchors in enumerate(owners):
        for anchor in anchors:
            of_anchor.setdefault(anchor, []).append(index)
    automaton = BytesAhoCorasick(of_anchor, matchkind=MatchKind.Standard, implementation=Implementation.DFA)
    indexes = list(of_anchor.values())

    def found(line: bytes) -> list[int]:
        every = {i for which, _, _ in automaton.find_matches_as_indexes(line, overlapping=True) for i in indexes[which]}
        return sorted(every)

    return found


@lru_cache(maxsize=8)
def searches_of(owners: tuple[tuple[bytes, ...], ...]) -> tuple[Search, Owners]:
    """Both functions for the anchors of these owners; kept, since every text is read by the same readers, and to make
    them of all their anchors takes longer than to read most texts."""
    return anchor_search(anchor for anchors in owners for anchor in anchors), anchor_owners(owners)
