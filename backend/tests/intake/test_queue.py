"""The most urgent task is done first, and a task that fails takes nobody with it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from iotriage.intake.queue import BusyError, MovedError, QueuedTask, Urgency, WorkQueue


@pytest.fixture
def queue() -> Iterator[WorkQueue]:
    queue = WorkQueue(1)
    queue.start()
    yield queue
    queue.stop()


def test_what_a_person_looks_at_comes_first_and_else_the_oldest(queue: WorkQueue) -> None:
    done, begun, go_on = list[str](), threading.Event(), threading.Event()

    def first(_: QueuedTask) -> None:
        begun.set()
        go_on.wait()

    queue.put(first)
    begun.wait()
    for name, urgency in (("a sample", Urgency.UNASKED), ("one", Urgency.NEW), ("two", Urgency.NEW)):
        queue.put(lambda _, name=name: done.append(name), urgency)
    queue.put(lambda _: done.append("opened"), Urgency.OPENED)
    go_on.set()
    assert queue.wait_until_idle(60)
    assert done == ["opened", "one", "two", "a sample"]


def test_what_is_opened_and_what_is_new_take_turns(queue: WorkQueue) -> None:
    done, begun, go_on = list[str](), threading.Event(), threading.Event()
    queue.put(lambda _: (begun.set(), go_on.wait()))
    begun.wait()
    for number in range(3):
        queue.put(lambda _, number=number: done.append(f"opened {number}"), Urgency.OPENED)
    queue.put(lambda _: done.append("a sample"), Urgency.UNASKED)
    for number in range(2):
        queue.put(lambda _, number=number: done.append(f"new {number}"), Urgency.NEW)
    go_on.set()
    assert queue.wait_until_idle(60)
    assert done == ["opened 0", "new 0", "opened 1", "new 1", "opened 2", "a sample"]


def test_a_task_that_fails_does_not_stop_the_others(queue: WorkQueue) -> None:
    done: list[int] = []
    queue.put(lambda _: done.append(1 // 0))
    queue.put(lambda _: done.append(1))
    assert queue.wait_until_idle(60)
    assert done == [1]


def test_what_waits_at_the_end_is_dropped_and_nobody_waits_for_it() -> None:
    queue, begun, go_on, done = WorkQueue(1), threading.Event(), threading.Event(), list[int]()
    queue.start()
    queue.put(lambda _: (begun.set(), go_on.wait()))
    begun.wait()
    queue.put(lambda _: done.append(1))
    stopping = threading.Thread(target=queue.stop)
    stopping.start()
    go_on.set()
    stopping.join()
    queue.put(lambda _: done.append(2))
    assert queue.wait_until_idle(0)
    assert done == []


def test_of_one_case_one_task_runs_at_a_time_and_holds_up_no_other() -> None:
    queue, begun, go_on, done = WorkQueue(3), threading.Event(), threading.Event(), list[str]()
    queue.start()

    def first(_: QueuedTask) -> None:
        begun.set()
        go_on.wait()
        done.append("first")

    queue.put(first, key="a")
    begun.wait()
    for name in ("second", "third"):
        queue.put(lambda _, name=name: done.append(name), key="a")
    assert queue.ask(lambda _: "other", "b", 60, 60) == "other"
    assert done == []
    go_on.set()
    assert queue.wait_until_idle(60)
    assert done == ["first", "second", "third"]
    queue.stop()


def test_slow_tasks_leave_a_worker_to_others_and_are_begun_again() -> None:
    queue, go_on, begun = WorkQueue(2), threading.Event(), list[str]()
    first_begun = threading.Event()
    queue.start()

    def slow(ticket: QueuedTask, name: str) -> None:
        begun.append(name)
        ticket.spent(0.6)
        ticket.spent(0.6)
        first_begun.set()
        go_on.wait()

    queue.put(lambda ticket: slow(ticket, "one"))
    first_begun.wait()
    queue.put(lambda ticket: slow(ticket, "two"))
    queue.put(lambda ticket: slow(ticket, "three"))
    assert queue.ask(lambda _: 1, None, 60, 60) == 1
    go_on.set()
    assert queue.wait_until_idle(60)
    assert sorted(begun) == ["one", "three", "three", "two", "two"]
    queue.stop()


def test_an_asked_task_that_moves_is_answered_all_the_same() -> None:
    queue, go_on, slow_begun = WorkQueue(2), threading.Event(), threading.Event()
    queue.start()

    def slow(ticket: QueuedTask) -> None:
        ticket.spent(2)
        slow_begun.set()
        go_on.wait()

    def asked(ticket: QueuedTask) -> str:
        if not ticket.slow:
            go_on.set()
        ticket.spent(2)
        return "answer"

    queue.put(slow)
    slow_begun.wait()
    assert queue.ask(asked, None, 60, 60) == "answer"
    queue.stop()


def test_whoever_waits_too_long_or_comes_too_late_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iotriage.intake.queue.MOST_ASKED", 2)
    queue, go_on, begun = WorkQueue(1), threading.Event(), threading.Event()
    queue.start()
    queue.put(lambda _: (begun.set(), go_on.wait()))
    begun.wait()
    with pytest.raises(BusyError):
        queue.ask(lambda _: 1, None, 0.01, 0.01)
    with ThreadPoolExecutor(2) as people:
        waiting = [people.submit(queue.ask, lambda _: 1, None, 60, 60) for _ in range(2)]
        while queue.asked() < 2:
            pass
        with pytest.raises(BusyError):
            queue.ask(lambda _: 1, None, 60, 60)
        go_on.set()
        assert [w.result() for w in waiting] == [1, 1]
    queue.stop()


def test_what_an_asked_task_raises_is_raised_where_it_was_asked(queue: WorkQueue) -> None:
    with pytest.raises(ZeroDivisionError):
        queue.ask(lambda _: 1 // 0, None, 60, 60)
    with pytest.raises(MovedError):
        QueuedTask(slow=False, make_slow=lambda: False).spent(2)
