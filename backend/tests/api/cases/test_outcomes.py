"""A rerun is attached to its ticket: what became of the advice, for the ticket, for the rules, and for jobs like it."""

from __future__ import annotations

import bz2
import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from iotriage.helpdesk.outcomes import Assessment, forget_decision, rerun_of, save_outcome
from iotriage.store.ticket_tables import TicketCaseRow

from ..conftest import SAMPLE_LOGS, Api

CORPUS = Path(os.environ.get("IOTRIAGE_CORPUS", SAMPLE_LOGS.parents[1] / "shared"))
BAD = SAMPLE_LOGS / "darshan_log/11-coll-subarray-cb-ds-disable/11-coll-subarray-cb-ds-disable.darshan"
FINE = SAMPLE_LOGS / "darshan_log/14-balanced/14-balanced.darshan"
UNDATED = ("bad-collective-write-one-aggregator", "good-collective-write")
ALIKE = SAMPLE_LOGS / "darshan_log/10-coll-subarray-cb-disable/10-coll-subarray-cb-disable.darshan"
GOOD = SAMPLE_LOGS / "darshan_log/09-coll-subarray-cb-enable/09-coll-subarray-cb-enable.darshan"


def given(api: Api, *cases: tuple[str, bytes]) -> list[str]:
    return [api.case(one) for one in cases]


@pytest.mark.every_database
def test_a_rerun_that_is_attached_says_whether_the_advice_helped(api: Api) -> None:
    bad, good, other = given(api, ("bad", BAD.read_bytes()), ("good", GOOD.read_bytes()), ("x", b"nothing to read"))
    ticket = api.client.post("/api/v1/tickets", json={"cases": [bad], "reference": "RT-4107"}).json()
    address = f"/api/v1/tickets/{ticket['id']}"
    # Attached before it is read: the outcome comes with the reading.
    api.client.post(f"{address}/cases", json={"case": good, "role": "after"})
    api.settle()
    found = api.client.get(address).json()
    outcome = found["outcome"]
    (compared,) = api.client.get("/api/v1/compare", params={"cases": f"{bad},{good}"}).json()["steps"]
    assert (outcome["verdict"], outcome["factor"]) == ("helped", compared["factor"])
    assert outcome["sentence"] == (
        "helped, 23.4 times faster: its I/O took 0.28 s instead of 6.49 s, the run 2.10 s instead of 8.35 s"
    )
    assert set(outcome["rules"]) == {c["rule"] for c in compared["causes"]} & set(compared["gone"]) != set()
    assert (outcome["before_case"], outcome["after_case"], outcome["decided_by"]) == (bad, good, None)
    assert (found["history"][-1]["kind"], found["history"][-1]["by"]) == ("outcome", "IOtriage")
    (rule, *_) = outcome["rules"]
    records = {r["rule"]: r for r in api.client.get("/api/v1/outcomes").json()}
    assert (records[rule]["helped"], records[rule]["did_not_help"]) == (1, 0)
    assert records[rule]["median_factor"] == compared["factor"]
    (advised,) = api.client.get(f"/api/v1/outcomes/{rule}/tickets").json()
    assert (advised["ticket"], advised["advised"]) == (ticket["id"], outcome["advised"])

    # Who sent the rerun is asked for none, nor told once more to do what helped.
    was, is_now = (api.client.get(f"/api/v1/cases/{case}").json()["document"] for case in (bad, good))
    still = {f["rule"] for f in is_now["findings"] if f["verdict"] == "triggered"}
    found_then = [f for f in was["findings"] if f["verdict"] == "triggered"]
    gone = ",".join(f"{f['rule']}@{f['scope']['id']}" for f in found_then if f["rule"] not in still)
    reply = " ".join(api.client.get(f"/api/v1/cases/{bad}/reply", params={"findings": gone}).json()["text"].split())
    assert "the change helped. Its I/O took 0.28 s instead of 6.49 s, the run 2.10 s instead of 8.35 s." in reply
    assert f"What the log of the rerun shows: {is_now['headline']['sentence']}" in reply
    assert "Before the next run" not in reply
    assert "send us" not in reply

    (entry,) = [e for e in api.client.get("/api/v1/queue").json()["entries"] if e["ticket"] == ticket["id"]]
    # The ticket is about the run before, and its line says what the rerun showed.
    assert (entry["case"], entry["cases"], entry["outcome"]) == (bad, 2, "helped, 23.4 times faster")
    like = {s["case"]: s for s in api.client.get(f"/api/v1/cases/{good}/similar").json()}
    assert (like[bad]["same_application"], like[bad]["verdict"], like[bad]["after_case"]) == (True, "helped", good)
    assert (like[bad]["ticket"], like[bad]["reference"]) == (ticket["id"], "RT-4107")
    assert like[bad]["advised"] == outcome["advised"]
    assert other not in like
    assert api.client.get("/api/v1/cases/nobody/similar").status_code == 404

    decided = {"version": found["version"], "verdict": "unclear", "rules": [rule], "reason": "another node count"}
    refused = api.client.patch(f"{address}/outcome", json=decided | {"rules": [rule, "no-such-rule"]})
    assert (refused.status_code, refused.json()["detail"]) == (422, "No rule is called no-such-rule.")
    after = api.client.patch(f"{address}/outcome", json=decided).json()
    reply = reply_to(api, bad)
    assert "Before the next run" in reply
    assert "What else you sent" not in reply
    assert (after["outcome"]["verdict"], after["outcome"]["decided_by"]) == ("unclear", "local")
    assert after["outcome"]["factor"] == compared["factor"]
    (entry,) = [e for e in api.client.get("/api/v1/queue").json()["entries"] if e["ticket"] == ticket["id"]]
    assert entry["outcome"] == "unclear"
    assert api.client.patch(f"{address}/outcome", json=decided).status_code == 409
    # What a person said stays, whatever is read again, until the comparison is asked for.
    api.client.post(f"{address}/cases", json={"case": good, "role": "after"})
    assert api.client.get(address).json()["outcome"]["reason"] == "another node count"
    again = api.client.post(f"{address}/outcome/compare").json()["outcome"]
    assert (again["verdict"], again["reason"]) == ("helped", None)


