"""The forms in which the report of a case leaves as text, and how each is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from iotriage.analysis.document import CaseDocument
from iotriage.reports.jira import as_jira
from iotriage.reports.markdown import as_markdown
from iotriage.reports.plain_json import as_json
from iotriage.reports.plain_text import as_plain_text
from iotriage_parsers.frozen import frozen

Form = Literal["plain", "markdown", "jira", "json"]


@frozen
class Format:
    """`extension` is that of a file with the report, without the leading dot."""

    write: Callable[[CaseDocument], str]
    media_type: str
    extension: str


FORMATS: Mapping[str, Format] = {
    "plain": Format(as_plain_text, "text/plain", "txt"),
    "markdown": Format(as_markdown, "text/markdown", "md"),
    "jira": Format(as_jira, "text/plain", "jira.txt"),
    "json": Format(as_json, "application/json", "json"),
}
"""By `Form`."""
