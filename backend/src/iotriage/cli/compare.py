"""`iotriage compare A B…`: what was changed between runs, and what became of it."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from iotriage.analysis.decision.moved_thresholds import UnknownThresholdError
from iotriage.analysis.document import DOCUMENT_VERSION, CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.run_sets.comparison import TooFewRunsError, compare
from iotriage.analysis.run_sets.run import TitledCase, is_unread
from iotriage.cli import DONE, FINDINGS, NOTHING_READ, refuse
from iotriage.cli.bounds import TooCostlyError, bounded, check_bounds
from iotriage.cli.confined import restrict_reading
from iotriage.cli.input_sources import source_of
from iotriage.cli.output import Output, declare_output, opened
from iotriage.cli.own_thresholds import declare_own_thresholds, own_thresholds
from iotriage.cli.places import is_file, is_folder, is_there, natural_order, typed_name
from iotriage.cli.site_option import SiteOption, declare_site, site_option
from iotriage.reports.comparison_text import as_comparison_text
from iotriage.reports.plain_json import as_json

CASE_ID = re.compile(r"[A-Za-z0-9]{6,64}")
LARGEST_DOCUMENT_BYTES = 256 * 2**20


class NotACaseError(ValueError):
    """An argument is neither a file, a folder nor a case; the message says so."""


def declare(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "cases",
        metavar="CASE",
        nargs="+",
        type=typed_name,
        help="a log or text; a folder, whose files are one job's; a case as `diagnose --format json` prints it; or the "
        "id of a case in the data folder. The others are compared with the first. The output of a benchmark "
        "with several runs may stand alone",
    )
    declare_site(command)
    declare_own_thresholds(command)
    command.add_argument("--format", choices=("text", "json"), default="text", help="what to print (default: text)")
    declare_output(command)
    command.add_argument(
        "--fail-on", choices=("worse",), help="exit with status 1 when the later runs are worse than the first"
    )
    command.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    try:
        site = site_option(chosen.site)
        check_bounds()
    except ValueError as unknown:
        return refuse("compare", str(unknown))
    try:
        own = own_thresholds(chosen.own)
    except ValueError as wrong:
        return refuse("compare", f"--set {wrong}")
    with opened(chosen.output) as output:
        if output.refused is not None:
            return refuse("compare", output.refused)
        return _compared(chosen, site, own, output)


def _compared(chosen: argparse.Namespace, site: SiteOption, own: dict[str, float], output: Output) -> int:
    try:
        stored = {name: _stored(name) for name in chosen.cases if _is_stored(name)}
        if chosen.owns_process:
            restrict_reading(Path(name) for name in chosen.cases if name not in stored)
        cases = [stored.get(name) or _case(name, site) for name in chosen.cases]
        with bounded():
            compared = compare(cases, own)
    except UnknownThresholdError as unknown:
        return refuse("compare", f"--set {unknown}")
    except (NotACaseError, TooFewRunsError, TooCostlyError) as problem:
        return refuse("compare", str(problem))
    printed = as_json(compared) if chosen.format == "json" else as_comparison_text(compared, output.columns)
    unwritten = output.write(printed)
    if unwritten is not None:
        return refuse("compare", unwritten)
    return _status([document for _, document in cases], failing=chosen.fail_on == compared.outcome)


def _status(documents: Sequence[CaseDocument], *, failing: bool) -> int:
    if any(is_unread(document) for document in documents):
        return NOTHING_READ
    return FINDINGS if failing else DONE


def _is_stored(name: str) -> bool:
    """Whether it can only be the id of a case in the data folder."""
    return CASE_ID.fullmatch(name) is not None and not is_there(Path(name))


def _case(name: str, site: SiteOption) -> TitledCase:
    """The case of a file or folder. NotACaseError where it is nothing that can be compared, `TooCostlyError` where that
    needs more than it may."""
    path = Path(name)
    if is_folder(path):
        try:
            own = (p for p in path.iterdir() if is_file(p) and not p.name.startswith("."))
            files = sorted(own, key=lambda p: natural_order(p.name))
        except OSError as unlisted:
            raise NotACaseError(f"{name}: {unlisted.strerror}") from None
        if not files:
            raise NotACaseError(f"{name}: the folder has no files")
        return TitledCase(path.resolve().name, _diagnosed(files, site))
    document = _document(path) if is_file(path) else None
    return TitledCase(path.name, document or _diagnosed([path], site))


def _diagnosed(files: Sequence[Path], site: SiteOption) -> CaseDocument:
    with bounded():
        return diagnose([source_of(str(path)) for path in files], site.chosen, site.default)


def _document(path: Path) -> CaseDocument | None:
    """The case document that the file holds, or None where it holds something else."""
    try:
        with path.open("rb") as stream:
            begins = stream.read(256).lstrip()
            if (
                not begins.startswith(b"{")
                or b'"made_by"' not in begins
                or path.stat().st_size > LARGEST_DOCUMENT_BYTES
            ):
                return None
            content = begins + stream.read()
    except OSError:
        # Whoever reads it as a log says why that cannot be.
        return None
    # Loaded for this alone: a log is compared without it.
    from pydantic import ValidationError

    from iotriage.analysis.document.adapter import DOCUMENT

    try:
        document = DOCUMENT.validate_json(content)
    except ValidationError:
        document = None
    if document is None or document.version != DOCUMENT_VERSION:
        raise NotACaseError(f"{path}: a case of another version of IOtriage; give the logs that it was made from")
    return document


def _stored(case_id: str) -> TitledCase:
    from pydantic import ValidationError
    from sqlalchemy.exc import SQLAlchemyError

    from iotriage.settings import Settings, settings_error
    from iotriage.store.cases import find_case, stored_document
    from iotriage.store.database import Database, UnusableDatabaseError

    try:
        settings = Settings()
    except ValidationError as wrong:
        raise NotACaseError(
            f"{case_id} is not a file, and the data folder is not known: {settings_error(wrong)}"
        ) from None
    missing = NotACaseError(f"{case_id}: neither a file nor a case of {settings.data_dir}")
    if settings.database_file is not None and not is_file(settings.database_file):
        raise missing
    try:
        database = Database(settings.database)
    except UnusableDatabaseError as problem:
        raise NotACaseError(f"{case_id} is not a file, and {problem}") from None
    try:
        with database.reading() as session:
            case = find_case(session, case_id)
            document = stored_document(case) if case is not None else None
            if case is None or document is None:
                raise missing
            return TitledCase(case.title, document)
    except SQLAlchemyError as problem:
        raise NotACaseError(
            f"{case_id} is not a file, and the database cannot be read: {type(problem).__name__}"
        ) from None
    finally:
        database.close()