def test_a_rerun_that_was_no_faster_did_not_help(api: Api) -> None:
    bad, good = given(api, ("bad", BAD.read_bytes()), ("good", GOOD.read_bytes()))
    api.settle()
    ticket = api.client.post("/api/v1/tickets", json={"cases": [good]}).json()
    attached = api.client.post(f"/api/v1/tickets/{ticket['id']}/cases", json={"case": bad, "role": "after"}).json()
    assert attached["outcome"]["verdict"] == "did not help"
    unread = api.case(("x", b"nothing to read"))
    api.client.post(f"/api/v1/tickets/{ticket['id']}/cases", json={"case": unread, "role": "after"})
    api.settle()
    history = api.client.get(f"/api/v1/tickets/{ticket['id']}").json()["history"]
    assert [event["kind"] for event in history].count("outcome") == 1
    assert attached["outcome"]["sentence"].startswith("did not help, 23.4 times slower: its I/O took 6.49 s")
    assert attached["outcome"]["rules"] == []
    assert api.client.get("/api/v1/outcomes").json() == []


def test_who_sent_a_rerun_that_did_not_help_is_told_of_that_run(api: Api) -> None:
    """Not once more what they were told before it, as if none had come."""
    good, bad = given(api, ("good", GOOD.read_bytes()), ("bad", BAD.read_bytes()))
    alike, again = given(api, ("alike", ALIKE.read_bytes()), ("again", BAD.read_bytes()))
    api.settle()
    measured = ticket_with(api, good, bad)["outcome"]["sentence"].partition(": ")[2]
    said = api.client.get(f"/api/v1/cases/{bad}").json()["document"]["headline"]["sentence"]
    reply = reply_to(api, good)
    assert f"Thank you for the rerun: so far its I/O is no better. I{measured[1:]}. {said}" in reply
    assert "was the change in this run?" not in reply

    # What was found before is there still: the figures of the reply are those of the rerun.
    before = reply_to(api, alike)
    assert ticket_with(api, alike, again)["outcome"]["verdict"] == "did not help"
    reply = reply_to(api, alike)
    assert f"What we found is still there: was the change in this run? {said}" in reply
    assert "Before the next run" in reply
    assert before.partition("What the evidence shows")[2] not in reply


