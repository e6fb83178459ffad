"""Facts copied from a case's document when it is stored, so that the queue, its search and the search for similar jobs
never parse a document."""

from __future__ import annotations

from pydantic import TypeAdapter
from sqlalchemy.orm import Session

from iotriage.analysis.decision.following import seconds_lost
from iotriage.analysis.decision.headline_figure import saved_of_alike
from iotriage.analysis.document import CaseDocument, Finding
from iotriage.analysis.portrait import Portrait, portrait_of
from iotriage.sites import all_sites
from iotriage.store.column_text import column_text
from iotriage.store.rows import write_rows
from iotriage.store.tables import CaseRow
from iotriage.store.ticket_tables import CaseFactsRow, CaseFindingRow
from iotriage_parsers.evidence import JobContext

_SECONDS_AN_HOUR = 3600
_LARGEST_INTEGER = 2**31 - 1
_MOST_FINDINGS = 200

PORTRAIT = TypeAdapter(Portrait)


def write_facts(session: Session, case: CaseRow, document: CaseDocument) -> CaseFactsRow:
    """Writes the facts of a case that has none yet. Returns the row, which belongs to no session."""
    facts = _facts(case.id, document)
    write_rows(session, CaseFactsRow, [facts])
    write_rows(session, CaseFindingRow, _findings(case.id, document))
    return CaseFactsRow(**facts)


def leading_finding(document: CaseDocument) -> Finding | None:
    """The finding that the headline is about."""
    rule = document.headline.rule
    return next((f for f in document.findings if f.rule == rule and f.verdict == "triggered"), None)


def application_of(executable: str | None) -> str | None:
    """The program's name without its directory."""
    return column_text((executable or "").rsplit("/", 1)[-1]) or None


def _facts(case_id: str, document: CaseDocument) -> dict[str, object]:
    job, leading = document.job, leading_finding(document)
    lost_s = None if leading is None else seconds_lost(leading, document.findings)
    nodes = job.nnodes if job.nnodes is not None and job.nnodes <= _LARGEST_INTEGER else None
    portrait = portrait_of(document)
    contexts = [t.part for t in document.texts if isinstance(t.part, JobContext)]
    return {
        "case_id": case_id,
        "rule": document.headline.rule,
        "sentence": column_text(document.headline.sentence),
        "system": _system(document.site.id),
        "user": None if job.uid is None else str(job.uid),
        "project": column_text(next((c.account for c in contexts if c.account), None)),
        "application": application_of(job.executable),
        "nodes": nodes,
        "started_s": job.start_time,
        "lost_s": lost_s,
        "node_hours": None if lost_s is None or nodes is None else lost_s * nodes / _SECONDS_AN_HOUR,
        "could_save_s": leading and saved_of_alike(leading, document.findings, document.account),
        "advised": column_text(_advised_on_top(document)),
        "portrait": None if portrait is None else PORTRAIT.dump_json(portrait).decode(),
    }


def _system(site: str) -> str | None:
    """None where the profile is for any system: which one it was, nobody knows."""
    known = all_sites().get(site)
    return None if known is not None and known.status == "generic" else site


def _advised_on_top(document: CaseDocument) -> str | None:
    """The headline's advice without the words that only lead to its command: lists of tickets show the words alone."""
    return document.headline.action or document.headline.lead


def _findings(case_id: str, document: CaseDocument) -> list[dict[str, object]]:
    first: dict[str, dict[str, object]] = {}
    for position, finding in enumerate(document.findings):
        if finding.verdict == "triggered" and finding.rule not in first and len(first) < _MOST_FINDINGS:
            advised = next((a.text for a in finding.advice if a.withheld is None and a.text), None)
            first[finding.rule] = {
                "case_id": case_id,
                "rule": finding.rule,
                "position": position,
                "severity": finding.severity,
                "takes_s": finding.takes_s,
                "could_save_s": finding.could_save_s,
                "advised": column_text(advised),
            }
    return list(first.values())
