"""The lines above the records: log version, job, sizes of the log's regions, mount table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from iotriage_parsers.evidence import Job, ModuleInfo, Mount, Problem
from iotriage_parsers.readers.darshan_log.job import StatedJob, job_of
from iotriage_parsers.text.lines import Line

MARK: Final = "# darshan log version:"
MOST_MOUNTS: Final = 10_000
MOST_METADATA: Final = 1_000
MOST_MODULES: Final = 100

_NAMES_MODULE: Final = re.compile(r"# ([A-Z][\w/-]{1,40}) module:")
_MODULE: Final = re.compile(r"# (\S{1,30}) module: ([0-9]{1,18}) bytes \(compressed\)(?:, ver=([0-9]{1,9}))?")
_METADATA: Final = re.compile(r"# metadata: (.*?) = (.*)")
_NUMBER: Final = re.compile(r"-?[0-9]{1,19}")
_SECONDS: Final = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,9})?")
_COMPRESSIONS: Final[dict[str, Literal["zlib", "bzip2", "none"]]] = {"ZLIB": "zlib", "BZIP2": "bzip2", "NONE": "none"}


@dataclass(slots=True)
class Header:
    """Filled line by line with `feed`; `modules` are name, bytes and version of the log's regions, in its order."""

    version: str = ""
    compression: Literal["zlib", "bzip2", "none"] | None = None
    fields: dict[str, str] = field(default_factory=dict)
    metadata: list[tuple[str, str]] = field(default_factory=list)
    mounts: list[Mount] = field(default_factory=list)
    modules: dict[str, ModuleInfo] = field(default_factory=dict)
    has_regions: bool = False
    unread: list[str] = field(default_factory=list)
    """The modules whose lines in the list of regions have no figures as darshan-parser prints them."""

    def feed(self, text: str) -> bool:
        """Whether the line, which begins with `#`, is one of the header's."""
        if text.startswith("# mount entry:"):
            return self._mount(text.removeprefix("# mount entry:"))
        if text.startswith("# log file regions"):
            self.has_regions = True
            return True
        if found := _MODULE.fullmatch(text.rstrip()):
            return self._module(found)
        if found := _NAMES_MODULE.match(text):
            if len(self.unread) < MOST_MODULES:
                self.unread.append(found[1])
            return True
        if found := _METADATA.fullmatch(text):
            if len(self.metadata) < MOST_METADATA:
                self.metadata.append((found[1], found[2].rstrip()))
            return True
        key, colon, value = text[2:].partition(":")
        if not colon or key not in _FIELDS:
            return False
        if key == "darshan log version":
            self.version = value.strip()
        elif key == "compression method":
            self.compression = _COMPRESSIONS.get(value.strip())
        self.fields.setdefault(key, value.removeprefix(" ").rstrip())
        return True

    def job(self, problems: list[Problem]) -> Job:
        """What cannot be true is left out, as from the log itself, and added to `problems`."""
        problems += self._changed()
        start, end = self._number("start_time"), self._number("end_time")
        printed = self.fields.get("run time", "").strip()
        runtime = float(printed) if _SECONDS.fullmatch(printed) else None
        if start is not None and end is not None and end < start:
            runtime = float(end - start)
        stated = StatedJob(
            uid=self._number("uid"),
            job_id=self._number("jobid"),
            nprocs=self._number("nprocs"),
            start=start,
            end=end,
            runtime_s=runtime,
            command=self.fields.get("exe", ""),
            mounts=tuple(self.mounts),
        )
        return job_of(stated, problems)

    @property
    def whole(self) -> bool:
        """Whether the lines on the job are all there."""
        return "nprocs" in self.fields and "run time" in self.fields

    def _changed(self) -> Iterator[Problem]:
        """That figures of the job are not as darshan-parser prints them, as where a comma stands for the point."""
        said = {key: self.fields.get(key, "").strip() for key in (*_COUNTS, "run time")}
        forms = {"run time": _SECONDS}
        bad = [f"{key} {text!r}" for key, text in said.items() if text and not forms.get(key, _NUMBER).fullmatch(text)]
        if bad:
            message = f"figures of the job are not numbers ({', '.join(bad)}): they are left out"
            yield Problem("unrecognised-number", message, loses_data=True)

    def _number(self, key: str) -> int | None:
        text = self.fields.get(key, "").strip()
        return int(text) if _NUMBER.fullmatch(text) else None

    def _mount(self, rest: str) -> bool:
        """`<tab>path<tab>type`; Darshan 2.x puts a hash before the first tab. Pasted text may have blanks for tabs."""
        cells = rest.split("\t")
        words = cells[1:] if len(cells) >= 3 else rest.split()[-2:]
        # Where a mail broke the line behind it, a path stands in the type's place.
        if len(words) >= 2 and len(self.mounts) < MOST_MOUNTS and not words[-1].strip().startswith("/"):
            self.mounts.append(Mount("\t".join(words[:-1]), words[-1].strip()))
        return True

    def _module(self, found: re.Match[str]) -> bool:
        name, size, version = found[1], int(found[2]), found[3]
        if len(self.modules) < MOST_MODULES:
            info = ModuleInfo(name, int(version) if version else None, size, partial=False, status="unsupported")
            self.modules.setdefault(name, info)
        return True


_COUNTS: Final = ("uid", "jobid", "start_time", "end_time", "nprocs")
_FIELDS: Final = frozenset(
    {
        "darshan log version",
        "compression method",
        "size of file statistics",
        "size of job statistics",
        "exe",
        "uid",
        "jobid",
        "start_time",
        "start_time_asci",
        "end_time",
        "end_time_asci",
        "nprocs",
        "run time",
        "header",
        "job data",
        "record table",
    }
)


def begins(text: str) -> int | None:
    """Where in the line a text begins, or None."""
    found = _BEGINS.search(text)
    return found.start() if found else None


_BEGINS: Final = re.compile(
    r"# darshan log version: *[0-9]|#<module>\s+<rank>\s+<record id>|#<rank>\s+<file>\s+<counter>"
)


def is_start(line: Line) -> bool:
    """Whether another text of a log begins here."""
    return line.text.startswith(MARK)
