"""What `iotriage diagnose` is given: files, folders and archives, told apart by the jobs that they are of."""

from __future__ import annotations

import hashlib
import io
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from iotriage.analysis.inputs import FROM_STANDARD_INPUT, ReadSource, name_of, unpack_archives
from iotriage.analysis.jobs import (
    GroupedSources,
    JobSources,
    SourceIdentity,
    group_by_job,
    listed_job,
    select_job_parts,
    source_identity_of,
)
from iotriage.cli.bounds import TooCostlyError, bounded
from iotriage.cli.places import check_ends, is_file, is_folder, natural_order
from iotriage.cli.progress import Progress
from iotriage.diagnosis import source_at
from iotriage.rules.core.words import plural
from iotriage_parsers.detect import read_or_unpack
from iotriage_parsers.evidence import Archive, Failure
from iotriage_parsers.frozen import frozen
from iotriage_parsers.reader import Limits

STANDARD_INPUT = "-"
KEPT_BYTES = 8 * 2**20
"""Of a folder, what was read of this much is kept; the rest is read again for the diagnosis of its job."""


@frozen
class InputFile:
    """A file to read. `name` is what is shown: of a file in a folder, its path from there."""

    path: str
    name: str | None = None


@frozen
class SourcePlace:
    """One source: the file given, and the file in it where that is an archive."""

    given: int
    member: int | None


class InputSources:
    """The files of the command line, read once; of large folders what does not fit is read again by `of_job`."""

    def __init__(self, arguments: Sequence[str]) -> None:
        folders = {a: Path(a) for a in arguments if is_folder(Path(a))}
        self.in_folders = bool(folders)
        self.progress = Progress()
        self._folders = tuple(folders.values())
        self.unlisted: list[OSError] = []
        """Why nothing could be looked for in a folder, each with its name."""
        self._files = tuple(f for a in arguments for f in self._of(a, folders))
        self._kept: dict[int, ReadSource] = {}
        self._places: list[SourcePlace] = []
        self._identities: list[SourceIdentity] = []
        self._failures: list[Failure | None] = []
        self.progress.ends()

    def __len__(self) -> int:
        return len(self._files)

    def _of(self, argument: str, folders: Mapping[str, Path]) -> Iterable[InputFile]:
        return (
            _in_folder(folders[argument], self.unlisted, self.progress)
            if argument in folders
            else (InputFile(argument),)
        )

    def places(self) -> list[Path]:
        """What must be readable: the folders, and the files that were named themselves, or lie elsewhere and are linked
        to."""
        files = (Path(f.path) for f in self._files if f.name is None or Path(f.path).is_symlink())
        return [*self._folders, *(path for path in files if str(path) != STANDARD_INPUT)]

    def gathered(self, *, together: bool = False, wanted: str | None = None) -> GroupedSources:
        """The jobs that the sources are of; with `together` all of one, and so where none of what a person named could
        be read. Where nothing tells which of several listed jobs is meant, it is the one that is `wanted`. Raises
        `TooCostlyError` for files that a person named one by one."""
        kept_bytes = 0
        many = self.in_folders
        for i in range(len(self._files)):
            read = self._read(i)
            kept_bytes += read.size_bytes
            if not self.in_folders or isinstance(read.outcome, Archive) or kept_bytes <= KEPT_BYTES:
                self._kept[i] = read
            many = many or isinstance(read.outcome, Archive)
            sources = unpack_archives([read])
            alone = len(self._files) == len(sources) == 1
            for source in sources:
                self._places.append(SourcePlace(i, source.member))
                self._identities.append(source_identity_of(source, alone=alone))
                self._failures.append(source.outcome if isinstance(source.outcome, Failure) else None)
            if len(self._files) > 1:
                self.progress.says(f"{i + 1:,} of {len(self._files):,} files read")
        every = GroupedSources((JobSources(None, tuple(range(len(self._identities)))),))
        if together:
            return every
        found = group_by_job(self._identities, many=many)
        if not found.jobs and not self.in_folders:
            return every
        if wanted is None or [job.id for job in found.jobs] != [None]:
            return found
        own = listed_job(self._identities, wanted)
        return found if own is None else GroupedSources((own,))

    def of_job(self, job: JobSources) -> list[ReadSource]:
        """What is to be diagnosed of one job: of an archive, the files in it that are of the job."""
        members: dict[int, list[int]] = {}
        for place in (self._places[s] for s in job.sources):
            members.setdefault(place.given, []).extend([] if place.member is None else [place.member])
        found = []
        for given, wanted in members.items():
            read = self._kept.get(given) or self._read(given)
            if isinstance(read.outcome, Archive):
                inside = tuple(m for k, m in enumerate(read.outcome.members) if k in set(wanted))
                read = replace(read, outcome=replace(read.outcome, members=inside))
            found.append(read)
        return select_job_parts(found, [job.id if job.among_others else None] * len(found))

    def name_of(self, source: int) -> str:
        """The name of the file that a source is, or is in."""
        file = self._files[self._places[source].given]
        return file.name or name_of(file.path)

    def failure_of(self, source: int) -> Failure | None:
        """Why the source could not be read; None where it was."""
        return self._failures[source]

    def _read(self, index: int) -> ReadSource:
        file = self._files[index]
        try:
            with bounded():
                read = source_of(file.path)
        except TooCostlyError as costly:
            if not self.in_folders:
                raise
            read = ReadSource("", "", 0, Failure("too-large", f"{costly}", "Give the file alone."))
        return read if file.name is None else replace(read, name=file.name)


def source_of(name: str) -> ReadSource:
    """The source read, or the reason why it could not be."""
    try:
        content = sys.stdin.buffer.read() if name == STANDARD_INPUT else None
        if content is not None:
            digest, size = hashlib.sha256(content).hexdigest(), len(content)
            return ReadSource(FROM_STANDARD_INPUT, digest, size, read_or_unpack(io.BytesIO(content), Limits()))
        check_ends(Path(name))
        return source_at(Path(name))
    except OSError as problem:
        words = problem.strerror or type(problem).__name__
        step = "Give the path of a file that this user can read."
        shown = name_of(name)
        return ReadSource(shown, "", 0, Failure("unrecognised", f"{shown} could not be opened: {words}", step))


def _in_folder(folder: Path, unlisted: list[OSError], progress: Progress) -> Iterator[InputFile]:
    """Its files and those of the folders in it, by name; without hidden ones, and links to folders."""
    top = folder.resolve().name
    found = 0
    for inside, folders, files in os.walk(folder, onerror=unlisted.append):
        found += len(files)
        progress.says(f"{plural(found, 'file')} found")
        folders[:] = sorted((f for f in folders if not f.startswith(".")), key=natural_order)
        for path in (Path(inside) / file for file in sorted(files, key=natural_order) if not file.startswith(".")):
            if is_file(path):
                yield InputFile(str(path), name_of(str(Path(top) / path.relative_to(folder))))
