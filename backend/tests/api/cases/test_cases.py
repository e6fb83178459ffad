"""Cases over HTTP: from the upload to the document, listed, changed, and what is said of one that failed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import TypeAdapter
from samples import SAMPLE_LOGS
from sqlalchemy import update

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.packed_metrics import unpack_metrics
from iotriage.api.views import CaseView
from iotriage.intake.children import Children
from iotriage.intake.queue import FEWEST_THREADS
from iotriage.metrics.core.metric import Metric
from iotriage.store.cases import lock_case
from iotriage.store.tables import CaseDocumentRow, CaseRow

from ..conftest import LARGEST_WAIT_SECONDS, LEGACY, SHARED, Api

JOB = b"""\
JobId=7204411 JobName=plume
   UserId=auser(1001) GroupId=auser(1001) MCS_label=N/A
   JobState=COMPLETED Reason=None Dependency=(null)
   RunTime=00:12:00 TimeLimit=01:00:00 TimeMin=N/A
   NumNodes=4 NumCPUs=512 NumTasks=512 CPUs/Task=1 ReqB:S:C:T=0:0:*:*
   WorkDir=/scratch/project_NUMBER/auser
"""
NO_LOG = b"srun: job 1 queued and waiting for resources\n"


def test_from_upload_to_document(api: Api) -> None:
    case_id = api.case(("39.darshan", LEGACY.read_bytes()))
    api.settle()
    case = api.client.get(f"/api/v1/cases/{case_id}").json()
    assert case["status"] == "ready"
    assert case["title"] == "heat2d"
    assert [(s["status"], s["reader"]) for s in case["sources"]] == [("read", "darshan_log")]
    document = TypeAdapter(CaseDocument).validate_python(case["document"])
    assert document.job.nprocs == 8
    assert document.headline.severity == "high"

    (row,) = api.client.get("/api/v1/cases").json()["cases"]
    assert (row["id"], row["nprocs"], row["headline"]) == (case_id, 8, document.headline.said)
    assert row["io_time_s"] == document.metrics["job.io_time"].value
    findings = api.client.get(f"/api/v1/cases/{case_id}/findings").json()
    metrics = api.client.get(f"/api/v1/cases/{case_id}/metrics").json()
    assert findings == case["document"]["findings"]
    as_computed = TypeAdapter(dict[str, Metric]).validate_python(metrics)
    assert as_computed == unpack_metrics(document.metrics, document)


@pytest.mark.parametrize(
    ("log", "bound"), [("39-heat2d-legacy", "at most"), ("43-record-overflow-partial", "at least")]
)
def test_lists_say_of_a_time_whether_it_is_the_least_or_the_most(api: Api, log: str, bound: str) -> None:
    (path,) = (SAMPLE_LOGS / "darshan_log" / log).glob("*.darshan")
    case_id = api.case((path.name, path.read_bytes()))
    api.settle()
    (row,) = api.client.get("/api/v1/cases").json()["cases"]
    (entry,) = api.client.get("/api/v1/queue").json()["entries"]
    made = api.client.post("/api/v1/queue/actions", json={"entries": [{"case": case_id}], "status": "in work"}).json()
    ticket = api.client.get(f"/api/v1/tickets/{made[0]['ticket']}").json()
    assert [one["io_time_bound"] for one in (row, entry, ticket["cases"][0])] == [bound] * 3


def test_a_source_that_fails_stands_beside_one_that_was_read(api: Api) -> None:
    case_id = api.case(("log", LEGACY.read_bytes()), ("slurm.out", NO_LOG), ("empty", b""))
    api.settle()
    case = api.client.get(f"/api/v1/cases/{case_id}").json()
    assert case["status"] == "ready"
    assert [s["status"] for s in case["sources"]] == ["read", "failed", "failed"]
    assert "MPICH_MPIIO_STATS" in case["sources"][1]["next_step"]
    assert "empty" in case["sources"][2]["message"]
    assert [s["status"] for s in case["document"]["sources"]] == ["complete", "failed", "failed"]


def test_a_case_of_which_nothing_could_be_read_says_so_per_file(api: Api) -> None:
    case_id = api.case(("slurm.out", NO_LOG), ("empty", b""))
    api.settle()
    case = api.client.get(f"/api/v1/cases/{case_id}").json()
    assert (case["status"], case["document"], case["message"]) == ("failed", None, None)
    assert all(s["message"] and s["next_step"] for s in case["sources"])
    answer = api.client.get(f"/api/v1/cases/{case_id}/findings")
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:iotriage:problem:no-document")


def test_a_hostile_source_fails_alone(start: Callable[..., object]) -> None:
    with start(hostile=True, parse_wall_seconds=1) as api:
        orders = ("crash", "sleep", "allocate", "take over", "be nice")
        case_id = api.case(*((order, order.encode()) for order in orders))
        api.settle()
        case = api.client.get(f"/api/v1/cases/{case_id}").json()
        assert [s["status"] for s in case["sources"]] == ["failed"] * 4 + ["read"]
        assert case["status"] == "ready"
        assert api.client.get("/healthz").status_code == 200


def test_another_site_on_the_fly_and_for_good(api: Api) -> None:
    case_id = api.case(("log", LEGACY.read_bytes()))
    api.settle()
    address = f"/api/v1/cases/{case_id}"
    first = api.client.get(address).json()
    assert (first["site"], first["document"]["site"]["id"]) == (None, "generic")
    assert api.client.get(address, params={"site": "archer2"}).json()["document"]["site"]["id"] == "archer2"
    assert api.client.get(address).json()["document"] == first["document"]

    assert api.client.patch(address, json={"site": "archer2"}).json()["status"] == "reading"
    api.settle()
    second = api.client.get(address).json()
    assert (second["site"], second["document"]["site"]["chosen_by"]) == ("archer2", "person")
    assert api.client.patch(address, json={"site": None}).status_code == 200
    api.settle()
    assert api.client.get(address).json()["document"] == first["document"]


def test_the_default_site_holds_where_the_evidence_does_not_tell(start: Callable[..., object]) -> None:
    with start(site="archer2") as api:
        case_id = api.case(("log", LEGACY.read_bytes()))
        api.settle()
        used = api.client.get(f"/api/v1/cases/{case_id}").json()["document"]["site"]
        assert (used["id"], used["chosen_by"]) == ("archer2", "default")
        assert "ARCHER2" in used["because"]


def test_the_default_site_settles_what_is_undecided_and_never_stands_against_the_evidence(
    start: Callable[..., object],
) -> None:
    with start(site="archer2") as api:
        of_csc, of_lumi = (api.case((f"{n}.txt", JOB.replace(b"NUMBER", b"%d" % n))) for n in (2001234, 465000123))
        api.settle()
        used = [api.client.get(f"/api/v1/cases/{case}").json()["document"]["site"]["id"] for case in (of_csc, of_lumi)]
        assert used == ["archer2", "lumi"]


def test_the_site_that_a_person_chose_outlives_a_restart_and_another_reading(start: Callable[..., object]) -> None:
    with start() as api:
        case_id = api.case(("log", LEGACY.read_bytes()))
        api.settle()
        address = f"/api/v1/cases/{case_id}"
        assert api.client.patch(address, json={"site": "archer2"}).status_code == 200
        api.settle()
    with start() as api:
        assert api.client.get(address).json()["document"]["site"]["chosen_by"] == "person"
        given = [{"sha256": api.upload(NO_LOG), "name": "slurm.out"}]
        assert api.client.post(f"{address}/sources", json={"sources": given}).status_code == 201
        api.settle()
        case = api.client.get(address).json()
        assert (case["site"], case["document"]["site"]["id"], len(case["sources"])) == ("archer2", "archer2", 2)


def test_sources_added_later_are_read_with_the_others(api: Api) -> None:
    case_id = api.case(("log", SHARED.read_bytes()))
    api.settle()
    given = [{"sha256": api.upload(NO_LOG), "name": "slurm.out"}]
    assert api.client.post(f"/api/v1/cases/{case_id}/sources", json={"sources": given}).status_code == 201
    api.settle()
    case = api.client.get(f"/api/v1/cases/{case_id}").json()
    assert [(s["index"], s["name"]) for s in case["sources"]] == [(0, "log"), (1, "slurm.out")]
    assert len(case["document"]["sources"]) == 2


@pytest.mark.every_database
def test_cases_of_the_same_sources_are_told_by_it(api: Api) -> None:
    log, text = ("a.darshan", SHARED.read_bytes()), ("slurm.out", NO_LOG)
    once, again = api.case(log, text), api.case(("b.out", NO_LOG), ("b.darshan", SHARED.read_bytes()))
    less = api.case(log)
    listed = {row["id"]: row["sources_alike"] for row in api.client.get("/api/v1/cases").json()["cases"]}
    assert listed[once] == listed[again] != listed[less]


@pytest.mark.every_database
def test_a_deleted_case_is_gone_with_its_bytes(api: Api) -> None:
    case_id = api.case(("log", NO_LOG))
    sha256 = api.upload(NO_LOG)
    api.settle()
    assert api.client.delete(f"/api/v1/cases/{case_id}").status_code == 204
    assert api.client.get(f"/api/v1/cases/{case_id}").status_code == 404
    assert api.client.head(f"/api/v1/sources/{sha256}").status_code == 404
    assert api.client.get("/api/v1/cases").json() == {"total": 0, "cases": []}


def test_what_was_deleted_stands_in_no_file_once_the_server_has_tended(api: Api) -> None:
    case_id = api.case(("sargasso.log", LEGACY.read_bytes()), ("bladderwrack.err", b"step 1 of sargasso\n"))
    api.settle()
    assert _on_disk(api, b"sargasso")
    if api.services.database.engine.dialect.name == "sqlite":
        # PostgreSQL keeps what it deleted by its own settings.
        assert _on_disk(api, b"bladderwrack")
    assert api.client.delete(f"/api/v1/cases/{case_id}").status_code == 204
    api.services.worker.maintain()
    assert _on_disk(api, b"bladderwrack") == []
    assert _on_disk(api, b"sargasso") == []


def _on_disk(api: Api, words: bytes) -> list[str]:
    """The files of the data folder and of SQLite that hold them."""
    database = Path(api.services.database.engine.url.database)
    files = [*database.parent.glob(f"{database.name}*"), *api.services.folder.root.rglob("*")]
    return [file.name for file in files if file.is_file() and words in file.read_bytes()]


def test_cases_may_be_changed_while_they_are_read(api: Api) -> None:
    case_id = api.case(("log", LEGACY.read_bytes()))
    address = f"/api/v1/cases/{case_id}"
    for site in ("archer2", "generic", None, "archer2"):
        assert api.client.patch(address, json={"site": site}).status_code == 200
    other = api.case(("log", SHARED.read_bytes()))
    assert api.client.delete(f"/api/v1/cases/{other}").status_code == 204
    api.settle()
    case = api.client.get(address).json()
    assert (case["status"], case["document"]["site"]["id"]) == ("ready", "archer2")


def test_a_case_that_is_read_is_answered_when_it_has_changed(api: Api) -> None:
    case_id = api.case(("log", LEGACY.read_bytes()))
    states = [api.client.get(f"/api/v1/cases/{case_id}", params={"wait": 10}).json()["status"] for _ in range(2)]
    assert states[-1] == "ready"
    assert api.client.get("/api/v1/cases/nobody?wait=10").status_code == 404


def test_a_case_that_does_not_change_is_answered_all_the_same(start: Callable[..., object]) -> None:
    with start(hostile=True, parse_wall_seconds=3600) as api:
        case_id = api.case(("hang", b"sleep"))
        assert api.client.get(f"/api/v1/cases/{case_id}?wait=0.05").json()["status"] == "reading"


def test_one_that_nobody_has_at_the_moment_is_waited_for_too(api: Api) -> None:
    """As after a database that was locked for a while: who asks with `wait` would ask a hundred times a second."""
    case_id = api.case(("log", LEGACY.read_bytes()))
    api.settle()
    with api.services.database.writing() as session, session.begin():
        session.execute(update(CaseRow).where(CaseRow.id == case_id).values(status="reading"))
    assert api.asked_until_submitted(case_id, case_id)["sources"][0]["status"] in ("reading", "read")


def test_one_that_hangs_does_not_hold_up_a_server_of_one_worker(start: Callable[..., object]) -> None:
    with start(hostile=True, parse_wall_seconds=3600, workers=1) as api:
        api.case(("hang", b"sleep"))
        other = f"/api/v1/cases/{api.case(('nice', b'be nice'))}?wait=10"
        states = (api.client.get(other).json()["status"] for _ in range(LARGEST_WAIT_SECONDS // 10))
        assert any(status != "reading" for status in states)


@pytest.mark.every_database
def test_a_restart_takes_up_what_was_being_read(start: Callable[..., object]) -> None:
    with start(hostile=True, parse_wall_seconds=3600, workers=1) as api:
        # One for each worker that there is at least, so that none is left that could read the others meanwhile.
        interrupted = [api.case(("hang", b"sleep"), ("nice", b"be nice")) for _ in range(FEWEST_THREADS)]
        waiting = [api.case((name, name.encode())) for name in ("one", "two", "three")]
    with start(parse_wall_seconds=3600) as api:
        api.settle()
        for case_id in (*interrupted, *waiting):
            case = api.client.get(f"/api/v1/cases/{case_id}").json()
            assert {s["status"] for s in case["sources"]} == {"failed"}, "read by the reader that ships"


def test_the_document_is_answered_as_it_is_stored(api: Api) -> None:
    case_id = api.case(("log", LEGACY.read_bytes()))
    api.settle()
    answer = api.client.get(f"/api/v1/cases/{case_id}").content
    view = TypeAdapter(CaseView)
    assert view.dump_json(view.validate_json(answer)) == answer
    # HEAD says what GET would, wherever that is answered, and not where it is not.
    for address, status in ((f"cases/{case_id}", 200), (f"cases/{case_id}/export/csv", 422), ("cases/none", 404)):
        head, got = (api.client.request(method, f"/api/v1/{address}") for method in ("HEAD", "GET"))
        assert (head.status_code, head.content) == (got.status_code, b"") == (status, b"")
        assert head.headers["content-type"] == got.headers["content-type"]
    assert api.client.head("/api/v1/tickets").status_code == api.client.get("/api/v1/tickets").status_code


def test_a_document_of_another_form_is_made_again(start: Callable[..., object]) -> None:
    with start() as api:
        case_id = api.case(("log", LEGACY.read_bytes()))
        api.settle()
        document = api.client.get(f"/api/v1/cases/{case_id}").json()["document"]
        with api.services.database.writing() as session, session.begin():
            session.execute(update(CaseDocumentRow).values(version=0, json="{}"))
        assert api.client.get(f"/api/v1/cases/{case_id}").json()["document"] is None
    with start() as api:
        api.settle()
        assert api.client.get(f"/api/v1/cases/{case_id}").json()["document"] == document


def test_a_fault_of_ours_is_said_and_the_case_tried_again_at_the_next_start(
    start: Callable[..., object], hostile_children: Children
) -> None:
    with start(children=hostile_children) as api:
        case_id = api.case(("raise", LEGACY.read_bytes()))
        api.settle()
        case = api.client.get(f"/api/v1/cases/{case_id}").json()
        assert (case["status"], case["sources"][0]["status"]) == ("failed", "read")
        assert "diagnosing them failed" in case["message"]
        assert not api.services.worker.renew_next()
    with start() as api:
        api.settle()
        case = api.client.get(f"/api/v1/cases/{case_id}").json()
        assert (case["status"], case["message"]) == ("ready", None)


@pytest.mark.every_database
def test_many_people_at_once(api: Api) -> None:
    found: list[str] = []

    def person(number: int) -> None:
        found.append(api.case((f"{number}", SHARED.read_bytes()), ("own", f"{number}".encode())))

    people = [threading.Thread(target=person, args=(number,)) for number in range(8)]
    for thread in people:
        thread.start()
    for thread in people:
        thread.join()
    api.settle()
    listed = api.client.get("/api/v1/cases", params={"limit": 500}).json()
    assert {c["id"] for c in listed["cases"]} == set(found)
    assert {c["status"] for c in listed["cases"]} == {"ready"}


def test_cases_are_found_by_the_beginnings_of_their_words(api: Api) -> None:
    kelp, _ = api.case(("kelp.txt", b"one")), api.case(("dulse.txt", b"another"))
    listed = api.client.get("/api/v1/cases", params={"words": "KEL txt"}).json()
    assert ([c["id"] for c in listed["cases"]], listed["total"]) == ([kelp], 1)


def test_a_case_is_found_by_what_its_line_in_the_queue_shows(api: Api) -> None:
    name = "lustre-ssf-one-stripe"
    log = SAMPLE_LOGS / f"darshan_log/{name}/{name}.darshan"
    case = api.case((log.name, log.read_bytes()))
    api.settle()
    (entry,) = api.client.get("/api/v1/queue").json()["entries"]
    assert (entry["user"], entry["system"]) == ("20417", "archer2")
    for shown in ("user", "system", "application", "job_id", "rule", "headline"):
        for address, found in (("queue", "entries"), ("cases", "cases")):
            answer = api.client.get(f"/api/v1/{address}", params={"words": entry[shown]}).json()
            assert [e.get("case", e.get("id")) for e in answer[found]] == [case], shown


def test_what_cannot_be_made_is_refused(api: Api) -> None:
    sha256 = api.upload(NO_LOG)
    unknown = {"sha256": "0" * 64, "name": "x"}
    known = {"sha256": sha256, "name": "x"}
    post = api.client.post
    assert post("/api/v1/cases", json={"sources": [known, unknown]}).json()["type"].endswith(":unknown-source")
    assert post("/api/v1/cases", json={"sources": [known], "site": "mars"}).json()["type"].endswith(":unknown-site")
    for bad in (
        {},
        {"sources": []},
        {"sources": [{**known, "sha256": "../../etc/passwd"}]},
        {"sources": [known], "x": 1},
    ):
        answer = post("/api/v1/cases", json=bad)
        assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
        assert answer.json()["errors"]
    assert post("/api/v1/cases/nobody/sources", json={"sources": [known]}).status_code == 404
    assert api.client.get("/api/v1/cases").json()["total"] == 0


def test_names_are_shown_as_they_were_given(api: Api) -> None:
    name = "../../<script>alert(1)</script>=cmd|'/c calc'!A1"
    case_id = api.case((name, LEGACY.read_bytes()))
    api.settle()
    case = api.client.get(f"/api/v1/cases/{case_id}").json()
    assert case["sources"][0]["name"] == name
    assert case["document"]["sources"][0]["name"] == name


def test_a_case_that_was_given_up_is_taken_up_again(api: Api) -> None:
    case_id = api.case(("slurm.out", NO_LOG))
    api.settle()
    with api.services.database.writing() as session, session.begin():
        case = lock_case(session, case_id)
        assert case is not None
        case.status = "reading"
    api.services.worker.maintain()
    api.settle()
    assert api.client.get(f"/api/v1/cases/{case_id}").json()["status"] == "failed"
