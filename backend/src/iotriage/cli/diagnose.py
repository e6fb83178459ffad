"""`iotriage diagnose SOURCE…`: a case of each job that the sources are of, on standard output or in a file."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from iotriage.analysis.decision.moved_thresholds import with_thresholds
from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource, unpack_archives
from iotriage.analysis.jobs import GroupedSources, JobSources
from iotriage.analysis.views.embedded_trace import embedded_trace
from iotriage.analysis.views.file_list import job_of
from iotriage.analysis.views.file_spans import file_spans
from iotriage.analysis.views.trace import traced_log
from iotriage.cli import BAD_USE, DONE, FINDINGS, NOTHING_READ, refuse
from iotriage.cli.bounds import TooCostlyError, bounded, check_bounds
from iotriage.cli.input_sources import STANDARD_INPUT, InputSources
from iotriage.cli.output import Output, declare_output, opened
from iotriage.cli.own_thresholds import declare_own_thresholds, own_thresholds
from iotriage.cli.places import typed_name
from iotriage.cli.site_option import declare_site, site_option
from iotriage.digests import with_digests
from iotriage.reports.anonymous.key_of_names import key_of_names, key_refused, key_that_is_set
from iotriage.reports.escaping import escape_line
from iotriage.reports.formats import FORMATS
from iotriage.reports.next_run_text import as_next_run_text
from iotriage.reports.page import NoTemplateError, as_page
from iotriage.reports.plain_json import as_json_line
from iotriage.reports.terminal import as_text
from iotriage.rules.core.rule import SEVERITIES
from iotriage.rules.core.words import plural
from iotriage_parsers.evidence import Evidence


def declare(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "sources",
        metavar="SOURCE",
        nargs="+",
        type=typed_name,
        help="logs and texts, or folders of them; - is standard input",
    )
    several = command.add_mutually_exclusive_group()
    several.add_argument("--job", metavar="ID", help="where the sources are of several jobs, the one to diagnose")
    several.add_argument("--together", action="store_true", help="take all for one job's, whatever they say")
    declare_site(command)
    command.add_argument(
        "--format",
        choices=("text", *FORMATS, "html"),
        default="text",
        help="text for a terminal (default), plain for a mail (72 columns), markdown or jira for a ticket, html for a "
        "page that needs no server, json for a program",
    )
    declare_own_thresholds(command)
    instead = command.add_mutually_exclusive_group()
    instead.add_argument(
        "--next-run", action="store_true", help="print the lines of a job script that would prove the findings, instead"
    )
    instead.add_argument(
        "--triage",
        action="store_true",
        help="print a helpdesk's questions in order, with the job's answers, instead",
    )
    command.add_argument(
        "--anonymise",
        action="store_true",
        help="give people, paths, nodes and jobs other names; where IOTRIAGE_ANONYMISE_KEY is set, the same each time",
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
    try:
        site_option(chosen.site)
        check_bounds()
    except ValueError as unknown:
        return refuse("diagnose", f"{unknown}")
    without_use = _without_use(chosen)
    if without_use is not None:
        return refuse("diagnose", without_use)
    inputs = InputSources(chosen.sources)
    for closed in inputs.unlisted:
        sys.stderr.write(
            f"iotriage diagnose: {escape_line(f'{closed.filename}')} could not be listed: {closed.strerror}\n"
        )
    if not len(inputs):
        return refuse("diagnose", "there are no files in what was given")
    with opened(chosen.output) as output:
        if output.refused is not None:
            return refuse("diagnose", output.refused)
        if chosen.anonymise:
            from iotriage.reports.anonymous.own_words import own_words

            own_words()
        if chosen.owns_process:
            _confine(inputs, chosen.format)
        return _by_job(chosen, inputs, output)


def _without_use(chosen: argparse.Namespace) -> str | None:
    """What was asked for that cannot be done."""
    if chosen.sources.count(STANDARD_INPUT) > 1:
        return "standard input can be given once"
    if (chosen.next_run or chosen.triage) and chosen.format not in ("text", "plain"):
        asked = "--next-run" if chosen.next_run else "--triage"
        return f"{asked} prints text: leave out --format {chosen.format}, or {asked}"
    return key_refused() if chosen.anonymise else None


def _confine(inputs: InputSources, form: str) -> None:
    from iotriage.cli.confined import restrict_reading

    places = inputs.places()
    if form == "html":
        from iotriage.settings import built_page

        web = built_page()
        places += [] if web is None else [web]
    restrict_reading(places)


def _by_job(chosen: argparse.Namespace, inputs: InputSources, output: Output) -> int:
    try:
        gathered = inputs.gathered(together=chosen.together, wanted=chosen.job)
    except TooCostlyError as costly:
        inputs.progress.ends()
        return refuse("diagnose", f"{costly}")
    jobs = [job for job in gathered.jobs if chosen.job is None or job.id == chosen.job]
    if not jobs and chosen.job is not None:
        return refuse("diagnose", f"no source is of job {chosen.job!r}; they are of: {_job_list(gathered.jobs)}")
    if len(jobs) > 1 and chosen.format == "html":
        return refuse("diagnose", f"--format html is a page of one job; choose with --job: {_job_list(jobs)}")
    inputs.progress.ends()
    if inputs.in_folders:
        _print_found(inputs, gathered)
    if len(jobs) == 1:
        return _one(chosen, inputs, jobs[0], output)
    return _several(chosen, inputs, jobs, output)


def _one(chosen: argparse.Namespace, inputs: InputSources, job: JobSources, output: Output) -> int:
    try:
        sources = inputs.of_job(job)
        document = _diagnosed(chosen, sources)
        if chosen.format == "html" and not chosen.next_run and not chosen.triage:
            printed = _page(with_digests(document), () if chosen.anonymise else sources)
        else:
            printed = _printed(document, chosen, output.columns)
    except NoTemplateError:
        return refuse("diagnose", "--format html needs the built page: make install, or install a released wheel")
    except (TooCostlyError, _BadNumbersError) as wrong:
        return refuse("diagnose", f"{wrong}")
    unwritten = output.write(printed)
    return refuse("diagnose", unwritten) if unwritten is not None else _status(document, chosen.fail_on)


def _several(chosen: argparse.Namespace, inputs: InputSources, jobs: Sequence[JobSources], output: Output) -> int:
    """One after the other; a job whose diagnosis costs too much does not end the others."""
    printed, statuses = [], []
    for i, job in enumerate(jobs):
        # What is written as it comes shows itself how far it is.
        if chosen.output is not None or not sys.stdout.isatty():
            inputs.progress.says(f"{i:,} of {len(jobs):,} jobs diagnosed")
        try:
            document = _diagnosed(chosen, inputs.of_job(job))
        except _BadNumbersError as wrong:
            return refuse("diagnose", f"{wrong}")
        except TooCostlyError as costly:
            inputs.progress.ends()
            sys.stderr.write(f"iotriage diagnose: {_label(job.id)}: {costly}\n")
            statuses.append(BAD_USE)
            continue
        statuses.append(_status(document, chosen.fail_on))
        if chosen.format == "json":
            printed.append(as_json_line(with_digests(document)))
        else:
            mark = "# " if chosen.next_run else ""
            label = _label(document.job.job_id if chosen.anonymise else job.id)
            printed.append(f"{mark}{i + 1} of {len(jobs)}: {label}\n\n{_printed(document, chosen, output.columns)}\n")
        if chosen.output is None:
            sys.stdout.write(printed.pop())
    inputs.progress.ends()
    unwritten = output.write("".join(printed)) if chosen.output is not None else None
    if unwritten is not None:
        return refuse("diagnose", unwritten)
    return NOTHING_READ if set(statuses) <= {NOTHING_READ} else max(set(statuses) - {NOTHING_READ}, default=DONE)


class _BadNumbersError(Exception):
    """A threshold of `--set` that is none."""


def _diagnosed(chosen: argparse.Namespace, sources: Sequence[ReadSource]) -> CaseDocument:
    site = site_option(chosen.site)
    with bounded():
        found = diagnose(sources, site.chosen, site.default)
    try:
        decided = with_thresholds(found, own_thresholds(chosen.own))
    except ValueError as wrong:
        raise _BadNumbersError(f"--set {wrong}") from None
    return _anonymised(decided) if chosen.anonymise else decided


def _anonymised(document: CaseDocument) -> CaseDocument:
    from iotriage.reports.anonymous import anonymised

    return anonymised(document, key_of_names(key_that_is_set()))


def _print_found(inputs: InputSources, gathered: GroupedSources) -> None:
    """What a folder holds, on standard error."""
    words = [f"{plural(len(inputs), 'file')}, {plural(len(gathered.jobs), 'job')}"]
    for source in gathered.left_out:
        failure = inputs.failure_of(source)
        words.append(f"not read: {inputs.name_of(source)}" + (f": {failure.message}" if failure else ""))
    sys.stderr.write("".join(f"iotriage diagnose: {escape_line(line)}\n" for line in words))


def _label(job_id: str | None) -> str:
    return f"job {escape_line(job_id)}" if job_id is not None else "a job without a name"


def _job_list(jobs: Sequence[JobSources]) -> str:
    return ", ".join(escape_line(job.id) if job.id is not None else "(no job id)" for job in jobs)


def _printed(document: CaseDocument, chosen: argparse.Namespace, columns: int) -> str:
    if chosen.next_run:
        return as_next_run_text(document.next_run, columns)
    if chosen.triage:
        from iotriage.helpdesk.triage import triage_of
        from iotriage.helpdesk.triage_text import as_triage_text

        return as_triage_text(triage_of(document), columns)
    if chosen.format == "json":
        document = with_digests(document)
    known = FORMATS.get(chosen.format)
    if known is not None:
        return known.write(document)
    return as_text(document, colour=_wants_colour(chosen.output), width=columns)


def _page(document: CaseDocument, sources: Sequence[ReadSource]) -> str:
    """The page of one file; with what the timeline needs of these sources, of which the document is."""
    # Loaded for this format alone: the answers of the API take ten times as long to import as a log to read.
    from iotriage.api.embedded import case_without_store, embedded_answers
    from iotriage.settings import built_page

    title = document.sources[0].name
    case = case_without_store(document, title, datetime.now(UTC))
    return as_page(built_page(), title, embedded_answers(case, _timeline(document, sources) if sources else None))


def _timeline(document: CaseDocument, sources: Sequence[ReadSource]) -> dict[str, str]:
    """What the timeline asks for."""
    from iotriage.api.embedded import EMBEDDED_TRACE, FILE_SPANS, timeline_places

    read = {(source.given, source.member): source.outcome for source in unpack_archives(sources)}
    found = {}
    for place, source in timeline_places(document).items():
        if source is None:
            found[place] = FILE_SPANS.dump_json(file_spans(job_of(sources))).decode()
            continue
        evidence = read.get((source.given, source.member))
        log = traced_log(evidence) if isinstance(evidence, Evidence) else None
        if log is not None:
            found[place] = EMBEDDED_TRACE.dump_json(embedded_trace(log)).decode()
    return found


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
