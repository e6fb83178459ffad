"""The samples that come with the program: `showcase.toml` in the folder of sample logs names them."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import structlog
from pydantic import TypeAdapter, ValidationError

import iotriage
import iotriage_parsers
from iotriage.store.cases import NamedSource, Sample, case_to_change, delete_case, new_case, sample_cases
from iotriage.store.database import Database
from iotriage.store.sources import SourceFolder, keep_source

SHOWCASE = "showcase.toml"

log: structlog.stdlib.BoundLogger = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ShowcaseEntry:
    """One sample case; `sources` are paths below the folder, or patterns of such ("mpich_stats/one/*.txt")."""

    title: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Showcase:
    case: tuple[ShowcaseEntry, ...]


_SHOWCASE = TypeAdapter(Showcase)


def load_samples(database: Database, folder: SourceFolder, samples: Path) -> list[str]:
    """Makes the sample cases that are not there yet and removes those that the showcase no longer has.

    A case is known by its title, its sources and the program that diagnoses it, so that nothing happens while none
    of them changes. Answers the ids of the cases to be read.
    """
    program = _program_digest()
    wanted = {sample.key: (sample, paths) for sample, paths in _wanted(samples, program)}
    with database.writing() as session, session.begin():
        present = sample_cases(session)
        for case in present:
            if case.sample_key not in wanted and case_to_change(session, case.id) is not None:
                delete_case(session, folder, case)
        known = {case.sample_key for case in present}
    return [_make(database, folder, s, paths) for key, (s, paths) in wanted.items() if key not in known]


def _wanted(samples: Path, program: bytes) -> Iterator[tuple[Sample, tuple[Path, ...]]]:
    try:
        showcase = _SHOWCASE.validate_python(tomllib.loads((samples / SHOWCASE).read_text("utf-8")))
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        log.warning("showcase not read", folder=str(samples), error=str(error))
        return
    for position, entry in enumerate(showcase.case):
        found = {pattern: sorted(samples.glob(pattern)) for pattern in entry.sources}
        missing = [pattern for pattern, paths in found.items() if not paths]
        if missing:
            log.warning("sample left out: its files are missing", title=entry.title, missing=missing)
            continue
        sources = tuple(path for paths in found.values() for path in paths)
        yield Sample(_key(program, entry.title, sources), position, entry.title), sources


def _key(program: bytes, title: str, paths: tuple[Path, ...]) -> str:
    digest = hashlib.sha256(program + title.encode())
    for path in paths:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _program_digest() -> bytes:
    """A hash of the code and the sites: a rule edited in a checkout is to be seen in the samples too."""
    digest = hashlib.sha256()
    for package in (iotriage, iotriage_parsers):
        files = (file for root in package.__path__ for file in Path(root).rglob("*") if file.suffix in (".py", ".toml"))
        for file in sorted(files):
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.digest()


def _make(database: Database, folder: SourceFolder, sample: Sample, paths: tuple[Path, ...]) -> str:
    named = [NamedSource(_keep(database, folder, path), path.name) for path in paths]
    with database.writing() as session, session.begin():
        return new_case(session, named, sample=sample).id


def _keep(database: Database, folder: SourceFolder, path: Path) -> str:
    with folder.arrival() as arrival:
        arrival.write(path.read_bytes())
        return keep_source(database, folder, arrival, None).sha256
