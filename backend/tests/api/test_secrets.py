"""What one person uploads stands in no answer, export or line of the log about another's case."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
import structlog
from darshan_writer import Counters, Job, Log, build, record_id

from .conftest import LEGACY, Api

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


def _addresses(api: Api, case_id: str) -> Iterator[str]:
    """Every address that answers something of a case, or of the service, from its own description."""
    described = api.client.get("/api/v1/openapi.json").json()["paths"]
    for path, methods in described.items():
        if "get" not in methods or path == "/api/v1/cases":
            continue
        for form in ("plain", "markdown", "jira", "json") if "{form}" in path else ("",):
            filled = path.replace("{case_id}", case_id).replace("{index}", "0").replace("{form}", form)
            filled = re.sub(r"\{\w+\}", "0" * 64, filled)
            yield f"{filled}?cases={case_id},{case_id}&path=/&site=archer2"
            yield f"{filled}?cases={case_id},{case_id}&path=/&module=POSIX&record=1&first=1&last=50"


def test_a_planted_secret_is_in_no_answer_export_or_line_of_other_cases(
    api: Api, capfd: pytest.CaptureFixture[str]
) -> None:
    with structlog.testing.capture_logs() as events:
        planted = api.case((f"{SECRET}.darshan", _planted_log()), (f"{SECRET}.err", _TEXT))
        api.settle()
        assert SECRET in api.client.get(f"/api/v1/cases/{planted}").text
        other = api.case(("job.darshan", LEGACY.read_bytes()), ("job.err", b"damaged" + bytes(200)))
        api.settle()
        answered = 0
        for address in _addresses(api, other):
            answer = api.client.get(address)
            answered += answer.status_code == 200
            assert SECRET not in answer.text, address
            assert SECRET not in str(answer.headers), address
        assert answered > 20
        for method, address in (("put", f"sources/{'0' * 64}"), ("post", "cases"), ("patch", f"cases/{other}")):
            refused = api.client.request(method, f"/api/v1/{address}", content=b"not what was announced")
            assert refused.status_code >= 400
            assert SECRET not in refused.text
        assert api.client.delete(f"/api/v1/cases/{planted}").status_code == 204
        for address in ("/api/v1/cases", f"/api/v1/cases/{planted}", "/api/v1/samples"):
            assert SECRET not in api.client.get(address).text
    assert SECRET not in json.dumps(events, default=str)
    shown = capfd.readouterr()
    assert SECRET not in shown.out + shown.err
    assert not [p for p in api.services.folder.root.rglob("*") if p.is_file() and SECRET.encode() in p.read_bytes()]
