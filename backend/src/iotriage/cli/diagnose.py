"""`iotriage diagnose SOURCE…`: one case of the sources given, on standard output or in a file."""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource, name_of
from iotriage.analysis.moved import with_thresholds
from iotriage.cli import BAD_USE, DONE, FINDINGS, NOTHING_READ
from iotriage.cli.bounds import TooCostlyError, bounded
from iotriage.cli.output import declare_output, write
from iotriage.cli.own_numbers import declare_own_numbers, own_numbers
from iotriage.diagnosis import source_at
from iotriage.digests import with_digests
from iotriage.reports.formats import FORMATS
from iotriage.reports.next_run_text import as_next_run_text
from iotriage.reports.page import NoTemplateError, as_page
from iotriage.reports.terminal import as_text
from iotriage.sites import all_sites
from iotriage_parsers.detect import read_given
from iotriage_parsers.evidence import Failure
from iotriage_parsers.reader import Limits

SEVERITIES = ("high", "medium", "low", "info")
STANDARD_INPUT = "-"


def declare(command: argparse.ArgumentParser) -> None:
    command.add_argument("sources", metavar="SOURCE", nargs="+", help="logs and texts of one job; - is standard input")
    command.add_argument("--site", metavar="ID", help="site profile to judge by; detected from the log when left out")
    command.add_argument(
        "--format",
        choices=("text", *FORMATS, "html"),
        default="text",
        help="text for a terminal (default), plain for a mail (72 columns), markdown or jira for a ticket, html for a "
        "page that needs no server, json for a program",
    )
    declare_own_numbers(command)
    command.add_argument(
        "--next-run", action="store_true", help="print the lines of a job script that would prove the findings, instead"
    )
    declare_output(command)
    command.add_argument(
        "--fail-on",
        choices=SEVERITIES,
        metavar="SEVERITY",
        help="exit with status 1 when a finding is at least this severe (high, medium, low, info)",
    )
    command.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    if chosen.site is not None and chosen.site not in all_sites():
        return _bad_use(f"unknown site {chosen.site!r}; known: {', '.join(all_sites())}")
    if chosen.sources.count(STANDARD_INPUT) > 1:
        return _bad_use("standard input can be given once")
    try:
        with bounded():
            found = diagnose([source_of(name) for name in chosen.sources], chosen.site)
    except TooCostlyError as costly:
        return _bad_use(f"{costly}")
    try:
        document = with_thresholds(found, own_numbers(chosen.own))
    except ValueError as wrong:
        return _bad_use(f"--set {wrong}")
    try:
        printed = _printed(document, chosen.format, chosen.output)
    except NoTemplateError:
        return _bad_use("--format html needs the built page: make install, or install a released wheel")
    if chosen.next_run:
        printed = as_next_run_text(document.next_run)
    unwritten = write(printed, chosen.output)
    if unwritten is not None:
        return _bad_use(unwritten)
    return _status(document, chosen.fail_on)


def _printed(document: CaseDocument, form: str, output: Path | None) -> str:
    if form == "html":
        return _page(with_digests(document))
    if form == "json":
        document = with_digests(document)
    known = FORMATS.get(form)
    return as_text(document, colour=_wants_colour(output)) if known is None else known.write(document)


def _page(document: CaseDocument) -> str:
    # Loaded for this format alone: the answers of the API take ten times as long to import as a log to read.
    from iotriage.api.exported import answers, case_without_store
    from iotriage.settings import Settings

    title = document.sources[0].name
    case = case_without_store(document, title, datetime.now(UTC))
    return as_page(Settings().web, title, answers(case))


def source_of(name: str) -> ReadSource:
    """The source read, or the reason why it could not be."""
    try:
        content = sys.stdin.buffer.read() if name == STANDARD_INPUT else None
        if content is not None:
            digest, size = hashlib.sha256(content).hexdigest(), len(content)
            return ReadSource("standard input", digest, size, read_given(io.BytesIO(content), Limits()))
        return source_at(Path(name))
    except OSError as problem:
        words = problem.strerror or type(problem).__name__
        step = "Give the path of a file that this user can read."
        shown = name_of(name)
        return ReadSource(shown, "", 0, Failure("unrecognised", f"{shown} could not be opened: {words}", step))


def _status(document: CaseDocument, fail_on: str | None) -> int:
    if all(s.status in ("failed", "nothing") for s in document.sources):
        return NOTHING_READ
    if fail_on is not None:
        enough = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
        if any(f.verdict == "triggered" and f.severity in enough for f in document.findings):
            return FINDINGS
    return DONE


def _wants_colour(output: Path | None) -> bool:
    return output is None and sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _bad_use(message: str) -> int:
    sys.stderr.write(f"iotriage diagnose: {message}\n")
    return BAD_USE
