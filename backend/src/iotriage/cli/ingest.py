"""`iotriage ingest FOLDER`: the logs of a centre become rows of a warehouse, from which `iotriage report` is made."""

from __future__ import annotations

import argparse
import contextlib
import errno
import math
import os
import re
import sys
import time
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from iotriage.cli import DONE, refuse
from iotriage.cli.places import typed_path
from iotriage.cli.site_option import SiteOption, declare_site, site_option
from iotriage.cli.typed_values import number_of
from iotriage.rules.core.words import plural

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from iotriage.centre.ingest import IngestCounts, IngestOptions
    from iotriage.centre.log_files import Shard

IN_THE_GROUP = "whoever runs this must be able to read the logs, as a member of their group"
WITHOUT_DASK = "--dask needs Dask's distributed: pip install 'iotriage[centre,dask]' brings it"
WITHOUT_DUCKDB = "needs DuckDB: pip install 'iotriage[centre]' brings it"

MOST_JUDGED = 62
"""Days of which one run keeps the findings of today's rules: after a new release, several runs keep them all."""

MOST_WORKERS = 4096
LONGEST_DEADLINE_S = 86_400

_SECONDS_BETWEEN = 30.0
_SHARD = re.compile(r"(\d{1,5})/(\d{1,5})")


def declare(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "folder", metavar="FOLDER", type=typed_path, help="where the logs lie, in a tree of dates or not"
    )
    declare_warehouse(command)
    command.add_argument(
        "--workers",
        type=number_of("processes", MOST_WORKERS),
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes that read (default: all cores)",
    )
    command.add_argument(
        "--dask", metavar="ADDRESS", help="read on the workers of this Dask scheduler instead (tcp://host:8786)"
    )
    command.add_argument(
        "--shard", metavar="I/N", default="0/1", help="only part I of N, from 0: one for each task of a Slurm array"
    )
    command.add_argument(
        "--outputs",
        metavar="PATTERN",
        action="append",
        default=[],
        help="job outputs with MPICH_MPIIO_STATS, by file name ('slurm-*.out'); may be given several times",
    )
    command.add_argument(
        "--deadline", type=_seconds, default=60.0, metavar="SECONDS", help="processor time for one log (default: 60)"
    )
    command.add_argument(
        "--everything", action="store_true", help="look at days again that were taken in more than a week ago"
    )
    command.add_argument(
        "--again",
        metavar="DAY",
        type=day,
        action="append",
        default=[],
        help="read the logs of this day (2026-11-20, in UTC) again, as after a new release; what is not there any more "
        "stays as it was; may be given several times",
    )
    declare_site(command)
    command.set_defaults(run=run)


def day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a day: give it as 2026-11-20") from None


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 1 <= seconds <= LONGEST_DEADLINE_S:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 1 to {LONGEST_DEADLINE_S:,}")
    return seconds


def _warehouse(text: str) -> Path:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError(f"{text!a} is not UTF-8, and DuckDB opens no folder of such a name") from None
    return typed_path(text)


def declare_warehouse(command: argparse.ArgumentParser) -> None:
    # A variable that is set to nothing names no folder, least of all the one that one happens to be in.
    named = os.environ.get("IOTRIAGE_WAREHOUSE") or None
    command.add_argument(
        "--warehouse",
        metavar="FOLDER",
        type=_warehouse,
        required=named is None,
        default=named,
        help="where the tables are (default: IOTRIAGE_WAREHOUSE)",
    )


def run(chosen: argparse.Namespace) -> int:
    try:
        site = site_option(chosen.site)
    except ValueError as unknown:
        return refuse("ingest", f"{unknown}")
    if find_spec("duckdb") is None:
        return refuse("ingest", WITHOUT_DUCKDB)
    if chosen.dask is not None and find_spec("distributed") is None:
        return refuse("ingest", WITHOUT_DASK)
    shard = _shard(chosen.shard)
    if shard is None:
        return refuse("ingest", "--shard is I/N, with I from 0 to N - 1")
    progress = _Progress()
    unusable = _unusable(chosen.folder)
    if unusable is not None:
        return _failed(chosen, shard, progress, unusable)
    return _take_in(chosen, shard, site, progress)


def _take_in(chosen: argparse.Namespace, shard: Shard, site: SiteOption, progress: _Progress) -> int:
    from iotriage.centre.batches import BatchLimits, SitePreference, WorkersError
    from iotriage.centre.ingest import IngestOptions, OtherShardsError, ingest
    from iotriage.centre.judging.cached_days import cached_days
    from iotriage.centre.shards import BusyError
    from iotriage.centre.warehouse.manifest import BadManifestError, days_in

    options = IngestOptions(
        chosen.folder.absolute(),
        chosen.warehouse.absolute(),
        chosen.workers,
        shard,
        tuple(chosen.outputs),
        chosen.everything,
        tuple(chosen.again),
        chosen.dask,
        BatchLimits(cpu_seconds=chosen.deadline, wall_seconds=3 * chosen.deadline),
        SitePreference(site.chosen, site.default),
    )
    try:
        counts = ingest(options, progress.look)
        if shard.index == 0:
            cached_days(options.warehouse, days_in(options.warehouse), MOST_JUDGED)
        known = set(days_in(options.warehouse))
    except (BusyError, OtherShardsError) as problem:
        return refuse("ingest", f"{problem}")
    except (BadManifestError, WorkersError) as problem:
        return _failed(chosen, shard, progress, f"{problem}")
    except OSError as problem:
        return _failed(chosen, shard, progress, _unwritten(problem, options.warehouse))
    progress.end(counts)
    for warning in _missing(options, counts, known):
        sys.stderr.write(f"iotriage ingest: {warning}\n")
    return DONE


