"""The words that are the program's own: those in its source and in the profiles of sites. A word that is in a document
and not among them came from a log."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

import iotriage
import iotriage_parsers
from iotriage.sites import own_files
from iotriage_parsers.frozen import frozen

_SUFFIXES: Final = (".py", ".toml", ".json")
_ADVISING: Final = ("rules", "sites", "analysis/run_sets")
_WORD: Final = re.compile(r"[^\W\d_]+")
_HOST: Final = re.compile(r"https?://([\w.-]+)")
_PLACE: Final = re.compile(r"(?<![\w/:$.])(?:\.|\$\w+|\$\{\w+\})?/(?:[\w.-]+/?)+")


@frozen
class OwnWords:
    """Runs of letters as they are written; the hosts of addresses that are cited; and paths that the rules advise or
    the profiles name: `/dev/shm`, where a site's file systems are."""

    words: frozenset[str]
    hosts: frozenset[str]
    places: frozenset[str]

    def has(self, word: str) -> bool:
        """Also with another first letter, and of several."""
        return not self.words.isdisjoint((word, word.lower(), word.capitalize(), word.lower().removesuffix("s")))


@cache
def own_words() -> OwnWords:
    """Read once: whoever is confined later calls it before."""
    packages = [Path(iotriage.__path__[0]), Path(iotriage_parsers.__path__[0])]
    source = [path for package in packages for path in package.rglob("*") if path.suffix in _SUFFIXES]
    texts = {path: path.read_text(encoding="utf-8") for path in (*source, *own_files())}
    advised = {packages[0] / folder for folder in _ADVISING}
    placing = [text for path, text in texts.items() if path not in source or not advised.isdisjoint(path.parents)]
    return OwnWords(
        frozenset(word for text in texts.values() for word in _WORD.findall(text)),
        frozenset(host for text in texts.values() for host in _HOST.findall(text)),
        frozenset(place.rstrip("/.") for text in placing for place in _PLACE.findall(text)),
    )
