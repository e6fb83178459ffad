"""The most urgent task is done first, and a task that fails takes nobody with it."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from iotriage.intake.queue import Urgency, WorkQueue


@pytest.fixture
def queue() -> Iterator[WorkQueue]:
    queue = WorkQueue(1)
    queue.start()
    yield queue
    queue.stop()


def test_what_a_person_looks_at_comes_first_and_else_the_oldest(queue: WorkQueue) -> None:
    done, begun, go_on = list[str](), threading.Event(), threading.Event()

    def first() -> None:
        begun.set()
        go_on.wait()

    queue.put(first)
    begun.wait()
    for name, urgency in (("a sample", Urgency.UNASKED), ("one", Urgency.NEW), ("two", Urgency.NEW)):
        queue.put(lambda name=name: done.append(name), urgency)
    queue.put(lambda: done.append("opened"), Urgency.OPENED)
    go_on.set()
    assert queue.wait_until_idle(60)
    assert done == ["opened", "one", "two", "a sample"]


def test_a_task_that_fails_does_not_stop_the_others(queue: WorkQueue) -> None:
    done: list[int] = []
    queue.put(lambda: done.append(1 // 0))
    queue.put(lambda: done.append(1))
    assert queue.wait_until_idle(60)
    assert done == [1]


def test_what_waits_at_the_end_is_dropped_and_nobody_waits_for_it() -> None:
    queue, begun, go_on, done = WorkQueue(1), threading.Event(), threading.Event(), list[int]()
    queue.start()
    queue.put(lambda: (begun.set(), go_on.wait()))
    begun.wait()
    queue.put(lambda: done.append(1))
    stopping = threading.Thread(target=queue.stop)
    stopping.start()
    go_on.set()
    stopping.join()
    queue.put(lambda: done.append(2))
    assert queue.wait_until_idle(0)
    assert done == []
