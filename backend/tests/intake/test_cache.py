"""A value is made once while it is kept, also when it is empty, and again when room was needed for another."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from iotriage.intake.cache import Kept


class Making:
    """Makes lists and counts how often."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def of(self, kept: Kept[str, list[int]], key: str, length: int) -> list[int]:
        def make() -> list[int]:
            self.made.append(key)
            return [0] * length

        return kept.value(key, make)


def test_an_empty_value_is_kept_like_any_other() -> None:
    kept, making = Kept[str, list[int]](10, len), Making()
    assert making.of(kept, "none", 0) is making.of(kept, "none", 0)
    assert making.made == ["none"]


def test_the_value_used_longest_ago_makes_room_and_the_last_one_stays_however_large() -> None:
    kept, making = Kept[str, list[int]](10, len), Making()
    for key, length in (("a", 4), ("b", 4), ("a", 4), ("c", 4), ("a", 4), ("b", 4), ("all", 99), ("all", 99)):
        making.of(kept, key, length)
    assert making.made == ["a", "b", "c", "b", "all"]


def test_what_has_no_size_is_made_each_time() -> None:
    kept, making = Kept[str, list[int]](10, lambda value: len(value) or None), Making()
    for length in (0, 0, 1, 1):
        making.of(kept, "x", length)
    assert making.made == ["x", "x", "x"]


def test_one_makes_it_while_the_others_wait_and_another_key_does_not() -> None:
    kept, made, go_on = Kept[str, int](10, lambda _: 1), [], threading.Event()

    def slowly() -> int:
        made.append("slow")
        go_on.wait()
        return 7

    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(kept.value, "slow", slowly) for _ in range(3)]
        assert kept.value("other", lambda: 1) == 1
        go_on.set()
        assert [a.result() for a in asked] == [7, 7, 7]
    assert made == ["slow"]


def test_a_maker_that_fails_holds_up_nobody_after_it() -> None:
    kept = Kept[str, int](10, lambda _: 1)

    def fails() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        kept.value("x", fails)
    assert kept.value("x", lambda: 3) == 3
