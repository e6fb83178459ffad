"""A case's files in pages, searched, in order and as CSV; what its sources hold."""

from __future__ import annotations

import csv
import io
import zipfile

from ..conftest import LEGACY, SAMPLE_LOGS, Api

MANY = SAMPLE_LOGS / "darshan_log/03-fpp-many-small-files/03-fpp-many-small-files.darshan"
(STATS,) = (SAMPLE_LOGS / "mpich_stats/rmw-and-gaps").glob("*.txt")
(OTHERS,) = (SAMPLE_LOGS / "mpich_stats/independent-write").glob("*.txt")


def test_the_files_page_by_page_are_all_files_of_the_case(api: Api) -> None:
    case_id = api.case(("log", MANY.read_bytes()))
    api.settle()
    files = f"/api/v1/cases/{case_id}/files"
    total = api.client.get(f"/api/v1/cases/{case_id}").json()["document"]["files_total"]
    pages = [api.client.get(files, params={"offset": o, "limit": 500}).json() for o in range(0, total, 500)]
    listed = [f["path"] for page in pages for f in page["files"]]
    assert len(listed) == len(set(listed)) == total == pages[0]["total"]
    times = [f["time_s"] for page in pages for f in page["files"]]
    assert times == sorted(times, reverse=True)
    groups = api.client.get(f"{files}/groups", params={"q": "posix"}).json()
    assert sum(g["files"] for g in groups["groups"]) == groups["matched"]


def test_a_filter_and_its_csv_are_of_the_same_files(api: Api) -> None:
    case_id = api.case(("log", MANY.read_bytes()), ("slurm.out", STATS.read_bytes()))
    api.settle()
    asked = {"q": "parts", "sort": "path"}
    page = api.client.get(f"/api/v1/cases/{case_id}/files", params={**asked, "limit": 500}).json()
    answer = api.client.get(f"/api/v1/cases/{case_id}/files.csv", params=asked)
    assert answer.headers["content-disposition"].startswith("attachment")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert len(rows) == page["matched"] > 1
    assert [r["path"] for r in rows[:500]] == [f["path"] for f in page["files"]]
    assert sum(int(r["bytes_written"]) for r in rows) == page["sums"]["bytes_written"]["value"]


def test_a_file_in_detail(api: Api) -> None:
    case_id = api.case(("log", LEGACY.read_bytes()))
    api.settle()
    files = f"/api/v1/cases/{case_id}/files"
    first = api.client.get(files).json()["files"][0]
    detail = api.client.get(f"{files}/detail", params={"path": first["path"]}).json()
    assert detail["rows"] == [first]
    assert {"MPI-IO", "POSIX"} <= {m["module"] for m in detail["modules"]}
    assert api.client.get(f"{files}/detail", params={"path": "/etc/passwd"}).status_code == 404


def test_what_is_no_column_no_file_and_no_case(api: Api) -> None:
    case_id = api.case(("log", LEGACY.read_bytes()))
    api.settle()
    files = f"/api/v1/cases/{case_id}/files"
    refused = api.client.get(files, params={"sort": "-inode"})
    assert (refused.status_code, refused.json()["errors"][0]["where"]) == (422, "query.sort")
    assert api.client.get(files, params={"limit": 501}).status_code == 422
    assert api.client.get("/api/v1/cases/nobody/files").status_code == 404


def test_a_source_added_to_the_case_is_in_the_list(api: Api) -> None:
    case_id = api.case(("slurm.err", OTHERS.read_bytes()))
    api.settle()
    files = f"/api/v1/cases/{case_id}/files"
    before = api.client.get(files).json()["total"]
    given = {"sources": [{"sha256": api.upload(STATS.read_bytes()), "name": "slurm.out"}]}
    assert api.client.post(f"/api/v1/cases/{case_id}/sources", json=given).status_code == 201
    api.settle()
    assert api.client.get(files).json()["total"] > before


def test_a_text_says_how_long_it_is_and_what_was_read_of_it(api: Api) -> None:
    case_id = api.case(("log", LEGACY.read_bytes()), ("slurm.out", STATS.read_bytes()))
    api.settle()
    source = f"/api/v1/cases/{case_id}/sources/1"
    contents = api.client.get(f"{source}/contents").json()
    assert contents["lines"] == len(STATS.read_bytes().splitlines())
    assert contents["modules"] == []
    blocks = api.client.get(f"{source}/blocks").json()
    assert blocks["total"] == contents["blocks"] == len(blocks["blocks"]) > 0
    first = blocks["blocks"][0]
    none = {"first": first["last"] + 1, "last": first["last"] + 1}
    assert first not in api.client.get(f"{source}/blocks", params=none).json()["blocks"]


def test_the_counters_of_a_log_are_searched(api: Api) -> None:
    case_id = api.case(("log", LEGACY.read_bytes()))
    api.settle()
    source = f"/api/v1/cases/{case_id}/sources/0"
    contents = api.client.get(f"{source}/contents").json()
    assert contents["lines"] is None
    posix = next(m for m in contents["modules"] if m["name"] == "POSIX")
    asked = {"module": "POSIX", "q": "bytes_written", "zeros": True}
    page = api.client.get(f"{source}/counters", params=asked).json()
    assert (page["matched"], page["records"]) == (posix["records"], posix["records"])
    record = page["cells"][0]["record"]
    one = api.client.get(f"{source}/record", params={"module": "POSIX", "record": record}).json()
    values = {c["name"]: c["value"] for c in one["counters"]}
    assert page["cells"][0]["value"] == values["POSIX_BYTES_WRITTEN"]
    assert api.client.get(f"{source}/counters", params={"module": "BGQ"}).status_code == 404
    assert api.client.get(f"{source}/counters", params={"module": "POSIX", "record": "9" * 20}).status_code == 422


def test_files_in_an_archive_are_listed_and_opened(api: Api) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("run/legacy.darshan", LEGACY.read_bytes())
        archive.writestr("run/job.err", STATS.read_bytes())
    case_id = api.case(("run.zip", packed.getvalue()))
    api.settle()
    case = f"/api/v1/cases/{case_id}"
    listed = api.client.get(f"{case}/files").json()
    assert listed["total"] == api.client.get(case).json()["document"]["files_total"]
    contents = api.client.get(f"{case}/sources/0/contents", params={"member": 1}).json()
    assert contents["lines"] == len(STATS.read_bytes().splitlines())
    assert api.client.get(f"{case}/sources/0/contents").status_code == 422
