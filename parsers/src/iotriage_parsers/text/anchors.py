"""Where any of many literal anchors stands in a chunk of text: one pass, however many there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from ahocorasick_rs import BytesAhoCorasick, Implementation, MatchKind

Search = Callable[[bytes], Iterator[int]]


def anchor_search(anchors: Iterable[bytes]) -> Search:
    """A function from a chunk to where anchors begin in it, ascending; of anchors that overlap the first alone."""
    automaton = BytesAhoCorasick(
        dict.fromkeys(anchors), matchkind=MatchKind.LeftmostFirst, implementation=Implementation.DFA
    )
    return lambda data: iter([first for _, first, _ in automaton.find_matches_as_indexes(data)])


def anchor_owners(owners: Sequence[Iterable[bytes]]) -> Callable[[bytes], list[int]]:
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
