"""Parts of one job, given in requests of their own, become one case; what is not surely of one job does not."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from darshan_writer import Counters, Job, Log, build, record_id
from parts_of_a_job import ior_output, lfs_getstripe
from sqlalchemy import select, update

from iotriage.store.joining import join_by_itself
from iotriage.store.tables import CaseRow

from ..conftest import PROXY, SAMPLE_LOGS, Api, as_person

Start = Callable[..., AbstractContextManager[Api]]

JOB = Job(job_id=4127001, start_s=1_760_000_000, end_s=1_760_000_100, nprocs=512)
PATH = "/scratch/bay/field.bay.h5"
WRITTEN = 51539607552
(STATS,) = (SAMPLE_LOGS / "mpich_stats" / "good-collective-write").glob("*.txt")


def log(job: Job = JOB, written: int = WRITTEN) -> bytes:
    row = {"id": record_id(PATH), "rank": -1, "POSIX_OPENS": 4, "POSIX_WRITES": 100, "POSIX_BYTES_WRITTEN": written}
    return build(Log(job=job, names={record_id(PATH): PATH}, modules=(Counters.of("POSIX", row),)))


def account(id: str = "4127001", start: str = "2025-10-09T10:52:50", cluster: str = "archer2") -> bytes:
    """Of a job that began at 08:52:50 UTC and took two minutes, as a scheduler two hours ahead prints it."""
    end = f"{start[:-5]}54:55"
    return f"JobID|Cluster|NNodes|Start|End|Elapsed\n{id}|{cluster}|4|{start}|{end}|00:02:05\n".encode()


LOG, SACCT = log(), account()
STRIPING, IOR = lfs_getstripe(PATH), ior_output(PATH)
SCRIPT = b"#!/bin/bash\n#SBATCH --ntasks=512\nsrun ./sim input.nml\n"
ERR = STATS.read_text().replace("for field.bay.h5", f"for {PATH}").encode()
PARTS = {"slurm-4127001.err": ERR, "bay.darshan": LOG, "sacct.txt": SACCT}


def view(api: Api, case_id: str) -> dict[str, Any]:
    answer = api.client.get(f"/api/v1/cases/{case_id}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def listed(api: Api) -> set[str]:
    return {case["id"] for case in api.client.get("/api/v1/cases").json()["cases"]}


def post(api: Api, path: str, **body: object) -> Any:
    answer = api.client.post(f"/api/v1{path}", json=body)
    return answer.json() if answer.is_success else answer.status_code


def one_by_one(api: Api, *given: tuple[str, bytes]) -> list[str]:
    made = []
    for name, data in given:
        made.append(api.case((name, data)))
        api.settle()
    return made


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (2, 1, 0)], ids=str)
def test_parts_given_one_by_one_in_any_order_become_one_case(api: Api, order: tuple[int, ...]) -> None:
    names = [list(PARTS)[place] for place in order]
    first, *later = one_by_one(api, *((name, PARTS[name]) for name in names))
    assert listed(api) == {first}
    found = view(api, first)
    assert {s["name"] for s in found["sources"]} == set(PARTS)
    assert [s["index"] for s in found["sources"]] == [0, 1, 2]
    document = found["document"]
    assert (document["job"]["job_id"], document["jobs"]) == ("4127001", [])
    assert {t["part"]["kind"] for t in document["texts"]} >= {"mpiio_stats", "job_context"}
    for old in later:
        assert view(api, old)["id"] == first, "an old address leads to what it has become"
        assert api.client.get(f"/api/v1/cases/{old}/findings").json()
    joined = {part["sources"][0]: part["because"] for part in found["joined"]}
    assert set(joined) == set(names[1:])
    assert all("job 4127001" in because for because in joined.values())


def test_who_waits_for_a_part_waits_for_what_it_has_become(api: Api) -> None:
    whole, part, *_ = one_by_one(api, *PARTS.items())
    with api.services.database.writing() as session, session.begin():
        session.execute(update(CaseRow).where(CaseRow.id == whole).values(status="reading"))
    assert api.asked_until_submitted(part, whole)["id"] == whole


def test_it_is_said_what_both_agree_in(api: Api) -> None:
    first, *_ = one_by_one(api, *PARTS.items())
    by_file, by_time = view(api, first)["joined"]
    assert by_file["because"] == f"both are of job 4127001 and tell of {PATH}"
    assert by_time["because"] == "both are of job 4127001 on cluster archer2, which began at 2025-10-09 08:53:20 UTC"


def test_parts_given_at_once_become_one_case(start: Start) -> None:
    with start(workers=3) as api:
        made = [api.case(part) for part in PARTS.items()]
        api.settle()
        (whole,) = listed(api)
        assert {view(api, case_id)["id"] for case_id in made} == {whole}
        assert {s["name"] for s in view(api, whole)["sources"]} == set(PARTS)


@pytest.mark.every_database
def test_two_that_find_each_other_at_once_become_one(api: Api) -> None:
    made = [api.case(part, alone=True) for part in PARTS.items() if part[0] != "sacct.txt"]
    api.settle()
    as_a_kill_leaves_it(api, made)
    meet, errors = threading.Barrier(2), []

    def join(case_id: str) -> None:
        try:
            with api.services.database.writing() as session:
                meet.wait()
                with session.begin():
                    join_by_itself(session, case_id)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=join, args=(case_id,)) for case_id in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert listed(api) == {made[0]}
    assert len(view(api, made[0])["sources"]) == 2


@pytest.mark.every_database
def test_a_case_that_took_another_while_it_was_to_be_looked_at_seeks_further(api: Api) -> None:
    made = [api.case(part, alone=True) for part in PARTS.items()]
    api.settle()
    as_a_kill_leaves_it(api, made)
    whole, part = made[0], made[2]
    with api.services.database.writing() as session, session.begin():
        assert join_by_itself(session, made[1]) == whole
    with api.services.database.writing() as session, session.begin():
        assert join_by_itself(session, whole) is None, "what it said alone tells of no other"
    api.services.worker.submit(whole)
    api.settle()
    assert view(api, part)["id"] == whole


def as_a_kill_leaves_it(api: Api, case_ids: list[str]) -> None:
    """Read, and not yet held against the others."""
    with api.services.database.writing() as session, session.begin():
        seeking = update(CaseRow).where(CaseRow.id.in_(case_ids))
        session.execute(seeking.values(seeks_job=True, keeps_alone=False))


@pytest.mark.every_database
def test_a_server_that_was_killed_between_reading_and_joining_joins_at_its_next_start(start: Start) -> None:
    with start() as api:
        made = [api.case(part, alone=True) for part in PARTS.items()]
        api.settle()
        assert len(listed(api)) == 3
        as_a_kill_leaves_it(api, made)
        assert {view(api, case_id)["status"] for case_id in made} == {"reading"}, "nobody takes it for what it will be"
    with start() as api:
        api.settle()
        assert listed(api) == {made[0]}
        assert len(view(api, made[0])["sources"]) == 3
    with start() as api:
        api.settle()
        assert len(view(api, made[0])["sources"]) == 3, "once more changes nothing"


OTHERS = {
    "another cluster's job of this number": (("sacct.txt", SACCT), ("b.txt", account(cluster="lumi"))),
    "a later job of this number": (("a.darshan", LOG), ("sacct.txt", account(start="2026-03-02T10:52:50"))),
    "a run that is longer than the job": (("a.darshan", log(replace(JOB, end_s=JOB.end_s + 300))), ("b.txt", SACCT)),
    "another job of the same program and file": (("a.darshan", LOG), ("b.darshan", log(replace(JOB, job_id=4127002)))),
    "a number in a file's name alone": (("a.darshan", LOG), ("slurm-4127001.err", STATS.read_bytes())),
    "the same file with other bytes": (("a.darshan", log(written=10**6)), ("slurm-4127001.err", ERR)),
    "no number": (("a.darshan", LOG), ("job.err", ERR)),
    "the same file again": (("a.darshan", LOG), ("again.darshan", LOG)),
}


def test_result_striping_and_log_become_one_case_whatever_comes_last(api: Api) -> None:
    first, *_ = one_by_one(api, ("s.txt", STRIPING), ("ior.txt", IOR), ("a.darshan", LOG))
    assert listed(api) == {first}
    by_result, by_run = view(api, first)["joined"]
    assert by_result["because"] == f"one has the striping of {PATH}, which the other's run used"
    assert by_run["because"].endswith("the runs began in the same minute, but for the time zone")
    assert len(view(api, first)["sources"]) == 3


def test_what_may_be_of_one_job_is_offered(api: Api) -> None:
    log, script, err, other = one_by_one(
        api, ("a.darshan", LOG), ("job.sh", SCRIPT), ("job.err", ERR), ("x.txt", STRIPING.replace(b"field", b"other"))
    )
    assert listed(api) == {log, script, err, other}
    said = {o["id"]: o["because"] for o in api.client.get(f"/api/v1/cases/{log}/same-job").json()}
    assert set(said) == {script, err}
    assert said[script].startswith("the script starts sim on 512 ranks")
    assert said[err] == f"both tell of {PATH} and of as many bytes, and one of them names no job"
    (back,) = api.client.get(f"/api/v1/cases/{script}/same-job").json()
    is_log = view(api, log)
    named = {"title": is_log["title"], "sources": [source["name"] for source in is_log["sources"]]}
    assert back == {"id": log, "because": said[script]} | named

    with api.services.database.writing() as session, session.begin():
        session.get_one(CaseRow, log).created_at -= timedelta(days=2)
    (late,) = one_by_one(api, ("s.txt", STRIPING))
    offered = {o["id"]: o["because"] for o in api.client.get(f"/api/v1/cases/{late}/same-job").json()}
    assert offered[log] == "they tell of one file, and were given more than a day apart"
    assert post(api, f"/cases/{script}/join", case=log) == {"id": log, "status": "reading"}


def test_of_which_of_two_runs_the_striping_is_nobody_knows(api: Api) -> None:
    later = log(replace(JOB, job_id=4127002, start_s=JOB.start_s + 900, end_s=JOB.end_s + 900))
    first, second, striping = one_by_one(api, ("a.darshan", LOG), ("b.darshan", later), ("s.txt", STRIPING))
    assert listed(api) == {first, second, striping}
    offered = api.client.get(f"/api/v1/cases/{striping}/same-job").json()
    assert {other["id"] for other in offered} == {first, second}


@pytest.mark.parametrize("given", OTHERS.values(), ids=OTHERS)
def test_what_is_not_surely_of_one_job_stays_apart(api: Api, given: tuple[tuple[str, bytes], ...]) -> None:
    made = one_by_one(api, *given)
    assert listed(api) == set(made)


def test_the_log_of_another_step_is_a_case_of_its_own_of_the_same_job(api: Api) -> None:
    step = log(replace(JOB, start_s=JOB.start_s + 50))
    first, second = one_by_one(api, ("a.darshan", LOG), ("b.darshan", step))
    assert listed(api) == {first, second}
    (other,) = api.client.get(f"/api/v1/cases/{second}/same-job").json()
    assert other["id"] == first
    assert other["because"] == "each has a log of another step of job 4127001"
    (third,) = one_by_one(api, ("slurm-4127001.err", ERR))
    assert listed(api) == {first, second, third}, "nobody knows of which of both it is"


@pytest.mark.every_database
def test_what_is_taken_apart_stays_apart(api: Api) -> None:
    first, second, third = one_by_one(api, *PARTS.items())
    assert post(api, f"/cases/{second}/apart") == {"id": second, "status": "reading"}
    api.settle()
    assert listed(api) == {first, second}
    assert [(s["index"], s["name"]) for s in view(api, first)["sources"]] == [
        (0, "slurm-4127001.err"),
        (1, "sacct.txt"),
    ]
    assert [s["name"] for s in view(api, second)["sources"]] == ["bay.darshan"]
    assert view(api, second)["document"]["job"]["job_id"] == "4127001"
    api.case(("sacct-long.txt", SACCT.replace(b"archer2|4|", b"archer2|4|") + b"\n"))
    api.settle()
    assert second in listed(api)
    assert [s["name"] for s in view(api, second)["sources"]] == ["bay.darshan"]
    assert view(api, third)["id"] == first
    (other, *_) = api.client.get(f"/api/v1/cases/{second}/same-job").json()
    assert other["because"] == "one of them is to stay alone, as somebody said"

    assert post(api, f"/cases/{second}/join", case=first) == {"id": first, "status": "reading"}
    api.settle()
    assert second not in listed(api)
    assert view(api, second)["id"] == first


def test_what_is_given_to_stay_alone_stays_alone(api: Api) -> None:
    alone = api.case(("bay.darshan", LOG), alone=True)
    api.settle()
    (other,) = one_by_one(api, ("sacct.txt", SACCT))
    assert listed(api) == {alone, other}


def test_with_the_case_go_its_parts_and_their_sources(api: Api) -> None:
    first, *_ = one_by_one(api, *PARTS.items())
    assert api.client.delete(f"/api/v1/cases/{first}").status_code == 204
    assert listed(api) == set()
    with api.services.database.reading() as session:
        assert session.scalars(select(CaseRow.id)).all() == []
    for data in PARTS.values():
        sha256 = api.upload(data)
        assert api.client.get(f"/api/v1/sources/{sha256}").status_code == 200


def test_a_ticket_keeps_one_case_of_the_job(api: Api) -> None:
    (first,) = one_by_one(api, ("slurm-4127001.err", ERR))
    number = post(api, "/tickets", reference="RT-7", cases=[first])["id"]
    form = {"attachment": ("bay.darshan", LOG)}
    given = api.client.post("/api/v1/tickets", data={"ticket": "RT-7"}, files=form)
    assert given.status_code == 201, given.text
    api.settle()
    cases = api.client.get(f"/api/v1/tickets/{number}").json()["cases"]
    assert [(case["id"], case["role"]) for case in cases] == [(first, "before")]
    assert [entry["cases"] for entry in api.client.get("/api/v1/queue").json()["entries"]] == [1]

    # What was asked for comes by itself: nobody waits for it any more.
    fields = {"status": "waiting", "reference": "RT-7", "owner": "ada"}
    version = api.client.get(f"/api/v1/tickets/{number}").json()["version"]
    waits = api.client.patch(f"/api/v1/tickets/{number}", json={**fields, "version": version}).json()
    assert waits["fields"]["status"] == "waiting"
    later = api.case(("sacct.txt", SACCT))
    api.settle()
    came = api.client.get(f"/api/v1/tickets/{number}").json()
    assert (came["fields"]["status"], came["history"][-1]["by"]) == ("in work", "IOtriage")
    assert post(api, f"/cases/{later}/ticket", ticket="RT-7")["ticket"] == number
    api.settle()
    assert [case["id"] for case in api.client.get(f"/api/v1/tickets/{number}").json()["cases"]] == [first]
    assert len(view(api, first)["sources"]) == 3


def test_a_case_takes_the_ticket_of_its_part_and_of_two_tickets_none_becomes_one(api: Api) -> None:
    (first,) = one_by_one(api, ("slurm-4127001.err", ERR))
    form = {"attachment": ("bay.darshan", LOG)}
    number = api.client.post("/api/v1/tickets", data={"reference": "RT-8"}, files=form).json()["id"]
    api.settle()
    assert [case["id"] for case in api.client.get(f"/api/v1/tickets/{number}").json()["cases"]] == [first]
    api.client.post("/api/v1/tickets", data={"reference": "RT-9"}, files={"attachment": ("sacct.txt", SACCT)})
    api.settle()
    assert len(view(api, first)["sources"]) == 2
    assert len(api.client.get("/api/v1/queue").json()["entries"]) == 2


def test_cases_of_people_who_do_not_see_each_others_stay_apart(start: Start) -> None:
    with start(**PROXY) as opened:
        ada, eve = as_person(opened, "ada"), as_person(opened, "eve")
        hal, ida = as_person(opened, "hal", "support"), as_person(opened, "ida", "support")
        (of_ada,) = one_by_one(ada, ("slurm-4127001.err", ERR))
        bob = as_person(opened, "bob")
        (of_bob,) = one_by_one(bob, ("s.txt", STRIPING))
        assert listed(bob) == {of_bob}
        assert bob.client.get(f"/api/v1/cases/{of_bob}/same-job").json() == []
        (of_eve,) = one_by_one(eve, ("bay.darshan", LOG))
        assert listed(eve) == {of_eve}
        assert eve.client.get(f"/api/v1/cases/{of_eve}/same-job").json() == []
        assert post(eve, f"/cases/{of_eve}/join", case=of_ada) == 404
        assert post(eve, f"/cases/{of_ada}/apart") == 404
        (of_hal,) = one_by_one(hal, ("sacct.txt", SACCT))
        assert listed(hal) == {of_ada, of_bob, of_eve, of_hal}, "what the helpdesk gave is not for users"
        said = {o["id"]: o["because"] for o in hal.client.get(f"/api/v1/cases/{of_hal}/same-job").json()}
        assert said[of_eve] == "not the same people may see them"
        (of_ida,) = one_by_one(ida, ("again.txt", SACCT.replace(b"|4|", b"|8|")))
        assert view(ida, of_ida)["id"] == of_hal, "who sees every case sees both"


def test_what_a_share_link_shows_gets_nothing_by_itself(api: Api) -> None:
    (first,) = one_by_one(api, ("slurm-4127001.err", ERR))
    assert post(api, f"/cases/{first}/links", days=1)["url"]
    (second,) = one_by_one(api, ("bay.darshan", LOG))
    assert listed(api) == {first, second}
    (other,) = api.client.get(f"/api/v1/cases/{second}/same-job").json()
    assert other["because"] == "not the same people may see them"
    assert post(api, f"/cases/{second}/join", case=first) == 409
    refused = api.client.post(f"/api/v1/cases/{second}/join", json={"case": first}).json()
    assert refused["detail"] == "Not the same people may see them."
