"""From what the sources of a case hold to its document."""

from __future__ import annotations

from collections.abc import Sequence

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage.digests import with_digests
from iotriage_parsers.evidence import Failure


def diagnose_inputs(
    inputs: Sequence[ReadSource], site: str | None, default_site: str | None = None
) -> CaseDocument | None:
    """The document for what was read, or None where every source failed. Without a `site` the evidence decides, and
    where it does not tell, `default_site` holds. It says which program made it."""
    if all(isinstance(source.outcome, Failure) for source in inputs):
        return None
    return with_digests(diagnose(inputs, site, default_site))
