"""The samples that come with the program: `showcase.toml` in the folder of sample logs names them."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import structlog
from pydantic import TypeAdapter, ValidationError

from iotriage.store.audit import ITSELF
from iotriage.store.cases import NamedSource, Sample, delete_case, lock_case, new_case, sample_cases
from iotriage.store.database import Database
from iotriage.store.sources import SourceFolder, store_source
from iotriage_parsers.frozen import frozen

SHOWCASE = "showcase.toml"

log: structlog.stdlib.BoundLogger = structlog.get_logger()


@frozen
class ShowcaseEntry:
    """One sample case; `sources` are paths below the folder, or patterns of such ("mpich_stats/one/*.txt")."""

    title: str
    sources: tuple[str, ...]


@frozen
class Showcase:
    case: tuple[ShowcaseEntry, ...]


_SHOWCASE = TypeAdapter(Showcase)


def load_samples(database: Database, folder: SourceFolder, samples: Path) -> list[str]:
    """Makes the sample cases that are not there yet and removes those that the showcase no longer has.

    A case is known by its title and its sources, so that nothing happens while neither changes. Answers the ids of the
    cases to be read.
    """
    wanted = {sample.key: (sample, paths) for sample, paths in _wanted(samples)}
    with database.writing() as session, session.begin():
        known: set[str] = set()
        for row in sample_cases(session):
            case = lock_case(session, row.id)
            if case is None:
                continue
            key = _key(case.title, [s.sha256 for s in case.sources])
            if key in wanted and key not in known:
                known.add(key)
                case.sample_key, case.sample_position = key, wanted[key][0].position
            else:
                delete_case(session, folder, case, ITSELF)
    return [_make(database, folder, s, paths) for key, (s, paths) in wanted.items() if key not in known]


def _wanted(samples: Path) -> Iterator[tuple[Sample, tuple[Path, ...]]]:
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
        hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in sources]
        yield Sample(_key(entry.title, hashes), position, entry.title), sources


def _key(title: str, hashes: Sequence[str]) -> str:
    # A case has the same source once.
    return hashlib.sha256("\n".join((title, *dict.fromkeys(hashes))).encode()).hexdigest()


def _make(database: Database, folder: SourceFolder, sample: Sample, paths: tuple[Path, ...]) -> str:
    named = [NamedSource(_store(database, folder, path), path.name) for path in paths]
    with database.writing() as session, session.begin():
        return new_case(session, named, sample=sample).id


def _store(database: Database, folder: SourceFolder, path: Path) -> str:
    with folder.arrival() as arrival:
        arrival.write(path.read_bytes())
        return store_source(database, folder, arrival, None).sha256