def test_who_sent_several_logs_is_told_of_each(api: Api) -> None:
    """Of one at length; of a copy of it nothing, and of one that could not be read what its own reply says."""
    bad, good, again = given(api, ("a", BAD.read_bytes()), ("b", GOOD.read_bytes()), ("c", BAD.read_bytes()))
    fine, unread, alone = given(api, ("d", FINE.read_bytes()), ("e", b"nothing to read"), ("f", ALIKE.read_bytes()))
    api.settle()
    ticket = api.client.post("/api/v1/tickets", json={"cases": [bad, good, again, fine, unread]}).json()
    api.client.post("/api/v1/tickets", json={"cases": [alone]})
    of = {c["id"]: f"- Job {c['job_id']}: {c['headline']}" for c in ticket["cases"]}
    assert reply_to(api, bad).endswith(f"The other runs that you sent: {of[good]} {of[fine]}")
    assert reply_to(api, good).endswith(f"The other runs that you sent: {of[bad]} {of[fine]}")
    assert "The other runs that you sent" not in reply_to(api, unread)
    assert "The other runs that you sent" not in reply_to(api, alone)


def reply_to(api: Api, case: str) -> str:
    return " ".join(api.client.get(f"/api/v1/cases/{case}/reply").json()["text"].split())


def ticket_with(api: Api, before: str, after: str) -> dict[str, Any]:
    ticket = api.client.post("/api/v1/tickets", json={"cases": [before]}).json()
    address = f"/api/v1/tickets/{ticket['id']}"
    found: dict[str, Any] = api.client.post(f"{address}/cases", json={"case": after, "role": "after"}).json()
    return found


def test_the_log_of_before_given_again_is_no_rerun(api: Api) -> None:
    """The same bytes, and the same log compressed otherwise."""
    again = bz2.compress(BAD.read_bytes())
    bad, copy, other = given(api, ("a", BAD.read_bytes()), ("b", BAD.read_bytes()), ("c.darshan.bz2", again))
    api.settle()
    for second in (copy, other):
        ticket = ticket_with(api, bad, second)
        outcome = ticket["outcome"]
        assert (outcome["verdict"], outcome["factor"], outcome["rules"]) == ("unclear", None, [])
        assert outcome["sentence"].startswith("unclear: the run before and the run after are sources of one run, job ")
        assert api.client.get("/api/v1/compare", params={"cases": f"{bad},{second}"}).json()["outcome"] == "unknown"
        api.client.delete(f"/api/v1/tickets/{ticket['id']}")


def test_the_log_of_before_given_after_a_rerun_undoes_nothing(api: Api) -> None:
    bad, good, again = given(api, ("a", BAD.read_bytes()), ("b", GOOD.read_bytes()), ("c", BAD.read_bytes()))
    api.settle()
    ticket = ticket_with(api, bad, good)
    address = f"/api/v1/tickets/{ticket['id']}"
    found = api.client.post(f"{address}/cases", json={"case": again, "role": "after"}).json()
    assert (found["outcome"]["verdict"], found["outcome"]["after_case"]) == ("helped", good)
    # Alone it is no rerun.
    left = api.client.delete(f"{address}/cases/{good}").json()
    assert (left["outcome"]["verdict"], left["outcome"]["after_case"]) == ("unclear", again)


@pytest.mark.parametrize("bad_is_first", [True, False])
def test_a_rerun_is_held_against_the_run_that_its_ticket_is_about(api: Api, bad_is_first: bool) -> None:
    bad, fine, good = given(api, ("a", BAD.read_bytes()), ("b", FINE.read_bytes()), ("c", GOOD.read_bytes()))
    api.settle()
    ticket = api.client.post("/api/v1/tickets", json={"cases": [bad if bad_is_first else fine]}).json()
    address = f"/api/v1/tickets/{ticket['id']}/cases"
    api.client.post(address, json={"case": fine if bad_is_first else bad, "role": "before"})
    outcome = api.client.post(address, json={"case": good, "role": "after"}).json()["outcome"]
    assert (outcome["before_case"], outcome["verdict"]) == (bad, "helped")


