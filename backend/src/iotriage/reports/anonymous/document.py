"""The document, every text of it gone through once.

A word that is the program's own stays: so the sentences, the advice and the commands are as they were. Any other came
from a log and gets a pseudonym, and so do all parts of a path behind the place where its file system is. The figures
stay, and the times; so does the site, by whose thresholds they were judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar, cast

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.document.case import DocumentRef, JobGiven, MadeBy
from iotriage.analysis.document.charts.packed import Packed
from iotriage.reports.anonymous.own_words import own_words
from iotriage.reports.anonymous.pseudonyms import RUN, Pseudonyms, is_file_name
from iotriage.rules.core.advice import Citation

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_NAMES: Final = frozenset(("account", "host", "hostname", "job_id", "job_name", "node", "nodelist", "user"))
"""Fields whose texts are names, whatever they look like."""
_LEAST_DIGITS: Final = 4
"""Of a job id, for it to be taken for one in a sentence too, where other numbers stand."""

_TOKEN: Final = re.compile(
    r"https?://(?P<host>[\w.-]+)[^\s\"'<>]*"
    r"|(?P<sha256>\b[0-9a-f]{64}\b)"
    r"|(?P<path>(?<![\w/])(?:[.~]{1,2}|\$\w+|\$\{\w+\})?/[^\s/\"'`:;,|<>(){}=\\]+(?:/[^\s/\"'`:;,|<>(){}=\\]*)*)"
    r"|(?P<word>[\w#][\w.#%+@-]*)"
)
_SYSTEM: Final = frozenset(("dev", "etc", "proc", "sys", "usr"))
"""Folders that every machine has, in which nobody's files are."""
_OURS: Final = (Citation, DocumentRef, MadeBy, Packed)
"""What holds no name of anybody's: citations, digests, numbers in bulk."""
_JOBS: Final = re.compile(r"\bjobs? (\d+(?:, \d+)*)")
"""Jobs that a sentence names: others than the case's stand in no field."""
_BEHIND: Final = ".-+%@"
"""What may end a sentence or a bracket, and stands in names too."""

T = TypeVar("T")


def anonymised(document: CaseDocument, key: bytes) -> CaseDocument:
    """The document without names of people, places in file systems, nodes and jobs; under one key the same name gets
    the same pseudonym each time."""
    found = _Hiding(document, Pseudonyms(key)).value(document)
    return replace(found, job=replace(found.job, uid=None))


class _Hiding:
    def __init__(self, document: CaseDocument, pseudonyms: Pseudonyms) -> None:
        self._pseudonyms = pseudonyms
        own = self._own = own_words()
        texts = tuple(_texts(document))
        names = [text for field, text in texts if field in _NAMES]
        names += [jobs for _, text in texts for jobs in _JOBS.findall(text)]
        runs = {run for name in names for run in RUN.findall(name)}
        self._named = {run for run in runs if (len(run) >= _LEAST_DIGITS if run.isdecimal() else not own.has(run))}
        paths = (found["path"] for _, text in texts for found in _TOKEN.finditer(text) if found["path"])
        parts = {part for path in paths for part in path.rstrip(_BEHIND).split("/")}
        # A file that was given is called as somebody called it, whatever it ends with.
        given = (source.name.rpartition("/")[2] for source in document.sources)
        self._parts = parts | {name for name in given if "." in name}

    def value(self, value: T, field: str = "") -> T:
        """The value with every text in it gone through; `field` is where it stands."""
        if isinstance(value, _OURS):
            return value
        if isinstance(value, str):
            return cast(T, self._pseudonyms.of(value) if field in _NAMES else _TOKEN.sub(self._token, value))
        if isinstance(value, tuple):
            return cast(T, tuple(self.value(one, field) for one in value))
        if isinstance(value, dict):
            return cast(T, {self.value(name): self.value(one) for name, one in value.items()})
        if is_dataclass(value) and not isinstance(value, type):
            return cast(T, replace(value, **{name: self.value(one, what) for name, what, one in _fields(value)}))
        return value

    def _token(self, found: re.Match[str]) -> str:
        if found["sha256"]:
            return self._pseudonyms.digest(found.group())
        if found["host"]:
            return found.group() if found["host"] in self._own.hosts else self._pseudonyms.of(found.group())
        text = found.group().rstrip(_BEHIND)
        hidden = self._path(text) if found["path"] else self._word(text)
        return hidden + found.group()[len(text) :]

    def _path(self, path: str) -> str:
        parts = path.split("/")
        if parts[0] == "" and parts[1] in _SYSTEM:
            return path
        kept = next((n for n in range(len(parts), 1, -1) if "/".join(parts[:n]) in self._own.places), 0)
        if not kept:
            kept = 2 if not parts[0] and self._own.has(parts[1]) else 1
        return "/".join([*parts[:kept], *map(self._pseudonyms.of, parts[kept:])])

    def _word(self, word: str) -> str:
        runs = RUN.findall(word)
        words = [run for run in runs if not run.isdecimal()]
        if not words:
            return self._pseudonyms.of(word) if word in self._named else word
        plain = len(runs) == 1 and runs[0] == word
        from_a_path = word in self._parts or is_file_name(word) or not self._named.isdisjoint(runs)
        if all(map(self._own.has, words)) and (plain or not from_a_path):
            return word
        return self._pseudonyms.of(word)


def _texts(value: object, field: str = "") -> Iterator[tuple[str, str]]:
    """All texts of a value, with the field in which each stands."""
    if isinstance(value, str):
        yield field, value
    elif isinstance(value, tuple):
        for one in value:
            yield from _texts(one, field)
    elif isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif is_dataclass(value) and not isinstance(value, type) and not isinstance(value, _OURS):
        for _, what, one in _fields(value):
            yield from _texts(one, what)


def _fields(value: DataclassInstance) -> Iterator[tuple[str, str, object]]:
    """Of each field its name, what stands in it, and that. The id of a job that is given is a job's."""
    for field in fields(value):
        what = "job_id" if isinstance(value, JobGiven) and field.name == "id" else field.name
        yield field.name, what, getattr(value, field.name)
