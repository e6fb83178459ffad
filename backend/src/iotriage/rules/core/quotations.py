"""A few words of each cited section as the document has them, from `quotations.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from iotriage.rules.core.advice import Citation
from iotriage_parsers.frozen import frozen


@frozen
class Quotation:
    """`quotes` are words of the section, verbatim."""

    document: str
    section: str
    quotes: tuple[str, ...]


@cache
def _quoted() -> Mapping[str, Mapping[str, Quotation]]:
    """All quotations, by document and section."""
    text = files("iotriage.rules.core").joinpath("quotations.toml").read_text(encoding="utf-8")
    documents = tomllib.loads(text)
    return {
        key: {section: Quotation(key, section, tuple(of["quotes"])) for section, of in sections.items()}
        for key, sections in documents.items()
        if key != "thresholds"
    }


def quotations_of(document: str) -> tuple[Quotation, ...]:
    """The quotations of every section of the document of which something is quoted."""
    return tuple(_quoted().get(document, {}).values())


def quotations(cited: Iterable[Citation]) -> tuple[Quotation, ...]:
    """The quotations of the cited sections, each once, in order. Sections without quotations are left out."""
    found = (_quoted().get(one.document, {}).get(one.section) for one in dict.fromkeys(cited))
    return tuple(quotation for quotation in found if quotation is not None)
