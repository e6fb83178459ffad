"""What is cited of the five documents behind the rules stands there: a few words of each, under the name cited.

The quotations are in `rules/core/quotations.toml`. The documents belong to their publishers and are not part of the
repository: where they are not there, the tests that look into them are skipped.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from stats_text import REPOSITORY, extra

from iotriage.rules import all_thresholds
from iotriage.rules.core import quotations as quoted
from iotriage.rules.core.documents import DOCUMENTS
from iotriage.sites import all_sites

FOLDER = extra("seeds")
OPENINGS = {
    "archer-bpg": "ARCHER logo",
    "archer2-io": "Skip to content I/O performance and tuning",
    "theta-io": "Parallel 1/0 on Theta",
    "epcc-pio": "Performance of Parallel IO on Lustre and GPFS",
    "nesi-io": "I/O Performance Considerations",
}
QUOTED = tomllib.loads(Path(quoted.__file__).with_suffix(".toml").read_text(encoding="utf-8"))
SECTIONS = {(document, section) for document in OPENINGS for section in QUOTED[document]}
OTHER_HEADINGS = {
    "archer-bpg": ("Common I/O Patterns", "Stripe Size", "Schemes benchmarked"),
    "archer2-io": ("Lustre technology", "Default configuration", "MPI transport protocol", "Achieving efficient I/O"),
    "theta-io": ("Conclusion", "Lustre File System Basic Components", "General Striping approaches"),
    "epcc-pio": (),
    "nesi-io": ("Data compression",),
}
WITHIN = {
    "summary: typical i/o performance on archer2": (
        "file-per-process (fpp)",
        "single shared file with collective writes (ssf)",
    ),
    "single shared file (ssf)": ("mpi-io",),
}
"""Headings that stand below another."""
needs_documents = pytest.mark.skipif(FOLDER is None, reason="the documents are not there")


def _plain(text: str) -> str:
    """In lower case, blanks for the underscores that the text of slides has lost here and there."""
    return " ".join(text.replace("_", " ").split()).lower()


@cache
def _documents() -> dict[str, list[str]]:
    """The lines of each document."""
    texts = [f.read_text(encoding="utf-8", errors="replace") for f in FOLDER.iterdir()] if FOLDER else []
    return {
        key: [_plain(line) for line in text.splitlines()]
        for key, start in OPENINGS.items()
        for text in texts
        if _plain(start) in _plain(text)[: len(start) + 99]
    }


def _cited() -> Iterator[tuple[str, str]]:
    """Every document and section that the source of a rule or a site names."""
    for file in (REPOSITORY / "backend/src/iotriage/rules").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) > 1:
                first, second = node.args[:2]
                if node.func.id in ("Citation", "Statement") and isinstance(first, ast.Constant):
                    assert isinstance(second, ast.Constant), (file, node.lineno)
                    yield str(first.value), str(second.value)
    for site in all_sites().values():
        others = (*site.thresholds, *site.rates, *site.operation_rates, *site.environment, *site.stripe_rules)
        one_each = [of.source for of in (site.node_cores, site.stripes_of_few_ranks) if of is not None]
        systems = [f.source for f in site.file_systems]
        for source in (site.running_jobs, *one_each, *systems, *(of.source for of in others)):
            if source is None:
                continue
            yield from ((source.document, section) for section in source.sections)


def test_every_section_that_is_cited_is_quoted_and_no_other() -> None:
    cited = {found for found in _cited() if found[0] in OPENINGS}
    assert cited == SECTIONS


def test_a_section_is_one() -> None:
    """Each leads to its own place: several are several."""
    stated = {(t.stated_by.document, t.stated_by.section) for t in all_thresholds().values()}
    for site in all_sites().values():
        running = site.running_jobs
        stated |= set() if running is None else {(running.document, section) for section in running.sections}
    assert [section for _, section in {*_cited(), *stated} if ";" in section] == []


def test_a_section_does_not_say_again_what_its_document_is_called() -> None:
    """A text has the two one behind the other."""
    titled = {(DOCUMENTS[document].title, section) for document, section in _cited() if document in DOCUMENTS}
    assert [(t, s) for t, s in titled if s.startswith(f"{t.rsplit(', ', 1)[-1]},")] == []


def test_every_threshold_that_a_document_states_is_quoted() -> None:
    stated = {id for id, t in all_thresholds().items() if t.stated_by.document in OPENINGS}
    assert stated == QUOTED["thresholds"].keys()


@needs_documents
@pytest.mark.parametrize(("document", "section"), sorted(SECTIONS))
def test_what_is_cited_stands_under_its_heading(document: str, section: str) -> None:
    text = _section(document, section)
    assert [quote for quote in QUOTED[document][section]["quotes"] if _plain(quote) not in text] == []


@needs_documents
@pytest.mark.parametrize("threshold", sorted(QUOTED["thresholds"]))
def test_what_a_threshold_is_stated_by_stands_under_its_heading(threshold: str) -> None:
    by, quote = all_thresholds()[threshold].stated_by, QUOTED["thresholds"][threshold]
    assert _plain(quote) in _section(by.document, by.section)


def _section(document: str, section: str) -> str:
    """What stands under a heading, wherever it stands, up to the next one. Slides are told by the number at their end,
    and what stands before the first heading by where it is."""
    lines = _documents()[document]
    slides = re.fullmatch(r"slides? (\d+)(?:–(\d+))?", section)
    if slides is not None:
        return _slides(lines, int(slides[1]), int(slides[2] or slides[1]))
    if section == "opening" or section.endswith(", opening"):
        return " ".join(lines[:60])
    wanted = _plain(section.rsplit("), ", 1)[-1])
    headings = {_plain(s.rsplit("), ", 1)[-1]) for d, s in SECTIONS if d == document}
    headings |= {_plain(s) for s in OTHER_HEADINGS[document]}
    found, inside = [], False
    for line in lines:
        heading = next((h for h in headings if _is_heading(line, h)), None)
        if heading is not None:
            inside = _is_heading(line, wanted) or (inside and heading in WITHIN.get(wanted, ()))
            # "FPP Note: …" goes on behind its heading.
            found += [line] if inside else []
        elif inside:
            found.append(line)
    return " ".join(" ".join(found).split())


def _is_heading(line: str, heading: str) -> bool:
    return line in (heading, f"- {heading}", f"• {heading}") or line.startswith(
        (f"{heading}:", f"{heading} continued", f"{heading} ---")
    )


def _slides(lines: list[str], first: int, last: int) -> str:
    """In the text of the slides each ends with its number, alone or behind its last words."""
    found: list[str] = []
    begin = end = 0
    for at, line in enumerate(lines):
        if re.fullmatch(rf"(?:.*\s)?{first - 1}", line) and not begin:
            begin = at
        if begin and re.fullmatch(rf"(?:.*\s)?{last}", line) and at > begin:
            end = at
            break
    found = lines[begin : end + 1]
    return " ".join(found)
