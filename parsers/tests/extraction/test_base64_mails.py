"""Mails whose texts are encoded in base64, as those with letters beyond ASCII are."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest
from stats_text import block, codes, read

from iotriage_parsers.evidence import MpiioStats
from iotriage_parsers.extraction.base64_mails import is_base64_mail

TEXT = f"Schöne Grüße\n\ndone\n{block('a.dat')}"
HEAD = "Content-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: base64\n\n"


def encoded(text: str) -> str:
    return base64.encodebytes(text.encode()).decode()


ONE_PART = f"From: auser@site\nSubject: slow\n{HEAD}{encoded(TEXT)}"
PARTS = (
    'From: auser@site\nContent-Type: multipart/mixed; boundary="xy"\n\n'
    f"--xy\n{HEAD}{encoded(TEXT)}\n--xy\nContent-Type: application/octet-stream\nContent-Transfer-Encoding: base64\n\n"
    f"{encoded(block('attached.dat'))}\n--xy--\n"
)


@pytest.mark.parametrize("mail", [ONE_PART, PARTS, PARTS.replace("\n", "\r\n")])
def test_a_mails_text_is_read_and_what_is_attached_is_not(mail: str) -> None:
    evidence = read(mail)
    (found,), (whole,) = evidence.of(MpiioStats), read(TEXT).of(MpiioStats)
    assert (found.file, found.total_bytes, found.complete) == (whole.file, whole.total_bytes, True)
    assert codes(evidence) == ["stripped"]


@pytest.mark.parametrize(
    "boundary",
    ["===============0123456789012345678==", "000000000000abcdef0123456789", "b1_0123456789abcdef0123456789abcdef"],
)
@pytest.mark.parametrize("blank", ["", "\n"])
def test_what_stands_between_parts_is_no_damaged_line(boundary: str, blank: str) -> None:
    """As Python, Gmail and PHPMailer make it, of letters that base64 has."""
    parts = "".join(f"--{boundary}\n{HEAD}{encoded(block(name))}{blank}" for name in ("a.dat", "b.dat"))
    evidence = read(f'From: a@site\nContent-Type: multipart/mixed; boundary="{boundary}"\n\n{parts}--{boundary}--\n')
    assert [found.file for found in evidence.of(MpiioStats)] == ["a.dat", "b.dat"]
    assert codes(evidence) == ["stripped"]


def test_a_mail_that_ends_within_its_text() -> None:
    evidence = read(ONE_PART[: ONE_PART.rindex("\n", 0, -300)])
    assert [found.file for found in evidence.of(MpiioStats)] == ["a.dat"]
    assert any(p.loses_data for p in evidence.problems)


@pytest.mark.parametrize("damage", [lambda line: line[:-1], lambda line: f"{line[:9]}\u00ff{line[10:]}"])
def test_a_damaged_line_is_lost_and_joins_nothing(damage: Callable[[str], str]) -> None:
    whole = read(ONE_PART).of(MpiioStats)[0]
    lines = f"From: auser@site\nSubject: slow\n{HEAD}{encoded(block('first.dat') + TEXT)}".splitlines()
    for at in range(len(lines) - 25, len(lines) - 1):
        evidence = read("\n".join((*lines[:at], damage(lines[at]), *lines[at + 1 :])))
        assert any(p.loses_data and "could not be decoded" in p.message for p in evidence.problems)
        for found in evidence.of(MpiioStats):
            assert found.file in ("first.dat", whole.file)
            assert found.total_bytes in (None, whole.total_bytes)
            assert found.aggregators in (None, whole.aggregators)


def test_other_texts_are_no_such_mail() -> None:
    for text in (TEXT, "Content-Transfer-Encoding: base64\n", "Content-Type: text/plain\n", HEAD.replace("64", "65")):
        assert not is_base64_mail(text.encode())