def test_a_read_run_that_comes_by_the_reference_of_its_ticket_is_judged(api: Api) -> None:
    bad, good = given(api, ("bad", BAD.read_bytes()), ("good", GOOD.read_bytes()))
    api.settle()
    asked = {"reference": "RT-1", "cases": [bad], "status": "answered"}
    api.date_back(api.client.post("/api/v1/tickets", json=asked).json()["id"])
    added = api.client.post("/api/v1/tickets", json={"reference": "RT-1", "cases": [good, bad]}).json()
    assert {case["id"]: case["role"] for case in added["cases"]} == {bad: "before", good: "after"}
    assert (added["outcome"]["verdict"], added["outcome"]["after_case"]) == ("helped", good)


def test_what_a_run_showed_is_taken_back_with_the_run(api: Api) -> None:
    bad, good = given(api, ("bad", BAD.read_bytes()), ("good", GOOD.read_bytes()))
    api.settle()
    ticket = ticket_with(api, bad, good)
    assert ticket["outcome"]["verdict"] == "helped"
    address = f"/api/v1/tickets/{ticket['id']}"
    # Both before: nothing ran after the advice.
    moved = api.client.post(f"{address}/cases", json={"case": good, "role": "before"}).json()
    assert moved["outcome"] is None
    assert (moved["history"][-1]["kind"], moved["history"][-1]["after"]) == ("outcome", None)
    assert api.client.post(f"{address}/cases", json={"case": good, "role": "after"}).json()["outcome"] is not None
    assert api.client.delete(f"{address}/cases/{good}").json()["outcome"] is None
    assert api.client.get("/api/v1/outcomes").json() == []


def test_what_a_deleted_run_showed_stays_known(api: Api) -> None:
    bad, good = given(api, ("bad", BAD.read_bytes()), ("good", GOOD.read_bytes()))
    api.settle()
    ticket = ticket_with(api, bad, good)
    api.client.delete(f"/api/v1/cases/{good}")
    again = api.client.post(f"/api/v1/tickets/{ticket['id']}/cases", json={"case": bad, "role": "before"}).json()
    assert again["outcome"]["verdict"] == "helped"


@pytest.mark.every_database
@pytest.mark.parametrize("status", ["waiting", "answered", "closed"])
def test_a_run_that_comes_puts_its_ticket_back_to_work(api: Api, status: str) -> None:
    bad, good = given(api, ("bad", BAD.read_bytes()), ("good", GOOD.read_bytes()))
    api.settle()
    opened = api.client.post("/api/v1/tickets", json={"reference": "RT-1", "cases": [bad], "status": status}).json()
    assert opened["fields"]["status"] == status
    api.client.post(f"/api/v1/cases/{good}/ticket", json={"ticket": "RT-1"})
    found = api.client.get(f"/api/v1/tickets/{opened['id']}").json()
    assert found["fields"]["status"] == "new"
    told = [(e["before"], e["after"]) for e in found["history"] if e["kind"] == "status"]
    assert told == [(status, "new")]
    (entry,) = [e for e in api.client.get("/api/v1/queue", params={"status": "new"}).json()["entries"] if e["ticket"]]
    assert entry["ticket"] == opened["id"]


@pytest.mark.every_database
@pytest.mark.parametrize("opened", ["new", "in work", "answered"])
def test_what_comes_before_an_answer_is_no_rerun_of_the_advice(api: Api, opened: str) -> None:
    def mail(name: str, log: bytes, **said: str) -> dict[str, Any]:
        files = {"attachment": (name, log)}
        found: dict[str, Any] = api.client.post(
            "/api/v1/tickets", data={"reference": "RT-1", **said}, files=files
        ).json()
        return found

    answered = opened == "answered"
    ticket = mail("monday.darshan", BAD.read_bytes(), status=opened)["id"]
    address = f"/api/v1/tickets/{ticket}"
    api.date_back(ticket)
    mail("tuesday.darshan", GOOD.read_bytes())
    api.settle()
    found = api.client.get(address).json()
    assert [case["role"] for case in found["cases"]] == ["before", "after" if answered else "before"]
    assert ((found["outcome"] is not None), found["fields"]["status"]) == (answered, "new" if answered else opened)
    if not answered:
        asked = {"entries": [{"ticket": found["id"]}], "status": "waiting"}
        assert api.client.post("/api/v1/queue/actions", json=asked).json()[0]["refused"] is None
    mail("friday.txt", b"a third thing")
    assert api.client.get(address).json()["cases"][-1]["role"] == "after"


