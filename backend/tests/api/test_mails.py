"""What a mail system gives: a ticket with its logs, which is opened whatever the mail lacks."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from email.message import EmailMessage
from typing import Any

import pytest

from iotriage.helpdesk.splitting import split_by_job
from iotriage.store.tables import CaseRow

from .conftest import BALANCED, GRAVE, STATS, Api, queue, ticket


def test_a_mail_system_gives_a_ticket_with_its_logs(api: Api) -> None:
    def give(*files: tuple[str, tuple[str, bytes]], **said: str) -> Any:
        return api.client.post("/api/v1/tickets", data=said, files=list(files))

    logs = [("attachment", ("job.darshan", GRAVE)), ("attachment", ("slurm.err", STATS.read_bytes()))]
    made = give(*logs, subject="slow", reference="RT-7", user="ada", note="It *was* faster.")
    assert made.status_code == 201, made.text
    (case,) = made.json()["cases"]
    api.settle()
    read = api.client.get(f"/api/v1/cases/{case['id']}").json()
    assert [(s["name"], s["status"]) for s in read["sources"]] == [("job.darshan", "read"), ("slurm.err", "read")]
    assert [n["text"] for n in made.json()["notes"]] == ["It *was* faster."]
    assert made.json()["fields"]["reference"] == "RT-7"
    answered = {"entries": [{"ticket": made.json()["id"]}], "status": "answered"}
    assert api.client.post("/api/v1/queue/actions", json=answered).json()[0]["refused"] is None
    api.date_back(made.json()["id"])
    again = give(("attachment", ("rerun.darshan", BALANCED)), ticket="RT-7", note="Again.").json()
    api.settle()
    assert again["id"] == made.json()["id"]
    assert [c["role"] for c in again["cases"]] == ["before", "after"]
    assert again["fields"]["subject"] == "slow"
    at = f"/api/v1/tickets/{again['id']}"
    for status, then in (("waiting", "new"), ("closed", "new")):
        now = api.client.get(at).json()
        api.client.patch(at, json={**now["fields"], "status": status, "version": now["version"]})
        api.client.post(f"{at}/notes", json={"text": "For ourselves."})
        assert api.client.get(at).json()["fields"]["status"] == status
        mail = {"ticket": "RT-7", "note": "Here is what you asked for."}
        assert api.client.post("/api/v1/tickets", json=mail).json()["fields"]["status"] == then
    refused = give(*logs, ticket="RT-8")
    assert (refused.status_code, refused.json()["detail"]) == (404, "Ticket 'RT-8' is not here.")
    refused = api.client.patch("/api/v1/tickets/1/notes/9", json={"version": 1, "text": "They came back."})
    assert (refused.status_code, refused.json()["title"]) == (404, "There is no such note")
    assert give(("log", ("job.darshan", GRAVE))).status_code == 422
    assert give(*logs, colour="red").status_code == 422
    plain = api.client.post("/api/v1/tickets", content=b"{}", headers={"content-type": "text/plain"})
    assert (plain.status_code, queue(api)["counts"]["total"]) == (415, 1)
    assert "multipart/form-data or application/x-www-form-urlencoded" in plain.json()["detail"]
    # A form without files, as `curl -d` and a page of a mail system send it.
    noted = api.client.post(
        "/api/v1/tickets", data={"reference": "RT-7", "note": "Noch ein Gru\xdf + mehr", "user": " "}
    )
    assert (noted.status_code, noted.json()["id"]) == (201, made.json()["id"])
    assert noted.json()["notes"][-1]["text"] == "Noch ein Gru\xdf + mehr"
    # A mail without files may have an empty field for them, and a page has one of no name.
    nothing = b'--x\r\nContent-Disposition: form-data; name=attachment; filename=""\r\n\r\n\r\n--x--\r\n'
    for sent in (
        {"data": {"attachment": " ", "subject": "a"}},
        {"files": {"attachment": (None, ""), "subject": (None, "a")}},
        {"content": nothing, "headers": {"content-type": "multipart/form-data; boundary=x"}},
    ):
        empty = api.client.post("/api/v1/tickets", **sent)
        assert (empty.status_code, empty.json()["cases"]) == (201, [])
    for sent in ({"data": {"attachment": "@job.darshan"}}, {"files": {"attachment": (None, "@job.darshan")}}):
        told = api.client.post("/api/v1/tickets", **sent)
        assert (told.status_code, "curl -F 'attachment=@job.darshan'" in told.json()["detail"]) == (422, True)


def test_a_mail_that_comes_twice_is_there_once(api: Api) -> None:
    """As a mail system does that had no answer; what is new in one comes to the ticket."""

    def give(*logs: bytes, note: str = "It is slow.\n\n-- \nAda\n") -> Any:
        files = [("attachment", (f"{n}.darshan", log)) for n, log in enumerate(logs)]
        said = {"reference": "RT-7", "note": note}
        sent = {"data": said, "files": files} if files else {"json": said}
        answer = api.client.post("/api/v1/tickets", **sent)
        api.settle()
        return api.client.get(f"/api/v1/tickets/{answer.json()['id']}").json()

    first, again, nothing = give(GRAVE, BALANCED), give(GRAVE, BALANCED), give()
    assert (len(first["cases"]), len(first["notes"])) == (2, 1)
    assert (again["cases"], again["notes"], again["version"]) == (first["cases"], first["notes"], first["version"])
    assert len(nothing["notes"]) == 2
    one, written = give(BALANCED), give(GRAVE, note="Any news?")
    assert [len(of["cases"]) for of in (one, written)] == [2, 2]
    assert [len(of["notes"]) for of in (one, written)] == [2, 3]
    assert len(give(BALANCED, STATS.read_bytes())["cases"]) > 2
    answered = {"entries": [{"ticket": first["id"]}], "status": "answered"}
    api.client.post("/api/v1/queue/actions", json=answered)
    api.date_back(first["id"])
    after = give(GRAVE)
    assert [case["role"] for case in after["cases"]].count("after") == 1
    assert give(GRAVE)["cases"] == after["cases"]


@pytest.mark.every_database
def test_of_mails_of_one_reference_that_come_at_once_one_opens_the_ticket(api: Api) -> None:
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda n: ticket(api, reference="RT-7", note=f"mail {n}"), range(8)))
    (number,) = {one["id"] for one in made}
    notes = api.client.get(f"/api/v1/tickets/{number}").json()["notes"]
    assert sorted(n["text"] for n in notes) == [f"mail {n}" for n in range(8)]


@pytest.mark.every_database
def test_of_a_mail_that_is_sent_again_while_it_is_taken_there_is_one(api: Api) -> None:
    """To the ticket by its number, as who answers one of ours does; that has a reference, or not."""
    for asked in (ticket(api, reference="RT-7"), ticket(api)):
        mail = {"data": {"ticket": str(asked["id"]), "note": "Again."}, "files": [("attachment", ("log", b"a log"))]}
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _, mail=mail: api.client.post("/api/v1/tickets", **mail), range(8)))
        told = api.client.get(f"/api/v1/tickets/{asked['id']}").json()
        assert [len(told[of]) for of in ("cases", "notes")] == [1, 1]


def test_a_reference_of_one_system_and_of_none_yet_is_one_ticket(api: Api) -> None:
    """Of which system the first mail was, it need not say; of two systems one reference is two tickets."""

    def mail(**said: str) -> int:
        found: int = api.client.post("/api/v1/tickets", json=said).json()["id"]
        return found

    first = mail(reference="7")
    assert mail(reference="7", system="archer2") == first
    assert mail(reference="7", system="ARCHER2") == mail(reference="7") == first
    other = mail(reference="7", system="lumi")
    assert other != first
    assert mail(reference="7", system="archer2") == first
    assert mail(reference="7", system="LUMI") == other
    told = api.client.get(f"/api/v1/tickets/{first}").json()
    assert told["fields"]["system"] == "archer2"
    assert [e["after"] for e in told["history"] if e["kind"] == "described"] == ["archer2"]


def test_a_reference_is_of_the_system_that_its_logs_name(api: Api) -> None:
    case = api.case(("job.darshan", GRAVE), site="archer2")
    api.settle()
    first = api.client.post("/api/v1/tickets", json={"reference": "7", "cases": [case]}).json()["id"]
    again = api.client.post("/api/v1/tickets", json={"reference": "7", "system": "archer2"}).json()
    assert (again["id"], again["fields"]["system"]) == (first, None)
    assert api.client.post("/api/v1/tickets", json={"reference": "7", "system": "lumi"}).json()["id"] != first


def _zipped(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _mailed(**files: bytes) -> bytes:
    mail = EmailMessage()
    mail["From"] = "ada@example.org"
    mail.set_content("It is slow.")
    for name, content in files.items():
        mail.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return mail.as_bytes()


@pytest.mark.every_database
@pytest.mark.parametrize(
    "attached",
    [
        (("a.darshan", GRAVE), ("b.darshan", BALANCED), ("notes.pdf", b"%PDF-1.4\n")),
        (("logs.zip", _zipped(a=GRAVE, b=BALANCED)),),
        (("mail.eml", _mailed(a=GRAVE, b=BALANCED)),),
    ],
    ids=["each a file", "one archive", "the mail as it came"],
)
def test_logs_of_several_jobs_in_one_mail_are_a_case_each(api: Api, attached: Sequence[tuple[str, bytes]]) -> None:
    files = [("attachment", one) for one in attached]
    made = api.client.post("/api/v1/tickets", data={"reference": "RT-7"}, files=files).json()
    api.settle()
    now = api.client.get(f"/api/v1/tickets/{made['id']}").json()
    views = [api.client.get(f"/api/v1/cases/{case['id']}").json() for case in now["cases"]]
    assert made["cases"][0]["id"] in [view["id"] for view in views]
    assert [(view["document"]["jobs"], case["role"]) for view, case in zip(views, now["cases"], strict=True)] == [
        ([], "before")
    ] * 2
    runs = {view["document"]["metrics"]["job.runtime"]["value"] for view in views}
    assert runs == {_runtime(api, GRAVE), _runtime(api, BALANCED)}
    failed = [s["name"] for view in views for s in view["sources"] if s["status"] == "failed"]
    assert failed == [name for name, _ in attached if name.endswith(".pdf")]
    (entry,) = (entry for entry in queue(api)["entries"] if entry["ticket"] is not None)
    assert (entry["severity"], entry["cases"]) == ("high", 2)


def _runtime(api: Api, log: bytes) -> float:
    alone = {"sources": [{"sha256": api.upload(log), "name": "log"}], "alone": True}
    case = api.client.post("/api/v1/cases", json=alone).json()["id"]
    api.settle()
    found: float = api.client.get(f"/api/v1/cases/{case}").json()["document"]["metrics"]["job.runtime"]["value"]
    return found


def test_a_case_that_was_joined_is_split_in_the_one_that_took_it(api: Api) -> None:
    whole = api.case(("a.darshan", GRAVE), ("b.darshan", BALANCED), alone=True)
    part = api.case(("notes.txt", STATS.read_bytes()), alone=True)
    made = api.client.post("/api/v1/tickets", json={"cases": [whole]}).json()
    api.settle()
    assert api.client.post(f"/api/v1/cases/{whole}/join", json={"case": part}).status_code == 200
    api.settle()
    with api.services.database.writing() as session, session.begin():
        session.get_one(CaseRow, whole).splits_by_job = True
    first, other = split_by_job(api.services.database, part)
    assert first == whole
    assert {case["id"] for case in api.client.get(f"/api/v1/tickets/{made['id']}").json()["cases"]} == {whole, other}


def test_of_more_jobs_than_anybody_means_a_person_makes_the_cases(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("iotriage.helpdesk.splitting.MOST_JOBS", 1)
    files = [("attachment", ("a.darshan", GRAVE)), ("attachment", ("b.darshan", BALANCED))]
    made = api.client.post("/api/v1/tickets", data={"reference": "RT-7"}, files=files).json()
    api.settle()
    ((case),) = api.client.get(f"/api/v1/tickets/{made['id']}").json()["cases"]
    assert len(api.client.get(f"/api/v1/cases/{case['id']}").json()["document"]["jobs"]) == 2


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ({"note": ""}, {"notes": 0}),
        ({"note": " \r\n", "status": "", "owner": "", "ticket": ""}, {"notes": 0}),
        ({"note": " indented\n"}, {"notes": 1}),
        ({"reference": " RT-7\n"}, {}),
        ({"subject": ""}, {"subject": ""}),
        ({"subject": "s" * 998}, {"subject": "s" * 499 + "…"}),
        ({"note": "1 2 3\n" * 300_000}, {"notes": 1}),
    ],
    ids=["no text", "nothing but files", "a text", "a reference", "no subject", "a long subject", "a long text"],
)
def test_no_mail_is_lost_by_what_it_lacks_or_how_long_its_subject_is(
    api: Api, said: dict[str, str], found: dict[str, object]
) -> None:
    form = {"subject": "slow", "reference": "RT-7", **said}
    made = api.client.post("/api/v1/tickets", data=form, files={"attachment": ("job.darshan", GRAVE)})
    assert made.status_code == 201, made.text
    fields = made.json()["fields"]
    assert (fields["reference"], fields["status"], fields["owner"]) == ("RT-7", "new", None)
    assert fields["subject"] == found.get("subject", "slow")
    assert len(made.json()["notes"]) == found.get("notes", 0)
