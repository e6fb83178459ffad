"""The stripes that `lfs getstripe` lists of a benchmark's file: IOR prints them only where it was built to ask
Lustre."""

from __future__ import annotations

from pathlib import PurePosixPath

from iotriage.analysis.document import CaseDocument
from iotriage.metrics.tables.layouts import component_of
from iotriage_parsers.evidence import StripeComponent, StripeLayout

ALL_OSTS = -1


def listed_component(document: CaseDocument, path: str | None) -> StripeComponent | None:
    """That of the file itself as it was listed last, else that which its directory gives to new files. None where
    neither is listed; and of several components in a directory, which one is meant depends on the file's size."""
    if path is None:
        return None
    layouts = [t.part for t in document.texts if isinstance(t.part, StripeLayout)]
    own = [layout for layout in layouts if layout.form != "directory-default" and layout.path == path]
    if own:
        return component_of(own[-1], None)
    parent = str(PurePosixPath(path).parent)
    given = [x for x in layouts if x.form == "directory-default" and x.path is not None and _plain(x.path) == parent]
    return given[-1].components[0] if given and len(given[-1].components) == 1 else None


def count_of(component: StripeComponent | None) -> int | None:
    """Its stripes; ALL_OSTS where no number is listed, and the OSTs are not either."""
    if component is None or component.on_mdt:
        return None
    if component.over_all_osts:
        return len(component.osts) or ALL_OSTS
    return component.stripe_count or None


def _plain(directory: str) -> str:
    return directory.rstrip("/") or "/"