def began(log: Path) -> datetime:
    """When the job of a sample began, by its header."""
    (source,) = json.loads((log.parent / "evidence.json").read_text()).values()
    (start,) = (part["job"]["start_time"] for part in source["parts"] if "job" in part)
    return datetime.fromtimestamp(start, UTC)


@pytest.mark.every_database
@pytest.mark.parametrize(("answered", "side"), [(-1, "after"), (1, "before")])
def test_a_log_that_comes_after_an_answer_is_on_the_side_on_which_its_job_began(
    api: Api, answered: int, side: str
) -> None:
    """By mail, by its user, and by the helpdesk without a word, or on its page: read before it is given, or after."""
    at = began(GOOD) + timedelta(seconds=answered)
    ways: tuple[Callable[[str], object], ...] = (
        lambda reference: api.client.post(
            "/api/v1/tickets", data={"reference": reference}, files={"attachment": ("l", GOOD.read_bytes())}
        ),
        lambda reference: api.client.post(
            f"/api/v1/cases/{api.case(('l', GOOD.read_bytes()), alone=True)}/ticket", json={"ticket": reference}
        ),
        lambda reference: api.client.post(
            "/api/v1/tickets",
            json={"reference": reference, "cases": [api.case(("l", GOOD.read_bytes()), alone=True)]},
        ),
        lambda reference: api.client.post(
            f"/api/v1/tickets/{ticket}/cases",
            json={"case": api.case(("l", GOOD.read_bytes()), alone=True), "role": None},
        ),
    )
    for way, give in enumerate(ways):
        bad = api.case(("bad", BAD.read_bytes()), alone=True)
        api.settle()
        asked = {"reference": f"RT-{way}", "cases": [bad], "status": "answered"}
        ticket = api.client.post("/api/v1/tickets", json=asked).json()["id"]
        api.date_back(ticket, at)
        give(f"RT-{way}")
        api.settle()
        found = api.client.get(f"/api/v1/tickets/{ticket}").json()
        assert [(case["role"], case["presumed"]) for case in found["cases"]] == [("before", False), (side, False)]
        assert (found["outcome"] is not None) == (side == "after")
        moved = [event["before"] for event in found["history"] if event["kind"] == "case dated"]
        assert moved == (["before"] if side == "before" else [])


def test_what_was_compared_before_a_run_changed_sides_is_not_written(api: Api) -> None:
    """Somebody compares while another, who has read the log, puts it on the side on which its job began."""
    bad, good = given(api, ("bad", BAD.read_bytes()), ("good", GOOD.read_bytes()))
    api.settle()
    ticket, database = ticket_with(api, bad, good), api.services.database
    with database.reading() as session:
        rerun = rerun_of(session, ticket["id"])
    assert rerun is not None
    with database.writing() as session, session.begin():
        forget_decision(session, ticket["id"])
        session.get_one(TicketCaseRow, rerun.after_id).role = "before"
    with database.writing() as session, session.begin():
        save_outcome(session, rerun, Assessment("helped", 2.0, None, ()))
    assert api.client.get(f"/api/v1/tickets/{ticket['id']}").json()["outcome"] is None


@pytest.mark.parametrize("first", [None, ("photo.pdf", b"%PDF-1.5")], ids=["no log", "none that can be read"])
def test_who_was_asked_for_a_log_was_advised_nothing(api: Api, first: tuple[str, bytes] | None) -> None:
    """The first log comes after that, of a job that began after it; so does a second, before anybody answers."""

    def mail(*files: tuple[str, bytes]) -> int:
        attached = [("attachment", one) for one in files]
        data = {"reference": "RT-1", "note": "Slow."}
        if not attached:
            return int(api.client.post("/api/v1/tickets", json=data).json()["id"])
        return int(api.client.post("/api/v1/tickets", data=data, files=attached).json()["id"])

    def says(status: str) -> None:
        asked = {"entries": [{"ticket": ticket}], "status": status}
        assert api.client.post("/api/v1/queue/actions", json=asked).json()[0]["refused"] is None
        api.date_back(ticket)

    ticket = mail(*([] if first is None else [first]))
    api.settle()
    says("waiting")
    mail(("bad.darshan", BAD.read_bytes()), ("fine.darshan", FINE.read_bytes()))
    api.settle()
    cases = api.client.get(f"/api/v1/tickets/{ticket}").json()["cases"]
    assert {(case["role"], case["presumed"]) for case in cases} == {("before", False)}
    says("answered")
    mail(("good.darshan", GOOD.read_bytes()))
    api.settle()
    now = api.client.get(f"/api/v1/tickets/{ticket}").json()
    assert (now["cases"][-1]["role"], now["outcome"] is not None) == ("after", True)