def _failed(chosen: argparse.Namespace, shard: Shard, progress: _Progress, why: str) -> int:
    """Who reads the report of the day asks why, and sees no standard error. Where this cannot be written, a report
    still says that a run began."""
    from iotriage.centre.last_runs import LastTry, write_last_try
    from iotriage.centre.log_files import path_as_text

    folder = path_as_text(chosen.folder.absolute())
    with contextlib.suppress(OSError, ValueError):
        write_last_try(chosen.warehouse, LastTry(folder, shard.name, progress.began, why))
    return refuse("ingest", why)


def _unusable(folder: Path) -> str | None:
    """Why nothing can be looked for in the folder of the logs; None where it can."""
    try:
        with os.scandir(folder):
            return None
    except FileNotFoundError:
        return f"there is no folder {folder}: name the one that Darshan writes its logs to"
    except NotADirectoryError:
        return f"{folder} is not a folder: name the one that the logs lie in"
    except OSError as problem:
        return f"{folder} cannot be listed: {problem.strerror}; {IN_THE_GROUP}"


def _unwritten(problem: OSError, warehouse: Path) -> str:
    """What is wrong with the warehouse, and what to do."""
    where = problem.filename or warehouse
    problem_text = f"{where}: {problem.strerror or problem}"
    match problem.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return (
                f"{problem_text}. What was taken in until then counts: make room, and the next run goes on from there"
            )
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return f"{problem_text}. Whoever runs this must be able to write to the warehouse, {warehouse}"
        case errno.EEXIST | errno.ENOTDIR:
            return (
                f"{where} is not a folder: --warehouse, or IOTRIAGE_WAREHOUSE, names one that is there or can be made"
            )
        case _:
            return f"{problem_text}. The warehouse, {warehouse}, cannot be written"


def _missing(options: IngestOptions, counts: IngestCounts, known: Collection[date]) -> Iterator[str]:
    """What was asked for and is not there, in sentences."""
    if counts.unlisted:
        (folder, why), number = counts.unlisted[0], len(counts.unlisted)
        folders = f"{folder}" if number == 1 else f"{number:,} folders, such as {folder},"
        yield f"{folders} could not be listed ({why}): their logs are missing; {IN_THE_GROUP}"
    elif not counts.found and options.shard.count == 1 and counts.since is None:
        yield f"no file below {options.folder} is called *.darshan or *.darshan_partial: is it where Darshan writes?"
    for again in options.again:
        if again not in known:
            yield f"no log of {again} was found, and the warehouse has none of that day"


def _shard(text: str) -> Shard | None:
    from iotriage.centre.log_files import Shard

    found = _SHARD.fullmatch(text)
    if found is None or int(found[1]) >= int(found[2]):
        return None
    return Shard(int(found[1]), int(found[2]))


class _Progress:
    """How far it is, on standard error: in one line of a terminal, else now and then."""

    def __init__(self) -> None:
        self.began = time.time()
        self._began = self._told = time.monotonic()
        self._terminal = sys.stderr.isatty()

    def look(self, counts: IngestCounts) -> None:
        now = time.monotonic()
        if now - self._told >= (0.2 if self._terminal else _SECONDS_BETWEEN):
            self._told = now
            ends = ("\r\033[K", "") if self._terminal else ("", "\n")
            sys.stderr.write(f"{ends[0]}{counts_line(counts, now - self._began)}{ends[1]}")
            sys.stderr.flush()

    def end(self, counts: IngestCounts) -> None:
        ends = "\r\033[K" if self._terminal else ""
        sys.stderr.write(f"{ends}{counts_line(counts, time.monotonic() - self._began)}\n")


def counts_line(counts: IngestCounts, seconds: float) -> str:
    """One line: what was done, how fast, and how long the rest takes at that rate."""
    new = counts.done - counts.known - counts.dropped
    words = [f"{counts.done:,} of {counts.found:,} logs", f"{counts.known:,} known", f"{counts.read:,} read"]
    if counts.copies:
        words.append(plural(counts.copies, "copy", "copies"))
    if counts.failed:
        reasons = ", ".join(f"{reason} {n:,}" for reason, n in sorted(counts.reasons.items()))
        words.append(f"{counts.failed:,} failed ({reasons})")
    if counts.dropped:
        words.append(f"{counts.dropped:,} of dropped days (--again DAY takes one in)")
    if new and seconds > 0:
        rate = new / seconds
        words.append(f"{rate:.1f} logs/s")
        if counts.done < counts.found:
            words.append(f"{_lasting((counts.found - counts.done) / rate)} left")
    if counts.since is not None and counts.done == counts.found:
        words.append(f"nothing was looked for before {counts.since} (--everything does)")
    return "iotriage ingest: " + "; ".join(words)


def _lasting(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
