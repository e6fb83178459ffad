"""Sources of several jobs given as one case: the document says which are of which, and a case of one has that one's."""

from __future__ import annotations

from ..conftest import SAMPLE_LOGS, Api

NAMES = ("06-shared-indep-1000b-unaligned", "08-shared-strided-collective")
IDS = ["4127088", "4127122"]
LOGS = [(SAMPLE_LOGS / "darshan_log" / name / f"{name}.darshan").read_bytes() for name in NAMES]
PATHS = [f"/scratch/proj01/run/{name[3:]}/cells.dat" for name in NAMES]
(STATS,) = (SAMPLE_LOGS / "mpich_stats" / "good-collective-write").glob("*.txt")


def output() -> bytes:
    """What a script printed that ran both programs, with the figures of neither."""
    text = STATS.read_text()
    (title,) = [line for line in text.splitlines() if "access patterns for" in line]
    return "".join(text.replace(title.split(" for ")[1], path) for path in PATHS).encode()


def test_a_case_of_two_jobs_becomes_a_case_of_each(api: Api) -> None:
    given = [("a.darshan", LOGS[0]), ("all.err", output()), ("b.darshan", LOGS[1])]
    both = api.case(*given)
    api.settle()
    document = api.client.get(f"/api/v1/cases/{both}").json()["document"]
    assert document["jobs"] == [
        {"id": IDS[0], "given": [0, 1], "among_others": True},
        {"id": IDS[1], "given": [1, 2], "among_others": True},
    ]
    named = [{"sha256": api.upload(data), "name": name} for name, data in given]
    for job, path in zip(document["jobs"], PATHS, strict=True):
        sources = [{**named[i], "of_job": job["id"]} for i in job["given"]]
        case_id = api.client.post("/api/v1/cases", json={"sources": sources}).json()["id"]
        api.settle()
        alone = api.client.get(f"/api/v1/cases/{case_id}").json()["document"]
        assert (alone["jobs"], alone["job"]["job_id"]) == ([], job["id"])
        assert {t["part"]["file"] for t in alone["texts"] if t["part"]["kind"] == "mpiio_stats"} == {path}
        files = api.client.get(f"/api/v1/cases/{case_id}/files").json()
        assert not {f["path"] for f in files["files"]} & (set(PATHS) - {path})


def test_a_part_given_later_joins_its_case(api: Api) -> None:
    case_id = api.case(("a.darshan", LOGS[0]))
    api.settle()
    script = api.upload(b"JobID|NNodes|Elapsed\n4127088|3|00:00:21\n4127122|1|00:00:22\n")
    later = {"sources": [{"sha256": script, "name": "sacct.txt", "of_job": IDS[0]}]}
    assert api.client.post(f"/api/v1/cases/{case_id}/sources", json=later).status_code == 201
    api.settle()
    document = api.client.get(f"/api/v1/cases/{case_id}").json()["document"]
    assert [(t["part"]["job_id"], t["part"]["nnodes"]) for t in document["texts"]] == [(IDS[0], 3)]


def test_the_cases_of_a_ticket_that_mixed_jobs_stay_its_own(api: Api) -> None:
    """Of a case that was given in the browser: what comes as a mail is split by itself."""
    mixed = api.case(*((f"{i}.darshan", log) for i, log in enumerate(LOGS)))
    ticket = api.client.post(f"/api/v1/cases/{mixed}/ticket", json={"ticket": "RT-7"}).json()["ticket"]
    api.settle()
    view = api.client.get(f"/api/v1/cases/{mixed}").json()
    made = []
    for job in view["document"]["jobs"]:
        sources = [{"sha256": view["sources"][i]["sha256"], "name": "a.darshan"} for i in job["given"]]
        asked = {"sources": sources, "from_case": mixed}
        made.append(api.client.post("/api/v1/cases", json=asked).json()["id"])
    assert api.client.delete(f"/api/v1/cases/{mixed}").status_code == 204
    api.settle()
    of_ticket = api.client.get(f"/api/v1/tickets/{ticket}").json()["cases"]
    assert [(one["id"], one["role"], one["job_id"]) for one in of_ticket] == [
        (id, "before", job) for id, job in zip(made, IDS, strict=True)
    ]
    assert len(api.client.get("/api/v1/queue").json()["entries"]) == 1
    gone = {"sources": [{"sha256": view["sources"][0]["sha256"], "name": "a"}], "from_case": "0" * 16}
    assert api.client.post("/api/v1/cases", json=gone).status_code == 404
