"""Mails with attachments: each file in them read as if it was given by itself, however the mail came."""

from __future__ import annotations

import base64
import email.policy
import gzip
import hashlib
import io
import random
import tarfile
import zipfile
from collections.abc import Callable
from email.message import EmailMessage

import pytest
from budget import SEED, tries
from stats_text import REPOSITORY, block

from iotriage_parsers import detect, temporary_files
from iotriage_parsers.evidence import Archive, DarshanLog, Evidence, Failure, MpiioStats
from iotriage_parsers.reader import Limits

DARSHAN = (REPOSITORY / "sample-logs" / "darshan_log" / "14-balanced" / "14-balanced.darshan").read_bytes()
OTHER = (REPOSITORY / "sample-logs/darshan_log/39-heat2d-legacy/39-heat2d-legacy.darshan").read_bytes()
TEXT = block()
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(20)
NAME = "jöb.darshan"


def mail(text: str = "It is slow.\n\n-- \nAda\n", subject: str = "slow output") -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "Ada <ada@example.org>", "help@example.org", subject
    made.set_content(text)
    return made


def with_log(made: EmailMessage, data: bytes = DARSHAN, name: str = NAME) -> EmailMessage:
    made.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return made


def forwarded(made: EmailMessage) -> EmailMessage:
    around = mail("See below.", "Fwd: slow output")
    around.add_attachment(made)
    return around


def with_page_and_pictures() -> EmailMessage:
    made = mail()
    made.add_alternative('<html><img src="cid:logo"></html>', subtype="html")
    page = made.get_payload(1)
    assert isinstance(page, EmailMessage)
    page.add_related(PICTURE, "image", "png", cid="<logo>")
    made.add_attachment(b"MII", maintype="application", subtype="pkcs7-signature", filename="smime.p7s")
    return with_log(made)


def of(data: bytes, limits: Limits | None = None) -> Archive:
    found = detect.read_or_unpack(io.BytesIO(data), limits)
    assert isinstance(found, Archive), found
    return found


def is_log(outcome: Evidence | Failure) -> bool:
    return isinstance(outcome, Evidence) and isinstance(outcome.parts[0], DarshanLog)


@pytest.mark.parametrize("policy", [email.policy.default, email.policy.SMTP])
@pytest.mark.parametrize(
    "made",
    [
        lambda: with_log(mail()),
        lambda: forwarded(with_log(mail())),
        lambda: forwarded(forwarded(with_log(mail("Grüße")))),
        with_page_and_pictures,
    ],
    ids=["attached", "forwarded", "forwarded twice", "with a page, pictures and a signature"],
)
def test_a_log_is_read_as_if_it_was_given(
    made: Callable[[], EmailMessage], policy: email.policy.Policy[EmailMessage]
) -> None:
    for before in (b"", b"From ada@example.org Fri Nov 20 10:00:00 2026\n"):
        found = of(before + made().as_bytes(policy=policy))
        assert (found.packing, found.left_out) == ("mail", None)
        (member,) = found.members
        assert (member.name, member.sha256) == (NAME, hashlib.sha256(DARSHAN).hexdigest())
        assert is_log(member.outcome)


@pytest.mark.parametrize(
    "said",
    [
        'Content-Disposition: attachment; filename="job.darshan"',
        "Content-Disposition: attachment;\n\tfilename=job.darshan; size=9",
        "Content-Disposition: attachment; filename*0=job; filename*1=.darshan",
        "Content-Disposition: attachment; filename*=utf-8'en'job%2Edarshan",
        'Content-Disposition: attachment; filename="=?utf-8?B?am9iLmRhcnNoYW4=?="',
        'Content-Type: application/octet-stream; name="job.darshan"',
    ],
)
def test_a_file_is_called_as_its_mail_calls_it(said: str) -> None:
    head = f"From: a\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nHello\n--x\n{said}\n"
    data = f"{head}Content-Transfer-Encoding: BASE64\n\n".encode() + base64.encodebytes(DARSHAN) + b"--x--\n"
    (member,) = of(data).members
    assert (member.name, is_log(member.outcome)) == ("job.darshan", True)


def _zipped() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/one.darshan", DARSHAN)
        archive.writestr("b/two.darshan", OTHER)
    return packed.getvalue()


def _tarred() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, data in (("a/one.darshan", DARSHAN), ("b/two.darshan", OTHER)):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


