"""The case document read from JSON. Making this takes a tenth of a second: once a process, and never to diagnose."""

from __future__ import annotations

from pydantic import TypeAdapter

from iotriage.analysis.document.case import CaseDocument

DOCUMENT = TypeAdapter(CaseDocument)
