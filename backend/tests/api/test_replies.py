"""Replies, what is asked for, and the steps of the triage, over HTTP."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from .conftest import SHARED, Start


def test_a_reply_is_of_the_findings_chosen(start: Start) -> None:
    with start() as api:
        case = api.case((SHARED.name, SHARED.read_bytes()))
        api.settle()
        at = f"/api/v1/cases/{case}"
        reply = api.client.get(f"{at}/reply")
        keys = reply.json()["findings"]
        html = api.client.get(f"{at}/reply", params={"form": "html", "findings": ",".join(keys)}).json()
        own = api.client.get(f"{at}/reply", params={"set": "io-not-the-bottleneck.fraction:0.2"}).json()
        wrong = [
            api.client.get(f"{at}/reply", params=query)
            for query in ({"findings": "no-such"}, {"template": "no-such"}, {"set": "no-such:1"}, {"form": "pdf"})
        ]
        templates = api.client.get("/api/v1/reply-templates").json()
        steps = api.client.get(f"{at}/triage").json()
        asking = api.client.get(f"{at}/asking").json()
        found = api.client.get(at).json()["document"]["findings"]
        elsewhere = [api.client.get(f"/api/v1/cases/none/{what}").status_code for what in ("reply", "asking", "triage")]
    assert keys == ["independent-shared@g1"]
    assert "MPI_File_write_at_all" in reply.json()["text"]
    assert "<svg" in html["text"]
    assert "≥ 20 %" in own["text"]
    assert [w.status_code for w in wrong] == [422] * 4
    assert templates == [{"id": "english", "title": "English", "site": None}]
    assert [step["id"] for step in steps][:3] == ["complete", "matters", "layer"]
    assert asking["form"] == "plain"
    assert asking["findings"] == [f["key"] for f in found if f["verdict"] == "unknown"]
    assert elsewhere == [404] * 3


def test_who_sent_what_cannot_be_read_is_told_which_file_and_why(start: Start) -> None:
    with start() as api:
        case = api.case(("thesis.pdf", b"%PDF-1.5\n"), ("job.err", b""))
        opened = api.client.post("/api/v1/tickets", json={"cases": [case]}).json()["id"]
        api.settle()
        reply = api.client.get(f"/api/v1/cases/{case}/reply").json()
        ticket = api.client.get(f"/api/v1/tickets/{opened}").json()
        entry = api.client.get("/api/v1/queue").json()["entries"][0]
    why = "thesis.pdf: a PDF document, not a log that we know; job.err: the file is empty"
    assert (entry["unread"], ticket["cases"][0]["unread"]) == (why, why)
    assert reply["findings"] == []
    told = " ".join(reply["text"].split())
    assert told.startswith("We could not read what you sent: - thesis.pdf: a PDF document, not a log that we know")
    assert "- job.err: the file is empty" in told
    assert "Give a Darshan log (*.darshan)" in told


_PNG = b"\x89PNG\r\n\x1a\n"
_NONE_KNOWN = {"word/document.xml": b"<w:t>slow</w>", "a.png": _PNG}
_PACKED = {
    "none known": (_NONE_KNOWN, "a.png: a PNG picture, not a log that we know"),
    "packed twice": ({"inner.zip": b"PK\x03\x04" + bytes(60)}, "inner.zip: "),
    "many": (
        {f"{n:03}.png": _PNG + bytes([n]) for n in range(30)},
        "000.png, 001.png, 002.png and 27 more: a PNG picture, not a log that we know",
    ),
    "each for a reason": (
        {f"{n:03}.txt": f"no log {n}".encode() for n in range(8)},
        '004.txt: nothing that is read here; it begins with "no log 4"; and 3 more',
    ),
}


@pytest.mark.parametrize(("members", "why"), _PACKED.values(), ids=_PACKED)
def test_who_sent_an_archive_of_nothing_that_can_be_read_is_told_so(
    start: Start, tmp_path: Path, members: dict[str, bytes], why: str
) -> None:
    """Wherever one looks for the case, and before it is answered."""
    (tmp_path / "ours.toml").write_text('title = "Ours"\nunread = "Nothing of $job could be read:"\n')
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with start(replies=tmp_path) as api:
        case = api.case(("mine.zip", packed.getvalue()))
        api.settle()
        view = api.client.get(f"/api/v1/cases/{case}").json()
        entry = api.client.get("/api/v1/queue").json()["entries"][0]
        ours = api.client.get(f"/api/v1/cases/{case}/reply").json()
        reply = api.client.get(f"/api/v1/cases/{case}/reply", params={"template": "english"}).json()
    assert " ".join(ours["text"].split()).startswith("Nothing of mine.zip could be read:")
    told = " ".join(reply["text"].split())
    assert told.startswith("We could not read what you sent:")
    assert "We looked at the I/O" not in told
    assert "- mine.zip: nothing in it could be read: " in told
    assert why in told
    (source,) = view["sources"]
    assert (view["status"], view["document"], source["status"]) == ("failed", None, "failed")
    assert why in source["message"]
    assert why in entry["unread"]


def test_who_sent_no_log_is_told_which_lines_make_one(start: Start, tmp_path: Path) -> None:
    """By the system of the ticket, else that of the installation; in its own sentences. A system that nobody knows has
    not the modules of the installation's."""
    (tmp_path / "ours.toml").write_text(
        'title = "Ours"\nsite = "lumi"\nfirst = "Zu $run fehlt uns ein Log."\nyours = "Ihrem Job"\n'
    )
    with start(replies=tmp_path, site="archer2") as api:

        def asked(form: str = "plain", **said: str) -> str:
            ticket = api.client.post("/api/v1/tickets", json=said).json()["id"]
            answer = api.client.get(f"/api/v1/tickets/{ticket}/asking", params={"form": form}).json()
            assert (answer["findings"], answer["form"]) == ([], form)
            return str(answer["text"])

        here, lumi = asked(subject="slow"), asked(system="LUMI")
        markdown = asked("markdown", system="our cluster")
        missing = api.client.get("/api/v1/tickets/99/asking").status_code
    assert here.startswith("To see what slows the I/O of your job, we need what it can record and")
    assert "module load darshan\n" in here
    assert "MPICH_MPIIO_STATS=1" in here
    assert here.rstrip().endswith("Then send us the log and the job's standard error.")
    assert lumi.startswith("Zu Ihrem Job fehlt uns ein Log.")
    assert "module load darshan-runtime   # or by its name here: module avail darshan\n" in markdown
    assert missing == 404
