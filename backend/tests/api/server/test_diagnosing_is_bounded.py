"""What diagnosing a stranger's case may cost, and what becomes of a case that costs more: the service goes on."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable

import pytest
from sqlalchemy import func, select

from iotriage.intake.case_process import own_sites
from iotriage.intake.case_views import WaitLimits
from iotriage.intake.children import Children
from iotriage.store.cases import MOST_ATTEMPTS, lock_case
from iotriage.store.tables import CaseRow

from ..conftest import HOSTILE, LEGACY, SHARED, Api, LastingChildren

Start = Callable[..., contextlib.AbstractContextManager[Api]]
LIMITS = {"diagnose_memory_bytes": 2**31, "diagnose_seconds": 1, "diagnose_wall_seconds": 60}


def _answer(api: Api, case_id: str) -> tuple[str, str | None]:
    case = api.client.get(f"/api/v1/cases/{case_id}").json()
    return case["status"], case["message"]


@pytest.mark.parametrize(
    ("order", "says"),
    [
        ("hang", "after 1 s of processor time"),
        ("sleep", "after 2 s"),
        ("allocate", "more than the 2,048 MiB of memory"),
        ("raise", "diagnosing them failed"),
        ("no document", "is not whole"),
        ("crash", "ended its process 2 times"),
        ("real-time signal", "ended its process 2 times"),
        ("flood", "ended its process 2 times"),
        ("no frame", "ended its process 2 times"),
    ],
)
def test_a_case_that_costs_too_much_has_failed_and_says_why(
    start: Start, hostile_children: Children, order: str, says: str
) -> None:
    limits = {**LIMITS, "diagnose_wall_seconds": 2} if order == "sleep" else LIMITS
    with start(children=hostile_children, **limits) as api:
        case_id = api.case((order, LEGACY.read_bytes()))
        sound = api.case(("sound", SHARED.read_bytes()))
        api.settle()
        status, message = _answer(api, case_id)
        assert status == "failed"
        assert message is not None
        assert says in message
        assert message.endswith(".")
        assert _answer(api, sound) == ("ready", None)
        assert api.client.get("/healthz").status_code == 200


@pytest.mark.every_database
def test_a_case_that_ended_the_server_twice_is_not_tried_again_by_a_start(start: Start) -> None:
    with start() as api:
        case_id = api.case(("log", LEGACY.read_bytes()))
        api.settle()
        _as_begun(api, case_id, MOST_ATTEMPTS - 1)
    with start() as api:
        api.settle()
        assert _answer(api, case_id) == ("ready", None), "once may be somebody else's fault"
        _as_begun(api, case_id, MOST_ATTEMPTS)
    for _ in range(2):
        with start() as api:
            api.settle()
            status, message = _answer(api, case_id)
            assert status == "failed"
            assert message is not None
            assert "not tried again" in message
    with start() as api:
        assert api.client.patch(f"/api/v1/cases/{case_id}", json={"site": "archer2"}).status_code == 200
        api.settle()
        assert _answer(api, case_id) == ("ready", None), "a person may have it tried once more"


def _as_begun(api: Api, case_id: str, attempts: int) -> None:
    """What a server leaves that was killed while it read the case for the so-manieth time."""
    with api.services.database.writing() as session, session.begin():
        case = lock_case(session, case_id)
        assert case is not None
        case.status, case.attempts = "reading", attempts


@pytest.mark.faults
def test_a_slow_case_never_holds_the_last_worker(start: Start, hostile_children: Children) -> None:
    with start(children=hostile_children, workers=2, diagnose_wall_seconds=3600) as api:
        slow = [api.case(("slow", LEGACY.read_bytes())) for _ in range(3)]
        sleeping = api.case(("sleep", LEGACY.read_bytes()))
        sound = [api.case((f"sound {n}", SHARED.read_bytes())) for n in range(3)]
        while any(_answer(api, case_id)[0] == "reading" for case_id in (*slow, *sound)):
            pass
        assert {_answer(api, case_id) for case_id in (*slow, *sound)} == {("ready", None)}
        assert _answer(api, sleeping)[0] == "reading"
        _give_up(hostile_children)


def _give_up(children: Children) -> None:
    """Ends whatever the children do, as the end of a server does."""
    assert isinstance(children, LastingChildren)
    children.restart()


def test_whoever_asks_while_all_workers_are_busy_is_told_to_ask_again(start: Start, hostile_children: Children) -> None:
    impatient = WaitLimits(start_seconds=0.1, end_seconds=0.1)
    with start(children=hostile_children, workers=2, diagnose_wall_seconds=3600, patience=impatient) as api:
        other = api.case(("sound", LEGACY.read_bytes()))
        api.settle()
        sleeping = [api.case(("sleep", SHARED.read_bytes())) for _ in range(2)]
        while _begun(api) < len(sleeping):
            pass
        for address in ("files", "ranks", "sources/0/lines?first=1&last=2", "sources/0/contents", "files.csv"):
            answer = api.client.get(f"/api/v1/cases/{other}/{address}")
            assert answer.status_code == 503, address
            assert answer.json()["type"] == "urn:iotriage:problem:busy"
            assert int(answer.headers["retry-after"]) > 0
        assert api.client.get(f"/api/v1/cases/{other}").status_code == 200
        _give_up(hostile_children)


def _begun(api: Api) -> int:
    """Cases that a worker has taken: an attempt is counted before it is made."""
    begun = select(func.count()).where(CaseRow.status == "reading", CaseRow.attempts > 0)
    with api.services.database.reading() as session:
        return session.scalars(begun).one()


def test_views_are_answered_by_one_warm_process_for_each_case(start: Start) -> None:
    with start(warm_cases=2) as api:
        cases = [api.case((f"{n}", LEGACY.read_bytes())) for n in range(3)]
        api.settle()
        processes = api.services.processes
        assert processes.warm() == 2
        for case_id in cases:
            assert api.client.get(f"/api/v1/cases/{case_id}/files").status_code == 200
            assert processes.warm() == 2
        assert api.client.delete(f"/api/v1/cases/{cases[-1]}").status_code == 204
        assert processes.warm() == 1


def test_what_is_not_asked_for_a_while_ends(start: Start) -> None:
    with start(warm_seconds=1e-9) as api:
        api.case(("log", LEGACY.read_bytes()))
        api.settle()
        api.services.processes.end_idle()
        assert api.services.processes.warm() == 0


def test_warm_processes_are_bounded_by_their_memory(start: Start) -> None:
    with start(warm_memory_bytes=0) as api:
        case_id = api.case(("log", LEGACY.read_bytes()))
        api.settle()
        assert api.services.processes.warm() == 0
        assert api.client.get(f"/api/v1/cases/{case_id}/files").json()["total"] > 0


def test_a_source_that_failed_is_not_read_again_by_every_view(start: Start) -> None:
    with start(hostile=True, parse_wall_seconds=1, warm_cases=0) as api:
        case_id = api.case(("sleep", b"sleep"), ("nice", b"be nice"))
        api.settle()
        sleeping = api.services.folder.path(hashlib.sha256(b"sleep").hexdigest())
        sleeping.write_bytes(b"be nice")
        answer = api.client.get(f"/api/v1/cases/{case_id}/sources/0/record?module=POSIX")
        assert (answer.status_code, answer.json()["type"]) == (422, "urn:iotriage:problem:timed-out")


def test_a_view_that_ends_its_process_is_a_problem_and_no_more(start: Start) -> None:
    children = Children("hostile_case:answering_views", search_path=(HOSTILE,), more=own_sites)
    with start(children=children, **LIMITS) as api:
        case_id = api.case(("log", LEGACY.read_bytes()))
        api.settle()
        answer = api.client.get(f"/api/v1/cases/{case_id}/files")
        assert (answer.status_code, answer.json()["type"]) == (503, "urn:iotriage:problem:case-ended")
        answer = api.client.get(f"/api/v1/cases/{case_id}/ranks")
        assert (answer.status_code, answer.json()["type"]) == (422, "urn:iotriage:problem:too-costly")
        assert api.client.get(f"/api/v1/cases/{case_id}/sources/0/record?module=POSIX").status_code == 200
