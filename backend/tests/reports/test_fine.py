"""What was checked and is fine, in words and not by the names of rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from sample_documents import document_of
from samples import cases

from iotriage.reports.markdown import as_markdown
from iotriage.reports.plain_text import as_plain_text
from iotriage.reports.sections.clear_rules import clear_rules
from iotriage.reports.terminal import as_text
from iotriage.rules import all_rules


@pytest.mark.parametrize("name", ["lustre-ssf-striped", "07-shared-strided-sieving", "29-nonmpi-python"])
def test_no_slug_stands_for_what_is_fine(name: str) -> None:
    document = document_of(next(c.sources for c in cases() if c.name == name))
    said = clear_rules(document.findings)
    assert said is not None
    assert said.endswith(".")
    # "read-modify-write" is what everybody calls it.
    assert not any(rule in said for rule in all_rules() if "-" in rule and rule != "read-modify-write")
    assert "clear:" not in as_text(document)
    assert "Checked and fine: " in as_text(document)


def test_names_keep_their_capitals() -> None:
    document = document_of(next(c.sources for c in cases() if c.name == "lustre-ssf-archer2-settings"))
    said = clear_rules(document.findings) or ""
    assert "ARCHER2's settings" in said
    assert not any(wrong in said for wrong in ("aRCHER", "lustre chooses", "hDF5", "iOBUF", "dVS"))


def test_of_what_could_not_be_read_nothing_is_called_fine(tmp_path: Path) -> None:
    program = tmp_path / "a.out"
    program.write_bytes(b"\x7fELF" + bytes(200))
    said = as_text(document_of((program,)))
    assert "None of the sources could be read" in said
    assert "fine" not in said
    assert "site:" not in said, "no site was looked for"
    for report in (as_markdown(document_of((program,))), as_plain_text(document_of((program,)))):
        assert not any(word in report for word in ("Job", "Clear", "Thresholds", "profile checked"))
    beside = as_text(document_of((program, *next(c.sources for c in cases() if c.name == "14-balanced"))))
    assert "what was read is complete" in beside.lower()
    assert "the evidence is complete" not in beside.lower()
