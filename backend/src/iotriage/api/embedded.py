"""The answers of the API that an exported HTML page carries inside, since it has no server to ask."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from pydantic import TypeAdapter

from iotriage.analysis.document import CaseDocument, SourceReport
from iotriage.analysis.portrait import Portrait, portrait_of
from iotriage.analysis.views.embedded_trace import EmbeddedTrace
from iotriage.analysis.views.file_spans import FileSpansView
from iotriage.api.rules import rule_view
from iotriage.api.views import CASE_VIEW, CaseView, Info, RuleView, SiteName
from iotriage.release import __version__
from iotriage.rules import all_rules
from iotriage.sites import all_sites
from iotriage.sites.site import Site

_INFO, _RULE, _SITE = TypeAdapter(Info), TypeAdapter(RuleView), TypeAdapter(Site)
_PORTRAIT: TypeAdapter[Portrait | None] = TypeAdapter(Portrait | None)
MOST_TRACES = 4
"""Logs of one job whose timelines a page of one file keeps."""

EMBEDDED_TRACE = TypeAdapter(EmbeddedTrace)
FILE_SPANS: TypeAdapter[FileSpansView | None] = TypeAdapter(FileSpansView | None)


def embedded_answers(view: CaseView, timeline: Mapping[str, str] | None = None) -> dict[str, str]:
    """JSON texts by address: the case, its portrait, its site, and every rule, since another threshold may have any of
    them found; and what the timeline asks for, by its place below the case (`timeline_places`).
    ValueError for a case without a document."""
    document = view.document
    if document is None:
        raise ValueError(f"case {view.id} has no document")
    site = all_sites()[document.site.id]
    info = Info(__version__, len(all_rules()), (SiteName(site.id, site.title, site.status),), None, 0)
    return {
        "api/v1/info": _json(_INFO.dump_json(info)),
        f"api/v1/cases/{view.id}": _json(CASE_VIEW.dump_json(view)),
        f"api/v1/cases/{view.id}/portrait": _json(_PORTRAIT.dump_json(portrait_of(document))),
        f"api/v1/sites/{site.id}": _json(_SITE.dump_json(site)),
        **{f"api/v1/cases/{view.id}/{place}": answer for place, answer in (timeline or {}).items()},
        **{f"api/v1/rules/{rule.id}": _json(_RULE.dump_json(rule_view(rule))) for rule in all_rules().values()},
    }


def timeline_places(document: CaseDocument) -> dict[str, SourceReport | None]:
    """What the timeline of a page of one file asks for, by its place below the case: of each source with a trace or a
    heatmap what is kept of that (`EMBEDDED_TRACE`), and where there is none, None: of the files when each was in use
    (`FILE_SPANS`). Empty where no source tells of times."""
    activity = document.charts.activity
    if activity is None:
        return {}
    traced = [document.sources[trace.source] for trace in activity.traces[:MOST_TRACES]]
    return {_trace_place(source): source for source in traced} or {"files/spans": None}


def _trace_place(source: SourceReport) -> str:
    member = "" if source.member is None else f"?member={source.member}"
    return f"sources/{source.given}/trace/kept{member}"


def case_without_store(document: CaseDocument, title: str, made_at: datetime) -> CaseView:
    """The case of a document that no store holds: the command line's."""
    return CaseView(
        id="case",
        created_at=made_at,
        status="ready",
        title=title,
        site=None,
        sample=False,
        message=None,
        sources=(),
        stale=None,
        joined=(),
        document=document,
    )


def _json(dumped: bytes) -> str:
    return dumped.decode("utf-8")