@pytest.mark.parametrize("packed", [_zipped, _tarred])
def test_the_archive_that_is_attached_is_looked_into(
    packed: Callable[[], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With as many temporary files as a confined process has."""
    monkeypatch.setattr(temporary_files._Preallocated, "files", None)
    temporary_files.preallocate()
    made = with_log(with_log(mail(), gzip.compress(DARSHAN), "third.darshan.gz"), packed(), "logs")
    with_log(made, packed(), "more")
    found = of(forwarded(made).as_bytes())
    assert [m.name for m in found.members] == ["third.darshan.gz", "logs/a/one.darshan", "logs/b/two.darshan", "more"]
    *read, more = (m.outcome for m in found.members)
    assert all(map(is_log, read))
    assert isinstance(more, Failure)
    assert "archive" in more.message or "compressed" in more.message
    for index, data in ((1, DARSHAN), (2, OTHER)):
        with detect.member_of(io.BytesIO(forwarded(made).as_bytes()), index, Limits()) as file:
            assert file is not None
            assert not isinstance(file, Failure)
            assert file.read() == data
    assert len(temporary_files._Preallocated.files or ()) == temporary_files.MOST_AT_A_TIME


def test_what_is_written_in_the_mail_is_read_too_where_it_may_be_of_a_log() -> None:
    for cte in ("base64", "quoted-printable", "8bit"):
        made = mail()
        made.set_content(f"Grüße, it printed:\n\n{TEXT}\n", cte=cte)
        made.add_attachment(TEXT.encode(), maintype="text", subtype="plain", filename="job.err")
        texts = detect.read_or_unpack(io.BytesIO(made.as_bytes()))
        assert isinstance(texts, Evidence), "texts alone are a text"
        found = of(with_log(made).as_bytes())
        assert [m.name for m in found.members] == ["what is written in the mail", "job.err", NAME]
        kinds = [type(m.outcome.parts[0]) for m in found.members if isinstance(m.outcome, Evidence)]
        assert kinds == [MpiioStats, MpiioStats, DarshanLog]


def test_what_is_attached_and_no_log_is_named() -> None:
    made = with_log(mail(), b"%PDF-1.5\n", "thesis.pdf")
    with_log(made, b"\x78\x9f\x3e\x22" + bytes(60), "winmail.dat")
    said = {m.name: m.outcome.message for m in of(made.as_bytes()).members if isinstance(m.outcome, Failure)}
    assert said["thesis.pdf"] == "a PDF document, not a log that we know"
    assert said["winmail.dat"] == "what Outlook packs attachments in (winmail.dat, TNEF)"


def test_a_mail_that_ends_within_an_attachment_says_so() -> None:
    sent = with_log(mail(), DARSHAN + bytes(3_000)).as_bytes()
    (member,) = of(sent[:-2_000]).members
    assert isinstance(member.outcome, Evidence)
    assert any("it is where the mail ends" in problem.message for problem in member.outcome.problems)


@pytest.mark.parametrize("letter", [b"!", b"="])
def test_an_attachment_that_its_way_damaged_says_so(letter: bytes) -> None:
    sent = with_log(mail(), TEXT.encode(), "job.err")
    whole = with_log(sent, DARSHAN).as_bytes()
    encoded = base64.encodebytes(TEXT.encode())
    at = whole.index(encoded[:60]) + len(encoded) - 100
    text, log = of(whole[:at] + letter * 4 + whole[at + 4 :]).members
    assert isinstance(text.outcome, Evidence)
    assert isinstance(log.outcome, Evidence)
    assert any(p.loses_data and "(base64) is damaged" in p.message for p in text.outcome.problems)
    assert not any("base64" in p.message for p in log.outcome.problems)


@pytest.mark.parametrize(
    "text",
    [
        b"Subject: slow\n\nContent-Type: multipart/mixed; boundary=x\n\n--x\n",
        b"nprocs: 4\nContent-Type: multipart/mixed\nfrom: 1\n" * 3,
        b"From: a\nContent-Type: multipart/mixed; boundary=x\n",
        b"From: a\n" + b"Content-Type: multipart/mixed; boundary=x\n\n--x\n" * 99,
        b"From: a\nContent-Type: message/rfc822\n\n" * 5_000,
        b'From: a\nContent-Type: multipart/mixed; boundary="x\n\n--x\n\n--x--\n',
        TEXT.encode(),
    ],
)  # fmt: skip
def test_what_is_no_mail_with_attachments_is_a_text(text: bytes) -> None:
    assert not isinstance(detect.read_or_unpack(io.BytesIO(text)), Archive)


@pytest.mark.fuzz
def test_a_damaged_mail_never_raises() -> None:
    draw = random.Random(SEED or 5)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("job.err", TEXT)
    made = with_log(mail(TEXT), TEXT.encode(), "job.err")
    whole = forwarded(with_log(made, packed.getvalue(), "logs.zip")).as_bytes()
    for _ in range(tries(60, 5_000)):
        data = bytearray(whole[: draw.randrange(len(whole))] if draw.random() < 0.3 else whole)
        for _ in range(draw.randrange(1, 12)):
            data[draw.randrange(len(data))] = draw.choice(b'\n-=:;"\0A\xff')
        detect.read_or_unpack(io.BytesIO(bytes(data)))
