"""A value is made once while it is kept, also when it is empty, and again when room was needed for another."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from iotriage.intake.cache import Cache


class Making:
    """Makes lists and counts how often."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def of(self, cache: Cache[str, list[int]], key: str, length: int) -> list[int]:
        def make() -> list[int]:
            self.made.append(key)
            return [0] * length

        return cache.value(key, make)


def test_an_empty_value_is_kept_like_any_other() -> None:
    cache, making = Cache[str, list[int]](10, len), Making()
    assert making.of(cache, "none", 0) is making.of(cache, "none", 0)
    assert making.made == ["none"]


def test_the_value_used_longest_ago_makes_room_and_the_last_one_stays_however_large() -> None:
    cache, making = Cache[str, list[int]](10, len), Making()
    for key, length in (("a", 4), ("b", 4), ("a", 4), ("c", 4), ("a", 4), ("b", 4), ("all", 99), ("all", 99)):
        making.of(cache, key, length)
    assert making.made == ["a", "b", "c", "b", "all"]


def test_what_has_no_size_is_made_each_time() -> None:
    cache, making = Cache[str, list[int]](10, lambda value: len(value) or None), Making()
    for length in (0, 0, 1, 1):
        making.of(cache, "x", length)
    assert making.made == ["x", "x", "x"]


def test_one_makes_it_while_the_others_wait_and_another_key_does_not() -> None:
    cache, made, go_on = Cache[str, int](10, lambda _: 1), [], threading.Event()

    def slowly() -> int:
        made.append("slow")
        go_on.wait()
        return 7

    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(cache.value, "slow", slowly) for _ in range(3)]
        assert cache.value("other", lambda: 1) == 1
        go_on.set()
        assert [a.result() for a in asked] == [7, 7, 7]
    assert made == ["slow"]


def test_a_maker_that_fails_holds_up_nobody_after_it() -> None:
    cache = Cache[str, int](10, lambda _: 1)

    def fails() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        cache.value("x", fails)
    assert cache.value("x", lambda: 3) == 3