def test_logs_of_one_mail_are_each_on_the_side_on_which_its_job_began(api: Api) -> None:
    before = api.case(("bad", BAD.read_bytes()))
    api.settle()
    asked = {"reference": "RT-1", "cases": [before], "status": "answered"}
    ticket = api.client.post("/api/v1/tickets", json=asked).json()["id"]
    early, late = sorted((FINE, GOOD), key=began)
    api.date_back(ticket, began(late) - timedelta(seconds=1))
    files = [("attachment", (log.name, log.read_bytes())) for log in (late, early)]
    api.client.post("/api/v1/tickets", data={"reference": "RT-1"}, files=files)
    api.settle()
    cases = api.client.get(f"/api/v1/tickets/{ticket}").json()["cases"]
    runs = {c["id"]: api.client.get(f"/api/v1/cases/{c['id']}").json()["document"]["job"] for c in cases}
    sides = {round(runs[c["id"]]["start_time"]): c["role"] for c in cases if c["id"] != before}
    assert sides == {round(began(early).timestamp()): "before", round(began(late).timestamp()): "after"}


def test_of_a_run_that_nobody_dates_a_person_says_on_which_side_it_is(api: Api) -> None:
    """MPICH's statistics have no date: what came after the answer may be the run that the user had complained of."""
    slow, fast = (next((SAMPLE_LOGS / "mpich_stats" / name).glob("*.txt")) for name in UNDATED)
    (before,) = given(api, ("slow.err", slow.read_bytes()))
    api.settle()
    asked = {"reference": "RT-1", "cases": [before], "status": "answered"}
    address = f"/api/v1/tickets/{api.client.post('/api/v1/tickets', json=asked).json()['id']}"
    api.client.post("/api/v1/tickets", data={"reference": "RT-1"}, files={"attachment": ("x.err", fast.read_bytes())})
    api.settle()
    found = api.client.get(address).json()
    (_, after) = found["cases"]
    assert (after["role"], after["presumed"], found["outcome"]["verdict"]) == ("after", True, "unclear")
    assert "no source says when the run after began" in found["outcome"]["sentence"]
    assert found["outcome"]["rules"] == []
    said = api.client.post(f"{address}/cases", json={"case": after["id"], "role": "after"}).json()
    assert said["cases"][1]["presumed"] is False
    assert "no source says" not in said["outcome"]["sentence"]


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the logs of others are not here")
def test_the_runs_of_a_cache_demonstration_say_how_much_faster_their_io_became(api: Api) -> None:
    slow, fast = ((CORPUS / f"logs/cache_demo.{number}.darshan").read_bytes() for number in (4, 5))
    before, after = given(api, ("slow", slow), ("fast", fast))
    api.settle()
    ticket = api.client.post("/api/v1/tickets", json={"cases": [before]}).json()
    outcome = api.client.post(f"/api/v1/tickets/{ticket['id']}/cases", json={"case": after, "role": "after"}).json()[
        "outcome"
    ]
    assert outcome["sentence"].startswith("helped, 4.85 times faster: its I/O took 45.2 s instead of ")


def test_a_run_that_is_added_without_a_side_is_on_the_one_that_it_has(api: Api) -> None:
    bad = api.case(("bad", BAD.read_bytes()), alone=True)
    api.settle()
    ticket = api.client.post("/api/v1/tickets", json={"cases": [bad], "status": "answered"}).json()["id"]
    given = {"case": bad, "role": None}
    found = api.client.post(f"/api/v1/tickets/{ticket}/cases", json=given).json()
    assert [(case["role"], case["presumed"]) for case in found["cases"]] == [("before", False)]
    assert api.client.post(f"/api/v1/tickets/{ticket + 1}/cases", json=given).status_code == 404
