"""Which program made a document, by content: digests of what reads, what decides and what words.

A version is what a release says of itself; a rule that was edited since, or a reader of a checkout, says so only by its
bytes. A stored document is stale where one of the digests is not today's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

import iotriage_parsers
from iotriage.analysis.document import CaseDocument
from iotriage_parsers.frozen import frozen

DECIDES = ("metrics", "rules", "sites", "analysis")
"""Folders of the package whose content decides, but for what words and for the profiles of sites, whose own content is
digested for the documents that they judge (`iotriage.store.profile_version`)."""

WORDS = ("reports", "rules/advice", "rules/core/words.py")
"""What decides the words of a finding, and no more."""

_DIGITS = 12


@frozen
class ProgramDigests:
    """Hexadecimal digits of SHA-256 over names and contents of files."""

    readers: str
    decides: str
    words: str


@cache
def program_digests() -> ProgramDigests:
    """The digests of this program; some 20 ms the first time."""
    (parsers,) = iotriage_parsers.__path__
    return digests_of(Path(parsers), Path(__file__).parent)


def with_digests(document: CaseDocument) -> CaseDocument:
    """The document, made by this program, with the digests that tell it from others."""
    return replace(document, made_by=replace(document.made_by, **asdict(program_digests())))


def made_by_this_program(document: CaseDocument) -> bool:
    """Whether this program made it, by its digests."""
    return with_digests(document).made_by == document.made_by


def digests_of(parsers: Path, package: Path) -> ProgramDigests:
    """The digests of the two packages in these folders."""
    words = sorted(_files(package, WORDS))
    decides = sorted(set(_files(package, DECIDES)) - set(words) - set((package / "sites").glob("*.toml")))
    return ProgramDigests(
        _digest(parsers, sorted(_files(parsers, (".",)))), *(_digest(package, f) for f in (decides, words))
    )


def _files(root: Path, names: Iterable[str]) -> Iterator[Path]:
    for name in names:
        place = root / name
        found = [place] if place.is_file() else place.rglob("*")
        # Whatever lies in there is of the interpreter: also what it writes first and then calls .pyc.
        yield from (f for f in found if "__pycache__" not in f.relative_to(root).parts and f.is_file())


def _digest(root: Path, files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(hashlib.sha256(file.relative_to(root).as_posix().encode()).digest())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:_DIGITS]
