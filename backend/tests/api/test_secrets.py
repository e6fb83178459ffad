"""What one person uploads stands in no answer, export or line of the log about another's case."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from urllib.parse import quote

import pytest
import structlog
from darshan_writer import Counters, Job, Log, build, record_id

from .conftest import SAMPLE_LOGS, Api

SECRET = "hunter2-geheim"
_PLANTED = f"/scratch/{SECRET}/{SECRET}.dat"


def _planted_log() -> bytes:
    identity = record_id(_PLANTED)
    counters = {"id": identity, "rank": -1, "POSIX_OPENS": 64, "POSIX_WRITES": 10**6, "POSIX_BYTES_WRITTEN": 10**9}
    job = Job(
        nprocs=64,
        exe=f"/bin/{SECRET} --password {SECRET}",
        mounts=((f"/scratch/{SECRET}", "lustre"), ("/", "ext4")),
        metadata=(("lib_ver", "3.5.0"), ("h", f"user={SECRET}")),
    )
    modules = (Counters.of("POSIX", {**counters, "POSIX_F_WRITE_TIME": 900.0}),)
    return build(Log(job=job, names={identity: _PLANTED}, modules=modules))


_TEXT = f"""PE 0: MPIIO hints for {_PLANTED}:
          romio_cb_write           = {SECRET}
rank 0: password is {SECRET}
SLURM_JOB_ID=4242
""".encode()


TRACED = SAMPLE_LOGS / "darshan_log/09-coll-subarray-cb-enable/09-coll-subarray-cb-enable.darshan"
MEASURED = next((SAMPLE_LOGS / "ior/ssf-collective").glob("ior-*"))

_QUERIES = {
    "/files/detail": "path={path}",
    "/record": "module=POSIX&record={record}",
    "/counters": "module=POSIX",
    "/lines": "first=1&last=50",
    "/heatmap": "layer=POSIX",
    "/measured-site": "name=measured-here&mount=/measured",
    "/compare": "cases={case_id},{case_id}",
    "/ticket-named": "name={ticket_id}",
    "/ticket-to-give-to": "name={ticket_id}",
}
"""What an address cannot be asked without, by its end."""

_OF_WAREHOUSE = "/api/v1/centre/"
"""What a centre ingested, and no upload; there is none here."""
_LISTS = {"/api/v1/cases", "/api/v1/queue", "/api/v1/samples", "/api/v1/cases/{case_id}/similar"}
"""These name the planted case too, while it is there, to who may see it."""


def _asked(api: Api, case_id: str) -> Iterator[tuple[str, str]]:
    """Every GET that the application describes, and addresses of it about the case: each of its sources, each form."""
    files = api.client.get(f"/api/v1/cases/{case_id}/files").json()["files"]
    counters = api.client.get(f"/api/v1/cases/{case_id}/sources/0/counters?module=POSIX").json()
    told = {
        "case_id": case_id,
        "path": quote(files[0]["path"], safe=""),
        "record": counters["cells"][0]["record"],
        "sha256": hashlib.sha256(TRACED.read_bytes()).hexdigest(),
        "ticket_id": api.client.post("/api/v1/tickets", json={"cases": [case_id]}).json()["id"],
        "rule_id": "small-io",
        "site_id": "archer2",
    }
    described = api.client.get("/api/v1/openapi.json").json()["paths"]
    for path in (
        path for path, methods in described.items() if "get" in methods and not path.startswith(_OF_WAREHOUSE)
    ):
        query = next((q for end, q in _QUERIES.items() if path.endswith(end)), "")
        for form in ("plain", "markdown", "jira", "json") if "{form}" in path else ("",):
            for index in range(3) if "{index}" in path else (0,):
                yield path, f"{path}?{query}".format(**told, form=form, index=index)


def test_a_planted_secret_is_in_no_answer_export_or_line_of_other_cases(
    api: Api, capfd: pytest.CaptureFixture[str]
) -> None:
    with structlog.testing.capture_logs() as events:
        planted = api.case((f"{SECRET}.darshan", _planted_log()), (f"{SECRET}.err", _TEXT))
        api.settle()
        assert SECRET in api.client.get(f"/api/v1/cases/{planted}").text
        theirs = (TRACED, MEASURED)
        other = api.case(*((path.name, path.read_bytes()) for path in theirs), ("job.err", b"step 1\ndone\n" * 50))
        api.settle()
        asked, answered = set[str](), set[str]()
        for path, address in _asked(api, other):
            answer = api.client.get(address)
            asked.add(path)
            if answer.status_code == 200:
                answered.add(path)
            assert path in _LISTS or SECRET not in answer.text, address
            assert SECRET not in str(answer.headers), address
        assert asked == answered, "what has no answer here proves nothing"
        for method, address in (("put", f"sources/{'0' * 64}"), ("post", "cases"), ("patch", f"cases/{other}")):
            refused = api.client.request(method, f"/api/v1/{address}", content=b"not what was announced")
            assert refused.status_code >= 400
            assert SECRET not in refused.text
        assert api.client.delete(f"/api/v1/cases/{planted}").status_code == 204
        for address in (*_LISTS, f"/api/v1/cases/{planted}"):
            assert SECRET not in api.client.get(address).text
    assert SECRET not in json.dumps(events, default=str)
    shown = capfd.readouterr()
    assert SECRET not in shown.out + shown.err
    assert not [p for p in api.services.folder.root.rglob("*") if p.is_file() and SECRET.encode() in p.read_bytes()]
