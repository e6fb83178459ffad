"""Every place that a document names opens; lines, records and ranks of a case."""

from __future__ import annotations

import io
import zipfile

from ..conftest import LEGACY, SAMPLE_LOGS, Api


def _places(document):
    known = [metric for metric in document["metrics"].values() if metric["value"] is not None]
    return [document["places"][place] for metric in known for place in metric["where"]]


def test_every_counter_locator_of_a_document_opens(api: Api) -> None:
    case_id = api.case(("log", LEGACY.read_bytes()))
    api.settle()
    document = api.client.get(f"/api/v1/cases/{case_id}").json()["document"]
    counters = {
        (p["source"], p["module"], p.get("record"), p.get("rank"), counter)
        for p in _places(document)
        if p["kind"] in ("counters", "sums")
        for counter in p["counters"]
    }
    assert counters
    for source, module, record, rank, counter in sorted(counters, key=str):
        wanted = {"module": module, "record": record, "rank": rank}
        given = {name: value for name, value in wanted.items() if value is not None}
        answer = api.client.get(f"/api/v1/cases/{case_id}/sources/{source}/record", params=given)
        assert answer.status_code == 200, (module, counter, answer.text)
        names = {c["name"] for c in answer.json()["counters"]}
        assert counter in names, (module, counter)


def test_every_line_locator_of_a_document_opens(api: Api) -> None:
    (path,) = (SAMPLE_LOGS / "mpich_stats/rmw-and-gaps").glob("*.txt")
    # Without its launch, which would make it another program's than the log's.
    there = [line for line in path.read_text("utf-8").splitlines() if "srun" not in line]
    case_id = api.case(("log", LEGACY.read_bytes()), ("slurm.out", "\n".join(there).encode()))
    api.settle()
    document = api.client.get(f"/api/v1/cases/{case_id}").json()["document"]
    lines = {(p["source"], p["first"], p["last"]) for p in _places(document) if p["kind"] == "lines"}
    assert {source for source, _, _ in lines} == {1}
    for source, first, last in lines:
        address = f"/api/v1/cases/{case_id}/sources/{source}/lines"
        shown = api.client.get(address, params={"first": first, "last": last}).json()["lines"]
        assert [line["text"] for line in shown] == there[first - 1 : last]


def test_lines_of_a_text(api: Api) -> None:
    text = "".join(f"line {n}\n" for n in range(1, 1001)).encode()
    case_id = api.case(("slurm.out", text), ("log", LEGACY.read_bytes()))
    api.settle()
    lines = f"/api/v1/cases/{case_id}/sources/0/lines"
    answer = api.client.get(lines, params={"first": 999, "last": 1398})
    assert answer.json() == {
        "lines": [
            {"number": 999, "text": "line 999", "cut": False},
            {"number": 1000, "text": "line 1000", "cut": False},
        ],
        "more": False,
        "total": 1000,
    }
    for first, last in ((1, 401), (5, 4)):
        assert api.client.get(lines, params={"first": first, "last": last}).status_code == 422
    binary = api.client.get(f"/api/v1/cases/{case_id}/sources/1/lines", params={"first": 1, "last": 2})
    assert binary.json()["type"].endswith(":not-a-text")
    assert api.client.get(f"/api/v1/cases/{case_id}/sources/2/lines", params={"first": 1, "last": 2}).status_code == 404


def test_a_record_that_is_not_there(api: Api) -> None:
    case_id = api.case(("log", LEGACY.read_bytes()), ("text", b"no counters\n"))
    address = f"/api/v1/cases/{case_id}/sources/0/record"
    for params in ({"module": "POSIX", "record": "1"}, {"module": "BGQ"}, {"module": "POSIX", "record": "9" * 20}):
        assert api.client.get(address, params=params).status_code == 404
    assert api.client.get(address, params={"module": "POSIX", "record": "1; DROP"}).status_code == 422
    text = api.client.get(f"/api/v1/cases/{case_id}/sources/1/record", params={"module": "POSIX"})
    assert (text.status_code, text.json()["title"]) == (422, "The source could not be read")


def test_an_archive_becomes_several_sources_whose_numbers_can_be_found(api: Api) -> None:
    (text,) = (SAMPLE_LOGS / "mpich_stats/rmw-and-gaps").glob("*.txt")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("run/legacy.darshan", LEGACY.read_bytes())
        archive.writestr("run/job.err", text.read_bytes())
        archive.writestr("run/notes.pdf", b"%PDF-1.7")
    case_id = api.case(("slurm.out", b"+ export MPICH_MPIIO_STATS=1\n"), ("all.zip", packed.getvalue()))
    api.settle()
    case = api.client.get(f"/api/v1/cases/{case_id}").json()
    assert [(s["name"], s["status"], s["reader"]) for s in case["sources"]][1] == ("all.zip", "read", "zip")
    sources = case["document"]["sources"]
    assert [(s["name"], s["given"], s["member"], s["status"]) for s in sources[1:]] == [
        ("all.zip › run/legacy.darshan", 1, 0, "complete"),
        ("all.zip › run/job.err", 1, 1, "complete"),
        ("all.zip › run/notes.pdf", 1, 2, "failed"),
    ]
    there = text.read_text("utf-8").splitlines()
    lines = api.client.get(
        f"/api/v1/cases/{case_id}/sources/1/lines", params={"member": 1, "first": 1, "last": 5}
    ).json()["lines"]
    assert [line["text"] for line in lines] == there[:5]
    record = f"/api/v1/cases/{case_id}/sources/1/record"
    alone = api.case(("log", LEGACY.read_bytes()))
    api.settle()
    packed_counters = api.client.get(record, params={"module": "POSIX", "member": 0}).json()
    counters = api.client.get(f"/api/v1/cases/{alone}/sources/0/record", params={"module": "POSIX"}).json()
    assert packed_counters == counters
    assert api.client.get(record, params={"module": "POSIX", "member": 7}).status_code == 422
    assert api.client.get(record, params={"module": "POSIX"}).status_code == 422


def test_an_archive_that_holds_nothing_says_so(api: Api) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w"):
        pass
    case_id = api.case(("empty.zip", packed.getvalue()))
    api.settle()
    case = api.client.get(f"/api/v1/cases/{case_id}").json()
    assert case["status"] == "failed"
    assert case["sources"][0]["message"] == "the zip archive holds no files"


def test_all_ranks_of_a_case(api: Api) -> None:
    (log,) = (SAMPLE_LOGS / "darshan_log/13-imbalanced-rank0").glob("*.darshan")
    case_id = api.case(("log", log.read_bytes()))
    api.settle()
    found = api.client.get(f"/api/v1/cases/{case_id}/ranks").json()
    (document,) = [s for s in found["use"]["series"] if s["layer"] == "POSIX"]
    (posix,) = [layer for layer in found["layers"] if layer["layer"] == "POSIX"]
    assert posix["basis"] == "trace"
    assert len(posix["bytes_written"]) == found["use"]["nprocs"] == 8
    assert posix["bytes_written"][0] == document["busiest"]["bytes_written"] == 10 * posix["bytes_written"][1]
    assert found["nodes"] == ["nid001040", "nid001041"]
    assert found["node_of"] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert api.client.get("/api/v1/cases/nosuchcase/ranks").status_code == 404
